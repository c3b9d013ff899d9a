"""The answers that the engine of today's consumers gave, where the recorded cases are at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.resolve.evaluation import definition_of, error_class, meaning, outcomes_of, problem_class, rendered
from wmap_lint.checker import check_text
from wmap_lint.diagnostic import Severity
from wmap_lint.jq.engine import Engine
from wmap_lint.resolve.evaluation import evaluate, plan
from wmap_lint.resolve.pods import pod_name, type_matches
from wmap_lint.resolve.status import StatusError, read_status
from wmap_lint.resolve.structure import extract

CASES_FILE = Path(__file__).parents[3] / "shared" / "conformance" / "cases.json"
CASES: list[dict[str, Any]] = json.loads(CASES_FILE.read_text("utf-8")) if CASES_FILE.is_file() else []
# Where newer engines answer otherwise, and we with them.
NEWER = {"structure: replicas digits in a string", "expression: object"}

pytestmark = pytest.mark.skipif(not CASES, reason="the recorded answers are not part of this checkout")


def status_error(error: StatusError) -> str:
    return error_class(error.cause)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if "object" in case and case["name"] not in NEWER],
    ids=lambda case: case["name"],
)
def test_answers_like_the_engine_of_consumers(engine: Engine, case: dict[str, Any]) -> None:
    definition = definition_of(case["definition"])
    answer = case["answer"]
    outcomes = outcomes_of(engine, definition, case["object"])
    assert definition.root is not None
    status = definition.root.status_definition
    if "status" in answer or "statusError" in answer:
        assert status is not None
        reading = read_status(status, outcomes)
        if "statusError" in answer:
            assert reading.error is not None
            # The March engine told texts that do not parse from texts that do not compile.
            assert status_error(reading.error) == answer["statusError"].replace("jq-parse", "jq-compile")
        else:
            assert reading.error is None
            assert list(reading.matched) == answer["status"]
    for name, expected in answer.get("components", {}).items():
        component = definition.component(name)
        assert component is not None
        extraction = extract(component, outcomes)
        if "error" in expected:
            assert extraction.problem is not None
            assert problem_class(extraction.problem) == expected["error"].replace("jq-parse", "jq-compile")
            if "scaleError" in expected:
                assert extraction.scales is None
        else:
            assert extraction.problem is None
            assert {key: rendered(value) for key, value in extraction.instances.items()} == {
                key: {shape: meaning(each) for shape, each in value.items()}
                for key, value in expected["instances"].items()
            }


@pytest.mark.parametrize("case", [case for case in CASES if "pods" in case], ids=lambda case: case["name"])
def test_selectors_match_the_pods_that_they_match_for_consumers(engine: Engine, case: dict[str, Any]) -> None:
    definition = definition_of(case["definition"])
    programs = evaluate(engine, plan(definition).pod, case["pods"])
    answers = case["answer"]["pods"]
    assert {pod_name(pod) for pod in case["pods"]} == answers.keys()
    for pod, outcomes in zip(case["pods"], programs, strict=True):
        selected = {
            component.name: type_matches(component.pod_selector.type_selector, pod, outcomes)
            for component in definition.components
            if component.pod_selector is not None
        }
        failures = [match.failure for match in selected.values() if match.failure is not None]
        answer = answers[pod_name(pod)]
        assert bool(failures) == ("error" in answer)
        if "error" in answer:
            assert failures[0].startswith("not jq") == (answer["error"] == "jq-parse")
        else:
            assert [name for name, match in selected.items() if match.holds] == answer["matches"]


# The rule that says what the validator of consumers says.
COMPLAINTS = {
    "root-kind": "WM109",
    "root-owner": "WM108",
    "root-status": "WM102",
    "child-owner-missing": "WM102",
    "child-owner-unknown": "WM106",
    "name-not-unique": "WM105",
    "cycle": "WM107",
    "several-pod-spec-shapes": "WM110",
    "instance-id-without-selector": "WM111",
    "selector-without-instance-id": "WM111",
    "jq-parse": "WM201",
    "jq-del": "WM203",
    "jq-assign": "WM203",
    "jq-recurse": "WM204",
    "jq-unbounded": "WM204",
    "gang-unknown-component": "WM701",
}
# The validator of that day looked at the outermost node of an expression only; the newer one walks all of it.
DEEPER = {
    "validation: jq '(del(.a))'",
    "validation: jq '[..]'",
    "validation: jq '(.a = 1)'",
    "validation: jq '{x: (.a |= 1)}'",
    "validation: jq '[range(10)]'",
    "validation: jq 'reduce range(3) as $i (0; .)'",
    "validation: jq 'if true then .. else . end'",
    "validation: jq '\"\\\\(..)\"'",
    "validation: jq 'def f: del(.a); f'",
    "validation: jq 'until(true; .)'",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_consumers_refuse_is_an_error_here(case: dict[str, Any]) -> None:
    found = check_text(json.dumps(case["definition"]), "catalog/example-com-widget-v1.yaml").diagnostics
    errors = {each.rule for each in found if each.severity is Severity.ERROR}
    complaints = {COMPLAINTS[each] for each in case["answer"].get("validation", ())}
    assert complaints <= errors
    assert bool(complaints) == (not case["answer"]["valid"])
    # Other rules find more. Of what the validator looks at they find the same, and more only where it is newer.
    if case["name"] in DEEPER:
        assert errors & {"WM203", "WM204"}
    else:
        assert errors & set(COMPLAINTS.values()) == complaints


def test_every_case_is_looked_at() -> None:
    assert len(CASES) == len({case["name"] for case in CASES}) == 148
    assert {case["name"] for case in CASES} >= NEWER | DEEPER
    assert {key for case in CASES for key in case["answer"]} == {
        "valid",
        "validation",
        "components",
        "status",
        "statusError",
        "pods",
    }
    # What is asked of an object is asked above, but for the two cases below.
    assert all("object" in case for case in CASES if {"components", "status", "statusError"} & case["answer"].keys())


def test_where_newer_engines_answer_otherwise(engine: Engine) -> None:
    cases = {case["name"]: case for case in CASES}
    assert cases.keys() >= NEWER
    case = cases["expression: object"]
    definition = definition_of(case["definition"])
    assert definition.root is not None
    assert definition.root.status_definition is not None
    reading = read_status(definition.root.status_definition, outcomes_of(engine, definition, case["object"]))
    assert reading.matched == ("Running",)
    case = cases["structure: replicas digits in a string"]
    definition = definition_of(case["definition"])
    worker = definition.component("worker")
    assert worker is not None
    scale = extract(worker, outcomes_of(engine, definition, case["object"])).instances[""].scale
    assert scale is not None
    assert scale.replicas == 4
