from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.resolve.evaluation import definition_of
from wmap_lint.catalog import Catalog
from wmap_lint.definition import Component, Definition
from wmap_lint.jq.engine import Engine
from wmap_lint.resolve.evaluation import by_expression, evaluate
from wmap_lint.resolve.structure import extract
from wmap_lint.resolve.writes import WriteError, assign, paths_by, resume, suspend, update_pods
from wmap_lint.source import read_data_file

ROOT = Path(__file__).parents[2]
FIXTURES = sorted(
    path for path in ROOT.glob("fixtures/*/*.yaml") if not path.name.endswith((".expected.yaml", "status-model.yaml"))
)
DEFINITIONS = sorted({path.parent.name for path in FIXTURES})
CATALOG = Catalog.load(ROOT / "catalog")


def workload_of(path: Path) -> tuple[Definition, Any]:
    workload = read_data_file(path).documents[0]
    match = CATALOG.find(workload)
    assert match is not None
    return match.definition, workload


def widget(spec: dict[str, Any], **more: Any) -> Definition:
    root = {
        "name": "widget",
        "kind": {"group": "example.com", "version": "v1", "kind": "Widget"},
        "statusDefinition": {"statusMappings": {}},
        **more,
    }
    if spec:
        root["specDefinition"] = spec
    return definition_of({"spec": {"structureDefinition": {"rootComponent": root}}})


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    elif isinstance(value, list):
        for position, each in enumerate(value):
            yield from leaves(each, (*path, position))
    else:
        yield path, value


def changed(before: Any, after: Any) -> dict[tuple[Any, ...], Any]:
    old, new = dict(leaves(before)), dict(leaves(after))
    return {path: new.get(path) for path in {*old, *new} if old.get(path, "absent") != new.get(path, "absent")}


# -- assignment: the rows of SEMANTICS 8.2 and its golden vectors ----------------------------------------


@pytest.mark.parametrize(
    ("path", "workload", "expected"),
    [
        (".primary // .fallback", {"fallback": "b"}, {"fallback": 5}),
        (".primary // .fallback", {}, {"fallback": 5}),
        (".n // 1", {"n": 3}, {"n": 5}),
        (".items[]?", {}, {}),
        ('.m.ann["k"]', {"m": {}}, {"m": {"ann": {"k": 5}}}),
        (".items[] | select(.k) | .x", {"items": [{"k": 1}, {}]}, {"items": [{"k": 1, "x": 5}, {}]}),
        (". as $t | $t.items[] | .x", {"items": [{"x": 1}]}, {"items": [{"x": 5}]}),
        ("first(.items[]).x", {"items": [{"x": 1}, {"x": 2}]}, {"items": [{"x": 5}, {"x": 2}]}),
        ("if .a then .a else .b end", {"b": 1}, {"b": 5}),
        (".a[2]", {}, {"a": [None, None, 5]}),
        (".a[-1]", {"a": [1, 2]}, {"a": [1, 5]}),
        (".x // empty", {}, {}),
    ],
)  # fmt: skip
def test_what_can_be_written_through(engine: Engine, path: str, workload: Any, expected: Any) -> None:
    definition = widget({}, suspendDefinition={
        "suspendActions": [{"path": path, "value": "5"}], "resumeActions": [{"path": path, "value": "6"}]
    })  # fmt: skip
    before = copy.deepcopy(workload)
    assert suspend(definition, workload, paths_by(engine)) == expected
    assert workload == before


@pytest.mark.parametrize(
    ("path", "value", "workload", "message"),
    [
        (".n // 1", "5", {}, "cannot be written through"),
        (".items[]", "5", {}, "cannot be written through"),
        (".m | to_entries[] | .value.x", "5", {"m": {"a": {"x": 0}}}, "cannot be written through"),
        (".a.b", "5", {"a": "s"}, "cannot be written through"),
        (".a[-1]", "5", {}, "no element -1"),
        (".a[1:2]", "5", {"a": [1, 2]}, "slice"),
        (".", "5", {}, "whole object"),
        (".a # comment", "5", {"a": 1}, "comment"),
        (".a", "NaN", {}, "is not JSON"),
        (".a", "paused", {}, "is not JSON"),
        (".a | nosuch", "5", {}, "nothing defines the function"),
        (".a = 1", "5", {}, "it writes"),
    ],
)
def test_what_cannot_is_an_error_of_one_sentence(
    engine: Engine, path: str, value: str, workload: Any, message: str
) -> None:
    definition = widget({}, suspendDefinition={
        "suspendActions": [{"path": path, "value": value}], "resumeActions": [{"path": path, "value": value}]
    })  # fmt: skip
    with pytest.raises(WriteError, match=message):
        suspend(definition, workload, paths_by(engine))


def test_a_definition_without_a_switch_says_so(engine: Engine) -> None:
    with pytest.raises(WriteError, match="says nothing of how to suspend"):
        suspend(widget({}), {}, paths_by(engine))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(json_values, st.lists(st.sampled_from(["a", "b", 0, 1]), min_size=1, max_size=3))
def test_assigning_is_what_jq_does(engine: Engine, workload: Any, place: list[str | int]) -> None:
    wanted = engine.evaluate([f"setpath({json.dumps(place)}; 7)"], [workload])[0][0]
    ours = copy.deepcopy(workload)
    try:
        if isinstance(ours, dict | list):
            assign(ours, tuple(place), 7)
            assert wanted.values == (ours,)  # type: ignore[union-attr]
    except WriteError:
        assert not hasattr(wanted, "values")


# -- suspend and resume over the corpus ------------------------------------------------------------------


@pytest.mark.parametrize("name", DEFINITIONS)
def test_resume_undoes_suspend(engine: Engine, name: str) -> None:
    for path in FIXTURES:
        if path.parent.name == name:
            resume_undoes_suspend(engine, path)


def resume_undoes_suspend(engine: Engine, path: Path) -> None:
    definition, workload = workload_of(path)
    paths = paths_by(engine)
    if all(component.suspend_definition is None for component in definition.components):
        with pytest.raises(WriteError, match="the definition says nothing of how to suspend"):
            suspend(definition, workload, paths)
        return
    running = resume(definition, workload, paths)
    suspended = suspend(definition, running, paths)
    # An annotation is a text.
    assert list(changed(running, suspended).values()) in ([True], ["true"])
    assert resume(definition, suspended, paths) == running


# -- pods over the corpus --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DEFINITIONS)
def test_only_the_leaves_that_are_named_change(engine: Engine, name: str) -> None:
    for path in FIXTURES:
        if path.parent.name == name:
            only_the_leaves_that_are_named_change(engine, path)


def only_the_leaves_that_are_named_change(engine: Engine, path: Path) -> None:
    definition, workload = workload_of(path)
    (outcomes,) = evaluate(
        engine, [each.text for each in definition.expressions if each.slot.subject == "workload"], [workload]
    )
    for component in definition.components:
        if not component.is_pod_bearing:
            continue
        for instance, found in extract(component, by_expression(outcomes)).instances.items():
            role = f"{component.name}[{instance}]" if instance else component.name
            places = places_of(component, found.fragments)
            wanted = {key: value for key, value in WANTED.items() if key in places}
            for missing in WANTED.keys() - places:
                with pytest.raises(WriteError, match=f"no place for {missing} of"):
                    update_pods(definition, workload, {role: {missing: WANTED[missing]}}, engine)
            difference = changed(workload, update_pods(definition, workload, {role: wanted}, engine))
            leaves = {key: value for key, value in LEAVES.items() if key in places}
            assert {path[-1]: value for path, value in difference.items()} == {
                key: value for each in leaves.values() for key, value in each.items()
            }
            assert len(difference) == len(leaves)
            assert {path[-2] for path in difference if path[-1] != "schedulerName"} <= {"labels", "podLabels"}


WANTED: dict[str, Any] = {"schedulerName": "batch-scheduler", "labels": {"example.com/queue": "research"}}
LEAVES = {"schedulerName": {"schedulerName": "batch-scheduler"}, "labels": {"example.com/queue": "research"}}


def places_of(component: Component, fragments: Mapping[str, Any] | None) -> set[str]:
    """What of :data:`WANTED` a component can be told."""
    spec = component.spec_definition
    assert spec is not None
    if spec.pod_template_spec_path is not None:
        return {*WANTED}
    found = set()
    fragmented = spec.fragmented
    if spec.pod_spec_path is not None or (fragmented is not None and fragmented.scheduler_name_path is not None):
        found.add("schedulerName")
    labels = fragmented is not None and fragmented.labels_path is not None
    if spec.metadata_path is not None or (labels and fragments is not None and "labels" in fragments):
        found.add("labels")
    return found


@pytest.mark.parametrize("name", DEFINITIONS)
def test_writing_what_was_read_changes_nothing(engine: Engine, name: str) -> None:
    for path in FIXTURES:
        if path.parent.name == name:
            writing_what_was_read_changes_nothing(engine, path)


def writing_what_was_read_changes_nothing(engine: Engine, path: Path) -> None:
    definition, workload = workload_of(path)
    (outcomes,) = evaluate(
        engine, [each.text for each in definition.expressions if each.slot.subject == "workload"], [workload]
    )
    for component in definition.components:
        for instance, found in extract(component, by_expression(outcomes)).instances.items():
            spec = (found.pod_template_spec or {}).get("spec")
            if not spec:
                continue
            role = f"{component.name}[{instance}]" if instance else component.name
            read = {
                "schedulerName": spec.get("schedulerName"),
                "priorityClassName": spec.get("priorityClassName"),
                "tolerations": spec.get("tolerations"),
                "labels": ((found.pod_template_spec or {}).get("metadata") or {}).get("labels") or {},
                "image": {each["name"]: each.get("image") for each in spec["containers"]},
                "resources": {each["name"]: each.get("resources") for each in spec["containers"]},
            }
            assert update_pods(definition, workload, {role: read}, engine) == workload


TEMPLATE = widget({"podTemplateSpecPath": ".spec.template"})
POD_SPEC = widget({"podSpecPath": ".spec.pod", "metadataPath": ".spec.meta"})
FRAGMENTS = widget(
    {
        "fragmentedPodSpecDefinition": {
            "schedulerNamePath": ".spec.scheduler",
            "labelsPath": ".spec.podLabels",
            "imagePath": ".spec.image",
            "resourcesPath": ".spec.resources",
        }
    }
)


@pytest.mark.parametrize(
    ("definition", "workload", "changes", "expected"),
    [
        (
            TEMPLATE,
            {"spec": {"template": {"spec": {"containers": [{"name": "a", "image": "x"}]}, "more": 1}}},
            {"image": "y", "labels": {"q": "1"}, "nodeAffinity": {"n": 1}},
            {"spec": {"template": {"metadata": {"labels": {"q": "1"}}, "more": 1,
                      "spec": {"containers": [{"name": "a", "image": "y"}], "affinity": {"nodeAffinity": {"n": 1}}}}}},
        ),
        (
            TEMPLATE,
            {"spec": {"template": {"metadata": {"labels": {"q": "1", "r": "2"}}, "spec": {"schedulerName": "s"}}}},
            {"labels": {"q": None}, "schedulerName": None},
            {"spec": {"template": {"metadata": {"labels": {"r": "2"}}, "spec": {}}}},
        ),
        (
            POD_SPEC,
            {"spec": {"pod": {"containers": [{"name": "a"}, {"name": "b"}]}}},
            {"resources": {"b": {"limits": {"cpu": "1"}}}, "annotations": {"k": "v"}, "priorityClassName": "high"},
            {"spec": {"pod": {"containers": [{"name": "a"}, {"name": "b", "resources": {"limits": {"cpu": "1"}}}],
                              "priorityClassName": "high"}, "meta": {"annotations": {"k": "v"}}}},
        ),
        (
            FRAGMENTS,
            {"spec": {"image": "x"}},
            {"image": "y", "schedulerName": "kai", "labels": {"q": "1"}, "resources": {"limits": {"cpu": "2"}}},
            {"spec": {"image": "y", "scheduler": "kai", "podLabels": {"q": "1"},
                      "resources": {"limits": {"cpu": "2"}}}},
        ),
    ],
)  # fmt: skip
def test_each_shape_is_written(
    engine: Engine, definition: Definition, workload: Any, changes: dict[str, Any], expected: Any
) -> None:
    assert update_pods(definition, workload, {"widget": changes}, engine) == expected


@pytest.mark.parametrize(
    ("definition", "changes", "message"),
    [
        (TEMPLATE, {"gadget": {"image": "y"}}, "no role 'gadget'; the roles are widget"),
        (TEMPLATE, {"widget[a]": {"image": "y"}}, "has no instance 'a'"),
        (TEMPLATE, {"widget": {"hostname": "y"}}, "'hostname' of widget cannot be changed"),
        (TEMPLATE, {"widget": {"image": "y"}}, "has 2 containers: give image by container name"),
        (TEMPLATE, {"widget": {"image": {"c": "y"}}}, "has no container 'c'; it has a, b"),
        (FRAGMENTS, {"widget": {"priorityClassName": "y"}}, "gives no place for priorityClassName"),
        (FRAGMENTS, {"widget": {"podAntiAffinity": {}}}, "gives no place for podAntiAffinity"),
        (widget({"podSpecPath": ".spec.template.spec"}), {"widget": {"labels": {}}}, "gives no place for labels"),
    ],
)
def test_what_cannot_be_changed_is_said(
    engine: Engine, definition: Definition, changes: dict[str, Any], message: str
) -> None:
    workload = {"spec": {"template": {"spec": {"containers": [{"name": "a"}, {"name": "b"}]}}}}
    with pytest.raises(WriteError) as caught:
        update_pods(definition, workload, changes, engine)
    assert message in str(caught.value)
