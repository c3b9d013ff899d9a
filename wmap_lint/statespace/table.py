"""All states at once (floor 3): what a program comes to in each, as sets of states.

A set of states is an integer whose bit *n* is state *n*: to combine two sets of twenty thousand states takes a
microsecond. A program is run once for each way in which what it depends on can be (:mod:`wmap_lint.jq.dependence`),
and that is few: states that agree there agree in the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeVar

from wmap_lint.jq.dependence import Dependence, dependence, overlap
from wmap_lint.jq.engine import Failure, Outcome, Values
from wmap_lint.jq.flow import Every, Path
from wmap_lint.paths import ABSENT, lookup
from wmap_lint.record import Record, compiled
from wmap_lint.resolve.values import text_of
from wmap_lint.resolve.writes import Place
from wmap_lint.statespace.formula import Both, Bound, Choose, Either, Entries, Formula, Opposite, Test, formula_of
from wmap_lint.statespace.space import AS_GIVEN, Arrangement, Space, Vector

States = int
"""A set of states."""

Evaluate = Callable[[str, Sequence[Any]], Sequence[Outcome]]
"""The outcomes of a program on objects."""

_Label = TypeVar("_Label", bound=Hashable)


@compiled
class Verdict(Record):
    """The states in which something holds, does not hold, fails, and those where parts do not tell."""

    true: States
    false: States
    error: States = 0
    odd: States = 0


class Table:
    """States of ``space``: all of them, or those of ``vectors``."""

    def __init__(self, space: Space, evaluate: Evaluate, vectors: Sequence[Vector] | None = None) -> None:
        self.space = space
        self.evaluate = evaluate
        self.vectors = None if vectors is None else tuple(vectors)
        self.count = space.size if vectors is None else len(vectors)
        self.everything: States = (1 << self.count) - 1
        if vectors is None:
            columns = space.columns()
        else:
            columns = [bytes(row[each] for row in vectors) for each in range(len(space.dimensions))]
        self.chosen: list[list[States]] = [
            [_states(column, choice) for choice in range(len(dimension.choices))]
            for column, dimension in zip(columns, space.dimensions, strict=True)
        ]
        """For each dimension and choice, the states that have it; 0 also where the dimension does not vary."""
        self.open: list[States] = [self._open(each) for each in range(len(space.dimensions))]
        """For each dimension the states in which it varies."""
        self._outcomes: dict[tuple[str, Arrangement], list[tuple[States, Outcome]]] = {}
        self._verdicts: dict[tuple[str, str | None, Arrangement], Verdict] = {}
        self._parts: dict[tuple[str, Arrangement], Verdict] = {}
        self.evaluations = 0
        """How many programs were run on an object."""

    def _open(self, dimension: int) -> States:
        states = self.everything
        for gate in self.space.gates(dimension):
            allowed = 0
            for choice, own in zip(self.space.dimensions[gate].choices, self.chosen[gate], strict=True):
                allowed |= own if choice.is_open else 0
            states &= allowed
        return states

    def vector(self, state: int) -> Vector:
        """The choices of a state, by its position here."""
        return self.space.vector(state) if self.vectors is None else self.vectors[state]

    def members(self, states: States) -> Iterator[int]:
        """The states of a set, in order."""
        while states:
            low = states & -states
            yield low.bit_length() - 1
            states ^= low

    def moved(self, states: States, dimension: int, choice: int) -> States | None:
        """The states that have ``choice`` and are otherwise as those of ``states``, where ``dimension`` varies at all.

        None where that is not known: in a sample, or for a dimension on which others depend.
        """
        stride = None if self.vectors is not None else self.space.stride(dimension)
        if stride is None:
            return None
        states &= self.open[dimension]
        found = 0
        for own, here in enumerate(self.chosen[dimension]):
            distance = (choice - own) * stride
            part = states & here
            found |= part << distance if distance >= 0 else part >> -distance
        return found

    # -- what a program depends on --------------------------------------------------------------------------

    def influences(self, on: Dependence) -> tuple[int, ...]:
        """The dimensions that can change the answer of a program, those that decide about others first."""
        found: set[int] = set()
        for number, dimension in enumerate(self.space.dimensions):
            if any(self._touches(place, on) for place in dimension.places):
                found.add(number)
                found.update(self.space.gates(number))
        if found.intersection(self.space.conditions):
            found.update(self.space.conditions)
        return tuple(sorted(found, key=lambda each: (len(self.space.gates(each)), each)))

    def _touches(self, place: Place, on: Dependence) -> bool:
        return (
            any(overlap(place, path) for path in on.looked_at)
            or any(_is_above(place, path) for path in (*on.gone_through, *on.tested, *on.iterated))
            or any(self._makes(place, path, 0) for path in on.tested)
            or any(self._makes(place, path, 1) for path in on.iterated)
        )

    def _makes(self, place: Place, path: Path, more: int) -> bool:
        """Whether writing at ``place`` can bring about what is at ``path``, or a member of it (``more`` 1)."""
        if len(place) <= len(path) or not _is_above(place[: len(path)], path):
            return False
        own = place[: len(path) + more]
        return own == place or not isinstance(lookup(self.space.base, own), dict | list)

    def _is_affected(self, on: Dependence, arrangement: Arrangement) -> bool:
        names = self.space.names
        places: list[Place] = []
        if names.place is not None and (arrangement.order != "given" or arrangement.first or arrangement.last):
            places.append(names.place)
        places.extend(("status", name) for name, _ in arrangement.fields)
        return any(overlap(place, path) for place in places for path in (*on.looked_at, *on.iterated))

    def ways(self, text: str) -> int:
        """In how many ways what a program depends on can be, at most."""
        return math.prod(len(self.space.dimensions[each].choices) for each in self.influences(dependence(text)))

    def texts(self, text: str) -> frozenset[str]:
        """The texts that are among the choices of what a program depends on."""
        found: set[str] = set()
        for number in self.influences(dependence(text)):
            for choice in self.space.dimensions[number].choices:
                found.update(_texts_in(choice.value))
        return frozenset(found)

    # -- outcomes ---------------------------------------------------------------------------------------------

    def outcomes(
        self, text: str, arrangement: Arrangement = AS_GIVEN, among: States | None = None
    ) -> list[tuple[States, Outcome]]:
        """The outcomes of a program, each with the states that have it; the same outcome may come several times."""
        on = dependence(text)
        if arrangement != AS_GIVEN and not self._is_affected(on, arrangement):
            arrangement = AS_GIVEN
        known = self._outcomes.get((text, arrangement))
        if known is not None:
            return known if among is None else [(own & among, outcome) for own, outcome in known if own & among]
        dimensions = self.influences(on)
        groups: list[States] = []
        objects: list[Any] = []
        for states, made in self._projected(dimensions, self.everything if among is None else among, arrangement):
            groups.append(states)
            objects.append(made)
        self.evaluations += len(objects)
        found = list(zip(groups, self.evaluate(text, objects), strict=True))
        if among is None:
            self._outcomes[text, arrangement] = found
        return found

    def _projected(
        self, dimensions: Sequence[int], among: States, arrangement: Arrangement
    ) -> Iterator[tuple[States, Any]]:
        """The ways in which ``dimensions`` can be, each with its states, as objects; what comes first is shared."""
        space = self.space
        dimensions = space.in_order(dimensions)
        only = frozenset(dimensions)
        vector = [0] * len(space.dimensions)

        def below(position: int, states: States, made: Any) -> Iterator[tuple[States, Any]]:
            if position == len(dimensions):
                yield states, space.finished(made, tuple(vector), arrangement, only)
                return
            dimension = dimensions[position]
            # Those that decide whether it varies come before it.
            is_closed = space.is_closed(dimension, vector)
            for choice, own in enumerate(self.chosen[dimension]):
                if both := states & own:
                    vector[dimension] = choice
                    further = made if is_closed else space.with_choice(made, dimension, choice)
                    yield from below(position + 1, both, further)
            vector[dimension] = 0

        return below(0, among, space.base) if among else iter(())

    def labelled(
        self,
        text: str,
        label: Callable[[Outcome], _Label],
        arrangement: Arrangement = AS_GIVEN,
        among: States | None = None,
    ) -> dict[_Label, States]:
        """The states by what ``label`` makes of the outcome of a program."""
        found: dict[_Label, States] = {}
        for states, outcome in self.outcomes(text, arrangement, among):
            name = label(outcome)
            found[name] = found.get(name, 0) | states
        return found

    # -- verdicts -----------------------------------------------------------------------------------------------

    def verdict(self, text: str, expected: str | None, arrangement: Arrangement = AS_GIVEN) -> Verdict:
        """Where the first result of a program, as text, is ``expected``; nothing is odd."""
        key = (text, expected, arrangement)
        if key not in self._verdicts:
            self._verdicts[key] = self._verdict(text, expected or "", arrangement)
        return self._verdicts[key]

    def _verdict(self, text: str, expected: str, arrangement: Arrangement) -> Verdict:
        formula = formula_of(text, self.space.names.place if self._has_list else None)
        if formula is None:
            return self._whole(text, expected, arrangement, None)
        parts = self.of_formula(formula, arrangement)
        true = parts.true if expected == "true" else parts.false if expected == "false" else 0
        false = (parts.true | parts.false) & ~true
        if not parts.odd:
            return Verdict(true, false, parts.error)
        whole = self._whole(text, expected, arrangement, parts.odd)
        return Verdict(true | whole.true, false | whole.false, parts.error | whole.error)

    def _whole(self, text: str, expected: str, arrangement: Arrangement, among: States | None) -> Verdict:
        def label(outcome: Outcome) -> str:
            if isinstance(outcome, Failure):
                return "error"
            return "true" if outcome.values and text_of(outcome.values[0]) == expected else "false"

        found = self.labelled(text, label, arrangement, among)
        return Verdict(found.get("true", 0), found.get("false", 0), found.get("error", 0))

    def of_formula(self, formula: Formula, arrangement: Arrangement = AS_GIVEN) -> Verdict:
        """Where a formula is true."""
        match formula:
            case Both(left, right, _):
                one, other = self.of_formula(left, arrangement), self.of_formula(right, arrangement)
                return Verdict(
                    one.true & other.true,
                    one.false | (one.true & other.false),
                    one.error | (one.true & other.error),
                    one.odd | (one.true & other.odd),
                )
            case Either(left, right, _):
                one, other = self.of_formula(left, arrangement), self.of_formula(right, arrangement)
                return Verdict(
                    one.true | (one.false & other.true),
                    one.false & other.false,
                    one.error | (one.false & other.error),
                    one.odd | (one.false & other.odd),
                )
            case Opposite(inner, _):
                turned = self.of_formula(inner, arrangement)
                return Verdict(turned.false, turned.true, turned.error, turned.odd)
            case Choose(condition, then, otherwise, _):
                test = self.of_formula(condition, arrangement)
                one, other = self.of_formula(then, arrangement), self.of_formula(otherwise, arrangement)
                return Verdict(
                    (test.true & one.true) | (test.false & other.true),
                    (test.true & one.false) | (test.false & other.false),
                    test.error | (test.true & one.error) | (test.false & other.error),
                    test.odd | (test.true & one.odd) | (test.false & other.odd),
                )
            case Bound(source, body, _):
                given = self._memo(source, arrangement, _count)
                result = self.of_formula(body, arrangement)
                return Verdict(
                    given.true & result.true,
                    given.true & result.false,
                    given.error | (given.true & result.error),
                    given.odd | (given.true & result.odd),
                )
            case Test(text, _):
                return self._memo(text, arrangement, truth)
            case Entries():
                return self._entries(formula, arrangement)

    def _memo(self, text: str, arrangement: Arrangement, label: Callable[[Outcome], str]) -> Verdict:
        key = (f"{label.__name__} {text}", arrangement)
        if key not in self._parts and arrangement != AS_GIVEN and not self._is_affected(dependence(text), arrangement):
            self._parts[key] = self._memo(text, AS_GIVEN, label)
        if key not in self._parts:
            found = self.labelled(text, label, arrangement)
            self._parts[key] = Verdict(
                found.get("true", 0), found.get("false", 0), found.get("error", 0), found.get("odd", 0)
            )
        return self._parts[key]

    # -- conditions ---------------------------------------------------------------------------------------------

    @property
    def _has_list(self) -> bool:
        """Whether conditions are a list, or nothing, in every state, and only dimensions of conditions are in it."""
        return self.has_plain_conditions

    @property
    def has_plain_conditions(self) -> bool:
        """Whether conditions are in one place, and vary there as conditions only."""
        place = self.space.names.place
        if place is None or not self.space.conditions:
            return False
        gates = {gate for each in self.space.conditions for gate in self.space.gates(each)}
        for number, dimension in enumerate(self.space.dimensions):
            if dimension.condition is not None:
                continue
            for own in dimension.places:
                if own[: len(place)] == place and number not in gates:
                    return False
        return all(
            choice.is_absent or choice.is_open for gate in gates for choice in self.space.dimensions[gate].choices
        )

    def listed(self, arrangement: Arrangement = AS_GIVEN) -> list[tuple[States, Any]]:
        """Every entry a condition can have, with the states that have it; needs :attr:`has_plain_conditions`."""
        space = self.space
        is_open = self.open[space.conditions[0]]
        found = [(is_open, entry) for entry in space.constant]
        some = is_open if space.constant else 0
        for number in space.conditions:
            for choice, states in zip(space.dimensions[number].choices, self.chosen[number], strict=True):
                if choice.value is not ABSENT:
                    found.append((states & is_open, choice.value))
                    some |= states & is_open
        return [*found, *((some, space.names.entry(*each)) for each in (*arrangement.first, *arrangement.last))]

    def _entries(self, formula: Entries, arrangement: Arrangement) -> Verdict:
        key = (f"{formula.quantifier} {formula.predicate}", arrangement)
        if key not in self._parts:
            listed = self.listed(arrangement)
            settles = formula.quantifier == "any"
            outcomes = self.evaluate(formula.predicate, [entry for _, entry in listed])
            self.evaluations += len(listed)
            settled = odd = 0
            for (states, _), outcome in zip(listed, outcomes, strict=True):
                if not isinstance(outcome, Values):
                    odd |= states
                elif any((value not in (None, False)) is settles for value in map(_scalar, outcome.values)):
                    settled |= states
            settled &= ~odd
            rest = self.everything & ~settled & ~odd
            self._parts[key] = Verdict(settled, rest, 0, odd) if settles else Verdict(rest, settled, 0, odd)
        return self._parts[key]


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(each)


def _scalar(value: Any) -> Any:
    """``value``, where 0 is not False."""
    return value if value is None or isinstance(value, bool) else True


def truth(outcome: Outcome) -> str:
    """``true`` or ``false``, ``error``, or ``odd`` when there is not one result."""
    if isinstance(outcome, Failure):
        return "error"
    if len(outcome.values) != 1:
        return "odd"
    return "false" if outcome.values[0] is None or outcome.values[0] is False else "true"


def _count(outcome: Outcome) -> str:
    if isinstance(outcome, Failure):
        return "error"
    return "true" if len(outcome.values) == 1 else "odd"


def _states(column: bytes, choice: int) -> States:
    """The positions of ``column`` that hold ``choice``, as bits."""
    if not column:
        return 0
    table = bytes(49 if each == choice else 48 for each in range(256))
    return int(column.translate(table)[::-1], 2)


def _is_above(place: Place, path: Path) -> bool:
    """Whether ``place`` leads to ``path`` or to something above it."""
    return len(place) <= len(path) and all(
        isinstance(step, Every) or own == step for own, step in zip(place, path, strict=False)
    )


__all__ = ["Evaluate", "States", "Table", "Verdict", "truth"]
