"""No state that a real operator was seen to write is impossible by a model, or another status than it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.catalog.test_observed import CATALOG, RECORDINGS, states
from tests.statespace.catalog import MODELLED, model_of
from tests.statespace.widgets import evaluate_with
from wmap_lint.jq.engine import Engine
from wmap_lint.source import ReadLimits, read_file
from wmap_lint.statespace.properties import Oracle

pytestmark = pytest.mark.skipif(not RECORDINGS, reason="the recordings are not part of this checkout")


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_every_state_is_possible_and_as_the_model_says(path: Path, engine: Engine) -> None:
    recording: Any = read_file(path, limits=ReadLimits(max_bytes=32 * 1024 * 1024)).documents[0].data
    match = CATALOG.find(recording["base"])
    if match is None or match.definition.name not in MODELLED:
        pytest.skip("there is no model of this kind yet")
    definition = match.definition
    assert definition.root is not None
    assert definition.root.status_definition is not None
    assert definition.name is not None
    oracle = Oracle(definition.root.status_definition, evaluate_with(engine), model_of(definition.name, definition))
    for number, workload in states(recording):
        assert oracle.is_possible(workload), number
        truth = oracle.truth(workload)
        assert truth is not None, number
        assert oracle.read(workload).matched == (truth.status,), number
