"""What KAI makes of a gang section: scales of subtrees, groups, and every refusal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.resolve import scenarios
from tests.resolve.evaluation import definition_of
from wmap_lint.catalog import Resolver
from wmap_lint.definition import Definition
from wmap_lint.jq.engine import Engine
from wmap_lint.resolve.view import WorkloadView


@pytest.fixture(scope="module")
def resolver(engine: Engine) -> Resolver:
    return Resolver(engine)


def part(name: str, owner: str | None = "root", scale: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A component; the keys of ``scale`` are those of scaleDefinition without ``Path``."""
    found: dict[str, Any] = {"name": name, **fields}
    if owner is not None:
        found["ownerRef"] = owner
    if scale is not None:
        found["scaleDefinition"] = {f"{key}Path": str(value) for key, value in scale.items()}
    return found


def bearing(name: str, owner: str = "root", scale: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    selector = {"componentTypeSelector": {"keyPath": ".metadata.labels.role", "value": name}}
    more = {"specDefinition": {"podSpecPath": ".pod"}, "podSelector": selector, **fields}
    return part(name, owner, scale, **more)


def definition(gang: dict[str, Any], root: dict[str, Any] | None = None, *children: dict[str, Any]) -> Definition:
    structure = {"rootComponent": root or part("root", None), "childComponents": list(children)}
    return definition_of(
        {"spec": {"structureDefinition": structure, "optimizationInstructions": {"gangScheduling": gang}}}
    )


def pod(name: str, role: str | None = None, **labels: Any) -> dict[str, Any]:
    reference = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "w", "uid": "U", "controller": True}
    labels = labels if role is None else {"role": role, **labels}
    return {"metadata": {"name": name, "labels": labels, "ownerReferences": [reference]}, "spec": {}}


WIDGET: dict[str, Any] = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "w", "namespace": "n", "uid": "U"},
    "pod": {"containers": []},
    "groups": [{"name": "driver", "n": 1}, {"name": "workers", "n": 4}],
}


def resolve(resolver: Resolver, parts: Definition, *pods: dict[str, Any], **changes: Any) -> WorkloadView:
    return resolver.resolve(parts, {**WIDGET, **changes}, pods)


def refusals(view: WorkloadView) -> list[str]:
    return [problem.message for problem in view.problems if problem.kind == "gang"]


ONE = {"podGroup": {"name": "g"}}
INSTANCES = {
    "instanceIdPath": ".groups[].name",
    "specDefinition": {"podSpecPath": ".groups[] as $_ | .pod"},
    "podSelector": {
        "componentTypeSelector": {"keyPath": ".metadata.labels.role"},
        "componentInstanceSelector": {"idPath": ".metadata.labels.group"},
    },
}


@pytest.mark.parametrize(
    ("parts", "minimum"),
    [
        ([part("root", None), bearing("worker", scale={"replicas": 5, "minReplicas": 3})], 3),
        ([part("root", None), bearing("worker", scale={"replicas": 5, "minReplicas": 0})], 5),
        (
            [
                part("root", None, {"replicas": 2}),
                bearing("worker", scale={"replicas": 4}),
                bearing("master", scale={"replicas": 1}),
            ],
            10,
        ),
        ([part("root", None), bearing("worker", scale={"replicas": 4}), bearing("master", scale={"replicas": 1})], 5),
        ([part("root", None, {"replicas": 3}), bearing("worker")], 3),
        ([part("root", None), bearing("worker"), bearing("master")], 2),
        ([part("root", None, {"replicas": 0}), bearing("worker", scale={"replicas": 4})], 4),
        ([part("root", None, {"maxReplicas": 9}), bearing("worker", scale={"replicas": 4, "maxReplicas": 9})], 4),
        # The shipped LeaderWorkerSet of consumers' catalog, where one group really is four pods.
        (
            [
                part("root", None),
                part("group", "root", {"replicas": 4}),
                bearing("leader", "group", {"replicas": 3}),
                bearing("worker", "group", {"replicas": 9}),
            ],
            48,
        ),
        # I15
        (
            [
                part("root", None, {"replicas": 2}),
                bearing("worker", scale={"replicas": 5, "minReplicas": 3}),
                bearing("master", scale={"replicas": 1}),
            ],
            8,
        ),
        # Without any counts leaves are counted, and instances are.
        ([part("root", None), part("level"), bearing("worker", "level", **INSTANCES)], 2),
        # JobSet, asked without an instance.
        ([part("root", None), part("job", "root", {"replicas": ".groups[].n"}, **INSTANCES)], 5),
    ],
    ids=range(12),
)
def test_scale_of_a_subtree(resolver: Resolver, parts: list[dict[str, Any]], minimum: int) -> None:
    view = resolve(resolver, definition(ONE, *parts))
    assert [gang.min_member for gang in view.gangs] == [minimum]
    assert refusals(view) == []


def test_counts_serve_a_gang_though_the_pod_spec_cannot_be_read(resolver: Resolver) -> None:
    broken = part("worker", scale={"replicas": 4}, specDefinition={"podSpecPath": "1"})
    view = resolve(resolver, definition(ONE, None, broken))
    assert [gang.min_member for gang in view.gangs] == [4]
    assert [problem.kind for problem in view.problems] == ["wrong-type"]


def test_counts_that_cannot_be_read_are_refused(resolver: Resolver) -> None:
    view = resolve(resolver, definition(ONE, None, bearing("worker", scale={"replicas": '"four"'})))
    assert view.gangs == view.pod_groups == ()
    assert "component 'worker' cannot be extracted" in refusals(view)[0]


# -- podGroup -------------------------------------------------------------------------------------------------

COORDINATED = definition(
    {
        "podGroup": {
            "name": "customjob",
            "topology": {"topologyName": "t", "preferredTopologyLevel": "rack", "requiredTopologyLevel": ""},
            "subGroups": [{"componentName": "coordinator"}, {"componentName": "worker"}],
        }
    },
    None,
    bearing("coordinator", scale={"replicas": 1}),
    part("worker", scale={"replicas": 2}),
    bearing("replica", "worker"),
)


def test_subgroups(resolver: Resolver) -> None:
    view = resolve(resolver, COORDINATED, pod("b", "replica"), pod("a", "replica"), pod("c", "coordinator"))
    assert list(view.pod_groups) == [
        {
            "apiVersion": "scheduling.run.ai/v2alpha2",
            "kind": "PodGroup",
            "metadata": {
                "name": "pg-U-customjob",
                "namespace": "n",
                "ownerReferences": [{"apiVersion": "example.com/v1", "kind": "Widget", "name": "w", "uid": "U"}],
            },
            "spec": {
                "minSubGroup": 2,
                "subGroups": [{"name": "coordinator", "minMember": 1}, {"name": "worker", "minMember": 2}],
                "topologyConstraint": {"topology": "t", "preferredTopologyLevel": "rack"},
            },
        }
    ]
    # A subgroup claims what the components below it match.
    assert [group.pods for group in view.gangs[0].sub_groups] == [("c",), ("a", "b")]
    assert view.problems == ()
    assert view.to_dict()["gangs"][0]["minSubGroup"] == 2


def test_a_pod_in_no_subgroup_is_never_scheduled(resolver: Resolver) -> None:
    parts = definition(
        {"podGroup": {"name": "g", "subGroups": [{"componentName": "master"}]}},
        None,
        bearing("master", scale={"replicas": 1}),
        bearing("worker", scale={"replicas": 1}),
    )
    view = resolve(resolver, parts, pod("m", "master"), pod("w", "worker"))
    assert len(view.gangs) == 1
    assert refusals(view) == [
        "Pod 'w' is in no subgroup: the scheduler looks for one called 'default' and leaves the pod unschedulable."
    ]


@pytest.mark.parametrize(
    ("group", "refusal"),
    [
        ({"name": "g", "subGroups": [{"componentName": "nobody"}]}, "'nobody' is no component"),
        ({"name": "g", "subGroups": [{"componentName": "idle"}]}, "must expose a replica scale definition"),
        ({"name": "g", "subGroups": [{"componentName": "Big_One"}]}, "that is no DNS label"),
        ({"name": "G", "subGroups": []}, "'pg-U-G': that is no DNS name"),
        ({"name": "g", "topology": {"topologyName": "", "requiredTopologyLevel": "rack"}}, "no name or no level"),
        ({"name": "g", "topology": {"topologyName": "t"}}, "no name or no level"),
        ({"name": "g", "subGroups": [{"componentName": "worker", "topology": {"topologyName": "t"}}]}, "no level"),
    ],
)
def test_what_is_refused_is_no_gang(resolver: Resolver, group: dict[str, Any], refusal: str) -> None:
    parts = definition(
        {"podGroup": group},
        None,
        bearing("worker", scale={"replicas": 1}),
        bearing("Big_One", scale={"replicas": 1}),
        bearing("idle", scale={"replicas": 0}),
    )
    view = resolve(resolver, parts)
    assert view.gangs == view.pod_groups == ()
    assert [message for message in refusals(view) if refusal in message]


# -- podGroups, the deprecated form ---------------------------------------------------------------------------


def keyed(*members: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"podGroups": [{"name": "g", "members": list(members), **more}]}


def grouped(resolver: Resolver, gang: dict[str, Any], *pods: dict[str, Any]) -> WorkloadView:
    parts = definition(
        gang,
        None,
        bearing("master", scale={"replicas": 1}),
        bearing("worker", scale={"replicas": 4}),
    )
    return resolve(resolver, parts, *pods)


def test_a_group_for_each_combination_of_keys(resolver: Resolver) -> None:
    keys = [".metadata.labels.a", '.metadata.labels.b // "0"']
    gang = keyed({"componentName": "worker", "groupByKeyPaths": keys})
    view = grouped(
        resolver, gang, pod("1", "worker", a="j1"), pod("2", "worker", a="j1"), pod("3", "worker", a="j2", b="x")
    )
    assert [(each.pod_group, each.min_member, each.pods, each.keys) for each in view.gangs] == [
        ("pg-U-j1-0", 4, ("1", "2"), ("j1", "0")),  # I14
        ("pg-U-j2-x", 4, ("3",), ("j2", "x")),
    ]
    assert refusals(view) == []


def test_two_members_of_a_group_flip_its_minimum(resolver: Resolver) -> None:
    gang = keyed({"componentName": "master"}, {"componentName": "worker"})
    view = grouped(resolver, gang, pod("m", "master"), pod("w", "worker"))
    assert [each.pod_group for each in view.gangs] == ["pg-U"]
    assert "flips between 1 and 4" in refusals(view)[0]
    # Naming the parent is not the same: then both write one number.
    view = grouped(resolver, keyed({"componentName": "root"}), pod("m", "master"), pod("w", "worker"))
    assert [(each.pod_group, each.min_member, each.pods) for each in view.gangs] == [("pg-U", 5, ("m", "w"))]
    assert refusals(view) == []


def test_groups_without_keys_are_one_for_kai(resolver: Resolver) -> None:
    gang = {
        "podGroups": [
            {"name": "a", "members": [{"componentName": "master"}]},
            {"name": "b", "members": [{"componentName": "worker"}]},
        ]
    }
    view = grouped(resolver, gang, pod("m", "master"), pod("w", "worker"))
    assert len(view.gangs) == 1
    assert "Pod groups 'a' and 'b' are one for KAI" in refusals(view)[0]


def test_the_nearest_member_whose_filters_say_yes_counts(resolver: Resolver) -> None:
    gang = keyed(
        {"componentName": "root"},
        {"componentName": "worker", "filters": ['.metadata.labels.x == "y"'], "groupByKeyPaths": ['"own"']},
    )
    view = grouped(resolver, gang, pod("1", "worker", x="y"), pod("2", "worker"))  # I13
    assert [(each.pod_group, each.min_member) for each in view.gangs] == [("pg-U-own", 4), ("pg-U", 5)]


@pytest.mark.parametrize(
    ("member", "labels", "refusal"),
    [
        ({"componentName": "worker", "filters": [".metadata.labels.x"]}, {}, "does not give exactly one value"),  # I12
        ({"componentName": "worker", "filters": [".metadata.name.x"]}, {}, "the filter `.metadata.name.x` fails"),
        ({"componentName": "worker", "groupByKeyPaths": [".metadata.labels.x"]}, {}, "it gives nothing"),
        ({"componentName": "worker", "groupByKeyPaths": [".metadata.labels.x"]}, {"x": "A"}, "'pg-U-A' is no DNS name"),
        ({"componentName": "worker", "groupByKeyPaths": ["gpu"]}, {}, "nothing defines the function gpu"),
        ({"componentName": "master"}, {}, "does not match any Karta pod group member"),
        ({"componentName": "worker"}, {"role": "x"}, "no component is found"),
    ],
)
def test_a_pod_that_is_not_grouped(
    resolver: Resolver, member: dict[str, Any], labels: dict[str, Any], refusal: str
) -> None:
    view = grouped(resolver, keyed(member), pod("p", **{"role": "worker", **labels}))
    assert view.gangs == ()
    assert len(refusals(view)) == 1
    assert refusals(view)[0].startswith("KAI does not group pod 'p': ")
    assert refusal in refusals(view)[0]


def test_instances_have_their_own_minimum(resolver: Resolver) -> None:
    job = part("job", "root", {"replicas": ".groups[].n"}, **INSTANCES)
    parts = definition(keyed({"componentName": "job", "groupByKeyPaths": [".metadata.labels.group"]}), None, job)
    pods = [pod("d", "job", group="driver"), pod("w", "job", group="workers")]
    view = resolve(resolver, parts, *pods)
    assert [(each.pod_group, each.min_member) for each in view.gangs] == [("pg-U-driver", 1), ("pg-U-workers", 4)]
    # From the manifest alone the keys are unknown, the counts are not.
    view = resolve(resolver, parts)
    assert [(each.pod_group, each.min_member) for each in view.gangs] == [
        ("pg-U-<.metadata.labels.group>", 1),
        ("pg-U-<.metadata.labels.group>", 4),
    ]
    view = resolve(resolver, parts, pod("x", "job", group="other"))
    assert "could not match instance id 'other'" in refusals(view)[0]


def test_an_instance_without_a_count_of_its_own(resolver: Resolver) -> None:
    gang = keyed({"componentName": "job"})
    parts = definition(gang, None, part("job", **INSTANCES), bearing("other", scale={"replicas": 1}))
    view = resolve(resolver, parts, pod("d", "job", group="driver"))
    assert "instance 'driver' of component 'job' has no scale" in refusals(view)[0]


def test_the_one_role_with_pods_is_every_pods(resolver: Resolver) -> None:
    parts = definition(keyed({"componentName": "worker"}), None, bearing("worker", scale={"replicas": 4}))
    view = resolve(resolver, parts, pod("p", "someone"))
    # KAI asks no selector there; the tree does.
    assert [each.min_member for each in view.gangs] == [4]
    assert [each.name for each in view.unplaced] == ["p"]


def test_the_catalog_is_ganged_without_refusals(resolver: Resolver) -> None:
    for name in scenarios.names()[::3]:
        request = scenarios.request(name)
        assert refusals(resolver.resolve(request.definition, request.workload, request.pods, request.owners)) == []
