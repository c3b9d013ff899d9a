"""The same scenario reads the same in every framework."""

from __future__ import annotations

import pytest

from tests.statespace.catalog import DEFINITIONS, corpus_of, definition_of
from tests.statespace.widgets import evaluate_with
from wmap_lint.fixtures import CANONICAL
from wmap_lint.jq.engine import Engine
from wmap_lint.statespace.proof import read_object
from wmap_lint.statespace.scenarios import SCENARIOS, canonical


def test_the_table_is_that_of_the_fixtures() -> None:
    assert {name: scenario.status for name, scenario in SCENARIOS.items() if "-" not in name} == dict(CANONICAL)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("running", "Running"),
        ("running-two-groups", "Running"),
        ("created", "Initializing"),
        ("created-suspended", "Suspended"),
        ("created-suspended-again", "Suspended"),
        ("scaled-to-zero", "Running"),
    ],
)
def test_a_name_tells_the_scenario(name: str, status: str) -> None:
    found = canonical(name)
    assert found is not None
    assert found.status == status


def test_other_names_tell_nothing() -> None:
    assert canonical("odd") is None
    assert canonical("runnings") is None


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_the_whole_catalog_speaks_one_language(definition: str, engine: Engine) -> None:
    root = definition_of(definition).root
    assert root is not None
    status = root.status_definition
    assert status is not None
    scenarios = corpus_of(definition).scenarios
    assert scenarios
    for scenario in scenarios:
        wanted = canonical(scenario.name)
        assert wanted is not None, scenario.label
        reading = read_object(status, scenario.workload, evaluate_with(engine))
        assert reading.matched == (wanted.status,), scenario.label


def test_every_status_is_shown_by_some_framework() -> None:
    shown = {scenario.canonical for name in DEFINITIONS for scenario in corpus_of(name).scenarios}
    assert shown == set(CANONICAL)
