from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap_lint.record import Record, compiled, extra, replace


class Point(Record):
    """A record with every kind of field."""

    kind: ClassVar[str] = "point"
    x: Any
    y: Any = 0
    note: str = extra(default="", kw_only=True)


class Solid(Point):
    """A record that adds a field to another one's."""

    z: Any = None


@dataclasses.dataclass(frozen=True)
class Same:
    """What a dataclass makes of the same fields."""

    x: Any
    y: Any = 0


values = st.integers(0, 2) | st.sampled_from(["a", None, (1, 2)])


@given(values, values, values, values)
def test_equality_and_hash_are_those_of_a_dataclass(a: Any, b: Any, c: Any, d: Any) -> None:
    assert (Point(a, b) == Point(c, d)) == (Same(a, b) == Same(c, d))
    if Point(a, b) == Point(c, d):
        assert hash(Point(a, b)) == hash(Point(c, d))


def test_fields_by_position_keyword_and_default() -> None:
    assert Point(1) == Point(x=1) == Point(1, 0) == Point(1, y=0)
    assert Point(1).x == 1
    assert Solid(1, 2, 3) == Solid(z=3, y=2, x=1)
    assert Solid(1).z is None
    assert Point.kind == "point"
    assert repr(Point("a")) == "Point(x='a', y=0)"


def test_an_extra_field_takes_no_part_in_comparison() -> None:
    assert Point(1, note="here") == Point(1)
    assert Point(1, note="here").note == "here"
    assert "here" not in repr(Point(1, note="here"))


def test_records_of_different_classes_differ() -> None:
    assert Point(1, 2) != Solid(1, 2)
    assert Point(1, 2) != (1, 2)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((), {}), ((1, 2, 3), {}), ((1,), {"z": 1}), ((), {"y": 1, "z": 1}), ((1, 2, "note"), {})],
)
def test_wrong_fields_are_refused(arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="Point has the fields x, y"):
        Point(*arguments, **named)


def test_a_record_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del point.x
    assert replace(point, x=2) == Point(2)
    assert point == Point(1)


def test_records_match_by_position() -> None:
    match Solid(1, 2, 3):
        case Solid(x, y, z):
            assert (x, y, z) == (1, 2, 3)
        case _:
            raise AssertionError


@compiled
class Compiled(Record):
    one: int
    two: int = 2
    where: int = extra(default=0, kw_only=True)


class Further(Compiled):
    three: int


def test_a_compiled_record_is_as_any_other() -> None:
    made = Compiled(1, where=5)
    assert (made.one, made.two, made.where) == (1, 2, 5)
    assert made == Compiled(1, 2)
    assert hash(made) == hash(Compiled(1, two=2, where=7))
    assert repr(made) == "Compiled(one=1, two=2)"
    assert replace(made, two=3) == Compiled(one=1, two=3)
    for wrong in (lambda: Compiled(), lambda: Compiled(1, 2, 3), lambda: Compiled(1, other=2)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(AttributeError):
        made.one = 2  # type: ignore[misc]


def test_what_derives_from_a_compiled_record_has_its_own_fields() -> None:
    made = Further(1, 2, 3, where=4)
    assert (made.one, made.two, made.three, made.where) == (1, 2, 3, 4)
