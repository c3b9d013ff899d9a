from __future__ import annotations

from typing import Any

import pytest

from tests.resolve.evaluation import evaluated, status_definition, with_root
from wmap_lint.jq.engine import Engine, Failure, FailureKind
from wmap_lint.resolve.status import Condition, StatusReading, read_status
from wmap_lint.resolve.values import ConversionError

NAMES = {"typeFieldName": "type", "statusFieldName": "status"}


def reading(engine: Engine, subject: object, raw: bool = True, **fields: Any) -> StatusReading:
    definition = with_root(statusDefinition=fields)
    return read_status(status_definition(**fields), evaluated(engine, definition, subject), raw)


def worked(names: dict[str, str]) -> dict[str, Any]:
    return {
        "conditionsDefinition": {"path": ".status.conditions", **names},
        "statusMappings": {
            "initializing": [
                {"byExpression": {"expression": "(.status.conditions // []) | length", "expectedResult": "0"}}
            ],
            "running": [{"byConditions": [{"type": "Ready", "status": "True"}]}],
            "failed": [{"byConditions": [{"type": "Ready", "status": "False", "reason": "BackoffLimitExceeded"}]}],
        },
    }


TRUE = {"type": "Ready", "status": "True"}
FALSE = {"type": "Ready", "status": "False", "reason": "BackoffLimitExceeded"}


@pytest.mark.parametrize(
    ("conditions", "raw", "admitted"),
    [
        (None, "Initializing", "Initializing"),
        ([TRUE], "Running", "Running"),
        ([FALSE], "Undefined", "Failed"),
        ([FALSE, TRUE], "Running", "Running"),
        ([TRUE, FALSE], "Undefined", "Failed"),
    ],
)
def test_the_worked_example(engine: Engine, conditions: object, raw: str, admitted: str) -> None:
    subject = {"status": {"conditions": conditions}} if conditions else {}
    assert reading(engine, subject, **worked(NAMES)).matched == (raw,)
    assert reading(engine, subject, raw=False, **worked(NAMES)).matched == (admitted,)


@pytest.mark.parametrize("raw", [True, False])
def test_conditions_that_are_an_object_fail_the_status(engine: Engine, raw: bool) -> None:
    result = reading(engine, {"status": {"conditions": {"a": 1}}}, raw=raw, **worked(NAMES))
    assert result.matched == ()
    assert result.error is not None
    assert isinstance(result.error.cause, ConversionError)
    assert result.error.expression is not None
    assert result.error.expression.text == ".status.conditions"


def test_without_field_names_nothing_matches_raw(engine: Engine) -> None:
    subject = {"status": {"conditions": [TRUE]}}
    assert reading(engine, subject, **worked({})).matched == ("Undefined",)
    assert reading(engine, subject, raw=False, **worked({})).matched == ("Running",)


def test_two_statuses_at_once_in_consumers_order(engine: Engine) -> None:
    result = reading(
        engine,
        {"status": {"phase": "active"}, "spec": {"replicas": 2}},
        phaseDefinition={"path": ".status.phase"},
        statusMappings={
            "degraded": [{"byExpression": {"expression": ".status.ready < .spec.replicas", "expectedResult": "true"}}],
            "running": [{"byPhase": "other"}, {"byPhase": "active"}],
        },
    )
    assert result.matched == ("Running", "Degraded")
    assert [matcher.path[-2:] for matcher in result.matchers] == [("running", 1), ("degraded", 0)]
    assert result.phase == "active"


def test_every_status_is_reported_in_the_newest_order(engine: Engine) -> None:
    keys = "initializing running completed failed degraded suspended suspending resuming".split()
    result = reading(engine, {}, statusMappings={key: [{}] for key in keys})
    assert result.matched == (
        "Resuming",
        "Suspending",
        "Suspended",
        "Running",
        "Failed",
        "Completed",
        "Initializing",
        "Degraded",
    )


def test_an_empty_matcher_always_matches(engine: Engine) -> None:  # I7
    assert reading(engine, {}, statusMappings={"failed": [{}]}).matched == ("Failed",)


def test_a_phase_that_is_a_number_fails(engine: Engine) -> None:  # I8
    result = reading(
        engine, {"status": {"phase": 3}}, phaseDefinition={"path": ".status.phase"}, statusMappings={"failed": [{}]}
    )
    assert result.error is not None
    assert result.error.cause == ConversionError(0, "a string", "the number 3")


@pytest.mark.parametrize(
    ("expression", "expected", "matched"),
    [
        ("true", "true", True),
        ('"true"', "true", True),
        (".nothing", "null", True),
        ("empty", "null", False),
        ('"a", "b"', "a", True),
        ('"a", "b"', "b", False),
        ("{z: 1, a: [null]}", '{"a":[null],"z":1}', True),
        ("1e3", "1000", True),
        ("true", "True", False),
    ],
)
def test_an_expression_is_compared_as_text(engine: Engine, expression: str, expected: str, matched: bool) -> None:
    mapping = {"running": [{"byExpression": {"expression": expression, "expectedResult": expected}}]}
    assert reading(engine, {}, statusMappings=mapping).matched == (("Running",) if matched else ("Undefined",))


BROKEN = {"byExpression": {"expression": ".a[]", "expectedResult": "true"}}


@pytest.mark.parametrize(
    "matchers",
    [
        [{}, BROKEN],
        [{"byPhase": "x", **BROKEN}, {}],
        [{"byConditions": [{"type": "x"}], **BROKEN}, {}],
    ],
)
def test_an_error_hides_until_it_is_reached(engine: Engine, matchers: list[dict[str, Any]]) -> None:
    assert reading(engine, {}, statusMappings={"running": matchers}).matched == ("Running",)


def test_a_reached_error_fails_every_status(engine: Engine) -> None:
    result = reading(engine, {}, statusMappings={"running": [{}], "degraded": [BROKEN]})
    assert result.matched == ()
    assert result.error is not None
    assert isinstance(result.error.cause, Failure)
    assert result.error.cause.kind is FailureKind.ERROR


def test_an_empty_path_does_not_compile(engine: Engine) -> None:
    result = reading(engine, {}, phaseDefinition={"path": ""}, statusMappings={"running": [{}]})
    assert result.error is not None
    assert isinstance(result.error.cause, Failure)
    assert result.error.cause.kind is FailureKind.COMPILE


def test_values_that_are_no_strings_are_absent(engine: Engine) -> None:
    conditions = [{"type": "Ready", "status": True}, {"status": "True"}, None]
    result = reading(engine, {"status": {"conditions": conditions}}, raw=False, **worked({}))
    assert result.conditions == (
        Condition("Ready", None, None, None),
        Condition("", "True", None, None),
        Condition("", None, None, None),
    )
    assert result.matched == ("Undefined",)
