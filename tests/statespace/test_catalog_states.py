"""The definitions of the catalog over all states that their operators can write."""

from __future__ import annotations

import re

import pytest

from tests.statespace.catalog import MODELLED, corpus_of, exploration_of, explored
from tests.statespace.planted import JOBSET, PYTORCHJOB, RAYCLUSTER
from wmap_lint.jq.engine import Engine
from wmap_lint.statespace.exploration import Depth

SMALL = {
    "apps-daemonset-v1",
    "apps-nvidia-com-nimcache-v1alpha1",
    "apps-nvidia-com-nimservice-v1alpha1",
    "batch-cronjob-v1",
    "core-pod-v1",
}
"""Those whose controllers write no more than a few fields."""


def test_these_have_a_model() -> None:
    assert {JOBSET, PYTORCHJOB, RAYCLUSTER} <= set(MODELLED)


@pytest.mark.parametrize("name", MODELLED)
def test_every_state_has_exactly_one_status_and_every_matcher_is_needed(name: str, engine: Engine) -> None:
    exploration = exploration_of(name, engine)
    assert exploration.complete
    assert exploration.states > (20 if name in SMALL else 1000)
    assert exploration.violations == ()
    proof = exploration.proof
    assert not proof.ambiguous
    assert not proof.undefined
    assert not proof.readings.failed
    once = 0
    for states in proof.readings.matched.values():
        assert not once & states
        once |= states
    assert once == proof.possible
    for each in proof.readings.matchers:
        others = 0
        for other in proof.readings.matchers:
            if other is not each and other.mapping is each.mapping:
                others |= other.holds
        assert each.holds & ~others, each.matcher.path


@pytest.mark.parametrize("name", MODELLED)
def test_a_truth_speaks_of_every_state(name: str, engine: Engine) -> None:
    exploration = exploration_of(name, engine)
    assert exploration.examination.decided == exploration.proof.possible
    assert not exploration.examination.failing_programs


@pytest.mark.parametrize("name", MODELLED)
def test_every_rule_of_a_model_is_needed(name: str, engine: Engine) -> None:
    exploration = exploration_of(name, engine)
    model = exploration.model
    assert model is not None
    table = exploration.proof.table
    for rule in model.impossible:
        alone = table.verdict(rule.when.text, "true").true
        for other in model.impossible:
            if other is not rule:
                alone &= ~table.verdict(other.when.text, "true").true
        assert alone, rule.when.text
    for truth, states in exploration.examination.truths:
        assert states, truth.when.text


@pytest.mark.parametrize("name", MODELLED)
def test_every_rule_of_a_model_cites_the_code(name: str, engine: Engine) -> None:
    """At a tag, or at a commit."""
    model = exploration_of(name, engine).model
    assert model is not None
    for rule in (*model.impossible, *model.truths, *model.transitions):
        assert re.search(r"\([^@:\s]+@(?:(?:[a-z]+-)?v[^@:\s]+|[0-9a-f]{8,40}):\S+\)$", rule.because), rule.because


@pytest.mark.parametrize("name", MODELLED)
def test_no_fixture_is_impossible_or_another_status(name: str, engine: Engine) -> None:
    oracle = exploration_of(name, engine).examination.oracle
    for scenario in corpus_of(name).scenarios:
        assert oracle.is_possible(scenario.workload), scenario.label
        truth = oracle.truth(scenario.workload)
        assert scenario.expectation is not None
        assert truth is not None
        assert truth.status == scenario.expectation.status, scenario.label


@pytest.mark.parametrize("name", MODELLED)
def test_without_its_model_nothing_is_found_either(name: str, engine: Engine) -> None:
    exploration = exploration_of(name, engine, modelled=False)
    assert exploration.model is None
    assert exploration.complete == (exploration.states == exploration.combinations)
    assert exploration.violations == ()


@pytest.mark.parametrize("name", [JOBSET, RAYCLUSTER])
def test_the_same_content_gives_the_same_states(name: str, engine: Engine) -> None:
    one, other = (explored(name, engine, None, False, Depth.QUICK) for _ in range(2))
    assert one.seed == other.seed
    assert one.proof.table.vectors == other.proof.table.vectors
