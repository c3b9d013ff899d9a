"""Which component, instance and replica a pod belongs to, and whose it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.resolve.evaluation import definition_of
from wmap_lint.definition import Definition
from wmap_lint.jq.engine import Engine
from wmap_lint.resolve.evaluation import Programs, evaluate, plan
from wmap_lint.resolve.pods import (
    Attribution,
    Match,
    Ownership,
    attribute,
    by_uid,
    go_text,
    is_same,
    key_of,
    ownership,
    possible_owners,
    type_matches,
)


def roles(**selectors: dict[str, Any] | None) -> Definition:
    """A component with pods for each selector, below a root without."""
    children = [
        {
            "name": name,
            "ownerRef": "root",
            "specDefinition": {"podSpecPath": ".spec"},
            **({} if selector is None else {"podSelector": selector}),
        }
        for name, selector in selectors.items()
    ]
    root = {"name": "root", "kind": {"group": "example.com", "version": "v1", "kind": "Widget"}}
    return definition_of({"spec": {"structureDefinition": {"rootComponent": root, "childComponents": children}}})


def by_type(**selector: Any) -> dict[str, Any]:
    return {"componentTypeSelector": selector}


def labelled(**labels: Any) -> dict[str, Any]:
    return {"metadata": {"name": "p", "labels": labels}}


def programs(engine: Engine, definition: Definition, pod: Any) -> Programs:
    (found,) = evaluate(engine, plan(definition).pod, [pod])
    return found


def matches(engine: Engine, selector: dict[str, Any], pod: Any) -> Match:
    definition = roles(role=by_type(**selector))
    component = definition.component("role")
    assert component is not None
    assert component.pod_selector is not None
    return type_matches(component.pod_selector.type_selector, pod, programs(engine, definition, pod))


ROLE = ".metadata.labels.role"


@pytest.mark.parametrize(
    ("selector", "labels", "holds"),
    [
        ({"keyPath": ROLE}, {"role": "x"}, True),
        ({"keyPath": ROLE}, {"role": ""}, True),  # I9
        ({"keyPath": ROLE}, {}, False),
        ({"keyPath": f'{ROLE} == "w"'}, {}, True),  # a boolean exists
        ({"keyPath": ROLE, "value": "w"}, {"role": "w"}, True),
        ({"keyPath": ROLE, "value": "w"}, {"role": "x"}, False),
        ({"keyPath": ROLE, "value": "w"}, {}, False),
        ({"keyPath": f"{ROLE} | ascii_downcase", "value": "w"}, {"role": "W"}, True),
        # Spliced on without parentheses, `//` turns the question round.
        ({"keyPath": f'{ROLE} // "w"', "value": "w"}, {"role": "w"}, False),
        ({"keyPath": f'{ROLE} // "w"', "value": "w"}, {}, True),
        ({"keyPath": f"{ROLE} # role", "value": "w"}, {"role": "w"}, False),
        ({"matchLabels": {"a": "1", "b": "2"}}, {"a": "1", "b": "2", "c": "3"}, True),
        ({"matchLabels": {"a": "1", "b": "2"}}, {"a": "1"}, False),
        ({"matchLabels": {"a": ""}}, {}, False),  # I10
        ({"matchLabels": {}}, {}, False),  # I11
        ({"matchLabels": {"a": "1"}, "keyPath": ROLE}, {"a": "1"}, False),
        ({"matchLabels": {"a": "1"}, "keyPath": ROLE}, {"a": "1", "role": "x"}, True),
    ],
)
def test_type_selectors(engine: Engine, selector: dict[str, Any], labels: dict[str, Any], holds: bool) -> None:
    assert matches(engine, selector, labelled(**labels)) == Match(holds)


def test_labels_that_say_no_end_it_before_a_path_that_fails(engine: Engine) -> None:
    failing = {"keyPath": ".metadata.name.x"}
    assert matches(engine, failing, labelled()).failure
    assert matches(engine, {**failing, "matchLabels": {"a": "1"}}, labelled()) == Match(False)


def test_a_comparison_with_a_value_is_a_parse_error(engine: Engine) -> None:
    failure = matches(engine, {"keyPath": f'{ROLE} == "w"', "value": "true"}, labelled()).failure
    assert failure is not None
    assert failure.startswith("not jq")


def found(engine: Engine, definition: Definition, pod: Any, **instances: list[str]) -> Attribution:
    return attribute(definition, pod, programs(engine, definition, pod), instances)


MASTER = by_type(keyPath=ROLE, value="master")
WORKER = by_type(keyPath=ROLE, value="worker")


def test_each_pod_goes_to_its_role(engine: Engine) -> None:
    definition = roles(master=MASTER, worker=WORKER)
    assert [found(engine, definition, labelled(role=role)).component for role in ("master", "worker")] == [
        "master",
        "worker",
    ]
    nobody = found(engine, definition, labelled(role="driver"))
    assert nobody.component is None
    assert nobody.problems == ("Pod 'p' matches no component: the type selectors of 'master', 'worker' all say no.",)


def test_the_only_role_without_a_selector_gets_every_pod(engine: Engine) -> None:
    assert found(engine, roles(worker=None), labelled()).component == "worker"
    # With a selector it is asked all the same, and next to another role it gets none.
    assert found(engine, roles(worker=WORKER), labelled()).component is None
    assert found(engine, roles(worker=None, master=MASTER), labelled(role="worker")).component is None


def test_of_two_roles_that_match_the_first_counts_and_the_other_is_told(engine: Engine) -> None:
    both = found(engine, roles(one=by_type(keyPath=ROLE), other=by_type(keyPath=ROLE)), labelled(role="x"))
    assert (both.component, both.also) == ("one", ("other",))
    assert both.problems == ("Pod 'p' matches 'one' and 'other'; it is counted under 'one', the first.",)


def test_a_selector_that_fails_is_told(engine: Engine) -> None:
    failing = found(engine, roles(one=by_type(keyPath=".metadata.name.x"), other=WORKER), labelled(role="worker"))
    assert failing.component == "other"
    assert failing.problems[0].startswith("The type selector of 'one' fails on pod 'p': ")


INSTANCE = {**by_type(keyPath=ROLE), "componentInstanceSelector": {"idPath": ".metadata.labels.id"}}


@pytest.mark.parametrize(
    ("labels", "instance", "problem"),
    [
        ({"id": "a"}, "a", None),
        ({"id": "A"}, "", "says it is of instance 'A' of component 'role', which has the instances 'a', 'b'"),
        ({}, "", "is unknown: it gives nothing"),
        ({"id": ""}, "", "is unknown: it gives an empty text"),
    ],
)
def test_instances(engine: Engine, labels: dict[str, Any], instance: str, problem: str | None) -> None:
    definition = roles(role=INSTANCE)
    definition.document.data["spec"]["structureDefinition"]["childComponents"][0]["instanceIdPath"] = ".ids[]"
    definition = definition_of(definition.document.data)
    attribution = found(engine, definition, labelled(role="x", **labels), role=["a", "b"])
    assert attribution.instance == instance
    assert problem is None if not attribution.problems else problem is not None and problem in attribution.problems[0]


def test_replica_keys_are_inherited(engine: Engine) -> None:
    definition = definition_of(
        {
            "spec": {
                "structureDefinition": {
                    "rootComponent": {"name": "root"},
                    "childComponents": [
                        {
                            "name": "group",
                            "ownerRef": "root",
                            "podSelector": {"replicaSelector": {"keyPath": ".metadata.labels.group"}},
                        },
                        {
                            "name": "worker",
                            "ownerRef": "group",
                            "specDefinition": {"podSpecPath": "."},
                            "podSelector": {"replicaSelector": {"keyPath": ".metadata.labels.index"}},
                        },
                    ],
                }
            }
        }
    )
    assert found(engine, definition, labelled(group="g", index=3)).replica == (("group", "g"), ("worker", "3"))
    # A key that is not there is no problem: no consumer reads it.
    assert found(engine, definition, labelled(index=3)).replica == (("worker", "3"),)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (True, "true"),
        (3, "3"),
        (999999, "999999"),
        (1000000, "1e+06"),
        (1234567, "1.234567e+06"),
        (1.5, "1.5"),
        (["a", 1], "[a 1]"),
        ({"b": 1, "a": "x"}, "map[a:x b:1]"),
    ],
)
def test_texts_of_keys(value: object, text: str) -> None:
    assert go_text(value) == text


@pytest.mark.parametrize(("path", "why"), [(".none", "nothing"), (".a, .b", "2 results"), ("empty", "0 results")])
def test_keys_that_are_none(engine: Engine, path: str, why: str) -> None:
    definition = roles(role={"replicaSelector": {"keyPath": path}})
    component = definition.component("role")
    assert component is not None
    assert component.pod_selector is not None
    assert component.pod_selector.replica_key_path is not None
    key = key_of(component.pod_selector.replica_key_path, programs(engine, definition, {}))
    assert key.failure is not None
    assert why in key.failure


# -- owners ---------------------------------------------------------------------------------------------------


def owned_by(uid: str, kind: str = "Job", name: str = "j", controller: bool | None = True) -> dict[str, Any]:
    reference = {"apiVersion": "batch/v1", "kind": kind, "name": name, "uid": uid, "controller": controller}
    return {"metadata": {"name": "p", "uid": f"of-{uid}", "ownerReferences": [reference]}}


WORKLOAD = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "uid": "W"}}


def test_a_pod_can_be_an_owner_too() -> None:
    leader = {**owned_by("W"), "kind": "Pod"}
    between = owned_by("of-W")
    owners = by_uid([leader, between, {}, None, {"metadata": {"uid": ["of-W"]}}, {"metadata": {"uid": ""}}])
    assert owners == {"of-W": leader, "of-of-W": between}
    assert ownership(owned_by("of-of-W"), WORKLOAD, owners) == (Ownership.OWNED, "")


def test_only_what_is_referred_to_can_be_an_owner() -> None:
    by_uid_, by_name = owned_by("W"), owned_by("unknown", "Widget", "manifest")
    manifest = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "manifest"}}
    others = [{}, None, "text", {"metadata": None}, {**manifest, "kind": "Gadget"}]
    assert possible_owners([WORKLOAD, by_uid_, by_name, manifest, *others]) == [WORKLOAD, manifest]
    assert possible_owners([WORKLOAD, manifest]) == []


def test_the_chain_of_controllers_is_followed() -> None:
    owners = {"J": owned_by("W")}
    assert ownership(owned_by("W"), WORKLOAD, {}) == (Ownership.OWNED, "")
    assert ownership(owned_by("J"), WORKLOAD, owners) == (Ownership.OWNED, "")
    assert ownership(owned_by("J"), WORKLOAD, {}) == (Ownership.UNKNOWN, "Job j")
    assert ownership(owned_by("J"), WORKLOAD, {"J": {}}) == (Ownership.FOREIGN, "Job j")
    assert ownership({}, WORKLOAD, {}) == (Ownership.FOREIGN, "")
    # Any reference to the workload will do, but only a controller is followed.
    assert ownership(owned_by("W", controller=None), WORKLOAD, {})[0] is Ownership.OWNED
    assert ownership(owned_by("J", controller=None), WORKLOAD, owners)[0] is Ownership.FOREIGN


def test_six_owners_and_no_more() -> None:
    owners = {f"{level}": owned_by(f"{level + 1}") for level in range(9)}
    owners["5"] = owned_by("W")
    assert ownership(owned_by("1"), WORKLOAD, owners)[0] is Ownership.OWNED
    assert ownership(owned_by("0"), WORKLOAD, owners)[0] is Ownership.FOREIGN


def test_a_circle_of_owners_ends() -> None:
    assert ownership(owned_by("A"), WORKLOAD, {"A": owned_by("A")})[0] is Ownership.FOREIGN


def test_a_manifest_is_known_by_its_name() -> None:
    manifest = {**WORKLOAD, "metadata": {"name": "w"}}
    reference = {"apiVersion": "example.com/v2", "kind": "Widget", "name": "w"}
    pod = {"metadata": {"ownerReferences": [reference]}}
    assert ownership(pod, manifest, {})[0] is Ownership.OWNED
    assert ownership(pod, {**manifest, "kind": "Gadget"}, {})[0] is Ownership.FOREIGN
    nameless = {"metadata": {"ownerReferences": [{"apiVersion": "example.com/v2", "kind": "Widget"}]}}
    assert ownership(nameless, {**manifest, "metadata": {}}, {})[0] is Ownership.FOREIGN


def test_a_pod_that_is_the_workload() -> None:
    pod = {"metadata": {"name": "p", "namespace": "n"}}
    assert is_same(pod, pod)
    assert not is_same(pod, {"metadata": {"name": "p", "namespace": "other"}})
    assert not is_same({"metadata": {"name": "p", "uid": "1"}}, {"metadata": {"name": "p", "uid": "2"}})
    assert not is_same("text", pod)
