"""Numbers, vectors and objects of a space belong together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap_lint.paths import ABSENT
from wmap_lint.statespace.space import Arrangement, Choice, ConditionNames, Dimension, Space, arranged, without

BASE: dict[str, Any] = {
    "kind": "Widget",
    "spec": {"size": 2},
    "status": {
        "roles": [{"name": "a", "ready": 1}, {"name": "b", "ready": 1}],
        "conditions": [{"type": "Ready", "status": "True", "message": "up"}, {"type": "Other", "status": "True"}],
    },
}


def condition(name: str, *statuses: str, optional: bool = True) -> Dimension:
    entries: list[Any] = [{"type": name, "status": status} for status in statuses]
    choices = tuple(map(Choice, [*entries, *([ABSENT] if optional else [])]))
    return Dimension(name, (("status", "conditions"),), choices, name)


def path(name: str, *values: Any, places: tuple[tuple[str | int, ...], ...] | None = None) -> Dimension:
    return Dimension(name, places or (tuple(name.lstrip(".").split(".")),), tuple(map(Choice, values)))


SPACE = Space(
    BASE,
    [
        path(".spec.suspend", True, False, ABSENT),
        path(".status", BASE["status"], ABSENT),
        path(".status.phase", "Up", ABSENT),
        condition("Ready", "True", "False"),
        path(
            ".status.roles[].ready", 0, 1, 2, places=(("status", "roles", 0, "ready"), ("status", "roles", 1, "ready"))
        ),
    ],
)


def test_what_is_below_an_absent_path_is_counted_once() -> None:
    assert SPACE.size == 3 * (1 + 2 * 3 * 3)
    without_status = [number for number in range(SPACE.size) if "status" not in SPACE.state(number)]
    assert len(without_status) == 3


def test_every_state_is_another_object() -> None:
    objects = {json.dumps(SPACE.state(number), sort_keys=True) for number in range(SPACE.size)}
    assert len(objects) == SPACE.size


def test_columns_hold_what_vectors_hold() -> None:
    columns = SPACE.columns()
    assert [tuple(column[number] for column in columns) for number in range(SPACE.size)] == [
        SPACE.vector(number) for number in range(SPACE.size)
    ]


def test_a_number_outside_is_refused() -> None:
    with pytest.raises(IndexError, match="there is no state 57 of 57"):
        SPACE.vector(57)


def test_objects_are_what_the_choices_say() -> None:
    state = SPACE.build((0, 0, 1, 1, 2))
    assert state == {
        "kind": "Widget",
        "spec": {"size": 2, "suspend": True},
        "status": {
            "roles": [{"name": "a", "ready": 2}, {"name": "b", "ready": 2}],
            "conditions": [{"type": "Other", "status": "True"}, {"type": "Ready", "status": "False"}],
        },
    }
    assert BASE["spec"] == {"size": 2}
    assert SPACE.words((0, 0, 1, 1, 2)) == (
        "`.spec.suspend` is true, `.status` is there, no `.status.phase`, Ready is False, `.status.roles[].ready` is 2"
    )
    assert SPACE.words((2, 1, 0, 0, 0)) == "no `.spec.suspend`, no `.status`"


def test_a_list_without_conditions_is_left_out() -> None:
    space = Space({"status": {"ready": 1, "conditions": []}}, [condition("Ready", "True")])
    assert [space.state(number) for number in range(2)] == [
        {"status": {"ready": 1, "conditions": [{"type": "Ready", "status": "True"}]}},
        {"status": {"ready": 1}},
    ]


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    dimensions = []
    for name in draw(
        st.lists(st.sampled_from([".a", ".a.b", ".a.b.c", ".a.d", ".e", ".e.f"]), unique=True, max_size=5)
    ):
        values: list[Any] = draw(st.lists(st.sampled_from([1, 2, None, {}, {"x": 1}]), unique_by=repr, min_size=1))
        dimensions.append(path(name, *values, *([ABSENT] if draw(st.booleans()) else [])))
    return Space({"a": {"b": {"c": 1}}, "e": {}}, dimensions)


@given(spaces(), st.data())
def test_numbers_and_vectors_are_each_other(space: Space, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, space.size - 1))
    vector = space.vector(number)
    assert space.number(vector) == number
    assert space.canonical(vector) == vector
    assert tuple(column[number] for column in space.columns()) == vector


@given(spaces(), st.data())
def test_any_vector_is_a_state(space: Space, data: st.DataObject) -> None:
    vector = tuple(data.draw(st.integers(0, len(each.choices) - 1)) for each in space.dimensions)
    canonical = space.canonical(vector)
    assert space.build(vector) == space.build(canonical)
    assert space.vector(space.number(canonical)) == canonical


def test_arrangements_say_the_same_in_another_way() -> None:
    names = ConditionNames()
    workload = {"status": {"conditions": [{"type": "A"}, {"type": "B"}, {"type": "C"}]}}

    def types(arrangement: Arrangement) -> str:
        return "".join(each["type"] for each in arranged(workload, arrangement, names)["status"]["conditions"])

    assert types(Arrangement("reversed")) == "CBA"
    assert types(Arrangement("rotated")) == "BCA"
    assert types(Arrangement(first=(("X", "True"),), last=(("Y", "True"),))) == "XABCY"
    assert arranged(workload, Arrangement(fields=(("extra", 1),)), names)["status"]["extra"] == 1
    for empty in ({}, {"status": {}}, {"status": {"conditions": []}}):
        assert arranged(empty, Arrangement("reversed", first=(("X", "True"),)), names) == empty
    assert arranged({"status": {}}, Arrangement(fields=(("extra", 1),)), names) == {"status": {}}


def test_taking_away_leaves_the_original_alone() -> None:
    workload = {"a": [{"b": 1, "c": 2}, 3]}
    assert without(workload, ("a", 0, "b")) == {"a": [{"c": 2}, 3]}
    assert without(workload, ("a", 1)) == {"a": [{"b": 1, "c": 2}]}
    assert without(workload, ("x", "y")) is workload
    assert workload == {"a": [{"b": 1, "c": 2}, 3]}


@given(spaces(), st.data())
def test_a_stride_changes_one_choice(space: Space, data: st.DataObject) -> None:
    if not space.dimensions:
        return
    number = data.draw(st.integers(0, space.size - 1))
    dimension = data.draw(st.integers(0, len(space.dimensions) - 1))
    choice = data.draw(st.integers(0, len(space.dimensions[dimension].choices) - 1))
    stride = space.stride(dimension)
    vector = space.vector(number)
    if stride is None or space.is_closed(dimension, vector):
        return
    changed = (*vector[:dimension], choice, *vector[dimension + 1 :])
    assert space.number(changed) == number + (choice - vector[dimension]) * stride
