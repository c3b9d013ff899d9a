"""The status of one object, exactly as consumers read it (SEMANTICS 4)."""

from __future__ import annotations

from collections.abc import Mapping

from wmap_lint.definition import ConditionsDefinition, Expression, Matcher, StatusDefinition
from wmap_lint.jq.engine import Failure, Values
from wmap_lint.record import Record, compiled
from wmap_lint.resolve import Outcomes, outcome_of
from wmap_lint.resolve.evaluation import SWALLOWED, swallows
from wmap_lint.resolve.values import ConversionError, convert, text_of

UNDEFINED = "Undefined"
"""What is reported when no mapping matches."""

ORDER = ("Resuming", "Suspending", "Suspended", "Running", "Failed", "Completed", "Initializing", "Degraded")
"""The order in which consumers look at the statuses and report those that match."""


@compiled
class Condition(Record):
    """One condition; what is absent or no string is None, a type that is absent is ''."""

    type: str
    status: str | None
    reason: str | None
    message: str | None


class StatusError(Record):
    """What makes the whole status fail. ``expression`` is None for one that is missing where it has to be."""

    expression: Expression | None
    cause: Failure | ConversionError


@compiled
class StatusReading(Record):
    """One reading.

    ``matched`` holds every status that matches, in :data:`ORDER`, or "Undefined" alone, or nothing when
    ``error`` is set. ``phase`` is None when there is none. ``conditions`` are all that were listed: of
    several with one type the last counts. ``matchers`` are those that fired, one for each of ``matched``.
    """

    matched: tuple[str, ...]
    phase: str | None = None
    conditions: tuple[Condition, ...] = ()
    matchers: tuple[Matcher, ...] = ()
    error: StatusError | None = None


class _StatusFails(Exception):  # noqa: N818
    def __init__(self, expression: Expression | None, cause: Failure | ConversionError) -> None:
        super().__init__()
        self.error = StatusError(expression, cause)


def read_status(definition: StatusDefinition, outcomes: Outcomes, raw: bool = True) -> StatusReading:
    """Read the status of the object that ``outcomes`` are of.

    ``raw``: field names of conditions that are not stated stay unstated, as for a definition read from a
    file; otherwise they are the defaults of the API server. Only what consumers get to evaluate is looked at:
    an error behind a matcher that has failed already does not count.
    """
    try:
        return _Reader(definition, outcomes, raw).read()
    except _StatusFails as failure:
        return StatusReading((), error=failure.error)


class _Reader:
    def __init__(self, definition: StatusDefinition, outcomes: Outcomes, raw: bool) -> None:
        self.definition = definition
        self.outcomes = outcomes
        self.raw = raw
        self.phase: str | None = None
        self.by_type: Mapping[str, Condition] = {}

    def read(self) -> StatusReading:
        self.phase = self.read_phase()
        conditions = self.read_conditions()
        self.by_type = {condition.type: condition for condition in conditions}
        mappings = {mapping.normalized: mapping for mapping in self.definition.mappings}
        fired = {}
        for status in ORDER:
            if status in mappings:
                matcher = next((each for each in mappings[status].matchers if self.matches(each)), None)
                if matcher is not None:
                    fired[status] = matcher
        return StatusReading(tuple(fired) or (UNDEFINED,), self.phase, conditions, tuple(fired.values()))

    def values(self, expression: Expression | None) -> tuple[object, ...]:
        outcome = outcome_of(self.outcomes, expression)
        if not isinstance(outcome, Values):
            raise _StatusFails(expression, outcome)
        return outcome.values

    def converted(self, expression: Expression | None) -> tuple[object, ...]:
        values = self.values(expression)
        if expression is None:
            return values
        converted = convert(values, expression.slot.result)
        if isinstance(converted, ConversionError):
            raise _StatusFails(expression, converted)
        return converted

    def read_phase(self) -> str | None:
        if not self.definition.reads_phase:
            return None
        phases = self.converted(self.definition.phase)
        return str(phases[0]) if phases else None

    def read_conditions(self) -> tuple[Condition, ...]:
        definition = self.definition.conditions
        if definition is None:
            return ()
        names = _field_names(definition, self.raw)
        found = []
        for conditions in self.converted(definition.expression):
            assert isinstance(conditions, list)
            for condition in conditions:
                type_, status, reason, message = (_text(condition, name) for name in names)
                found.append(Condition(type_ or "", status, reason, message))
        return tuple(found)

    def matches(self, matcher: Matcher) -> bool:
        if matcher.by_phase and self.phase != matcher.by_phase:
            return False
        for wanted in matcher.by_conditions:
            condition = self.by_type.get(wanted.type or "")
            if condition is None:
                return False
            if wanted.status and (condition.status or "") != wanted.status:
                return False
            if wanted.reason and (condition.reason or "") != wanted.reason:
                return False
        expected = matcher.by_expression
        if expected is None:
            return True
        if expected.expression is not None and swallows(expected.expression.text):
            raise _StatusFails(expected.expression, SWALLOWED)
        values = self.values(expected.expression)
        return bool(values) and text_of(values[0]) == (expected.expected_result or "")


def _field_names(definition: ConditionsDefinition, raw: bool) -> tuple[str | None, ...]:
    """The keys of a condition's type, status, reason and message; None where none is read."""
    if raw:
        # The first two are plain strings for consumers, so that a missing one is the key "".
        return (
            definition.type_field_name or "",
            definition.status_field_name or "",
            definition.reason_field_name,
            definition.message_field_name,
        )
    given = (
        definition.type_field_name,
        definition.status_field_name,
        definition.reason_field_name,
        definition.message_field_name,
    )
    defaults = ("type", "status", "reason", "message")
    return tuple(default if name is None else name for name, default in zip(given, defaults, strict=True))


def _text(condition: object, name: str | None) -> str | None:
    value = condition.get(name) if isinstance(condition, dict) and name is not None else None
    return value if isinstance(value, str) else None
