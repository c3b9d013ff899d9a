"""What is said about extraction, and when nothing is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rules.fixture_files import DEFINITION, FIXTURES, check_files, pointed_at
from wmap_lint.diagnostic import Diagnostic
from wmap_lint.jq.engine import Engine, Limits

Check = Callable[..., list[tuple[str, str]]]

ROOT = """\
apiVersion: run.ai/v1alpha1
kind: WorkloadMap
metadata: {name: example-com-widget-v1}
spec:
  structureDefinition:
    rootComponent:
      name: widget
      kind: {group: example.com, version: v1, kind: Widget}
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        statusMappings:
          running:
          - {byPhase: Up}
"""
WORKER = """\
    childComponents:
    - name: worker
      ownerRef: widget
      specDefinition: {podTemplateSpecPath: .spec.template}
      scaleDefinition: {replicasPath: .spec.replicas}
"""
GROUPS = """\
    childComponents:
    - name: worker
      ownerRef: widget
      specDefinition: {podTemplateSpecPath: '.spec.groups[]?.template'}
      scaleDefinition: {replicasPath: '.spec.groups[]? | .replicas // 1'}
      instanceIdPath: .spec.groups[]?.name
      podSelector:
        componentInstanceSelector: {idPath: .metadata.labels.group}
"""
POD_TEMPLATE = "{spec: {containers: [{name: main, image: app}]}}"
PROVENANCE = "provenance: {source: recorded, operator: widget-operator, version: v1.0.0}\n"


def widget(spec: str, phase: str = "Up") -> str:
    return (
        f"apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: demo}}\n"
        f"spec: {spec}\nstatus: {{phase: {phase}}}\n"
    )


def fixture(spec: str, components: str = "{}", name: str = "running") -> dict[str, str]:
    return {
        f"{FIXTURES}/{name}.yaml": widget(spec),
        f"{FIXTURES}/{name}.expected.yaml": f"{PROVENANCE}status: Running\ncomponents: {components}\n",
    }


SIMPLE = f"{{replicas: 2, template: {POD_TEMPLATE}}}"
SIMPLE_EXPECTED = "{worker: {replicas: 2}}"
GROUPED = f"{{groups: [{{name: a, template: {POD_TEMPLATE}}}, {{name: b, replicas: 3, template: {POD_TEMPLATE}}}]}}"
GROUPED_EXPECTED = '{"worker[a]": {replicas: 1}, "worker[b]": {replicas: 3}}'


@pytest.fixture
def found(tmp_path: Path, engine: Engine) -> Check:
    def check(definition: str, *fixtures: dict[str, str]) -> list[tuple[str, str]]:
        files = {DEFINITION: definition}
        for each in fixtures:
            files.update(each)
        return [(each.rule, pointed_at(each, definition)) for each in check_files(tmp_path, files, engine)]

    return check


def messages(tmp_path: Path, engine: Engine, definition: str, *fixtures: dict[str, str]) -> list[Diagnostic]:
    files = {DEFINITION: definition}
    for each in fixtures:
        files.update(each)
    return check_files(tmp_path, files, engine)


def test_all_is_well(found: Check) -> None:
    assert found(ROOT + WORKER, fixture(SIMPLE, SIMPLE_EXPECTED)) == []
    assert found(ROOT + GROUPS, fixture(GROUPED, GROUPED_EXPECTED)) == []


def with_minimum(path: str) -> str:
    scale = "{replicasPath: .spec.replicas}"
    assert scale in WORKER
    return ROOT + WORKER.replace(scale, f"{{replicasPath: .spec.replicas, minReplicasPath: {path}}}")


# -- WM401 ------------------------------------------------------------------------------------------------------


def test_a_role_that_no_fixture_has_is_no_fault(found: Check) -> None:
    assert found(ROOT + WORKER, fixture("{}", "{}")) == []


def test_an_optional_field_that_no_fixture_uses_is_no_fault(found: Check) -> None:
    definition = with_minimum(".spec.minimum")
    assert found(definition, fixture(SIMPLE, SIMPLE_EXPECTED)) == []


def test_an_optional_field_that_is_misspelt_is_one(found: Check) -> None:
    definition = with_minimum(".spec.minimun")
    fixtures = fixture(SIMPLE.replace("replicas: 2", "replicas: 2, minimum: 1"), SIMPLE_EXPECTED)
    assert found(definition, fixtures) == [("WM401", ".minimun")]


def test_a_min_is_not_taken_for_a_max(found: Check) -> None:
    definition = with_minimum(".spec.minReplicas")
    fixtures = fixture(SIMPLE.replace("replicas: 2", "replicas: 2, maxReplicas: 4"), SIMPLE_EXPECTED)
    assert found(definition, fixtures) == []


def test_a_field_of_another_fixture_is_enough(found: Check) -> None:
    fixtures = [fixture("{}", "{worker: {}}", "created"), fixture(SIMPLE, SIMPLE_EXPECTED)]
    assert ("WM401", ".template") not in found(ROOT + WORKER, *fixtures)


def test_without_expectations_other_paths_tell_whether_the_component_is_there(found: Check) -> None:
    definition = ROOT + WORKER.replace(".spec.template", ".spec.templates")
    only = {f"{FIXTURES}/running.yaml": widget(SIMPLE)}
    assert ("WM401", ".templates") in found(definition, only)


# -- WM402 to WM408 ---------------------------------------------------------------------------------------------


def test_a_wrong_type_names_the_first_fixture_and_counts_the_others(tmp_path: Path, engine: Engine) -> None:
    spec = SIMPLE.replace("replicas: 2", "replicas: many")
    fixtures = [fixture(spec, "{worker: {}}", name) for name in ("running", "running-b", "running-c")]
    (diagnostic,) = messages(tmp_path, engine, ROOT + WORKER, *fixtures)
    assert diagnostic.rule == "WM402"
    assert 'result 1 is the string "many", not an integer' in diagnostic.message
    assert "`running`" in diagnostic.message
    assert len(diagnostic.related) == 3


def test_a_wrong_type_deep_in_a_pod_spec(tmp_path: Path, engine: Engine) -> None:
    spec = SIMPLE.replace("name: main", "name: 1")
    (diagnostic,) = messages(tmp_path, engine, ROOT + WORKER, fixture(spec, SIMPLE_EXPECTED))
    assert diagnostic.rule == "WM402"
    assert "`spec.containers[0].name` of result 1 is the number 1" in diagnostic.message


def test_an_empty_scale_has_been_told_without_fixtures(found: Check) -> None:
    definition = ROOT + WORKER.replace("{replicasPath: .spec.replicas}", "{}")
    assert found(definition, fixture(SIMPLE, "{worker: {}}")) == [("WM104", "{}")]


def test_bounds_that_are_given_for_some_only_are_shifted(tmp_path: Path, engine: Engine) -> None:
    definition = ROOT + GROUPS.replace(
        "{replicasPath: '.spec.groups[]? | .replicas // 1'}",
        "{replicasPath: '.spec.groups[]? | .replicas // 1', maxReplicasPath: '.spec.groups[]? | .limits[]?'}",
    )
    spec = GROUPED.replace("name: b,", "name: b, limits: [9],")
    (diagnostic,) = messages(tmp_path, engine, definition, fixture(spec, GROUPED_EXPECTED))
    assert (diagnostic.rule, diagnostic.severity.label) == ("WM403", "warning")
    assert "1 result for 2 instances" in diagnostic.message


def test_an_id_of_null(found: Check) -> None:
    spec = GROUPED.replace("name: b, ", "")
    assert found(ROOT + GROUPS, fixture(spec, GROUPED_EXPECTED)) == [("WM408", ".spec.groups[]?.name")]


def test_instances_that_are_not_expected(tmp_path: Path, engine: Engine) -> None:
    (diagnostic,) = messages(tmp_path, engine, ROOT + GROUPS, fixture(GROUPED, '{"worker[a]": {}}'))
    assert diagnostic.rule == "WM404"
    assert "expected `a`, found `a`, `b`" in diagnostic.message


def test_an_absent_count_is_one(found: Check) -> None:
    assert found(ROOT + WORKER, fixture(f"{{template: {POD_TEMPLATE}}}", "{worker: {replicas: 1}}")) == []


def test_a_component_that_the_definition_lacks(tmp_path: Path, engine: Engine) -> None:
    fixtures = fixture(SIMPLE, "{worker: {replicas: 2}, launcher: {}}")
    (diagnostic,) = messages(tmp_path, engine, ROOT + WORKER, fixtures)
    assert diagnostic.rule == "WM404"
    assert diagnostic.span.file.endswith("running.expected.yaml")
    assert "`launcher`" in diagnostic.message


# -- follow-up noise --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (".spec.replicas", ".spec.replicas |", "WM201"),
        (".spec.replicas", "size(.spec)", "WM202"),
        (".spec.template", '".."', "WM204"),
        ("replicasPath:", "replicaPath:", "WM101"),
        ("podTemplateSpecPath: .spec.template", "podTemplateSpecPath: 3", "WM006"),
    ],
)
def test_what_has_been_told_is_not_told_again(found: Check, before: str, after: str, code: str) -> None:
    definition = ROOT + WORKER.replace(before, after)
    assert {rule for rule, _ in found(definition, fixture(SIMPLE, SIMPLE_EXPECTED))} <= {code, "WM217"}


# -- WM406 ------------------------------------------------------------------------------------------------------

FLOOD = ROOT + GROUPS.replace(
    ".spec.groups[]?.name",
    '\'("a", "b", "c", "d") as $a | [.spec.groups[]?.name] | .[] as $x | .[] as $y | .[] as $z | $a + $x + $y + $z\'',
)


def test_too_many_results_on_a_fixture(tmp_path: Path, engine: Engine) -> None:
    many = ", ".join(f"{{name: g{number}, template: {POD_TEMPLATE}}}" for number in range(10))
    found = messages(tmp_path, engine, FLOOD, fixture(f"{{groups: [{many}]}}", "{}"))
    stopped = [each for each in found if each.rule == "WM406"]
    assert len(stopped) == 1, found
    assert "On `running` this is given up" in stopped[0].message
    assert "999" in stopped[0].message


def test_a_program_that_takes_too_long(tmp_path: Path) -> None:
    slow = "[.spec.groups[]? | .name] | [.[] as $a | .[] as $b | .[] as $c | .[] as $d | $a + $b + $c + $d] | length"
    definition = ROOT + WORKER.replace(".spec.replicas", f"'{slow}'")
    many = ", ".join(f"{{name: g{number}}}" for number in range(60))
    fixtures = fixture(f"{{groups: [{many}], template: {POD_TEMPLATE}}}", SIMPLE_EXPECTED)
    with Engine(Limits(program_seconds=0.2)) as engine:
        found = messages(tmp_path, engine, definition, fixtures)
    assert [each.rule for each in found] == ["WM406"]
    assert "longer than 0.2 seconds" in found[0].message


def test_without_an_engine_nothing_is_said(tmp_path: Path) -> None:
    files = {DEFINITION: ROOT + WORKER.replace("template", "templtae"), **fixture(SIMPLE, SIMPLE_EXPECTED)}
    assert check_files(tmp_path, files, None) == []
