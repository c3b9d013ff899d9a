"""Whatever a definition says: what is found is shown by its example, and nothing is found where nothing is wrong."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.statespace.test_proof import BASES, DIMENSIONS, MAPPINGS
from tests.statespace.widgets import CONDITIONS, evaluate_with, status_of
from wmap_lint.jq.engine import Engine
from wmap_lint.resolve.status import UNDEFINED
from wmap_lint.source import DataReading, read
from wmap_lint.statespace.model import Program, StatusModel, Truth
from wmap_lint.statespace.proof import Proof
from wmap_lint.statespace.properties import Examination, Oracle, Property
from wmap_lint.statespace.shrink import removable
from wmap_lint.statespace.space import Dimension, Space, without
from wmap_lint.statespace.table import Table

TRUTHS = st.lists(
    st.tuples(
        st.sampled_from(['.status.phase == "Up"', ".spec.suspend == true", ".status == null", ".status.ready == 2"]),
        st.sampled_from(["Running", "Failed", "Suspended", "Initializing"]),
    ),
    max_size=2,
)


def modelled(space: Space, truths: list[tuple[str, str]]) -> StatusModel:
    content = DataReading.of("status-model.yaml", read("{}", "status-model.yaml"))
    made = tuple(Truth(Program(when, ("truths", 0, "when")), status, "so") for when, status in truths)
    return StatusModel("status-model.yaml", content, space, (), (), made, ())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    base=st.sampled_from(BASES),
    dimensions=st.lists(st.sampled_from(DIMENSIONS), unique_by=lambda each: each.name, min_size=1, max_size=4),
    mappings=MAPPINGS,
    truths=TRUTHS,
)
def test_what_is_found_is_there(
    base: dict[str, Any],
    dimensions: list[Dimension],
    mappings: dict[str, Any],
    truths: list[tuple[str, str]],
    engine: Engine,
) -> None:
    status = status_of(mappings)
    evaluate = evaluate_with(engine)
    space = Space(base, dimensions, CONDITIONS)
    model = modelled(space, truths)
    proof = Proof(status, Table(space, evaluate))
    oracle = Oracle(status, evaluate, model)
    examination = Examination(proof, oracle, complete=True)
    found = examination.violations()
    for violation in found:
        if violation.example is None:
            continue
        reading = oracle.read(violation.example)
        match violation.kind:
            case Property.NO_ERROR:
                assert reading.error is not None
            case Property.ONE_STATUS:
                assert len(reading.matched) > 1
            case Property.SOME_STATUS:
                assert reading.matched == (UNDEFINED,)
            case Property.TRUTH:
                truth = oracle.truth(violation.example)
                assert truth is not None
                assert truth.status not in reading.matched or len(reading.matched) > 1
        if violation.kind in (Property.ONE_STATUS, Property.SOME_STATUS):
            for place in removable(violation.example, CONDITIONS):
                other = oracle.read(without(violation.example, place))
                if other.matched == reading.matched and other.matchers == reading.matchers:
                    truth, before = oracle.truth(without(violation.example, place)), oracle.truth(violation.example)
                    assert before is not None
                    assert truth is None or truth.status != before.status
    # A state that is wrong is never left without a word, unless one that is told already explains it.
    if not found:
        assert not proof.ambiguous
        assert not proof.undefined
        assert not proof.readings.failed
        for name, states in examination.true_status.items():
            assert states == states & proof.readings.matched[name]
