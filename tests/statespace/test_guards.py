"""What is proposed can be pasted where it is said to go, and mends what it is proposed for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.statespace.widgets import CONDITIONS, evaluate_with, status_of
from wmap_lint.jq.engine import Engine
from wmap_lint.statespace.guards import can_be_continued, guard, is_operand, literals, too_strict
from wmap_lint.statespace.proof import Proof
from wmap_lint.statespace.space import Choice, Dimension, Space
from wmap_lint.statespace.table import Table


@pytest.mark.parametrize(
    ("text", "operand", "continued"),
    [
        (".a == 1", True, True),
        (".a and .b", False, True),
        (".a or .b", False, False),
        (".a // .b", False, False),
        (".a | not", False, False),
        ("any(.a[]?; .b)", True, True),
        (".a as $x | $x == 1", False, True),
        (".a as $x | $x | not", False, False),
        (".a", True, True),
        ("if .a then .b else .c end", True, False),
        ("(.a | not)", True, True),
        ("(.a) | not", False, False),
        (".a |", False, False),
    ],
)
def test_where_a_demand_can_be_added(text: str, operand: bool, continued: bool) -> None:
    assert is_operand(text) is operand
    assert can_be_continued(text) is continued


def path(name: str, *values: Any) -> Dimension:
    return Dimension(name, (tuple(name.lstrip(".").split(".")),), tuple(map(Choice, values)))


def proof_of(mappings: dict[str, Any], engine: Engine) -> Proof:
    space = Space(
        {"spec": {}, "status": {}},
        [path(".status.phase", "Up", "Down"), path(".status.failed", 0, 1), path(".spec.suspend", True, False)],
        CONDITIONS,
    )
    return Proof(status_of(mappings), Table(space, evaluate_with(engine)))


def expression(text: str) -> dict[str, Any]:
    return {"byExpression": {"expression": text, "expectedResult": "true"}}


MAPPINGS: dict[str, Any] = {
    "running": [{"byPhase": "Up"}],
    "degraded": [expression("(.status.failed // 0) > 0 and .spec.suspend != true")],
    "suspended": [expression(".spec.suspend // false")],
}


def test_what_tells_states_apart(engine: Engine) -> None:
    proof = proof_of(MAPPINGS, engine)
    texts = [each.text for each in literals(proof)]
    assert {'.status.phase == "Up"', "(.status.failed // 0) > 0", ".spec.suspend != true"} <= set(texts)
    for each in literals(proof):
        assert is_operand(each.text), each.text
        # It means as a program what it is said to.
        found = proof.table.verdict(f"{each.text} | . != null and . != false", "true")
        assert (found.true, found.false) == (each.true, each.false), each.text


def test_a_guard_is_false_where_it_has_to_be(engine: Engine) -> None:
    proof = proof_of(MAPPINGS, engine)
    matched = proof.readings.matched
    wrong = matched["Running"] & (matched["Degraded"] | matched["Suspended"])
    right = matched["Running"] & ~wrong
    found = guard(proof, wrong, right)
    assert found is not None
    verdict = proof.table.verdict(found, "true")
    assert wrong & verdict.true == 0
    assert right & ~verdict.true == 0


def test_there_may_be_none(engine: Engine) -> None:
    proof = proof_of({"running": [{"byPhase": "Up"}]}, engine)
    everything = proof.table.everything
    assert guard(proof, everything, everything) is None


def test_the_demand_that_is_too_much(engine: Engine) -> None:
    proof = proof_of(
        {"running": [{"byPhase": "Up", **expression(".status.failed == 0 and .spec.suspend == true")}]}, engine
    )
    (running,) = proof.readings.matchers
    table = proof.table
    missed = table.chosen[0][0] & table.chosen[1][0] & table.chosen[2][1]
    found = too_strict(proof, running.matcher, missed)
    assert found is not None
    assert found.text == ".spec.suspend == true"
    # Nothing alone is too much where two things are.
    assert too_strict(proof, running.matcher, table.chosen[0][1] & table.chosen[2][1]) is None
