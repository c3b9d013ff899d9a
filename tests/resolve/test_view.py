"""What definitions make of objects: the fixtures' expectations, laws, and objects that are not what they should be."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.resolve import scenarios
from tests.resolve.evaluation import definition_of
from wmap_lint.catalog import Request, Resolver
from wmap_lint.definition import Definition
from wmap_lint.jq.engine import Engine
from wmap_lint.resolve.resources import add
from wmap_lint.resolve.view import ComponentView, WorkloadView
from wmap_lint.schema import load_schema

DEMO = "jobset-x-k8s-io-jobset-v1alpha2/running"


@pytest.fixture(scope="module")
def resolver(engine: Engine) -> Resolver:
    return Resolver(engine)


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    return Draft202012Validator(load_schema("view"))


def resolved(resolver: Resolver, request: Request) -> WorkloadView:
    return resolver.resolve(request.definition, request.workload, request.pods, request.owners, request.note)


def as_json(view: WorkloadView) -> str:
    return json.dumps(view.to_dict(), sort_keys=False)


def amounts(found: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(found[name]) for name in sorted(found)}


# -- fixtures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("definition", sorted({name.partition("/")[0] for name in scenarios.names()}))
def test_its_scenarios_read_as_expected(resolver: Resolver, schema: Draft202012Validator, definition: str) -> None:
    for name in scenarios.names():
        if name.startswith(f"{definition}/"):
            reads_as_expected(resolver, schema, name)


def reads_as_expected(resolver: Resolver, schema: Draft202012Validator, name: str) -> None:
    view = resolved(resolver, scenarios.request(name))
    expected = scenarios.expected(name)
    assert view.matched == (expected["status"],)
    assert view.status == expected["status"]
    if "components" in expected:
        assert {
            f"{node.name}[{node.instance}]" if node.instance else node.name: {
                "replicas": node.desired,
                **({} if node.min_replicas is None else {"minReplicas": node.min_replicas}),
                **({} if node.max_replicas is None else {"maxReplicas": node.max_replicas}),
                "pods": len(node.pods),
                "requests": amounts(node.total),
            }
            for node in view.walk()
            if node.pod_bearing
        } == {name: part for name, part in expected["components"].items() if "pods" in part}
    if "totals" in expected:
        assert {"pods": view.totals.present, "requests": amounts(view.totals.requests)} == expected["totals"]
    if "gangs" in expected:
        assert [
            {"name": gang.name, "minMember": gang.min_member, **({"pods": list(gang.pods)} if gang.pods else {})}
            for gang in view.gangs
            if gang.min_member != 0  # of no pods there is no gang
        ] == expected["gangs"]
    assert view.problems == ()
    assert view.unplaced == ()
    schema.validate(view.to_dict())


@pytest.mark.parametrize("with_pods", [True, False])
def test_one_leader_and_two_workers(resolver: Resolver, with_pods: bool) -> None:
    request = scenarios.request(DEMO)
    if not with_pods:
        del request.workload["status"], request.workload["metadata"]["uid"]
        request = Request(request.definition, request.workload)
    view = resolved(resolver, request)
    shown = view.to_dict()
    assert shown["status"] == ("Running" if with_pods else "Initializing")
    assert shown["totals"] == {
        "pods": {"desired": 3, "present": 3 * with_pods, "ready": 3 * with_pods},
        "requests": {"nvidia.com/gpu": "12"},
        "gpus": 12,
        "resourceClaims": 0,
    }
    assert [gang["minMember"] for gang in shown["gangs"]] == [3]
    assert [(each["instance"], each["pods"]["desired"], each["gpus"]) for each in shown["components"]] == [
        ("leader", 1, 4),
        ("worker", 2, 8),
    ]
    assert all(len(each["podList"]) == each["pods"]["present"] for each in shown["components"] if with_pods)


# -- laws -----------------------------------------------------------------------------------------------------


def shuffled(value: Any, chance: random.Random) -> Any:
    """The same value, with keys in another order, and conditions too."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        found = {key: shuffled(value[key], chance) for key in keys}
        if isinstance(found.get("conditions"), list):
            chance.shuffle(found["conditions"])
        return found
    return [shuffled(each, chance) for each in value] if isinstance(value, list) else value


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(scenarios.names()), st.randoms(use_true_random=False))
def test_order_changes_nothing(resolver: Resolver, name: str, chance: random.Random) -> None:
    request = scenarios.request(name)
    pods = [shuffled(pod, chance) for pod in request.pods]
    owners = [shuffled(owner, chance) for owner in request.owners]
    chance.shuffle(pods)
    chance.shuffle(owners)
    other = Request(request.definition, shuffled(request.workload, chance), pods, owners)
    assert as_json(resolved(resolver, other)) == as_json(resolved(resolver, request))


def test_resolving_changes_nothing_in_the_objects(resolver: Resolver) -> None:
    request = scenarios.request(DEMO)
    before = copy.deepcopy((request.workload, request.pods, request.owners))
    resolved(resolver, request)
    assert (request.workload, request.pods, request.owners) == before


def leaves(view: WorkloadView) -> Iterator[ComponentView]:
    return (node for node in view.walk() if not node.children)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 9), st.sampled_from(["1", "500m", "0"])), min_size=1, max_size=4
    )
)
def test_totals_are_the_sums(resolver: Resolver, groups: list[tuple[int, int, str]]) -> None:
    specs = [
        {
            "groupName": f"g{index}",
            "replicas": replicas,
            "template": {
                "spec": {"containers": [{"resources": {"requests": {"cpu": cpu, "nvidia.com/gpu": str(gpus)}}}]}
            },
        }
        for index, (replicas, gpus, cpu) in enumerate(groups)
    ]
    match = scenarios.builtin().find({"apiVersion": "ray.io/v1", "kind": "RayCluster"})
    assert match is not None
    view = resolver.resolve(match.definition, {"spec": {"headGroupSpec": {"template": {}}, "workerGroupSpecs": specs}})
    requests: Mapping[str, Any] = {}
    for node in leaves(view):
        requests = add(requests, node.total)
    assert requests == view.totals.requests
    assert view.totals.desired == 1 + sum(replicas for replicas, _, _ in groups)
    assert view.totals.to_dict()["gpus"] == sum(replicas * gpus for replicas, gpus, _ in groups)


def test_many_at_once_are_each_as_if_alone(engine: Engine) -> None:
    requests = [scenarios.request(name) for name in scenarios.names()]
    with Resolver(engine) as resolver:
        resolver.BATCH = 7
        together = list(resolver.resolve_many(iter(requests)))
        assert [as_json(view) for view in together] == [as_json(resolved(resolver, each)) for each in requests]


# -- trees ----------------------------------------------------------------------------------------------------

CONTAINERS = {"containers": [{"name": "main", "image": "i:1", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}


def definition(root: dict[str, Any] | None = None, *children: dict[str, Any], **more: Any) -> Definition:
    base = {"name": "root", "kind": {"group": "example.com", "version": "v1", "kind": "Widget"}}
    structure = {"rootComponent": {**base, **(root or {})}, "childComponents": list(children)}
    return definition_of({"spec": {"structureDefinition": structure, **more}})


def child(name: str, owner: str = "root", **fields: Any) -> dict[str, Any]:
    return {"name": name, "ownerRef": owner, **fields}


def role(name: str, owner: str = "root", replicas: str | None = None, **fields: Any) -> dict[str, Any]:
    scale = {} if replicas is None else {"scaleDefinition": {"replicasPath": replicas}}
    return child(name, owner, specDefinition={"podSpecPath": ".pod"}, **scale, **fields)


def shape(view: WorkloadView) -> list[Any]:
    def of(node: ComponentView) -> Any:
        name = f"{node.name}[{node.instance}]" if node.instance else node.name
        return (name, node.desired, [of(each) for each in node.children]) if node.children else (name, node.desired)

    return [of(node) for node in view.components]


def label(key: str) -> str:
    return f'.metadata.labels["{key}"]'


def pod(name: str, **labels: str) -> dict[str, Any]:
    owner = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "w", "controller": True}
    return {
        "metadata": {"name": name, "labels": labels, "ownerReferences": [owner]},
        "spec": CONTAINERS,
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def widget(**fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "w"},
        "pod": CONTAINERS,
        "n": 3,
        "size": 5,
        **fields,
    }


LEADER_WORKER = definition(
    None,
    child(
        "group",
        scaleDefinition={"replicasPath": ".n"},
        podSelector={"replicaSelector": {"keyPath": label("group")}},
    ),
    role("leader", "group", "1", podSelector={"componentTypeSelector": {"keyPath": label("role"), "value": "leader"}}),
    role(
        "worker",
        "group",
        ".size - 1",
        podSelector={
            "componentTypeSelector": {"keyPath": label("role"), "value": "worker"},
            "replicaSelector": {"keyPath": label("index")},
        },
    ),
    optimizationInstructions={"gangScheduling": {"podGroup": {"name": "lws"}}},
)


def test_a_level_without_pods_multiplies_what_is_below_it(resolver: Resolver) -> None:
    pods = [pod("w-0", role="leader", group="0"), pod("w-0-1", role="worker", group="0", index="1")]
    view = resolver.resolve(LEADER_WORKER, widget(), pods)
    assert shape(view) == [("group", 15, [("leader", 3), ("worker", 12)])]
    assert view.totals.desired == 15
    assert view.totals.to_dict()["gpus"] == 15
    assert [gang.min_member for gang in view.gangs] == [15]
    leader, worker = view.components[0].children
    assert [each.replica for each in leader.pods] == [(("group", "0"),)]
    assert [each.replica for each in worker.pods] == [(("group", "0"), ("worker", "1"))]
    assert view.problems == ()


@pytest.mark.parametrize(
    ("scale", "desired"),
    [
        ({"replicasPath": ".n"}, 3),
        ({"replicasPath": ".n", "minReplicasPath": "1"}, 3),
        ({"minReplicasPath": "2"}, 2),
        ({"maxReplicasPath": "9"}, 1),
        ({"replicasPath": "0"}, 0),
        ({"replicasPath": ".none"}, 1),
        ({"replicasPath": "0 - 4"}, 0),
    ],
)
def test_desired_is_replicas_else_the_minimum_else_one(resolver: Resolver, scale: dict[str, str], desired: int) -> None:
    view = resolver.resolve(definition(None, {**role("worker"), "scaleDefinition": scale}), widget())
    assert shape(view) == [("worker", desired)]


def test_a_level_that_says_how_much_counts_though_its_pods_are_described_nowhere(resolver: Resolver) -> None:
    scaled = child("executor", scaleDefinition={"replicasPath": ".n"})
    assert shape(resolver.resolve(definition(None, scaled, child("empty")), widget())) == [("executor", 3)]
    silent = child("executor", scaleDefinition={"replicasPath": ".none"})
    assert shape(resolver.resolve(definition(None, silent), widget())) == []


def test_the_root_is_a_node_when_it_has_pods(resolver: Resolver) -> None:
    root = {"specDefinition": {"podSpecPath": ".pod"}, "scaleDefinition": {"replicasPath": ".n"}}
    assert shape(resolver.resolve(definition(root), widget())) == [("root", 3)]
    # A level multiplies what it owns, whether or not it has pods itself.
    assert shape(resolver.resolve(definition(root, role("worker", replicas="2")), widget())) == [
        ("root", 3),
        ("worker", 6),
    ]


def test_of_a_root_with_instances_the_first_is_followed(resolver: Resolver) -> None:
    root = {"instanceIdPath": ".ids[]", "scaleDefinition": {"replicasPath": ".counts[]"}}
    view = resolver.resolve(definition(root, role("worker")), widget(ids=["b", "a"], counts=[5, 2]))
    assert shape(view) == [("worker", 2)]
    with_pods = {**root, "specDefinition": {"podSpecPath": ".ids[] as $_ | .pod"}}
    view = resolver.resolve(definition(with_pods), widget(ids=["b", "a"], counts=[5, 2]))
    assert shape(view) == [("root[b]", 5), ("root[a]", 2)]


NESTED = definition(
    None,
    child(
        "service",
        instanceIdPath=".services[].name",
        podSelector={"componentInstanceSelector": {"idPath": label("service")}},
    ),
    role(
        "replica",
        "service",
        podSelector={"componentTypeSelector": {"keyPath": label("service")}},
        replicas=".n",
    ),
)


def test_below_instances_counts_are_those_of_the_whole_object_and_pods_are_their_own(resolver: Resolver) -> None:
    # Consumers do not narrow a child to its parent's instance: each of the two gets all three replicas.
    request = widget(services=[{"name": "api"}, {"name": "worker"}])
    view = resolver.resolve(NESTED, request, [pod("a", service="api"), pod("b", service="worker"), pod("c")])
    assert shape(view) == [("service[api]", 3, [("replica", 3)]), ("service[worker]", 3, [("replica", 3)])]
    assert [[each.name for each in node.all_pods] for node in view.components] == [["a"], ["b"]]
    assert [each.name for each in view.unplaced] == ["c"]
    assert [problem.kind for problem in view.problems] == ["pod"]


def test_a_role_that_the_object_does_not_have(resolver: Resolver) -> None:
    parts = definition(None, child("master", specDefinition={"podSpecPath": ".master"}), role("worker"))
    view = resolver.resolve(parts, widget())
    assert shape(view) == [("worker", 1)]
    assert [problem.kind for problem in view.problems] == ["absent-role"]


def test_pods_are_shown_though_their_component_cannot_be_extracted(resolver: Resolver) -> None:
    parts = definition(
        None,
        role(
            "worker",
            instanceIdPath=".ids[]",
            replicas=".n",
            podSelector={
                "componentTypeSelector": {"keyPath": label("role")},
                "componentInstanceSelector": {"idPath": label("id")},
            },
        ),
    )
    view = resolver.resolve(parts, widget(ids=["a", "b"]), [pod("p", role="worker", id="a")])
    assert [problem.kind for problem in view.problems] == ["count-mismatch"]
    assert "podSpecPath `.pod`" in view.problems[0].message
    assert "2 instance ids and 1 results" in view.problems[0].message
    assert [(node.name, [each.name for each in node.pods]) for node in view.walk()] == [("worker", ["p"])]
    assert view.unplaced == ()


def test_a_pod_of_no_instance_is_unplaced(resolver: Resolver, schema: Draft202012Validator) -> None:
    request = scenarios.request(DEMO)
    request.pods[0]["metadata"]["labels"]["jobset.sigs.k8s.io/replicatedjob-name"] = "Leader"
    view = resolved(resolver, request)
    assert [each.name for each in view.unplaced] == [request.pods[0]["metadata"]["name"]]
    assert view.totals.present == 2
    assert [problem.kind for problem in view.problems] == ["pod"]
    assert "'leader', 'worker'" in view.problems[0].message
    schema.validate(view.to_dict())


def test_fragments_make_a_pod_spec(resolver: Resolver) -> None:
    paths = {
        "containersPath": ".parts",
        "containerPath": ".extra",
        "imagePath": ".image",
        "schedulerNamePath": ".scheduler",
        "priorityClassNamePath": ".priority",
        "resourcesPath": ".resources",
        "resourceClaimsPath": ".claims",
    }
    parts = definition(None, child("worker", specDefinition={"fragmentedPodSpecDefinition": paths}))
    resources = {"limits": {"nvidia.com/mig-1g.5gb": "2", "cpu": "1500m"}}
    both = widget(parts=[{}], resources=resources, image="i:2", scheduler="kai", priority="high", claims=[{}, {}])
    view = resolver.resolve(parts, both)
    (node,) = view.components
    assert amounts(node.requests) == {"cpu": "1500m", "nvidia.com/mig-1g.5gb": "2"}
    assert (node.images, node.scheduler, node.priority_class, node.claims) == (("i:2",), "kai", "high", 2)
    # What the containers declare counts before the fragment with resources.
    view = resolver.resolve(parts, {**both, "extra": {"resources": {"requests": {"cpu": "3"}}}})
    assert amounts(view.components[0].requests) == {"cpu": "3"}


def test_several_statuses_are_all_told(resolver: Resolver) -> None:
    status = {"statusMappings": {"running": [{}], "degraded": [{}]}}
    view = resolver.resolve(definition({"statusDefinition": status}), widget())
    assert view.matched == ("Running", "Degraded")
    assert view.status == "Running"
    assert [problem.kind for problem in view.problems] == ["several-statuses"]


def test_a_status_that_fails(resolver: Resolver) -> None:
    status = {"phaseDefinition": {"path": ".n"}, "statusMappings": {"running": [{}]}}
    view = resolver.resolve(definition({"statusDefinition": status}), widget())
    assert (view.status, view.matched) == ("Undefined", ())
    assert [problem.kind for problem in view.problems] == ["status"]


# -- objects that are not what they should be -----------------------------------------------------------------


def catalog() -> list[Definition]:
    return list(scenarios.builtin())


@pytest.mark.parametrize("definition", catalog()[::3], ids=lambda each: each.name)
@pytest.mark.parametrize(
    "workload",
    [
        None,
        [],
        "text",
        {},
        {"metadata": "text", "spec": None, "status": None},
        {"metadata": {"name": 1, "namespace": {}, "uid": []}, "spec": [], "status": 3, "apiVersion": {}, "kind": 5},
        {"spec": {"replicatedJobs": [{"name": "a", "replicas": "x", "template": {"spec": {"template": 3}}}]}},
        {"spec": {"replicatedJobs": [{"name": None}, {"name": 3}, "text"]}},
        {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": "four"}, "Master": None}}},
        {"spec": {"workerGroupSpecs": {"a": {}}, "headGroupSpec": "text"}},
        {"spec": {}, "status": {"conditions": {"type": "Ready"}, "replicaStatuses": [], "replicatedJobsStatus": {}}},
        {"spec": {"headGroupSpec": {"template": {"spec": {"containers": [{"resources": {"limits": {"cpu": []}}}]}}}}},
        {"metadata": {"labels": {"a": None}}, "status": {"conditions": [None, 3, {"type": None}, {"status": True}]}},
        {"spec": float("nan"), "status": 10**400, 3: {}},
    ],
    ids=range(14),
)
def test_a_malformed_object_gives_a_view(
    resolver: Resolver, schema: Draft202012Validator, definition: Definition, workload: Any
) -> None:
    pods = ["text", None, 3, {}, {"metadata": None}, {"metadata": {"labels": None, "name": 3, "ownerReferences": 5}}]
    pods += [{"metadata": {"labels": {"a": None}}, "spec": 3, "status": {"conditions": {}, "phase": 3}}]
    view = resolver.resolve(definition, workload, pods, ["text", None, {"metadata": 3}])
    schema.validate(view.to_dict())
    assert any(problem.kind in ("pod", "foreign-pod") for problem in view.problems)


KEYS = st.sampled_from(
    "metadata spec status name namespace uid labels ownerReferences replicas template containers resources limits "
    "requests conditions type phase controller kind apiVersion workerGroupSpecs replicatedJobs pytorchReplicaSpecs "
    "headGroupSpec groupName Worker restarts state cpu nvidia.com/gpu ray.io/node-type elasticPolicy suspend".split()
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "a", "worker", "True", "1Gi", "-1", "x" * 300]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(scenarios.names()), st.data())
def test_anything_gives_a_view(
    resolver: Resolver, schema: Draft202012Validator, name: str, data: st.DataObject
) -> None:
    request = scenarios.request(name)
    replaced = data.draw(JSON) if data.draw(st.booleans()) else broken(request.workload, data)
    pods = [broken(each, data) for each in request.pods[:2]] + data.draw(st.lists(JSON, max_size=3))
    owners = [*request.owners[:1], data.draw(JSON)]
    view = resolver.resolve(request.definition, replaced, pods, owners)
    schema.validate(view.to_dict())
    json.dumps(view.to_dict(), allow_nan=False)
    backwards = resolver.resolve(request.definition, replaced, pods[::-1], owners[::-1])
    assert as_json(backwards) == as_json(view)


def broken(value: Any, data: st.DataObject) -> Any:
    """A copy of ``value`` in which one part, anywhere, is something else."""
    value = copy.deepcopy(value)
    part, depth = value, data.draw(st.integers(0, 5))
    while True:
        keys = list(part) if isinstance(part, dict) else range(len(part))
        if not keys:
            return value
        key = data.draw(st.sampled_from(list(keys)))
        if depth == 0 or not isinstance(part[key], dict | list):
            part[key] = data.draw(JSON)
            return value
        part, depth = part[key], depth - 1


def test_five_thousand_pods(resolver: Resolver, schema: Draft202012Validator) -> None:
    request = scenarios.request(DEMO)
    pods = []
    for index in range(5000):
        each = copy.deepcopy(request.pods[index % 3])
        each["metadata"]["name"] += f"-{index}"
        if index % 5 == 0:
            each["metadata"]["labels"] = None
        pods.append(each)
    view = resolver.resolve(request.definition, request.workload, [*pods, *["text"] * 1000], request.owners)
    assert view.totals.present == 4000
    assert len(view.unplaced) == 1000
    assert len(view.problems) == 1001
    schema.validate(view.to_dict(pods=False))


def test_an_object_of_fifty_megabytes(resolver: Resolver) -> None:
    request, needs_jq = scenarios.request(DEMO), scenarios.request(DEMO)
    request.workload["status"]["log"] = ["x" * 1024] * 50_000
    needs_jq.workload["status"]["conditions"] = [{"type": "x" * 1024}] * 50_000
    small = scenarios.request(DEMO)
    first, large, larger, last = resolver.resolve_many([small, request, needs_jq, small])
    assert first.matched == last.matched == ("Running",)
    # Nothing reads what makes it large.
    assert (large.matched, large.totals.desired, large.problems) == (("Running",), 3, ())
    assert larger.totals.desired == 3
    assert [problem.kind for problem in larger.problems] == ["status"]
    assert "bytes, more than" in larger.problems[0].message
