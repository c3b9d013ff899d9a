"""What is wrong with the reading of one object."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.statespace.catalog import MODELLED, corpus_of, definition_of, model_of
from tests.statespace.widgets import CONDITIONS, status_of
from wmap_lint.jq.engine import Engine
from wmap_lint.paths import ABSENT
from wmap_lint.statespace.judging import FaultKind, Judge, fits
from wmap_lint.statespace.space import Choice, Dimension, Space
from wmap_lint.statespace.strategies import NEWER

MAPPINGS = {
    "completed": [{"byConditions": [{"type": "Complete", "status": "True"}]}],
    "failed": [{"byExpression": {"expression": ".status.failed // 0 | . > 0", "expectedResult": "true"}}],
    "running": [{"byPhase": "Running"}],
}
SPACE = Space(
    {"apiVersion": "x/v1", "kind": "Widget", "spec": {}, "status": {"phase": "Running", "failed": 0}},
    [
        Dimension(".status", (("status",),), (Choice({"phase": "Running", "failed": 0}), Choice(ABSENT))),
        Dimension(".status.phase", (("status", "phase"),), (Choice("Running"), Choice("Pending"))),
        Dimension(
            "Complete",
            (("status", "conditions"),),
            (Choice({"type": "Complete", "status": "True", "reason": "Done"}), Choice(ABSENT)),
            "Complete",
        ),
    ],
    CONDITIONS,
)


def judge(engine: Engine, **mappings: Any) -> Judge:
    return Judge(status_of({**MAPPINGS, **mappings}), SPACE, None, engine)


def expressing(text: str) -> list[dict[str, Any]]:
    return [{"byExpression": {"expression": text, "expectedResult": "true"}}]


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (None, False),
        ({}, False),
        ({"phase": ""}, False),
        ({"phase": None, "failed": None, "conditions": None}, False),
        ({"conditions": []}, False),
        ({"conditions": [{"type": NEWER, "status": "True"}]}, False),
        ({"phase": NEWER}, False),
        ({"unread": 7}, False),
        ({"phase": "Running"}, True),
        ({"failed": 0}, True),
        ({"conditions": [{"type": "Complete", "status": "False"}]}, True),
    ],
)
def test_whether_the_operator_has_said_anything(status: Any, told: bool, engine: Engine) -> None:
    workload = {"apiVersion": "x/v1", "kind": "Widget", "spec": {"suspend": True}, "status": status}
    assert judge(engine).is_told(workload) is told


def test_final_out_of_nothing(engine: Engine) -> None:
    always = judge(engine, failed=expressing('.status.phase != "Running"'))
    nothing = {"apiVersion": "x/v1", "kind": "Widget"}
    (fault,) = always.faults(nothing, in_model=False)
    assert fault.kind is FaultKind.TERMINAL
    assert [each.status for each in fault.fired] == ["Failed"]
    assert always.faults({**nothing, "status": {"phase": "Pending"}}, in_model=False) == ()


def test_an_error_is_a_fault_of_any_object(engine: Engine) -> None:
    failing = judge(engine, degraded=expressing(".status.roles[] | .x"))
    (fault,) = failing.faults({"apiVersion": "x/v1", "kind": "Widget"}, in_model=False)
    assert fault.kind is FaultKind.ERROR
    assert fault.expression is not None
    assert fault.cause == "Cannot iterate over null (null)"


def test_fits() -> None:
    def status(**fields: Any) -> dict[str, Any]:
        return {"apiVersion": "x/v1", "kind": "Widget", "status": fields}

    entry = {"type": "Complete", "status": "True", "reason": "Done", "message": "of no matter"}
    assert fits(SPACE, {"apiVersion": "x/v1"})
    assert fits(SPACE, status(phase="Pending"))
    assert fits(SPACE, status(phase="Pending", conditions=[entry]))
    assert fits(SPACE, status(phase="Pending", conditions=[{"type": "Complete", "status": "True"}]))
    assert not fits(SPACE, status())
    assert not fits(SPACE, status(phase="Lost"))
    assert not fits(SPACE, status(phase="Pending", conditions=[{**entry, "reason": "Other"}]))
    assert not fits(SPACE, status(phase="Pending", conditions=[{**entry, "status": "False"}]))
    assert not fits(SPACE, status(phase="Pending", conditions=[entry, entry]))


@pytest.mark.parametrize("name", MODELLED)
def test_what_was_recorded_has_no_fault(name: str, engine: Engine) -> None:
    definition = definition_of(name)
    model = model_of(name, definition)
    assert definition.root is not None
    assert definition.root.status_definition is not None
    judged = Judge(definition.root.status_definition, model.space, model, engine)
    for scenario in corpus_of(name).scenarios:
        assert judged.faults(copy.deepcopy(scenario.workload), in_model=False) == (), scenario.label
