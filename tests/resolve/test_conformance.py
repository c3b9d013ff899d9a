"""The answers that the engine of today's consumers gave, where the recorded cases are at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.resolve.evaluation import definition_of, evaluated
from wmap_lint.definition import Definition
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.engine import Engine, Failure, FailureKind
from wmap_lint.resolve.status import StatusError, read_status
from wmap_lint.resolve.structure import ExtractionProblem, Instance, ProblemKind, extract
from wmap_lint.resolve.values import ConversionError

CASES_FILE = Path(__file__).parents[3] / "shared" / "conformance" / "cases.json"
CASES: list[dict[str, Any]] = json.loads(CASES_FILE.read_text("utf-8")) if CASES_FILE.is_file() else []
# Where newer engines answer otherwise, and we with them.
NEWER = {"structure: replicas digits in a string", "expression: object"}

pytestmark = pytest.mark.skipif(not CASES, reason="the recorded answers are not part of this checkout")


def is_portable(definition: Definition) -> bool:
    """Whether the engines agree on every expression; where they do not, a rule says so."""
    analyses = [analyse(expression.text) for expression in definition.expressions]
    return all(
        isinstance(each, Analysis) and not each.differences and not each.outside and not each.names.unknown
        for each in analyses
    )


def error_class(failure: Failure | ConversionError) -> str:
    if isinstance(failure, ConversionError):
        return "wrong-type"
    return {
        FailureKind.ERROR: "jq-runtime",
        FailureKind.COMPILE: "jq-compile",
        FailureKind.TOO_MANY: "too-many-results",
    }[failure.kind]


def status_error(error: StatusError) -> str:
    return error_class(error.cause)


def problem_class(problem: ExtractionProblem) -> str:
    if problem.kind in (ProblemKind.COUNT_MISMATCH, ProblemKind.EMPTY_INSTANCE_ID):
        return problem.kind.value
    assert problem.cause is not None
    return error_class(problem.cause)


def meaning(value: Any) -> Any:
    """A struct without what says nothing: nulls, empty texts and empty objects."""
    if isinstance(value, dict):
        slim = {key: meaning(each) for key, each in value.items()}
        return {key: each for key, each in slim.items() if each not in (None, "", {})}
    return [meaning(each) for each in value] if isinstance(value, list) else value


def rendered(instance: Instance) -> dict[str, Any]:
    scale = instance.scale
    shapes = {
        "podTemplateSpec": instance.pod_template_spec,
        "podSpec": instance.pod_spec,
        "fragmentedPodSpec": instance.fragments,
        "metadata": instance.metadata,
        "scale": None
        if scale is None
        else {
            "replicas": scale.replicas,
            "minReplicas": scale.min_replicas,
            "maxReplicas": scale.max_replicas,
        },
    }
    return {name: meaning(shape) for name, shape in shapes.items() if shape is not None}


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if "object" in case and case["name"] not in NEWER],
    ids=lambda case: case["name"],
)
def test_answers_like_the_engine_of_consumers(engine: Engine, case: dict[str, Any]) -> None:
    definition = definition_of(case["definition"])
    if not is_portable(definition):
        pytest.skip("the engines differ on an expression, which a rule reports")
    answer = case["answer"]
    outcomes = evaluated(engine, definition, case["object"])
    assert definition.root is not None
    status = definition.root.status_definition
    if status is not None and ("status" in answer or "statusError" in answer):
        reading = read_status(status, outcomes)
        if "statusError" in answer:
            assert reading.error is not None
            # The March engine told texts that do not parse from texts that do not compile.
            assert status_error(reading.error) == answer["statusError"].replace("jq-parse", "jq-compile")
        else:
            assert list(reading.matched) == answer["status"]
    for name, expected in answer.get("components", {}).items():
        component = definition.component(name)
        assert component is not None
        extraction = extract(component, outcomes)
        if "error" in expected:
            assert extraction.problem is not None
            assert problem_class(extraction.problem) == expected["error"]
        else:
            assert extraction.problem is None
            assert {key: rendered(value) for key, value in extraction.instances.items()} == {
                key: {shape: meaning(each) for shape, each in value.items()}
                for key, value in expected["instances"].items()
            }


def test_where_newer_engines_answer_otherwise(engine: Engine) -> None:
    cases = {case["name"]: case for case in CASES}
    assert cases.keys() >= NEWER
    case = cases["expression: object"]
    definition = definition_of(case["definition"])
    assert definition.root is not None
    assert definition.root.status_definition is not None
    reading = read_status(definition.root.status_definition, evaluated(engine, definition, case["object"]))
    assert reading.matched == ("Running",)
    case = cases["structure: replicas digits in a string"]
    definition = definition_of(case["definition"])
    worker = definition.component("worker")
    assert worker is not None
    scale = extract(worker, evaluated(engine, definition, case["object"])).instances[""].scale
    assert scale is not None
    assert scale.replicas == 4
