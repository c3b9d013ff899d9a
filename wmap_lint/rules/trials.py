"""Suspending and resuming every fixture, as consumers would, and what the results read as.

Most switches are one field. Its place is known without the engine, and then all objects that come out go through
it in one call; a path that has to be evaluated takes a call for each action, for all fixtures together.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from typing import Any

from wmap_lint.definition import Definition, SuspendAction
from wmap_lint.fixtures import CANONICAL, Scenario
from wmap_lint.jq.engine import Failure, Outcome
from wmap_lint.record import Record
from wmap_lint.resolve import Outcomes
from wmap_lint.resolve.evaluation import refusal
from wmap_lint.resolve.status import StatusReading, read_status
from wmap_lint.resolve.writes import Place, WriteError, assigned, static_place
from wmap_lint.rules.evaluation import Evaluations

_FINAL = frozenset({"Completed", "Failed"})

Steps = Generator[tuple[str, Any], Outcome, "Attempt"]
"""Asks for the places of a program in an object, is sent the outcome, and ends with an attempt."""


class Attempt(Record):
    """Some actions on one object.

    ``places`` are those of each action that got its turn; ``failed`` is the action that did not work out, and
    ``why``. ``result`` is None then.
    """

    actions: tuple[SuspendAction, ...]
    places: tuple[tuple[Place, ...], ...]
    result: Any
    failed: SuspendAction | None = None
    why: str = ""


class Trial(Record):
    """What one fixture, which is in ``expected``, becomes.

    ``suspended`` and ``resumed`` are one set of actions each; ``again`` is the resumed object suspended and resumed
    once more. The readings are those of the first two, None where there is no object.
    """

    scenario: Scenario
    expected: str
    suspended: Attempt
    resumed: Attempt
    again: Attempt | None
    suspended_reading: StatusReading | None
    resumed_reading: StatusReading | None


class Trials:
    """All trials of a definition that can suspend, on fixtures that are not final."""

    def __init__(self, definition: Definition, evaluations: Evaluations) -> None:
        switches = [each.suspend_definition for each in definition.components if each.suspend_definition is not None]
        self.suspend = tuple(action for each in switches for action in each.suspend_actions)
        self.resume = tuple(action for each in switches for action in each.resume_actions)
        self.trials: tuple[Trial, ...] = ()
        root = definition.root
        status = None if root is None else root.status_definition
        if not self.suspend or not self.resume or status is None:
            return
        live = [(each, expected) for each in evaluations.scenarios if (expected := expected_of(each)) not in _FINAL]
        workloads = [scenario.workload for scenario, _ in live]
        suspended = run([applied(self.suspend, each) for each in workloads], evaluations)
        resumed = run([applied(self.resume, each) for each in workloads], evaluations)
        there = [each for each in resumed if each.failed is None]
        once = run([applied(self.suspend, each.result) for each in there], evaluations)
        back = run([applied(self.resume, each.result) for each in once if each.failed is None], evaluations)
        returned = iter(back)
        again = dict(
            zip(map(id, there), (next(returned) if each.failed is None else each for each in once), strict=True)
        )
        changed: dict[int, Any] = {}
        for attempt, workload in zip((*suspended, *resumed), (*workloads, *workloads), strict=True):
            # What a fixture is already has been evaluated.
            if attempt.failed is None and attempt.result != workload:
                changed[id(attempt)] = attempt.result
        outcomes = dict(zip(changed, evaluations.on_others(list(changed.values())), strict=True))

        def reading(attempt: Attempt, scenario: Scenario) -> StatusReading | None:
            if attempt.failed is not None:
                return None
            found: Outcomes = outcomes.get(id(attempt)) or evaluations.on(scenario)
            return read_status(status, found, raw=False)

        self.trials = tuple(
            Trial(scenario, expected, on, off, again.get(id(off)), reading(on, scenario), reading(off, scenario))
            for (scenario, expected), on, off in zip(live, suspended, resumed, strict=True)
        )


def expected_of(scenario: Scenario) -> str:
    """The status a person expects, else the one that the scenario's name stands for, else ''."""
    if scenario.expectation is not None:
        return scenario.expectation.status
    return CANONICAL.get(scenario.canonical, "")


def applied(actions: Sequence[SuspendAction], workload: Any) -> Steps:
    """Apply actions in order, each to what the one before made."""
    everything = tuple(actions)
    result = workload
    done: list[tuple[Place, ...]] = []
    for action in everything:
        try:
            value = json.loads(action.value or "")
        except (ValueError, RecursionError):
            return Attempt(everything, tuple(done), None, action, "its value is no JSON")
        refused = None if action.expression is None else refusal(action.expression.text)
        if action.expression is None or refused is not None:
            return Attempt(everything, tuple(done), None, action, refused.message if refused else "it has no path")
        place = static_place(action.expression.text)
        if place is not None:
            places: tuple[Any, ...] = (place,)
        else:
            outcome = yield action.expression.text, result
            if isinstance(outcome, Failure):
                return Attempt(everything, tuple(done), None, action, outcome.message)
            places = tuple(tuple(each) for each in outcome.values)
        try:
            for each in places:
                if not each:
                    raise WriteError("it is the whole object")
                if not all(isinstance(step, str | int) for step in each):
                    raise WriteError("it leads through a slice")
                result = assigned(result, each, value)
        except WriteError as error:
            return Attempt(everything, tuple(done), None, action, str(error))
        done.append(places)
    return Attempt(everything, tuple(done), result)


def run(steps: Sequence[Steps], evaluations: Evaluations) -> list[Attempt]:
    """Take all steps to their end, with one call of the engine for all that ask at the same time."""
    attempts: list[Attempt | None] = [None] * len(steps)
    answers: dict[int, Outcome | None] = dict.fromkeys(range(len(steps)))
    while answers:
        requests: dict[int, tuple[str, Any]] = {}
        for index, answer in answers.items():
            try:
                # A generator is started by sending it nothing.
                requests[index] = steps[index].send(answer)  # type: ignore[arg-type]
            except StopIteration as end:
                attempts[index] = end.value
        outcomes = evaluations.places_on(list(requests.values())) if requests else []
        answers = dict(zip(requests, outcomes, strict=True))
    return [attempt for attempt in attempts if attempt is not None]


__all__ = ["Attempt", "Trial", "Trials", "expected_of"]
