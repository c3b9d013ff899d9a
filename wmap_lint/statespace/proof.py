"""The status of every state of a table, as consumers read it (floor 3; SEMANTICS 4).

The same rules as :func:`wmap_lint.resolve.status.read_status`, for sets of states instead of one object: what is
behind a matcher that has failed is not looked at, and one expression that fails makes the whole status fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from wmap_lint.definition import ConditionMatcher, Expression, Matcher, StatusDefinition, StatusMapping
from wmap_lint.jq.engine import Failure, Outcome, Values
from wmap_lint.record import Record
from wmap_lint.resolve.status import ORDER, StatusReading, read_status
from wmap_lint.resolve.values import ConversionError, convert
from wmap_lint.statespace.space import AS_GIVEN, Arrangement, ConditionNames
from wmap_lint.statespace.table import Evaluate, States, Table, Verdict


class MatcherStates(Record):
    """One matcher: where all it demands holds, and where it is the first of its status to do so."""

    mapping: StatusMapping
    matcher: Matcher
    holds: States
    fires: States


class Readings(Record):
    """What all states read as.

    ``matched`` has the states of each status in :data:`ORDER`, those left out in which the status fails. ``failing``
    are the expressions that fail, each with the states in which it is the first to do so.
    """

    matchers: tuple[MatcherStates, ...]
    matched: Mapping[str, States]
    failing: tuple[tuple[Expression, States], ...]
    failed: States

    def differences(self, other: Readings) -> States:
        """The states that read differently in ``other``."""
        found = self.failed ^ other.failed
        for status, states in self.matched.items():
            found |= states ^ other.matched[status]
        return found


class Proof:
    """The readings of ``table`` by ``status``. States outside ``possible`` are not looked at."""

    def __init__(self, status: StatusDefinition, table: Table, possible: States | None = None) -> None:
        self.status = status
        self.table = table
        self.possible = table.everything if possible is None else possible
        self._readings: dict[Arrangement, Readings] = {}

    @property
    def names(self) -> ConditionNames:
        """Where conditions are."""
        return self.table.space.names

    @cached_property
    def readings(self) -> Readings:
        """The readings of the states as they are."""
        return self.arranged(AS_GIVEN)

    def arranged(self, arrangement: Arrangement) -> Readings:
        """The readings of the states written in another way."""
        if arrangement not in self._readings:
            self._readings[arrangement] = _Pass(self, arrangement).run()
        return self._readings[arrangement]

    @cached_property
    def undefined(self) -> States:
        """The states that no matcher holds for."""
        some = self.readings.failed
        for states in self.readings.matched.values():
            some |= states
        return self.possible & ~some

    @cached_property
    def ambiguous(self) -> States:
        """The states that read as more than one status."""
        once = twice = 0
        for states in self.readings.matched.values():
            twice |= once & states
            once |= states
        return twice


class _Pass:
    def __init__(self, proof: Proof, arrangement: Arrangement) -> None:
        self.proof = proof
        self.status = proof.status
        self.table = proof.table
        self.arrangement = arrangement
        self.failing: list[tuple[Expression, States]] = []
        self.failed: States = 0

    def run(self) -> Readings:
        phases = self.phases()
        conditions = self.conditions()
        mappings = {mapping.normalized: mapping for mapping in self.status.mappings}
        matchers: list[MatcherStates] = []
        fires: dict[str, list[States]] = {}
        for name in ORDER:
            mapping = mappings.get(name)
            reached = self.proof.possible
            for matcher in () if mapping is None else mapping.matchers:
                assert mapping is not None
                demanded, verdict = self.matcher(matcher, phases, conditions)
                if matcher.by_expression is not None and matcher.by_expression.expression is not None:
                    self.fail(matcher.by_expression.expression, reached & demanded & verdict.error)
                holds = demanded & verdict.true & self.proof.possible
                matchers.append(MatcherStates(mapping, matcher, holds, holds & reached))
                fires.setdefault(name, []).append(holds & reached)
                reached &= ~holds
        matched = dict.fromkeys(ORDER, 0)
        for name, each in fires.items():
            for states in each:
                matched[name] |= states & ~self.failed
        return Readings(tuple(matchers), matched, tuple(self.failing), self.failed)

    def fail(self, expression: Expression, states: States) -> None:
        states &= self.proof.possible & ~self.failed
        if states:
            self.failing.append((expression, states))
            self.failed |= states

    # -- phase and conditions -----------------------------------------------------------------------------------

    def phases(self) -> Mapping[str | None, States]:
        expression = self.status.phase
        if not self.status.reads_phase or expression is None:
            return {}
        expected = expression.slot.result

        def label(outcome: Outcome) -> tuple[bool, str | None]:
            converted = convert(outcome.values, expected) if isinstance(outcome, Values) else None
            if converted is None or isinstance(converted, ConversionError):
                return (False, None)
            return (True, str(converted[0]) if converted else None)

        found = self.table.labelled(expression.text, label, self.arrangement)
        self.fail(expression, found.pop((False, None), 0))
        return {phase: states for (_, phase), states in found.items()}

    def conditions(self) -> Sequence[tuple[States, Sequence[Mapping[str, Any]]]] | None:
        """The conditions of each group of states; None when each condition can be looked up for itself."""
        definition = self.status.conditions
        if definition is None or definition.expression is None:
            return []
        if self.table.has_plain_conditions:
            return None
        expression = definition.expression
        found: list[tuple[States, Sequence[Mapping[str, Any]]]] = []
        for states, outcome in self.table.outcomes(expression.text, self.arrangement):
            converted = outcome if isinstance(outcome, Failure) else convert(outcome.values, expression.slot.result)
            if isinstance(converted, Failure | ConversionError):
                self.fail(expression, states)
            else:
                entries: list[Any] = [each for values in converted if isinstance(values, list) for each in values]
                found.append((states, [each for each in entries if isinstance(each, dict)]))
        return found

    # -- matchers -------------------------------------------------------------------------------------------------

    def matcher(
        self,
        matcher: Matcher,
        phases: Mapping[str | None, States],
        conditions: Sequence[tuple[States, Sequence[Mapping[str, Any]]]] | None,
    ) -> tuple[States, Verdict]:
        """Where phase and conditions are as demanded, and what comes of the expression."""
        demanded = self.table.everything
        if matcher.by_phase:
            demanded &= phases.get(matcher.by_phase, 0)
        for wanted in matcher.by_conditions:
            demanded &= self.demand(wanted, conditions)
        expected = matcher.by_expression
        if expected is None:
            return demanded, Verdict(self.table.everything, 0)
        if expected.expression is None:
            return demanded, Verdict(0, 0, self.table.everything)
        return demanded, self.table.verdict(expected.expression.text, expected.expected_result, self.arrangement)

    def demand(
        self, wanted: ConditionMatcher, conditions: Sequence[tuple[States, Sequence[Mapping[str, Any]]]] | None
    ) -> States:
        if conditions is None:
            return holding(wanted, self.table.listed(self.arrangement), self.proof.names)
        found = 0
        for states, entries in conditions:
            found |= holding(wanted, [(states, entry) for entry in entries], self.proof.names)
        return found


def holding(wanted: ConditionMatcher, listed: Sequence[tuple[States, Any]], names: ConditionNames) -> States:
    """The states in which the last condition of the wanted type is as wanted; ``listed`` in the order of the list."""
    found = 0
    for states, entry in listed:
        if not isinstance(entry, dict) or (_text(entry, names.type) or "") != (wanted.type or ""):
            continue
        fits = (not wanted.status or _text(entry, names.status) == wanted.status) and (
            not wanted.reason or _text(entry, names.reason) == wanted.reason
        )
        found = found | states if fits else found & ~states
    return found


def _text(entry: Mapping[str, Any], name: str) -> str | None:
    value = entry.get(name)
    return value if isinstance(value, str) else None


def read_object(status: StatusDefinition, workload: Any, evaluate: Evaluate) -> StatusReading:
    """The status of any object; only the expressions that are looked at are run."""

    def outcome(expression: Expression) -> Outcome:
        return evaluate(expression.text, [workload])[0]

    return read_status(status, outcome, raw=False)


__all__ = ["MatcherStates", "Proof", "Readings", "holding", "read_object"]
