"""Hypothesis strategies for whole status objects, as the model has them and as clusters have them (floor 3).

A model says what its author had in mind. Clusters have more: fields that an older operator does not write, nulls where
nothing was meant, conditions of newer versions, the same condition twice, a status that is about an earlier generation.
A *distortion* does one of these things to an object. An *example* is a state of a space with some distortions.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wmap_lint.paths import ABSENT, lookup, written
from wmap_lint.record import Record
from wmap_lint.resolve.writes import Place
from wmap_lint.statespace.model import STATUSES
from wmap_lint.statespace.space import ConditionNames, Space, Vector, conditions_of, json_words, without, written_at

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

NEWER = "OfANewerVersion"
"""What stands for every value that a definition cannot know: a phase, a reason, the type of a condition."""

MOST_DISTORTIONS = 3
"""More at once show nothing that fewer do not show."""

# What tells the items of a list apart is required of each by the API server, and so is the status of a condition.
_IDENTITIES = frozenset({"name", "type", "key", "id", "kind", "uid"})
_MOST_PLACES = 400


class Kind(enum.StrEnum):
    """What real clusters do to a status, the plainest first. Conditions in another order are the same state."""

    MISSING = "missing"
    NULL = "null"
    EMPTY = "empty"
    EXTRA = "extra condition"
    TWICE = "condition twice"
    UNKNOWN = "unknown value"
    STALE = "stale"
    ORDER = "another order"


class Distortion(Record):
    """One change of an object: ``value`` at ``place``; for conditions, the entry and whether it comes first.

    For another order the value is how far conditions are moved on, 0 for all the other way round.
    """

    kind: Kind
    place: Place
    value: Any = None
    first: bool = False

    def apply(self, workload: Any, names: ConditionNames) -> Any:
        """``workload`` with this change, or as it is where the change is none; shares with it what stays."""
        entries = conditions_of(workload, names)
        match self.kind:
            case Kind.MISSING:
                return without(workload, self.place)
            case Kind.NULL | Kind.EMPTY | Kind.UNKNOWN:
                found = lookup(workload, self.place)
                return workload if found is ABSENT or found == self.value else self._written(workload, self.value)
            case Kind.TWICE if not _has(entries, self.value.get(names.type), names):
                return workload
            case Kind.EXTRA | Kind.TWICE:
                return self._written(workload, [self.value, *entries] if self.first else [*entries, self.value])
            case Kind.STALE:
                for place in (observed := _observed(workload, names)):
                    workload = written_at(workload, place, self.value)
                return written_at(workload, ("metadata", "generation"), self.value + 1) if observed else workload
            case Kind.ORDER:
                at = self.value % len(entries) if entries else 0
                moved = [*entries[at:], *entries[:at]] if at else entries[::-1]
                return workload if moved == entries else self._written(workload, moved)

    def _written(self, workload: Any, value: Any) -> Any:
        return written_at(workload, self.place, value)

    def is_seen(self, workload: Any, names: ConditionNames) -> bool:
        """Whether the change can still be seen in an object that something was taken away from."""
        match self.kind:
            case Kind.MISSING:
                above = lookup(workload, self.place[:-1])
                return isinstance(above, dict | list) and lookup(workload, self.place) is ABSENT
            case Kind.NULL | Kind.EMPTY | Kind.UNKNOWN:
                found = lookup(workload, self.place)
                return found is not ABSENT and found == self.value
            case Kind.EXTRA:
                return _has(conditions_of(workload, names), self.value.get(names.type), names)
            case Kind.TWICE:
                types = [each.get(names.type) for each in conditions_of(workload, names) if isinstance(each, dict)]
                return types.count(self.value.get(names.type)) > 1
            case Kind.STALE:
                return any(lookup(workload, place) == self.value for place in _observed(workload, names))
            case Kind.ORDER:
                return len(conditions_of(workload, names)) > 1

    def words(self, names: ConditionNames) -> str:
        """What is unusual, as a note says it: ```.status.phase` is null``."""
        where = f".{written(self.place)}"
        match self.kind:
            case Kind.MISSING:
                return f"no `{where}`"
            case Kind.NULL | Kind.EMPTY | Kind.UNKNOWN:
                return f"`{where}` is {json_words(self.value)}"
            case Kind.EXTRA:
                return f"a condition {self.value.get(names.type)} that the definition does not know"
            case Kind.TWICE:
                return f"the condition {self.value.get(names.type)} twice"
            case Kind.STALE:
                return "a status about an earlier generation"
            case Kind.ORDER:
                return "conditions in another order"


class Example(Record):
    """A state of a space, and what was done to it."""

    vector: Vector
    distortions: tuple[Distortion, ...] = ()

    @property
    def is_of_the_model(self) -> bool:
        """Whether it is a state of the space, whatever the order of its conditions."""
        return all(each.kind is Kind.ORDER for each in self.distortions)

    def build(self, space: Space) -> Any:
        """The object; it shares parts with others: read only."""
        workload = space.build(self.vector)
        for distortion in self.distortions:
            workload = distortion.apply(workload, space.names)
        return workload

    def on(self, vector: Vector, space: Space) -> Example:
        """The same distortions of another state, without those that change nothing there."""
        workload = space.build(vector)
        kept: list[Distortion] = []
        for distortion in self.distortions:
            changed = distortion.apply(workload, space.names)
            if changed is not workload:
                kept.append(distortion)
                workload = changed
        return Example(vector, tuple(kept))


def _has(entries: Sequence[Any], type_: object, names: ConditionNames) -> bool:
    return any(isinstance(each, dict) and each.get(names.type) == type_ for each in entries)


def vectors(space: Space, possible: Sequence[int] | None = None) -> SearchStrategy[Vector]:
    """The states of ``space``, one as likely as another; they shrink to the first choice of each dimension.

    ``possible`` are the numbers of those that are meant, if not all are.
    """
    from hypothesis import strategies as st

    # One number instead of one for each dimension: most of the time goes into the numbers that are drawn.
    if possible is None:
        return st.integers(0, space.size - 1).map(space.vector)
    return st.integers(0, len(possible) - 1).map(lambda position: space.vector(possible[position]))


def examples(
    space: Space, possible: Sequence[int] | None = None, most_distortions: int = MOST_DISTORTIONS
) -> SearchStrategy[Example]:
    """States of ``space``, most of them with distortions; they shrink to fewer and plainer ones.

    ``possible`` is as in :func:`vectors`. With ``most_distortions`` 0 all states are as the space has them.
    """
    from hypothesis import strategies as st

    states = vectors(space, possible)
    if not most_distortions:
        return states.map(Example)
    picks = st.lists(st.integers(0, len(_KINDS) * _MOST_OPTIONS * _MOST_PLACES - 1), max_size=most_distortions)

    def example(vector: Vector, picked: Sequence[int]) -> Example:
        workload = space.build(vector)
        found: list[Distortion] = []
        for number in picked:
            rest, kind = divmod(number, len(_KINDS))
            pick, option = divmod(rest, _MOST_OPTIONS)
            distortion = _distortion(_KINDS[kind], workload, space, pick, option)
            if distortion is not None:
                found.append(distortion)
                workload = distortion.apply(workload, space.names)
        return Example(vector, tuple(found))

    return st.builds(example, states, picks)


_KINDS = tuple(Kind)
_ADDED = tuple((status, first) for first in (False, True) for status in STATUSES)
_MOST_OPTIONS = len(_ADDED)


def _distortion(kind: Kind, workload: Any, space: Space, pick: int, option: int) -> Distortion | None:
    """The distortion of this kind at one of the places there are for it; None where there is none.

    ``option`` is the status of a condition that is added, and whether it is put first.
    """
    names = space.names
    targets = _targets(kind, workload, space)
    if not targets:
        return None
    place, value = targets[pick % len(targets)]
    status, first = _ADDED[option]
    match kind:
        case Kind.EXTRA:
            return Distortion(kind, place, {**names.entry(NEWER, status), names.reason: NEWER}, first)
        case Kind.TWICE:
            return Distortion(kind, place, {**value, names.status: status}, first)
        case Kind.ORDER:
            return Distortion(kind, place, option % value)
    return Distortion(kind, place, value)


_Targets = Sequence[tuple[Place, Any]]


def _targets(kind: Kind, workload: Any, space: Space) -> _Targets:
    """The places that a distortion can be made at, each with the value it gets there."""
    names = space.names
    match kind:
        case Kind.EXTRA:
            return [] if names.place is None else [(names.place, None)]
        case Kind.TWICE:
            entries = conditions_of(workload, names)
            return [(names.place or (), each) for each in entries if isinstance(each, dict) and names.type in each]
        case Kind.STALE:
            return [(("status", "observedGeneration"), 1)] if _observed(workload, names) else []
        case Kind.ORDER:
            count = len(conditions_of(workload, names))
            return [(names.place or (), count)] if count > 1 else []
        case Kind.MISSING:
            return [(place, None) for place, _ in _optional(workload, space)]
    loose = [(place, value) for place, value in _optional(workload, space) if not isinstance(place[-1], int)]
    if kind is Kind.NULL:
        return [(place, None) for place, value in loose if value is not None]
    of_the_operator = [(place, value) for place, value in loose if place[0] == "status"]
    if kind is Kind.EMPTY:
        return [(place, type(value)()) for place, value in of_the_operator if value and isinstance(value, _SIZED)]
    found = [(place, NEWER) for place, value in of_the_operator if isinstance(value, str) and value != NEWER]
    return [
        *found,
        *(
            ((*(names.place or ()), position, names.status), "Unknown")
            for position, each in enumerate(conditions_of(workload, names))
            if isinstance(each, dict) and each.get(names.status) != "Unknown"
        ),
    ]


_SIZED = (dict, list, str)


def _optional(workload: Any, space: Space) -> _Targets:
    """What can be missing: all of the status, and whatever else the space has as optional.

    The API server checks what users write. What operators write it checks as well, so items of lists keep their
    names, and conditions their types and statuses.
    """
    found: list[tuple[Place, Any]] = []
    status = lookup(workload, ("status",))
    if status is not ABSENT:
        _gather(("status",), status, space.names, found)
    for dimension in space.dimensions:
        if dimension.condition is None and any(choice.is_absent for choice in dimension.choices):
            for place in dimension.places:
                value = lookup(workload, place)
                if place[0] != "status" and value is not ABSENT:
                    found.append((place, value))
    return found[:_MOST_PLACES]


def _gather(place: Place, value: Any, names: ConditionNames, found: list[tuple[Place, Any]]) -> None:
    found.append((place, value))
    is_item = isinstance(place[-1], int)
    if isinstance(value, dict):
        held = (names.type, names.status) if is_item and place[:-1] == names.place else _IDENTITIES if is_item else ()
        for key, below in value.items():
            if key not in held:
                _gather((*place, key), below, names, found)
    elif isinstance(value, list):
        for position, below in enumerate(value):
            _gather((*place, position), below, names, found)


def _observed(workload: Any, names: ConditionNames) -> list[Place]:
    """Where a status says which generation it is about; at its top also where it does not."""
    if not isinstance(lookup(workload, ("status",)), dict):
        return []
    found: list[Place] = [("status", "observedGeneration")]
    if names.place is not None:
        found.extend(
            (*names.place, position, "observedGeneration")
            for position, each in enumerate(conditions_of(workload, names))
            if isinstance(each, dict) and "observedGeneration" in each
        )
    return found


__all__ = ["MOST_DISTORTIONS", "NEWER", "Distortion", "Example", "Kind", "examples", "vectors"]
