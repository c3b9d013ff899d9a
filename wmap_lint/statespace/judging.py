"""What is wrong with the reading of one object, whichever it is (floor 3).

A state of a model has to read as exactly one status, and as the one the model says. Of any other object less can be
asked: that its status can be read at all, and that it is not final out of nothing.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from wmap_lint.definition import Expression, Matcher, StatusDefinition
from wmap_lint.jq import ast
from wmap_lint.jq.dependence import dependence, overlap
from wmap_lint.jq.engine import Engine, Failure, FailureKind, Outcome
from wmap_lint.jq.flow import Every, Path
from wmap_lint.jq.parser import JqSyntaxError, parse
from wmap_lint.jq.plain import reader
from wmap_lint.paths import ABSENT, lookup
from wmap_lint.record import Record
from wmap_lint.resolve.evaluation import evaluate
from wmap_lint.resolve.status import UNDEFINED
from wmap_lint.resolve.writes import Place
from wmap_lint.statespace.model import StatusModel, Truth
from wmap_lint.statespace.properties import FINAL, Oracle
from wmap_lint.statespace.space import Choice, Space, conditions_of
from wmap_lint.statespace.strategies import NEWER

_MOST_REMEMBERED = 50_000

_Part = tuple[Place, bool]
"""A place that a program reads, and whether it looks at all that is there; otherwise it only goes through."""


class FaultKind(enum.StrEnum):
    """What can be wrong."""

    ERROR = "error"
    AMBIGUOUS = "two-statuses"
    UNDEFINED = "no-status"
    TERMINAL = "final-out-of-nothing"
    UNTRUE = "another-status"


class Fired(Record):
    """A status that matches, with the matcher by which it does."""

    status: str
    matcher: Matcher


class Fault(Record):
    """One fault of one object. Faults with the same ``key`` are the same fault in different objects.

    ``expression`` and ``cause`` are those of an error; it ``is_refused`` where no object could be read. ``truth`` is
    what the model says the object is. Of two statuses the first one is to blame, where the model says so.
    """

    kind: FaultKind
    fired: tuple[Fired, ...] = ()
    expression: Expression | None = None
    cause: str = ""
    truth: Truth | None = None
    is_refused: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """What makes it the same fault: what is to blame, whatever it is that it gets in the way of."""
        blamed = self.fired[:1] if self.truth is not None else self.fired
        expression = None if self.expression is None else self.expression.path
        return (self.kind, *(each.matcher.path for each in blamed), expression)


class Judge:
    """Judges objects by ``status``. ``model`` is None where the space is a guess: less is asked then."""

    def __init__(self, status: StatusDefinition, space: Space, model: StatusModel | None, engine: Engine) -> None:
        self.status = status
        self.space = space
        self.model = model
        self.engine = engine
        self.expressions = tuple(expressions_of(status))
        self._groups = self._grouped()
        self._known: dict[str, tuple[Fault, ...]] = {}
        self._depends: dict[str, Sequence[_Part]] = {}
        self._outcomes: dict[tuple[str, ...], Outcome] = {}
        self._last: tuple[Any, dict[_Part, str]] = (None, {})
        self.oracle = Oracle(status, self.outcomes, model)

    def _grouped(self) -> list[list[str]]:
        """The programs that the engine answers: those of the definition, then those of the model."""
        own = [each.text for each in self.expressions]
        others: list[str] = []
        if self.model is not None:
            others += [each.when.text for each in self.model.impossible]
            others += [each.when.text for each in self.model.truths]
        return [[text for text in dict.fromkeys(group) if reader(text) is None] for group in (own, others)]

    @property
    def needs_the_engine(self) -> bool:
        """Whether not every program is plain."""
        return any(self._groups)

    def prepare(self, workloads: Sequence[Any], in_model: Sequence[bool]) -> None:
        """Have the engine look at several objects at once that are to be judged."""
        own, others = self._groups
        self._fill(own, workloads)
        self._fill(others, [workload for workload, is_state in zip(workloads, in_model, strict=True) if is_state])

    def outcomes(self, text: str, workloads: Sequence[Any]) -> list[Outcome]:
        """What a program comes to on objects."""
        if len(workloads) > 1 and any(text in group for group in self._groups):
            self._fill([text], workloads)
        return [self._outcome(text, workload) for workload in workloads]

    def _outcome(self, text: str, workload: Any) -> Outcome:
        key = self._key(text, workload)
        found = self._outcomes.get(key)
        if found is None:
            # What is asked along with it is answered along with it.
            group = next((group for group in self._groups if text in group), None)
            if group is not None:
                self._fill(group, [workload])
                return self._outcomes[key]
            (programs,) = evaluate(self.engine, [text], [workload])
            found = self._outcomes[key] = programs(text)
        return found

    def _fill(self, texts: Sequence[str], workloads: Sequence[Any]) -> None:
        """Run programs on those of some objects of which it is not known yet what comes of it."""
        missing = [each for each in workloads if any(self._key(text, each) not in self._outcomes for text in texts)]
        if not missing or not texts:
            return
        if len(self._outcomes) >= _MOST_REMEMBERED:
            self._outcomes.clear()
        for workload, programs in zip(missing, evaluate(self.engine, texts, missing), strict=True):
            self._outcomes.update({self._key(text, workload): programs(text) for text in texts})

    def _key(self, text: str, workload: Any) -> tuple[str, ...]:
        if self._last[0] is not workload:
            self._last = (workload, {})
        return (text, *(self._read(part) for part in self._parts(text)))

    def _parts(self, text: str) -> Sequence[_Part]:
        """What the answer of a program depends on: objects that agree there agree in the answer."""
        if text not in self._depends:
            on = dependence(text)
            whole = {_cut(path) for path in on.looked_at | on.tested | on.iterated}
            through = {_cut(path) for path in on.gone_through}
            self._depends[text] = [
                *((place, True) for place in sorted(whole, key=str)),
                *((place, False) for place in sorted(through, key=str) if place not in whole),
            ]
        return self._depends[text]

    def _read(self, part: _Part) -> str:
        """The part of the object at hand, as something that can be compared."""
        workload, known = self._last
        if part not in known:
            place, whole = part
            value = lookup(workload, place)
            if value is ABSENT:
                known[part] = ""
            else:
                known[part] = json.dumps(value) if whole else "null" if value is None else type(value).__name__
        return known[part]

    def answers(self, workload: Any) -> tuple[Outcome, ...]:
        """All that the definition and the model read of an object: nobody tells two apart that agree in this."""
        texts = dict.fromkeys(each.text for each in self.expressions)
        if self.model is not None:
            texts.update(dict.fromkeys(each.when.text for each in self.model.impossible))
            texts.update(dict.fromkeys(each.when.text for each in self.model.truths))
        return tuple(self._outcome(text, workload) for text in texts)

    def is_impossible(self, workload: Any) -> bool:
        """Whether the model rules an object out. A rule that fails on it rules nothing out."""
        impossible = () if self.model is None else self.model.impossible
        return any(self.oracle.holds(each.when.text, workload) for each in impossible)

    def faults(self, workload: Any, in_model: bool) -> tuple[Fault, ...]:
        """All faults of an object. ``in_model`` says that it is a state of the model."""
        key = f"{in_model} {json.dumps(workload, sort_keys=True)}"
        if key not in self._known:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[key] = tuple(self._faults(workload, in_model and self.model is not None))
        return self._known[key]

    def _faults(self, workload: Any, in_model: bool) -> Iterator[Fault]:
        if in_model and self.is_impossible(workload):
            return
        reading = self.oracle.read(workload)
        if reading.error is not None:
            cause = reading.error.cause
            refused = isinstance(cause, Failure) and cause.kind in (FailureKind.COMPILE, FailureKind.SKIPPED)
            yield Fault(FaultKind.ERROR, expression=reading.error.expression, cause=cause.message, is_refused=refused)
            return
        fired = () if reading.matched == (UNDEFINED,) else tuple(map(Fired, reading.matched, reading.matchers))
        final = [each for each in fired if each.status in FINAL]
        if final and not self.is_told(workload):
            yield from (Fault(FaultKind.TERMINAL, (each,)) for each in final)
            return
        if not in_model:
            return
        truth = self.oracle.truth(workload)
        if not fired:
            yield Fault(FaultKind.UNDEFINED, truth=truth)
        elif len(fired) > 1:
            yield from _pairs(fired, truth)
        elif truth is not None and truth.status != fired[0].status:
            yield Fault(FaultKind.UNTRUE, fired, truth=truth)

    # -- whether the operator has said anything -----------------------------------------------------------------

    @cached_property
    def known_types(self) -> frozenset[str]:
        """The types of conditions that the definition, or the model, may know."""
        found = {each.condition for each in self.space.dimensions if each.condition is not None}
        for mapping in self.status.mappings:
            for matcher in mapping.matchers:
                found.update(each.type for each in matcher.by_conditions if each.type)
        for expression in self.expressions:
            found.update(_texts(expression.text))
        return frozenset(found)

    @cached_property
    def _told_by(self) -> tuple[Path, ...]:
        """What operators write and somebody reads, without the conditions."""
        found: set[Path] = set()
        for expression in self.expressions:
            on = dependence(expression.text)
            found |= on.looked_at | on.tested | on.iterated
        for dimension in self.space.dimensions:
            found.update(dimension.places)
        conditions = self.space.names.place
        return tuple(
            path
            for path in found
            if len(path) > 1
            and path[0] not in _OF_THE_USER
            and not (path[0] == "metadata" and path[1] in _OF_THE_SERVER)
            and (conditions is None or not overlap(path, conditions))
        )

    @cached_property
    def _reads_all(self) -> bool:
        """Whether some program looks at the whole status, so that anything in it may be what it goes by."""
        return any(len(path) < 2 for each in self.expressions for path in dependence(each.text).looked_at)

    def is_told(self, workload: Any) -> bool:
        """Whether an object has anything that its operator wrote and that the definition or the model reads.

        Null and empty things are nothing, nor is a value or a condition that nobody can know.
        """
        names = self.space.names
        if any(
            isinstance(each, dict) and each.get(names.type) in self.known_types
            for each in conditions_of(workload, names)
        ):
            return True
        if self._reads_all and names.place is None:
            return _is_something(lookup(workload, ("status",)))
        return any(_is_something(value) for path in self._told_by for value in values_at(workload, path))


_OF_THE_USER = frozenset({"spec", "apiVersion", "kind"})
_OF_THE_SERVER = frozenset({"name", "namespace", "uid", "generation", "creationTimestamp", "deletionTimestamp"})


def _pairs(fired: Sequence[Fired], truth: Truth | None) -> Iterator[Fault]:
    """What is wrong with several statuses at once: each that is not true, beside the true one or another."""
    right = next((each for each in fired if truth is not None and each.status == truth.status), None)
    if right is None:
        for at, one in enumerate(fired):
            yield from (Fault(FaultKind.AMBIGUOUS, (one, other)) for other in fired[at + 1 :])
        return
    yield from (Fault(FaultKind.AMBIGUOUS, (each, right), truth=truth) for each in fired if each is not right)


def expressions_of(status: StatusDefinition) -> Iterator[Expression]:
    """All programs that a status is read by."""
    if status.phase is not None:
        yield status.phase
    if status.conditions is not None and status.conditions.expression is not None:
        yield status.conditions.expression
    for mapping in status.mappings:
        for matcher in mapping.matchers:
            if matcher.by_expression is not None and matcher.by_expression.expression is not None:
                yield matcher.by_expression.expression


def _cut(path: Path) -> Place:
    """The part of a path that leads to one place in every object."""
    place: list[str | int] = []
    for step in path:
        if isinstance(step, Every):
            break
        place.append(step)
    return tuple(place)


def _texts(program: str) -> Iterator[str]:
    try:
        tree = parse(program)
    except JqSyntaxError:
        return
    for node in tree.body.walk():
        if isinstance(node, ast.String) and node.literal is not None:
            yield node.literal


def values_at(value: Any, path: Path) -> Iterator[Any]:
    """The values that a path leads to."""
    if not path:
        yield value
        return
    step, rest = path[0], path[1:]
    if isinstance(step, Every):
        members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        for member in members:
            yield from values_at(member, rest)
        return
    below = lookup(value, (step,))
    if below is not ABSENT:
        yield from values_at(below, rest)


def _is_something(value: Any) -> bool:
    """Whether there is a value in ``value`` that somebody may go by."""
    if isinstance(value, dict):
        return any(map(_is_something, value.values()))
    if isinstance(value, list):
        return any(map(_is_something, value))
    return value is not ABSENT and value is not None and value not in ("", NEWER)


def fits(space: Space, workload: Any) -> bool:
    """Whether an object is, in all that varies, a state of ``space``.

    Conditions are compared by status and, where they have one, reason: the rest of an entry is no matter.
    """
    names = space.names
    entries = [each for each in conditions_of(workload, names) if isinstance(each, dict)]
    for number, dimension in enumerate(space.dimensions):
        gates = space.gates(number)
        if any(not _is_open(workload, place) for gate in gates for place in space.dimensions[gate].places):
            continue
        absent = any(choice.is_absent for choice in dimension.choices)
        if dimension.condition is not None:
            own = [each for each in entries if each.get(names.type) == dimension.condition]
            said = [(each.value.get(names.status), each.value.get(names.reason)) for each in _there(dimension.choices)]
            if len(own) > 1 or (not own and not absent):
                return False
            if own and not any(
                own[0].get(names.status) == status and own[0].get(names.reason, reason) == reason
                for status, reason in said
            ):
                return False
            continue
        is_gate = any(number in space.gates(each) for each in range(len(space.dimensions)))
        for place in dimension.places:
            value = lookup(workload, place)
            if value is ABSENT:
                if not absent:
                    return False
            elif not any(value == each.value or (is_gate and each.is_open) for each in _there(dimension.choices)):
                return False
    return True


def _there(choices: Sequence[Choice]) -> list[Choice]:
    return [choice for choice in choices if not choice.is_absent]


def _is_open(workload: Any, place: Place) -> bool:
    return isinstance(lookup(workload, place), dict | list)


__all__ = ["Fault", "FaultKind", "Fired", "Judge", "expressions_of", "fits", "values_at"]
