"""One fault planted in a definition of the catalog: one violation, by the smallest object, with what to write."""

from __future__ import annotations

from typing import Any

import pytest

from tests.statespace.catalog import exploration_of
from tests.statespace.planted import JOBSET, PLANTED, PYTORCHJOB, RAYCLUSTER, Planted
from wmap_lint.jq.engine import Engine
from wmap_lint.paths import ABSENT, lookup
from wmap_lint.statespace.properties import Examination, Property, Violation
from wmap_lint.statespace.shrink import removable
from wmap_lint.statespace.space import Arrangement, arranged, without

IDS = [f"{fault.name}: {fault.definition.split('-')[0]}" for fault in PLANTED]


def test_each_fault_in_each_definition() -> None:
    names = {fault.name for fault in PLANTED}
    assert names == {"guard", "swapped", "unknown", "absent", "order", "terminal"}
    assert {(fault.name, fault.definition) for fault in PLANTED} == {
        (name, definition) for name in names for definition in (JOBSET, PYTORCHJOB, RAYCLUSTER)
    }


def shows(examination: Examination, violation: Violation, workload: Any) -> bool:
    """Whether an object the operator can write shows the fault: written down anew, not by the code that shrinks."""
    oracle = examination.oracle
    if not oracle.is_possible(workload):
        return False
    reading = oracle.read(workload)
    if violation.kind is Property.ANY_ORDER:
        other = oracle.read(arranged(workload, Arrangement("reversed"), examination.proof.names))
        return other.matched != reading.matched
    if violation.kind is Property.NOTHING_SETTLED_UNWRITTEN:
        assert violation.mapping is not None
        nothing = lookup(workload, ("status",)) in (ABSENT, {})
        return nothing and violation.mapping.normalized in reading.matched
    truth = oracle.truth(workload)
    return reading.matched == violation.statuses and truth is not None and truth.status == violation.expected


@pytest.mark.parametrize("fault", PLANTED, ids=IDS)
def test_it_is_found_once_and_shrunk(fault: Planted, engine: Engine) -> None:
    exploration = exploration_of(fault.definition, engine, fault.text)
    (violation,) = exploration.violations
    assert violation.kind is fault.kind
    assert violation.mapping is not None
    assert fault.status in (violation.mapping.normalized, violation.swapped and violation.swapped.normalized)
    assert violation.states > 0
    examination = exploration.examination
    assert shows(examination, violation, violation.example)
    for place in removable(violation.example, examination.proof.names):
        assert not shows(examination, violation, without(violation.example, place)), place


@pytest.mark.parametrize("fault", [each for each in PLANTED if each.name == "guard"], ids=IDS[:3])
def test_the_guard_that_is_proposed_mends_it(fault: Planted, engine: Engine) -> None:
    exploration = exploration_of(fault.definition, engine, fault.text)
    (violation,) = exploration.violations
    assert violation.guard is not None
    matcher = violation.matcher
    assert matcher is not None
    assert matcher.by_expression is not None
    assert matcher.by_expression.expression is not None
    text = matcher.by_expression.expression.text.rstrip("\n")
    lines = text.split("\n")
    last = lines[-1]
    assert fault.text.count(last) >= 1
    begin = fault.text.index("          running:\n")
    mended = fault.text[:begin] + fault.text[begin:].replace(
        f"{last}\n              expectedResult",
        f"{last}\n                and {violation.guard}\n              expectedResult",
        1,
    )
    assert mended != fault.text
    assert exploration_of(fault.definition, engine, mended).violations == ()


def test_what_is_too_strict_is_named(engine: Engine) -> None:
    fault = next(each for each in PLANTED if each.name == "absent" and each.definition == PYTORCHJOB)
    (violation,) = exploration_of(fault.definition, engine, fault.text).violations
    assert violation.strict is not None
    assert violation.strict.text == "Suspended False"


def test_a_matcher_that_never_fires(engine: Engine) -> None:
    fault = next(each for each in PLANTED if each.name == "guard" and each.definition == RAYCLUSTER)
    original = fault._replace(edits=()).text
    dead = original.replace("          suspended:\n", "          suspended:\n          - byPhase: gone\n", 1)
    (violation,) = exploration_of(RAYCLUSTER, engine, dead).violations
    assert violation.kind is Property.MATCHER_FIRES
    assert violation.matcher is not None
    assert violation.matcher.by_phase == "gone"


def test_a_matcher_that_decides_nothing(engine: Engine) -> None:
    original = PLANTED[0]._replace(edits=()).text
    extra = '          - byConditions:\n            - {type: Completed, status: "True", reason: AllJobsCompleted}\n'
    (violation,) = exploration_of(
        JOBSET, engine, original.replace("          failed:\n", f"{extra}          failed:\n", 1)
    ).violations
    assert violation.kind is Property.MATCHER_NEEDED
    assert violation.matcher is not None
    assert violation.matcher.by_conditions[0].reason == "AllJobsCompleted"


def test_something_unrelated(engine: Engine) -> None:
    original = PLANTED[0]._replace(edits=()).text
    completed = '            - {type: Completed, status: "True"}\n'
    counting = "(.status.conditions // []) | length < 4"  # there are never more
    expression = f'            byExpression: {{expression: "{counting}", expectedResult: "true"}}\n'
    (violation,) = exploration_of(JOBSET, engine, original.replace(completed, completed + expression, 1)).violations
    assert violation.kind is Property.NOTHING_UNRELATED
    assert violation.expression is not None
    assert violation.expression.text == counting
    assert violation.statuses == ("Completed",)
    assert violation.after == "Undefined"
    assert len(violation.example["status"]["conditions"]) == 3
