"""What is said about the statuses of fixtures: one finding for one fault, at its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.rules.fixture_files import DEFINITION, FIXTURES, check_files, pointed_at
from wmap_lint.diagnostic import Diagnostic
from wmap_lint.jq.engine import Engine

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
        conditionsDefinition:
          path: .status.conditions
          typeFieldName: type
          statusFieldName: status
          reasonFieldName: reason
        statusMappings:
"""
RUNNING = """\
          running:
          - byConditions:
            - {type: Ready, status: "True", reason: AllUp}
"""
FAILED = """\
          failed:
          - {byPhase: Broken}
          - byConditions:
            - {type: Ready, status: "False"}
"""
DEGRADED = """\
          degraded:
          - byExpression:
              expression: (.status.lost // 0) > 0
              expectedResult: "true"
"""
READY = "{phase: Up, conditions: [{type: Ready, status: 'True', reason: AllUp}]}"
NOT_READY = "{phase: Up, conditions: [{type: Ready, status: 'False', reason: Crash}]}"
BROKEN = "{phase: Broken}"

Check = Callable[..., list[Diagnostic]]


@pytest.fixture
def check(tmp_path: Path, engine: Engine) -> Check:
    def run(definition: str, fixtures: Mapping[str, tuple[str, str]]) -> list[Diagnostic]:
        files = {DEFINITION: definition}
        for name, (status, expected) in fixtures.items():
            files[f"{FIXTURES}/{name}.yaml"] = (
                f"apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: demo}}\nspec: {{}}\nstatus: {status}\n"
            )
            files[f"{FIXTURES}/{name}.expected.yaml"] = (
                f"provenance: {{source: recorded, operator: widget-operator, version: v1.0.0}}\nstatus: {expected}\n"
            )
        return check_files(tmp_path, files, engine)

    return run


ALL = {
    "running": (READY, "Running"),
    "running-again": (READY, "Running"),
    "failed": (NOT_READY, "Failed"),
    "failed-broken": (BROKEN, "Failed"),
}


def places(found: list[Diagnostic], definition: str) -> list[tuple[str, str]]:
    return [(each.rule, pointed_at(each, definition)) for each in found]


def test_all_is_well(check: Check) -> None:
    assert check(ROOT + RUNNING + FAILED, ALL) == []


@pytest.mark.parametrize(
    ("before", "after", "at", "hint"),
    [
        ("type: Ready", "type: Redy", "Redy", "Did you mean `Ready`?"),
        ('"True"', '"true"', '"true"', "Did you mean `True`?"),
        ('"True"', '"Unknown"', '"Unknown"', "These fixtures have `True` here."),
        ("AllUp", "AlUp", "AlUp", "Did you mean `AllUp`?"),
        ("AllUp", "Other", "Other", "These fixtures have `AllUp` here."),
    ],
)
def test_the_demand_that_makes_the_difference(check: Check, before: str, after: str, at: str, hint: str) -> None:
    definition = ROOT + RUNNING.replace(before, after) + FAILED
    (found,) = check(definition, ALL)
    assert (found.rule, pointed_at(found, definition), found.hint) == ("WM503", at, hint)
    assert "`running-again` and `running`" in found.message
    assert [Path(each.span.file).name for each in found.related] == [
        "running-again.expected.yaml",
        "running.expected.yaml",
    ]


def test_when_no_one_demand_makes_it_the_status_itself(check: Check) -> None:
    definition = ROOT + RUNNING.replace('"True", reason: AllUp', '"Unknown", reason: Other') + FAILED
    assert places(check(definition, ALL), definition) == [("WM503", "running")]


def test_a_status_without_any_mapping(check: Check) -> None:
    definition = ROOT + RUNNING
    (found,) = check(definition, ALL)
    assert (found.rule, pointed_at(found, definition)) == ("WM503", "statusMappings")
    assert found.hint == "Add a matcher under `failed`."


def test_many_fixtures_are_counted(check: Check) -> None:
    definition = ROOT + RUNNING.replace("Ready", "Other") + FAILED
    (found,) = check(definition, {f"running-{number}": (READY, "Running") for number in range(6)})
    assert "`running-0`, `running-1`, `running-2` and 3 more" in found.message
    assert len(found.related) == 3


def test_a_status_beside_the_expected_one(check: Check) -> None:
    definition = ROOT + RUNNING + FAILED + DEGRADED
    lost = READY.replace("phase", "lost: 1, phase")
    fixtures = {**ALL, "running-lost": (lost, "Running"), "running-lost-too": (lost, "Running")}
    (found,) = check(definition, fixtures)
    assert (found.rule, pointed_at(found, definition)) == ("WM502", "(.status.lost // 0) > 0")
    assert "as well as Running" in found.message


def test_an_expectation_that_is_wrong_is_one_finding(check: Check) -> None:
    definition = ROOT + RUNNING + FAILED
    (found,) = check(definition, {**ALL, "completed": (NOT_READY, "Failed"), "running-not": (NOT_READY, "Running")})
    assert found.rule == "WM501"
    assert "Failed" in found.message
    assert "Running is expected" in found.message
    assert [Path(each.span.file).name for each in found.related] == ["running-not.expected.yaml"]


def test_a_status_that_is_missed_and_another_instead(check: Check) -> None:
    definition = ROOT + RUNNING.replace("AllUp", "AlUp") + FAILED + DEGRADED
    lost = READY.replace("phase", "lost: 1, phase")
    fixtures = {"running": (READY, "Running"), "running-lost": (lost, "Running"), "degraded": ("{lost: 1}", "Degraded")}
    found = check(definition, fixtures)
    assert places(found, definition) == [("WM501", "AlUp")]
    assert "`running` and `running-lost`, which read Degraded or Undefined instead" in found[0].message


def test_a_status_both_missed_and_read_by_mistake(check: Check) -> None:
    definition = ROOT + RUNNING + FAILED.replace("byPhase: Broken", "byPhase: Up")
    found = check(definition, ALL)
    assert [each.rule for each in found] == ["WM503"]
    assert "by mistake" in found[0].message


def test_one_expression_that_fails(check: Check) -> None:
    failing = DEGRADED.replace("(.status.lost // 0) > 0", "'(.status.lost // \"0\" | tonumber) > 0'")
    definition = ROOT + RUNNING + FAILED + failing
    fixtures = {**ALL, "degraded": ("{lost: some}", "Degraded"), "degraded-b": ("{lost: few}", "Degraded")}
    (found,) = check(definition, fixtures)
    assert found.rule == "WM504"
    assert "`degraded-b` and `degraded`" in found.message


def test_an_error_that_nobody_reaches_is_none(check: Check) -> None:
    guarded = DEGRADED.replace("- byExpression", "- byPhase: Lost\n            byExpression")
    failing = guarded.replace("(.status.lost // 0) > 0", "'(.status.lost // \"0\" | tonumber) > 0'")
    fixtures = {**ALL, "running-x": (READY.replace("phase", "lost: some, phase"), "Running")}
    assert check(ROOT + RUNNING + FAILED + failing, fixtures) == []


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ("path: .status.conditions", "path: .status.condtions", {"WM401"}),
        ("typeFieldName: type", "typeFieldName: tpye", {"WM401"}),
        ("path: .status.phase", "path: .status.phase |", {"WM201"}),
        ("          typeFieldName: type\n", "", {"WM512"}),
        ('byConditions:\n            - {type: Ready, status: "True", reason: AllUp}', "byCondition: []", {"WM101"}),
        ("{byPhase: Broken}", "{}", {"WM510"}),
        ('status: "True"', "status: True", {"WM006"}),
    ],
)
def test_what_has_been_told_is_not_told_again(check: Check, before: str, after: str, codes: set[str]) -> None:
    definition = (ROOT + RUNNING + FAILED).replace(before, after)
    assert definition != ROOT + RUNNING + FAILED
    assert {each.rule for each in check(definition, ALL)} == codes


def test_field_names_that_are_not_stated_are_those_of_the_api_server(check: Check) -> None:
    definition = (ROOT + RUNNING + FAILED).replace("          typeFieldName: type\n", "")
    assert [each.rule for each in check(definition, ALL)] == ["WM512"]
