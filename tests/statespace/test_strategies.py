"""Whole status objects: those of the space, and what clusters make of them."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.statespace.catalog import MODELLED, definition_of, model_of
from wmap_lint.jq.engine import Engine
from wmap_lint.paths import ABSENT, lookup
from wmap_lint.statespace.judging import Fault, Judge, fits
from wmap_lint.statespace.space import Choice, ConditionNames, Dimension, Space, conditions_of
from wmap_lint.statespace.strategies import NEWER, Distortion, Example, Kind, examples, vectors

NAMES = ConditionNames()
BASE = {
    "apiVersion": "x/v1",
    "kind": "Widget",
    "metadata": {"name": "one", "generation": 4},
    "spec": {"suspend": False, "size": 3},
    "status": {
        "phase": "Busy",
        "observedGeneration": 4,
        "roles": [{"name": "a", "ready": 1}, {"name": "b", "ready": 0}],
        "conditions": [
            {"type": "Ready", "status": "True", "reason": "AllUp"},
            {"type": "Done", "status": "False", "reason": "NotYet"},
        ],
    },
}


def condition(name: str, *statuses: str) -> Dimension:
    choices = [Choice({"type": name, "status": each}) for each in statuses]
    return Dimension(name, (("status", "conditions"),), (*choices, Choice(ABSENT)), name)


SPACE = Space(
    BASE,
    [
        Dimension(".spec.suspend", (("spec", "suspend"),), (Choice(True), Choice(False), Choice(ABSENT))),
        Dimension(".status", (("status",),), (Choice(BASE["status"]), Choice(ABSENT))),
        Dimension(".status.phase", (("status", "phase"),), (Choice("Busy"), Choice("Idle"))),
        condition("Ready", "True", "False"),
        condition("Done", "True", "False"),
    ],
)


@given(vectors(SPACE))
def test_states_are_those_of_the_space(vector: tuple[int, ...]) -> None:
    assert SPACE.canonical(vector) == vector
    assert fits(SPACE, SPACE.build(vector))


@given(vectors(SPACE, [3, 5]))
def test_only_possible_ones_where_these_are_named(vector: tuple[int, ...]) -> None:
    assert SPACE.number(vector) in (3, 5)


@given(examples(SPACE, most_distortions=0))
def test_without_distortions_all_are_of_the_model(example: Example) -> None:
    assert example.is_of_the_model
    assert fits(SPACE, example.build(SPACE))


def sample(count: int = 600) -> list[Example]:
    found: list[Example] = []

    @seed(7)
    @settings(max_examples=count, database=None, suppress_health_check=list(HealthCheck))
    @given(examples(SPACE))
    def gather(example: Example) -> None:
        found.append(example)

    gather()
    return found


def test_everything_that_clusters_do_is_done() -> None:
    kinds = Counter(each.kind for example in sample() for each in example.distortions)
    assert set(kinds) == set(Kind)
    assert min(kinds.values()) >= 5


@given(examples(SPACE))
def test_nothing_that_the_api_server_would_refuse(example: Example) -> None:
    workload = example.build(SPACE)
    assert workload["apiVersion"] == "x/v1"
    assert workload["spec"]["size"] == 3, "what users have to write is not optional"
    for entry in conditions_of(workload, NAMES):
        assert isinstance(entry["type"], str)
        assert entry["status"] in ("True", "False", "Unknown")
    roles = lookup(workload, ("status", "roles"))
    assert all(isinstance(each["name"], str) for each in roles) if isinstance(roles, list) else True


@given(st.data())
def test_the_base_stays_as_it_is(data: st.DataObject) -> None:
    before = copy.deepcopy(BASE)
    data.draw(examples(SPACE)).build(SPACE)
    assert before == BASE


def changed(kind: Kind, *place: str | int, value: Any = None, first: bool = False, base: Any = BASE) -> Any:
    return Distortion(kind, place, value, first).apply(base, NAMES)


def test_what_each_does() -> None:
    phase = ("status", "phase")
    conditions = ("status", "conditions")
    assert lookup(changed(Kind.MISSING, *phase), phase) is ABSENT
    assert lookup(changed(Kind.NULL, *phase), phase) is None
    assert lookup(changed(Kind.EMPTY, *conditions, value=[]), conditions) == []
    assert lookup(changed(Kind.UNKNOWN, *phase, value=NEWER), phase) == NEWER
    extra = {"type": NEWER, "status": "True"}
    listed = lookup(changed(Kind.EXTRA, *conditions, value=extra, first=True), conditions)
    assert isinstance(listed, list)
    assert [each["type"] for each in listed] == [NEWER, "Ready", "Done"]
    twice = {"type": "Ready", "status": "False"}
    listed = lookup(changed(Kind.TWICE, *conditions, value=twice), conditions)
    assert isinstance(listed, list)
    assert [(each["type"], each["status"]) for each in listed][::2] == [("Ready", "True"), ("Ready", "False")]
    stale = changed(Kind.STALE, "status", "observedGeneration", value=1)
    assert (stale["metadata"]["generation"], stale["status"]["observedGeneration"]) == (2, 1)
    listed = lookup(changed(Kind.ORDER, *conditions, value=0), conditions)
    assert listed == BASE["status"]["conditions"][::-1]  # type: ignore[index]


NOTHING: dict[str, Any] = {"apiVersion": "x/v1", "kind": "Widget"}


@pytest.mark.parametrize(
    "distortion",
    [
        Distortion(Kind.MISSING, ("status", "phase")),
        Distortion(Kind.NULL, ("status", "phase")),
        Distortion(Kind.UNKNOWN, ("status", "roles", 4, "name"), NEWER),
        Distortion(Kind.EMPTY, ("status", "conditions"), []),
        Distortion(Kind.TWICE, ("status", "conditions"), {"type": "Ready", "status": "True"}),
        Distortion(Kind.STALE, ("status", "observedGeneration"), 1),
        Distortion(Kind.ORDER, ("status", "conditions"), 1),
    ],
    ids=lambda each: each.kind.value,
)
def test_where_there_is_nothing_to_change_nothing_is_made(distortion: Distortion) -> None:
    assert distortion.apply(NOTHING, NAMES) is NOTHING
    assert not distortion.is_seen(NOTHING, NAMES)


def test_distortions_of_another_state_are_those_that_change_it() -> None:
    gone = next(number for number in range(SPACE.size) if "status" not in SPACE.state(number))
    example = Example(SPACE.vector(0), (Distortion(Kind.MISSING, ("status", "phase")),))
    assert example.on(SPACE.vector(0), SPACE) == example
    assert example.on(SPACE.vector(gone), SPACE) == Example(SPACE.vector(gone))


@pytest.mark.parametrize("name", MODELLED)
def test_the_catalog_reads_whatever_clusters_make_of_a_status(name: str, engine: Engine) -> None:
    definition = definition_of(name)
    model = model_of(name, definition)
    assert definition.root is not None
    assert definition.root.status_definition is not None
    judge = Judge(definition.root.status_definition, model.space, model, engine)
    found: list[tuple[Example, tuple[Fault, ...]]] = []

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(examples(model.space))
    def look(example: Example) -> None:
        faults = judge.faults(example.build(model.space), example.is_of_the_model)
        found.append((example, faults))
        assert faults == ()

    look()
    assert any(not example.is_of_the_model for example, _ in found)
    assert any(example.is_of_the_model for example, _ in found)
