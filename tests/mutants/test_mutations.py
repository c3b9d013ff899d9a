"""The faults that are made are those that are meant, and a check finds them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.mutants.__main__ import main
from tests.mutants.mutations import KINDS, Mutant, edited, mutants, slip
from tests.mutants.trial import Trial
from wmap_lint.definition import Definition, Slot, load
from wmap_lint.source import read

CATALOG = Path(__file__).parents[2] / "catalog"

TEXT = """\
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
          - byConditions: [{type: Ready, status: "True"}, {type: Stale, status: "False", reason: Old}]
            byPhase: Up
          completed:
          - byPhase: Done
          failed:
          - byExpression: {expression: .status.failed, expectedResult: "true"}
    childComponents:
    - name: leader
      ownerRef: widget
      scaleDefinition: {replicasPath: .spec.leaders}
      podSelector:
        componentTypeSelector: {keyPath: '.metadata.labels["example.com/role"]', value: leader}
    - name: helper
      ownerRef: leader
      scaleDefinition: {replicasPath: .spec.helpers // 1}
    - name: worker
      ownerRef: widget
      instanceIdPath: .spec | (.small | select(.) | "small"), (.large | select(.) | "large")
      scaleDefinition: {replicasPath: ".spec | (.small | select(.) | .count), (.large | select(.) | .count)"}
  optimizationInstructions:
    gangScheduling:
      podGroup:
        name: widget
        subGroups:
        - componentName: leader
        - componentName: worker
"""


def definition() -> Definition:
    (document,) = read(TEXT, "widget.yaml").documents
    return load(document)


def made(kind: str) -> Iterator[Mutant]:
    return (each for each in mutants(definition()) if each.kind == kind)


@pytest.mark.parametrize(
    ("kind", "text", "slot", "results"),
    [
        ("typo in a path", ".ab.cd", Slot.REPLICAS_PATH, [f".ab.{slip('cd')}", f".{slip('ab')}.cd"]),
        ("typo in a path", '.a["cd"]?', Slot.REPLICAS_PATH, [f'.a["{slip("cd")}"]?', f'.{slip("a")}["cd"]?']),
        (
            "wrong label key",
            '.metadata.labels["x.io/role"]',
            Slot.TYPE_KEY_PATH,
            [f'.metadata.labels["{slip("x.io/role")}"]'],
        ),
        (
            "guard dropped",
            ".a and (.b or .c) and .d",
            Slot.MATCHER_EXPRESSION,
            ["(.b or .c) and .d", ".a and .d", ".a and (.b or .c)", ".a and (.c) and .d", ".a and (.b) and .d"],
        ),
        (
            "guard dropped",
            "(any(.a) | not) or .b",
            Slot.MATCHER_EXPRESSION,
            [".b", "(any(.a) | not)", "(any(.a)) or .b"],
        ),
        ("guard dropped", ".a | select(. != null) | .b", Slot.REPLICAS_PATH, [".a | . | .b"]),
        ("condition renamed", '.phase == "Up"', Slot.MATCHER_EXPRESSION, [f'.phase == "{slip("Up")}"']),
        (
            "True for False",
            '.a == true and .b == "False"',
            Slot.MATCHER_EXPRESSION,
            ['.a == false and .b == "False"', '.a == true and .b == "True"'],
        ),
        ("default dropped", "[.a // 1, .b] | min", Slot.REPLICAS_PATH, ["[.a, .b] | min"]),
        ("wrong level of count", ".a * (.b // 1)", Slot.REPLICAS_PATH, ["(.b // 1)", ".a"]),
        ("parentheses dropped", "(.a // 0) + .b", Slot.REPLICAS_PATH, [" .a // 0  + .b"]),
    ],
)
def test_a_fault_of_an_expression(kind: str, text: str, slot: Slot, results: list[str]) -> None:
    found = [" ".join(result.split()) for edit, result in edited(text, slot) if edit.kind == kind]
    assert sorted(found) == sorted(" ".join(each.split()) for each in results)


@pytest.mark.parametrize(
    "text",
    [
        "(.a.b)",  # the parentheses say nothing
        '(.a | type) == "string"',  # nor do these
        "(.a | .b + .c) >= $x",
    ],
)
def test_what_means_the_same_is_no_fault(text: str) -> None:
    assert [result for edit, result in edited(text, Slot.REPLICAS_PATH) if edit.kind == "parentheses dropped"] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("(.a // 0) > 0", 0),
        ("0 < (.a // 0)", 0),
        ("(.a // 1) > 0", 1),
        ("(.a // 0) >= 0", 1),
        ("(.a // 0) == 0", 1),
        ("(.a // 0) < 3", 0),
        ("(.a // 0) > $x", 1),
        ("(.a // 0) + (.b // 0)", 0),
        ("(.a // 0) + (if .c then 1 else 0 end)", 0),
        ("(.a // 0) + .b", 1),
        ("(.a // 1) + (.b // 0)", 1),
        ("[.a // 0, .b // 0] | max", 0),
        ("[.a // 0, .b] | max", 1),
        ("[.a // 0, .b // 0] | min", 2),
        ('.a // "x"', 1),
    ],
)
def test_a_default_that_null_would_do_for_is_no_fault(text: str, count: int) -> None:
    found = [result for edit, result in edited(text, Slot.MATCHER_EXPRESSION) if edit.kind == "default dropped"]
    assert len(found) == count, found


def test_every_kind_is_made() -> None:
    kinds = {each.kind for each in mutants(definition())}
    assert kinds == {*KINDS}


def test_each_is_another_fault_and_they_are_the_same_each_time() -> None:
    found = [json.dumps(each.data) for each in mutants(definition())]
    assert len({*found, json.dumps(definition().document.data)}) == len(found) + 1
    assert found == [json.dumps(each.data) for each in mutants(definition())]


def test_a_removed_role_is_spoken_of_nowhere() -> None:
    leader, helper, worker, *instances = made("role removed")
    assert "leader" not in json.dumps(leader.data)
    children = leader.data["spec"]["structureDefinition"]["childComponents"]
    assert [each["ownerRef"] for each in children] == ["widget", "widget"]
    groups = worker.data["spec"]["optimizationInstructions"]["gangScheduling"]["podGroup"]["subGroups"]
    assert groups == [{"componentName": "leader"}]
    assert "helper" not in json.dumps(helper.data)
    (small, large) = (each.data["spec"]["structureDefinition"]["childComponents"][2] for each in instances)
    assert "small" not in json.dumps(small)
    assert small["scaleDefinition"]["replicasPath"].split() == ".spec | (.large | select(.) | .count)".split()
    assert "large" not in json.dumps(large)


def test_statuses_change_places() -> None:
    first, _ = made("statuses swapped")
    mappings = first.data["spec"]["structureDefinition"]["rootComponent"]["statusDefinition"]["statusMappings"]
    assert mappings["running"] == [{"byPhase": "Done"}]
    assert "byConditions" in mappings["completed"][0]


@given(st.text(min_size=1, max_size=20))
def test_a_slip_is_another_name(name: str) -> None:
    assert slip(name) not in (name, "")
    assert slip(name) == slip(name)


def test_a_check_finds_one_of_each_kind() -> None:
    with Trial(CATALOG / "batch-cronjob-v1.yaml") as trial:
        assert trial.all_findings(trial.definition.document.data) == []
        assert trial.found_without_crds(trial.definition.document.data) is None
        first: dict[str, Mutant] = {}
        for each in mutants(trial.definition):
            first.setdefault(each.kind, each)
        assert first.keys() == {*KINDS}
        assert [str(each) for each in first.values() if trial.found_without_crds(each.data) is None] == []


def test_the_report_says_what_survives(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch-cronjob-v1", "--kind", "statuses swapped", "--kind", "wrong label key"]) == 0
    report = capsys.readouterr().out
    assert "0 of 5 faults survive" in report
    assert "statuses swapped       3      3  100.0 %" in report


def test_a_name_that_is_not_in_the_catalog(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["nothing"])
    assert ended.value.code == 2
    assert "the catalog has no nothing" in capsys.readouterr().err
