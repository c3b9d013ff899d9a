"""States by number: one object, and what of it varies (floor 3).

A *dimension* is a path or a condition that varies, a *choice* one of the values it can have, a *vector* one choice
for each dimension. What lies below a path that is absent does not vary, so a space is no plain product: the
dimensions form a forest, and a state is counted once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from wmap_lint.paths import ABSENT, lookup
from wmap_lint.record import Record
from wmap_lint.resolve.writes import Place, WriteError, assigned
from wmap_lint.wording import shortened

Vector = tuple[int, ...]
"""One choice for each dimension, by position. Of a dimension that does not vary in a state it is 0."""

_LARGE = 40

MOST_CHOICES = 250
"""More values than this no dimension has."""


class Choice(Record):
    """One value of a dimension: :data:`~wmap_lint.paths.ABSENT`, the value of a path, or the entry of a condition."""

    value: Any

    @property
    def is_absent(self) -> bool:
        """Whether there is nothing."""
        return self.value is ABSENT

    @property
    def is_large(self) -> bool:
        """Whether it is too much to be shown."""
        return self.is_open and len(json.dumps(self.value)) > _LARGE

    @property
    def is_open(self) -> bool:
        """Whether there can be something below it."""
        return isinstance(self.value, dict | list)


class Dimension(Record):
    """What varies: the values at ``places`` of the object, or the condition of type ``condition``.

    ``name`` is how messages call it, ``.spec.suspend`` or ``Completed``. The places of a condition are that of the
    list it stands in. ``number`` is its position in the model, for whoever wants to point at it.
    """

    name: str
    places: tuple[Place, ...]
    choices: tuple[Choice, ...]
    condition: str | None = None
    number: int = -1

    def words(self, choice: int, names: ConditionNames) -> str:
        """``Completed is True``, ``no .spec.suspend``."""
        value = self.choices[choice].value
        if self.condition is None:
            if value is ABSENT:
                return f"no `{self.name}`"
            return f"`{self.name}` is {'there' if self.choices[choice].is_large else json_words(value)}"
        if value is ABSENT:
            return f"no condition {self.name}"
        reason = value.get(names.reason)
        return f"{self.name} is {value.get(names.status)}" + (f" ({reason})" if reason else "")


class ConditionNames(Record):
    """Where conditions are, None where that is not one place, and how the keys of one are called."""

    place: Place | None = ("status", "conditions")
    type: str = "type"
    status: str = "status"
    reason: str = "reason"

    def entry(self, type_: str, status: str) -> dict[str, Any]:
        """A condition."""
        return {self.type: type_, self.status: status}


class Arrangement(Record):
    """A way to write the same state: conditions in another order, or with something beside them that nobody asked for.

    ``order`` is ``given``, ``reversed`` or ``rotated``. ``first`` and ``last`` are conditions, type and status of each,
    that are put before and behind those that are there; ``fields`` are set in a status that holds something.
    """

    order: str = "given"
    first: tuple[tuple[str, str], ...] = ()
    last: tuple[tuple[str, str], ...] = ()
    fields: tuple[tuple[str, Any], ...] = ()


AS_GIVEN = Arrangement()


def json_words(value: object) -> str:
    """A value as a message shows it."""
    return shortened(json.dumps(value, ensure_ascii=False, sort_keys=True), 60)


class Space:
    """All states of ``base`` along ``dimensions``. Objects share with each other what does not vary: read only.

    ``is_model`` says whether a person wrote down what varies; otherwise it is a guess.
    """

    def __init__(
        self,
        base: Mapping[str, Any],
        dimensions: Sequence[Dimension],
        names: ConditionNames | None = None,
        is_model: bool = True,
    ) -> None:
        self.base = base
        self.dimensions = tuple(dimensions)
        self.names = names or ConditionNames()
        self.is_model = is_model
        self.parents = [self._parent(each) for each in range(len(self.dimensions))]
        self._children: list[list[int]] = [[] for _ in self.dimensions]
        for child, parent in enumerate(self.parents):
            if parent is not None:
                self._children[parent].append(child)
        self._roots = [each for each, parent in enumerate(self.parents) if parent is None]
        self.constant = self._constant_conditions()
        # A path is written before what lies below it, whatever the order of the model.
        self._order = sorted(
            (each for each, dimension in enumerate(self.dimensions) if dimension.condition is None),
            key=lambda each: min(map(len, self.dimensions[each].places), default=0),
        )

    # -- how dimensions depend on each other ----------------------------------------------------------------

    def _parent(self, child: int) -> int | None:
        """The nearest dimension that decides whether ``child`` varies at all."""
        above = [
            (min(map(len, dimension.places)), other)
            for other, dimension in enumerate(self.dimensions)
            if other != child and dimension.condition is None and self._is_below(self.dimensions[child], dimension)
        ]
        return max(above)[1] if above else None

    @staticmethod
    def _is_below(lower: Dimension, upper: Dimension) -> bool:
        if not lower.places or not upper.places:
            return False
        strict = lower.condition is None
        return all(
            any(place[: len(each)] == each and (not strict or place != each) for each in upper.places)
            for place in lower.places
        )

    def gates(self, dimension: int) -> tuple[int, ...]:
        """The dimensions that decide whether ``dimension`` varies, nearest first."""
        found: list[int] = []
        above = self.parents[dimension]
        while above is not None:
            found.append(above)
            above = self.parents[above]
        return tuple(found)

    @cached_property
    def _counts(self) -> list[list[int]]:
        """For each dimension and choice, how many ways there are to choose below it."""
        counts: list[list[int]] = [[] for _ in self.dimensions]
        pending = [(each, False) for each in self._roots]
        while pending:
            dimension, ready = pending.pop()
            if not ready:
                pending.append((dimension, True))
                pending.extend((each, False) for each in self._children[dimension])
                continue
            below = 1
            for child in self._children[dimension]:
                below *= sum(counts[child])
            counts[dimension] = [below if each.is_open else 1 for each in self.dimensions[dimension].choices]
        return counts

    @cached_property
    def size(self) -> int:
        """How many states there are."""
        total = 1
        for root in self._roots:
            total *= sum(self._counts[root])
        return total

    # -- numbers, vectors -------------------------------------------------------------------------------------

    def vector(self, number: int) -> Vector:
        """The choices of state ``number``, counted from 0."""
        if not 0 <= number < self.size:
            raise IndexError(f"there is no state {number} of {self.size}")
        chosen = [0] * len(self.dimensions)
        self._decode(self._roots, number, chosen)
        return tuple(chosen)

    def _decode(self, group: Sequence[int], number: int, chosen: list[int]) -> None:
        for dimension in reversed(group):
            counts = self._counts[dimension]
            number, left = divmod(number, sum(counts))
            choice = 0
            while left >= counts[choice]:
                left -= counts[choice]
                choice += 1
            chosen[dimension] = choice
            if self.dimensions[dimension].choices[choice].is_open:
                self._decode(self._children[dimension], left, chosen)

    def number(self, vector: Vector) -> int:
        """The number of the state that ``vector`` stands for."""
        return self._encode(self._roots, vector)

    def _encode(self, group: Sequence[int], vector: Vector) -> int:
        number = 0
        for dimension in group:
            counts = self._counts[dimension]
            choice = vector[dimension]
            below = 0
            if self.dimensions[dimension].choices[choice].is_open:
                below = self._encode(self._children[dimension], vector)
            number = number * sum(counts) + sum(counts[:choice]) + below
        return number

    def stride(self, dimension: int) -> int | None:
        """How far apart the numbers of states are that differ in ``dimension`` by one choice, and in nothing else.

        It holds where ``dimension`` varies. None for a dimension on which others depend.
        """
        if self._children[dimension]:
            return None
        stride = 1
        current: int | None = dimension
        while current is not None:
            parent = self.parents[current]
            group = self._roots if parent is None else self._children[parent]
            for later in group[group.index(current) + 1 :]:
                stride *= sum(self._counts[later])
            current = parent
        return stride

    def canonical(self, vector: Vector) -> Vector:
        """``vector`` with 0 for all that does not vary in its state."""
        return tuple(0 if self.is_closed(each, vector) else choice for each, choice in enumerate(vector))

    def is_closed(self, dimension: int, vector: Sequence[int]) -> bool:
        """Whether ``dimension`` does not vary in the state of ``vector``: something above it is absent."""
        return any(not self.dimensions[gate].choices[vector[gate]].is_open for gate in self.gates(dimension))

    def columns(self) -> list[bytes]:
        """For each dimension, its choice in every state, in order of their numbers; only for small spaces."""
        _, found = self._columns(self._roots)
        return [found[each] for each in range(len(self.dimensions))]

    def _columns(self, group: Sequence[int]) -> tuple[int, dict[int, bytes]]:
        """How many ways there are to choose for ``group`` and what depends on it, and the choices of each in them."""
        parts = [self._own_columns(each) for each in group]
        after = 1
        for count, _ in parts:
            after *= count
        before = 1
        found: dict[int, bytes] = {}
        for count, columns in parts:
            after //= count
            for dimension, column in columns.items():
                found[dimension] = _stretched(column, after) * before
            before *= count
        return before, found

    def _own_columns(self, dimension: int) -> tuple[int, dict[int, bytes]]:
        total = 0
        found = dict.fromkeys(self._below(dimension), b"")
        for choice, value in enumerate(self.dimensions[dimension].choices):
            count, columns = self._columns(self._children[dimension]) if value.is_open else (1, {})
            for each in found:
                found[each] += bytes([choice]) * count if each == dimension else columns.get(each, bytes(count))
            total += count
        return total, found

    def _below(self, dimension: int) -> Iterator[int]:
        yield dimension
        for child in self._children[dimension]:
            yield from self._below(child)

    # -- objects ------------------------------------------------------------------------------------------------

    @cached_property
    def conditions(self) -> tuple[int, ...]:
        """The dimensions that are conditions."""
        return tuple(each for each, dimension in enumerate(self.dimensions) if dimension.condition is not None)

    def _constant_conditions(self) -> tuple[Any, ...]:
        """The conditions of the base that do not vary."""
        varied = {dimension.condition for dimension in self.dimensions}
        return tuple(
            each
            for each in conditions_of(self.base, self.names)
            if not isinstance(each, dict) or each.get(self.names.type) not in varied
        )

    def state(self, number: int) -> Any:
        """The object of state ``number``."""
        return self.build(self.vector(number))

    def build(self, vector: Vector, arrangement: Arrangement = AS_GIVEN, only: frozenset[int] | None = None) -> Any:
        """The object that ``vector`` stands for; what is not among the dimensions ``only`` stays as in the base."""
        result: Any = self.base
        for dimension in self._order:
            if (only is None or dimension in only) and not self.is_closed(dimension, vector):
                result = self.with_choice(result, dimension, vector[dimension])
        return self.finished(result, vector, arrangement, only)

    def in_order(self, dimensions: Iterable[int]) -> list[int]:
        """``dimensions`` as they are written: a path before what lies below it, conditions last."""
        wanted = set(dimensions)
        return [each for each in (*self._order, *self.conditions) if each in wanted]

    def with_choice(self, result: Any, dimension: int, choice: int) -> Any:
        """An object on its way to be built with one more choice in it; conditions come last, all at once."""
        own = self.dimensions[dimension]
        if own.condition is not None:
            return result
        value = own.choices[choice].value
        for place in own.places:
            result = without(result, place) if value is ABSENT else written_at(result, place, value)
        return result

    def finished(self, result: Any, vector: Vector, arrangement: Arrangement, only: frozenset[int] | None) -> Any:
        """The object, once all other choices are in it."""
        entries: list[Any] = []
        varied = self.conditions if only is None or only.issuperset(self.conditions) else ()
        conditions = self.names.place
        if varied and conditions is not None and not self.is_closed(varied[0], vector):
            chosen = [self.dimensions[each].choices[vector[each]].value for each in varied]
            entries = [*self.constant, *(each for each in chosen if each is not ABSENT)]
            result = written_at(result, conditions, entries) if entries else without(result, conditions)
        return result if arrangement == AS_GIVEN else arranged(result, arrangement, self.names)

    def changed(self, workload: Any, dimension: int, choice: int) -> Any:
        """Any object with a choice of a dimension written into it."""
        own = self.dimensions[dimension]
        value = own.choices[choice].value
        if own.condition is None:
            for place in own.places:
                workload = without(workload, place) if value is ABSENT else written_at(workload, place, value)
            return workload
        entries = [
            each
            for each in conditions_of(workload, self.names)
            if not isinstance(each, dict) or each.get(self.names.type) != own.condition
        ]
        if value is not ABSENT:
            entries.append(value)
        place = own.places[0]
        return written_at(workload, place, entries) if entries else without(workload, place)

    def words(self, vector: Vector, dimensions: Sequence[int] | None = None) -> str:
        """A state in words: what ``dimensions`` (all, if not given) are in it."""
        shown = range(len(self.dimensions)) if dimensions is None else dimensions
        parts = [
            self.dimensions[each].words(vector[each], self.names) for each in shown if not self.is_closed(each, vector)
        ]
        return ", ".join(parts)


def _stretched(column: bytes, times: int) -> bytes:
    """``column`` with every byte as often as that in a row."""
    if times == 1:
        return column
    blocks = [bytes([choice]) * times for choice in range(max(column, default=0) + 1)]
    return b"".join([blocks[choice] for choice in column])


def conditions_of(workload: Any, names: ConditionNames) -> list[Any]:
    """The conditions of an object, nothing where there is no list of them."""
    found = lookup(workload, names.place) if names.place is not None else ABSENT
    return found if isinstance(found, list) else []


def arranged(workload: Any, arrangement: Arrangement, names: ConditionNames) -> Any:
    """``workload`` in another arrangement. Where there are no conditions none is added, nor a field to no status."""
    entries = conditions_of(workload, names)
    if entries and names.place is not None:
        if arrangement.order == "reversed":
            entries = entries[::-1]
        elif arrangement.order == "rotated":
            entries = [*entries[1:], entries[0]]
        first, last = ([names.entry(*each) for each in some] for some in (arrangement.first, arrangement.last))
        workload = written_at(workload, names.place, [*first, *entries, *last])
    status = lookup(workload, ("status",))
    if arrangement.fields and isinstance(status, dict) and status:
        workload = {**workload, "status": {**status, **dict(arrangement.fields)}}
    return workload


def written_at(workload: Any, place: Place, value: Any) -> Any:
    """``workload`` with ``value`` at ``place``; where it cannot be written it stays as it is."""
    try:
        return assigned(workload, place, value)
    except WriteError:
        return workload


def without(workload: Any, place: Place) -> Any:
    """``workload`` without what is at ``place``; shares with it what stays."""
    if not place:
        return workload
    step, rest = place[0], place[1:]
    if isinstance(workload, dict) and step in workload:
        if not rest:
            return {key: value for key, value in workload.items() if key != step}
        below = without(workload[step], rest)
        return workload if below is workload[step] else {**workload, step: below}
    if isinstance(workload, list) and isinstance(step, int) and -len(workload) <= step < len(workload):
        position = step % len(workload)
        if not rest:
            return [*workload[:position], *workload[position + 1 :]]
        below = without(workload[position], rest)
        return workload if below is workload[position] else [*workload[:position], below, *workload[position + 1 :]]
    return workload


__all__ = [
    "AS_GIVEN",
    "MOST_CHOICES",
    "Arrangement",
    "Choice",
    "ConditionNames",
    "Dimension",
    "Space",
    "Vector",
    "arranged",
    "conditions_of",
    "json_words",
    "without",
    "written_at",
]
