"""One definition, its states, and what was found: everything of this package in order (floor 3)."""

from __future__ import annotations

import enum
import json
import time
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from wmap_lint.definition import Definition, StatusDefinition, SuspendAction
from wmap_lint.jq.engine import Failure, FailureKind, Outcome
from wmap_lint.jq.plain import reader
from wmap_lint.record import Record
from wmap_lint.resolve.writes import WriteError, assigned, static_place
from wmap_lint.statespace.covering import pairwise
from wmap_lint.statespace.derived import derive
from wmap_lint.statespace.model import StatusModel
from wmap_lint.statespace.proof import Proof
from wmap_lint.statespace.properties import Examination, Oracle, Violation
from wmap_lint.statespace.space import Space
from wmap_lint.statespace.table import Evaluate, States, Table

MOST_STATES = 20_000
"""So many states are looked at completely; of more, a sample."""

MOST_COMBINATIONS = 200_000
"""So many combinations are looked through for those that are possible."""

SAMPLED = 4_000
"""States of a sample, or more where all pairs of choices need more; those of a derived space are fewer."""

SAMPLED_OF_A_GUESS = 300

DEEP = 10
"""By how much these numbers are greater when asked to go deep."""


_AT_ONCE = 250
# So long a definition may keep the engine busy; nobody's does, but it may come from anybody.
_SECONDS = 20.0


class Depth(enum.StrEnum):
    """How much of a space is looked at."""

    OFF = "off"
    QUICK = "quick"
    DEEP = "deep"


class Exploration(Record):
    """What came of it.

    ``combinations`` counts those of the space, ``states`` those possible ones that were looked at, ``complete`` says
    whether these are all. ``seed`` is that of the sample.
    """

    space: Space
    model: StatusModel | None
    examination: Examination
    combinations: int
    states: int
    complete: bool
    seed: int
    violations: tuple[Violation, ...]

    @property
    def proof(self) -> Proof:
        """The readings of the states."""
        return self.examination.proof


def explore(
    definition: Definition,
    status: StatusDefinition,
    model: StatusModel | None,
    workloads: Sequence[Mapping[str, Any]],
    evaluate: Evaluate,
    depth: Depth = Depth.QUICK,
) -> Exploration | None:
    """Look at the states of ``model``, or without one at those of a derived space; None when there are none.

    ``workloads`` are those of the fixtures. None also when a program is not answered: it hangs, or takes too much
    memory. What is not known of one state is not known of the definition.
    """
    space = model.space if model is not None else derive(definition, workloads)
    if space is None or depth is Depth.OFF:
        return None
    try:
        return _explore(definition, status, model, space, workloads, _Answers(evaluate, depth), depth)
    except _UnansweredError:
        return None


def _explore(
    definition: Definition,
    status: StatusDefinition,
    model: StatusModel | None,
    space: Space,
    workloads: Sequence[Mapping[str, Any]],
    evaluate: Evaluate,
    depth: Depth,
) -> Exploration:
    factor = DEEP if depth is Depth.DEEP else 1
    seed = _seed(space)
    table, possible = _whole(space, model, evaluate, factor)
    complete = table is not None
    if table is None:
        least = (SAMPLED if model is not None else SAMPLED_OF_A_GUESS) * factor
        table = Table(space, evaluate, pairwise(space, seed, least, MOST_STATES * factor))
        possible = _possible(table, model)
    proof = Proof(status, table, possible)
    examination = Examination(proof, Oracle(status, evaluate, model), complete, _switch(definition), workloads)
    return Exploration(
        space,
        model,
        examination,
        space.size,
        possible.bit_count(),
        complete,
        seed,
        tuple(examination.violations()),
    )


class _UnansweredError(Exception):
    """A program that nobody knows the answer of."""


class _Answers:
    """Evaluates a moderate number of objects at a time; an answer is results, or an error of jq."""

    def __init__(self, evaluate: Evaluate, depth: Depth) -> None:
        self.evaluate = evaluate
        self.left = _SECONDS * (DEEP if depth is Depth.DEEP else 1)

    def __call__(self, text: str, objects: Sequence[Any]) -> list[Outcome]:
        if reader(text) is not None:
            return self.answered(text, objects)
        found: list[Outcome] = []
        for begin in range(0, len(objects), _AT_ONCE):
            found.extend(self.answered(text, objects[begin : begin + _AT_ONCE]))
        return found

    def answered(self, text: str, objects: Sequence[Any]) -> list[Outcome]:
        """The outcomes, none of which is that there is no answer."""
        start = time.monotonic()
        found = list(self.evaluate(text, objects))
        self.left -= time.monotonic() - start
        if self.left < 0:
            raise _UnansweredError
        for outcome in found:
            if isinstance(outcome, Failure) and outcome.kind not in _ANSWERS:
                raise _UnansweredError
        return found


_ANSWERS = frozenset({FailureKind.ERROR, FailureKind.TOO_MANY})


def _whole(space: Space, model: StatusModel | None, evaluate: Evaluate, factor: int) -> tuple[Table | None, States]:
    """A table of all states, when they are not too many."""
    # Of a guess everything is possible, so that every combination counts.
    most = MOST_COMBINATIONS if model is not None and model.impossible else MOST_STATES
    if space.size > most * factor:
        return None, 0
    table = Table(space, evaluate)
    possible = _possible(table, model)
    return (table, possible) if possible.bit_count() <= MOST_STATES * factor else (None, 0)


def _possible(table: Table, model: StatusModel | None) -> States:
    states = table.everything
    for rule in model.impossible if model is not None else ():
        states &= table.verdict(rule.when.text, "true").false
    return states


def _seed(space: Space) -> int:
    """A number that is the same for the same content."""
    content = [[dimension.name, len(dimension.choices)] for dimension in space.dimensions]
    return zlib.crc32(json.dumps([space.base, content], sort_keys=True, default=str).encode())


class _Switch:
    """Suspends and resumes by assignments at places that are known without looking at the object."""

    def __init__(self, on: Sequence[SuspendAction], off: Sequence[SuspendAction]) -> None:
        self.actions = {True: on, False: off}

    def __call__(self, workload: Any, suspend: bool) -> Any:
        for action in self.actions[suspend]:
            place = None if action.expression is None else static_place(action.expression.text)
            if not place:
                return None
            try:
                workload = assigned(workload, place, json.loads(action.value or ""))
            except (ValueError, WriteError):
                return None
        return workload


def _switch(definition: Definition) -> _Switch | None:
    switches = [each.suspend_definition for each in definition.components if each.suspend_definition is not None]
    on = [action for each in switches for action in each.suspend_actions]
    off = [action for each in switches for action in each.resume_actions]
    return _Switch(on, off) if on and off else None


__all__ = ["MOST_COMBINATIONS", "MOST_STATES", "Depth", "Exploration", "explore"]
