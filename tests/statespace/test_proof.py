"""What is worked out for all states at once is what is read of each state alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.statespace.widgets import CONDITIONS, STATUS, evaluate_with, status_of
from wmap_lint.jq.engine import Engine
from wmap_lint.paths import ABSENT
from wmap_lint.resolve.status import UNDEFINED
from wmap_lint.statespace.proof import Proof, read_object
from wmap_lint.statespace.space import Arrangement, Choice, Dimension, Space
from wmap_lint.statespace.table import Table

EXPRESSIONS = [
    ".spec.suspend == true",
    ".spec.suspend != true and .status.ready >= 1",
    'any(.status.conditions[]?; .status == "True" and .type == ("Ready", "Failed")) | not',
    'all((.status.conditions // [])[]; .status != "False")',
    '.status.conditions[0].type == "Ready"',
    '[.status.conditions[]? | select(.type == "Ready") | .status] == ["True"]',
    "(.status // {}) == {}",
    ".status.ready as $ready | (.spec.size // 1) as $size | $ready == $size or (.status.failed // 0) > 0",
    ".status.roles[] | .ready > 0",
    "any(.status.roles[]?; .ready > 0)",
    "any(.status.roles[]; .ready > 0) or .spec.suspend",
    "if .spec.suspend then (.status.ready // 0) == 0 else .status.ready == 2 end",
    ".status.phase",
    "(.status.roles | length) == 2",
    "[.status.roles[]? | .ready] | add",
    '.status.conditions[].status == "True"',
    "reduce .status.roles[]? as $role (0; . + ($role.ready // 0)) | . > 1",
    "(.status.ready // empty) > 0",
    ".status.roles[] as $role | $role.ready == 1 and .spec.suspend != true",
]


def path(name: str, *values: Any) -> Dimension:
    places = (
        (("status", "roles", 0, "ready"), ("status", "roles", 1, "ready"))
        if "[]" in name
        else (tuple(name.lstrip(".").split(".")),)
    )
    return Dimension(name, places, tuple(map(Choice, values)))


def condition(name: str, *statuses: str) -> Dimension:
    choices = [*({"type": name, "status": status, "reason": "Because"} for status in statuses), ABSENT]
    return Dimension(name, (("status", "conditions"),), tuple(map(Choice, choices)), name)


STATUS_VALUE: dict[str, Any] = {"ready": 1, "roles": [{"name": "a", "ready": 1}, {"name": "b"}]}
DIMENSIONS = [
    path(".spec.suspend", True, False, ABSENT),
    path(".status", STATUS_VALUE, ABSENT),
    path(".status.ready", 0, 2, ABSENT),
    path(".status.roles", STATUS_VALUE["roles"], [], ABSENT),
    path(".status.roles[].ready", 0, 1, "many", ABSENT),
    path(".status.phase", "Up", ABSENT),
    condition("Ready", "True", "False", "Unknown"),
    condition("Failed", "True", "False"),
]
BASES: list[dict[str, Any]] = [
    {"spec": {"size": 2}, "status": STATUS_VALUE},
    {"spec": {}, "status": {**STATUS_VALUE, "conditions": [{"type": "Other", "status": "True"}]}},
    {"spec": {}},
]
MATCHERS = st.fixed_dictionaries(
    {},
    optional={
        "byPhase": st.sampled_from(["Up", "Down"]),
        "byConditions": st.lists(
            st.fixed_dictionaries(
                {"type": st.sampled_from(["Ready", "Failed", "Other"])},
                optional={"status": st.sampled_from(["True", "False"]), "reason": st.sampled_from(["Because", "No"])},
            ),
            min_size=1,
            max_size=2,
        ),
        "byExpression": st.fixed_dictionaries(
            {
                "expression": st.sampled_from(EXPRESSIONS),
                "expectedResult": st.sampled_from(["true", "false", "Up", "null"]),
            }
        ),
    },
)
MAPPINGS = st.dictionaries(st.sampled_from(STATUS), st.lists(MATCHERS, min_size=1, max_size=2), min_size=1, max_size=3)
ARRANGEMENTS = [
    Arrangement(),
    Arrangement("reversed"),
    Arrangement(first=(("Extra", "False"),)),
    Arrangement(last=(("Extra", "True"),), fields=(("extra", 1),)),
]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    base=st.sampled_from(BASES),
    dimensions=st.lists(st.sampled_from(DIMENSIONS), unique_by=lambda each: each.name, max_size=5),
    mappings=MAPPINGS,
    arrangement=st.sampled_from(ARRANGEMENTS),
)
def test_all_at_once_is_one_by_one(
    base: dict[str, Any],
    dimensions: list[Dimension],
    mappings: dict[str, Any],
    arrangement: Arrangement,
    engine: Engine,
) -> None:
    status = status_of(mappings)
    evaluate = evaluate_with(engine)
    space = Space(base, dimensions, CONDITIONS)
    table = Table(space, evaluate)
    readings = Proof(status, table).arranged(arrangement)
    step = max(1, space.size // 25)
    for number in range(0, space.size, step):
        workload = space.build(space.vector(number), arrangement)
        alone = read_object(status, workload, evaluate)
        assert bool(readings.failed >> number & 1) == (alone.error is not None), workload
        if alone.error is None:
            together = tuple(name for name, states in readings.matched.items() if states >> number & 1)
            assert (together or (UNDEFINED,)) == alone.matched, workload
            fired = [each.matcher.path for each in readings.matchers if each.fires >> number & 1]
            assert fired == [each.path for each in alone.matchers], workload


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_a_program_is_run_as_seldom_as_its_answers_differ(text: str, engine: Engine) -> None:
    space = Space(BASES[0], DIMENSIONS, CONDITIONS)
    table = Table(space, evaluate_with(engine))
    verdict = table.verdict(text, "true")
    assert verdict.true | verdict.false | verdict.error == table.everything
    assert not verdict.true & verdict.false
    assert not (verdict.true | verdict.false) & verdict.error
    for number in range(0, space.size, 97):
        (outcome,) = evaluate_with(engine)(text, [space.state(number)])
        failed = type(outcome).__name__ == "Failure"
        assert failed == bool(verdict.error >> number & 1)
        if not failed:
            values = outcome.values  # type: ignore[union-attr]
            assert bool(verdict.true >> number & 1) == bool(values and values[0] is True)


def test_little_is_run(engine: Engine) -> None:
    space = Space(BASES[0], DIMENSIONS, CONDITIONS)
    table = Table(space, evaluate_with(engine))
    table.verdict('.spec.suspend == true and (.status.phase == "Up" or .status.ready == 0)', "true")
    assert table.evaluations <= 3 + 3 + 4
    table.verdict(EXPRESSIONS[2], "true")
    assert table.evaluations <= 3 + 3 + 4 + 5
