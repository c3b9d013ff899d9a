"""Family WM5, the part that needs objects: what the statuses read from fixtures are, and what they should be.

One fault gives one finding. Readings that are not as expected are gathered by the mapping that is to blame:
the expected one when it does not match, the other one when it matches as well or instead. In the blamed
mapping the demand is looked for that makes the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wmap_lint.definition import Expression, Matcher, Slot, StatusDefinition, StatusMapping
from wmap_lint.diagnostic import Edit, Fix, Related, Severity, Span
from wmap_lint.fixtures import Scenario
from wmap_lint.jq.engine import Failure, FailureKind, Values
from wmap_lint.record import Record
from wmap_lint.resolve.status import UNDEFINED, StatusReading, read_status
from wmap_lint.resolve.values import text_of
from wmap_lint.rules import extraction
from wmap_lint.rules.context import Context, within
from wmap_lint.rules.dead_ends import likely_misspelling
from wmap_lint.rules.evaluation import Evaluations
from wmap_lint.rules.extraction import named, one_line, where_shown
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.rules.structure import value_span, yaml_text

_MOST_SHOWN = 3


@dataclass(slots=True)
class _Blame:
    """What is held against one mapping: scenarios it misses, and scenarios in which it matches by mistake."""

    mapping: StatusMapping
    missed: list[tuple[Scenario, StatusReading]] = field(default_factory=list)
    beside: list[tuple[Scenario, StatusReading]] = field(default_factory=list)
    instead: list[tuple[Scenario, StatusReading]] = field(default_factory=list)

    @property
    def extra(self) -> list[tuple[Scenario, StatusReading]]:
        return [*self.instead, *self.beside]


class _Place(Record):
    """Where a fault is, and what is known of it."""

    span: Span
    hint: str | None = None
    fix: Fix | None = None


def _examined(context: Context, code: str) -> Iterable[Finding]:
    evaluations = context.evaluations
    root = context.definition.root
    status = None if root is None else root.status_definition
    if evaluations is None or status is None or not evaluations.scenarios:
        return ()
    if __name__ not in context.memo:
        context.memo[__name__] = _Examination(context, evaluations, status).run()
    findings: dict[str, list[Finding]] = context.memo[__name__]
    return findings.get(code, ())


class _Examination:
    def __init__(self, context: Context, evaluations: Evaluations, status: StatusDefinition) -> None:
        self.context = context
        self.evaluations = evaluations
        self.status = status
        self.shelf = context.shelf
        self.failing_parts: list[Span] = []
        self.findings: dict[str, list[Finding]] = {}
        self.readings: list[tuple[Scenario, StatusReading]] = []
        self.mappings = {mapping.normalized: mapping for mapping in status.mappings}

    def run(self) -> dict[str, list[Finding]]:
        """All findings by code."""
        expressions = [each for each in self.context.definition.expressions if self.is_of_status(each)]
        if any(self.is_unknown(expression) for expression in expressions):
            return self.findings  # whatever is read, consumers fail: that has been told
        for source in ("phaseDefinition", "conditionsDefinition"):
            if not self.status.present(source) and self.context.is_doubtful((*self.status.path, source)):
                return self.findings  # it is there under a misspelt name
        # Field names that are not stated have a finding of their own; here they are what the API server makes them.
        self.readings = [
            (scenario, read_status(self.status, self.evaluations.on(scenario), raw=False))
            for scenario in self.evaluations.scenarios
        ]
        self.errors()
        unsure = self.unsure()
        blames: dict[str, _Blame] = {}
        for scenario, reading in self.readings:
            if reading.error is None and scenario.expectation is not None:
                self.blame(scenario, reading, scenario.expectation.status, unsure, blames)
        self.settle(blames)
        for name, blame in blames.items():
            if blame.missed or blame.extra:
                self.report(name, blame)
        return self.findings

    def is_of_status(self, expression: Expression) -> bool:
        """Whether ``expression`` is one that the root's status is read by."""
        return expression.path[: len(self.status.path)] == self.status.path

    def is_unknown(self, expression: Expression) -> bool:
        outcomes = self.evaluations.of(expression)
        return not outcomes or any(
            isinstance(outcome, Failure) and outcome.kind is not FailureKind.ERROR for outcome in outcomes
        )

    def add(self, code: str, finding: Finding) -> None:
        self.findings.setdefault(code, []).append(finding)

    # -- errors ----------------------------------------------------------------------------------------------

    def errors(self) -> None:
        """WM504, one for each expression that fails."""
        found: dict[int, list[tuple[Scenario, StatusReading]]] = {}
        for scenario, reading in self.readings:
            if reading.error is not None and reading.error.expression is not None:
                found.setdefault(id(reading.error.expression), []).append((scenario, reading))
        for cases in found.values():
            error = cases[0][1].error
            assert error is not None
            expression = error.expression
            assert expression is not None
            self.failing_parts.append(expression.span())
            if self.context.is_told(expression) or self.is_nowhere(expression.span()):
                continue
            scenarios = [scenario for scenario, _ in cases]
            slip = likely_misspelling(expression, self.shelf)
            cause = one_line(error.cause.message)
            place = _Place(expression.span()) if slip is None else _Place(slip.span, slip.hint, slip.fix)
            self.add(
                "WM504",
                Finding(
                    place.span,
                    f"The status of {named(scenarios)} cannot be read at all: {cause}. One expression that fails is "
                    "enough, and consumers then drop the workload.",
                    place.hint or _cure(expression, error.cause),
                    related=where_shown(scenarios),
                    fix=place.fix,
                ),
            )

    def is_nowhere(self, span: Span) -> bool:
        """Whether a path or a field name in ``span`` has been found to lead nowhere."""
        return any(within(each.span, span) for each in extraction.path_leads_nowhere(self.context))

    def fails(self, span: Span) -> bool:
        """Whether an expression in ``span`` fails on a fixture."""
        return any(within(part, span) for part in self.failing_parts)

    # -- who is to blame -------------------------------------------------------------------------------------

    def unsure(self) -> frozenset[str]:
        """The statuses that depend on something that has a finding already."""
        sources = [
            (self.status.key_span("phaseDefinition"), self.status.span("phaseDefinition"), "phase"),
            (self.status.key_span("conditionsDefinition"), self.status.span("conditionsDefinition"), "conditions"),
        ]
        broken = {
            what
            for key, value, what in sources
            if self.status.present(f"{what}Definition")
            and (
                self.context.has_static_finding(key)
                or self.context.has_static_finding(value)
                or self.is_nowhere(value)
                or self.fails(value)
                or self.context.is_doubtful((*self.status.path, f"{what}Definition"))
            )
        }
        found = set()
        for name, mapping in self.mappings.items():
            if (
                self.context.has_static_finding(mapping.span())
                or self.context.has_static_finding(mapping.key_span())
                or self.context.is_doubtful(mapping.path)
                or self.fails(mapping.span())
            ):
                found.add(name)
            for matcher in mapping.matchers:
                if (matcher.by_phase and "phase" in broken) or (matcher.by_conditions and "conditions" in broken):
                    found.add(name)
        if self.context.is_doubtful((*self.status.path, "statusMappings")):
            return frozenset(self.mappings) | {UNDEFINED}
        return frozenset(found)

    def blame(
        self,
        scenario: Scenario,
        reading: StatusReading,
        expected: str,
        unsure: frozenset[str],
        blames: dict[str, _Blame],
    ) -> None:
        """Hold one reading against the mappings that are to blame for it."""
        others = [status for status in reading.matched if status not in (expected, UNDEFINED)]
        if UNDEFINED in unsure or expected in unsure or any(status in unsure for status in others):
            return
        if expected not in self.mappings:
            self.no_mapping(scenario, reading, expected, blames)
            return
        if expected not in reading.matched and not others:
            blames.setdefault(expected, _Blame(self.mappings[expected])).missed.append((scenario, reading))
        for status in others:
            blame = blames.setdefault(status, _Blame(self.mappings[status]))
            (blame.beside if expected in reading.matched else blame.instead).append((scenario, reading))

    def no_mapping(self, scenario: Scenario, reading: StatusReading, expected: str, blames: dict[str, _Blame]) -> None:
        """A status that the definition does not know: an empty mapping stands for it."""
        mapping = StatusMapping(
            document=self.status.document,
            path=(*self.status.path, "statusMappings"),
            status=expected.lower(),
            matchers=(),
        )
        blames.setdefault(expected, _Blame(mapping)).missed.append((scenario, reading))

    def settle(self, blames: dict[str, _Blame]) -> None:
        """Hold a reading with another status instead of the expected one against one of the two only.

        That is the expected one when it is missed elsewhere as well or looks misspelt, else the one that matches.
        """
        for name, blame in list(blames.items()):
            for case in list(blame.instead):
                scenario = case[0]
                assert scenario.expectation is not None
                expected = scenario.expectation.status
                theirs = blames.get(expected)
                missed_elsewhere = theirs is not None and bool(theirs.missed)
                if blame.beside or blame.missed or expected not in self.mappings:
                    continue
                candidate = theirs or _Blame(self.mappings[expected])
                if missed_elsewhere or (
                    self.misspelt(candidate.mapping) is not None and self.misspelt(blame.mapping) is None
                ):
                    blame.instead.remove(case)
                    blames.setdefault(expected, candidate).missed.append(case)
            if not (blame.missed or blame.extra):
                del blames[name]
        # What is left with several mappings is one reading all the same: the first one answers.
        seen: set[int] = set()
        for blame in blames.values():
            fresh = [case for case in blame.instead if id(case[0]) not in seen]
            if fresh or blame.beside or blame.missed:
                blame.instead = fresh
            else:
                blame.instead = []
            seen.update(id(case[0]) for case in fresh)

    # -- where it is -----------------------------------------------------------------------------------------

    def misspelt(self, mapping: StatusMapping) -> _Place | None:
        """A word of the mapping that is in no fixture, where one like it is."""
        for matcher in mapping.matchers:
            place = self.misspelt_matcher(matcher)
            if place is not None:
                return place
        return None

    def misspelt_matcher(self, matcher: Matcher) -> _Place | None:
        conditions = [condition for _, reading in self.readings for condition in reading.conditions]
        if matcher.by_phase:
            phases = {reading.phase or "" for _, reading in self.readings}
            place = self.misspelt_word(matcher, ("byPhase",), matcher.by_phase, phases)
            if place is not None:
                return place
        for position, wanted in enumerate(matcher.by_conditions):
            of_type = [each for each in conditions if each.type == wanted.type]
            for key, word, said in (
                ("type", wanted.type, {each.type for each in conditions}),
                ("status", wanted.status, {"True", "False", "Unknown"}),
                ("reason", wanted.reason, {each.reason or "" for each in of_type}),
            ):
                if word:
                    place = self.misspelt_word(matcher, ("byConditions", position, key), word, said)
                    if place is not None:
                        return place
        expression = matcher.by_expression.expression if matcher.by_expression else None
        slip = None if expression is None else likely_misspelling(expression, self.shelf)
        return None if slip is None else _Place(slip.span, slip.hint, slip.fix)

    def misspelt_word(
        self, matcher: Matcher, keys: tuple[str | int, ...], word: str, said: Iterable[str]
    ) -> _Place | None:
        words = sorted(each for each in said if each)
        close = () if word in words else self.shelf.nearest(word, words, max(1, min(3, len(word) // 4)))
        if not close:
            return None
        span = matcher.span(*keys)
        edit = Fix(f"Change {word} to {close[0]}", (Edit(span, yaml_text(close[0])),)) if len(close) == 1 else None
        return _Place(span, f"Did you mean `{close[0]}`?", edit)

    def missing_demand(self, mapping: StatusMapping, cases: Sequence[tuple[Scenario, StatusReading]]) -> _Place | None:
        """The one demand of a matcher that fails on all of ``cases`` while everything else of it holds."""
        for matcher in mapping.matchers:
            failing = [self.failing(matcher, scenario, reading) for scenario, reading in cases]
            if failing and all(len(each) == 1 for each in failing) and len({each[0][0] for each in failing}) == 1:
                keys, found = failing[0][0]
                if keys == ("byExpression",):
                    return _Place(matcher.span("byExpression", "expression"))
                return _Place(matcher.span(*keys), f"These fixtures have {found} here." if found else None)
        return None

    def failing(
        self, matcher: Matcher, scenario: Scenario, reading: StatusReading
    ) -> list[tuple[tuple[str | int, ...], str]]:
        """The demands of ``matcher`` that do not hold, each with what the fixture has instead."""
        found: list[tuple[tuple[str | int, ...], str]] = []
        if matcher.by_phase and reading.phase != matcher.by_phase:
            found.append((("byPhase",), f"`{reading.phase}`" if reading.phase else "no phase"))
        by_type = {condition.type: condition for condition in reading.conditions}
        for position, wanted in enumerate(matcher.by_conditions):
            condition = by_type.get(wanted.type or "")
            keys = ("byConditions", position)
            if condition is None:
                found.append(((*keys, "type"), ""))
                continue
            if wanted.status and condition.status != wanted.status:
                found.append(((*keys, "status"), f"`{condition.status}`"))
            if wanted.reason and condition.reason != wanted.reason:
                found.append(((*keys, "reason"), f"`{condition.reason}`"))
        expected = matcher.by_expression
        if expected is not None and expected.expression is not None:
            outcome = self.evaluations.on(scenario)(expected.expression)
            first = outcome.values[:1] if isinstance(outcome, Values) else ()
            if not first or text_of(first[0]) != expected.expected_result:
                found.append((("byExpression",), ""))
        return found

    # -- words -----------------------------------------------------------------------------------------------

    def report(self, status: str, blame: _Blame) -> None:
        """One finding about one mapping."""
        if blame.missed:
            self.report_missed(status, blame)
        else:
            self.report_extra(status, blame)

    def report_missed(self, status: str, blame: _Blame) -> None:
        missed = [scenario for scenario, _ in blame.missed]
        instead = sorted({each for _, reading in blame.missed for each in reading.matched})
        place = self.misspelt(blame.mapping) or self.missing_demand(blame.mapping, blame.missed)
        key = status[:1].lower() + status[1:]
        if place is None:
            hint = (
                f"Let one of its matchers hold for {'this object' if len(missed) == 1 else 'these objects'}."
                if blame.mapping.matchers
                else f"Add a matcher under `{key}`."
            )
            place = _Place(blame.mapping.key_span(), hint)
        reads = f"which {'reads' if len(missed) == 1 else 'read'} {' or '.join(instead)} instead"
        also = f"; and {status} is read from {named(_scenarios(blame.extra))} by mistake" if blame.extra else ""
        self.add(
            "WM503" if instead == [UNDEFINED] else "WM501",
            Finding(
                place.span,
                f"{status} does not match {named(missed)}, {reads}{also}.",
                place.hint or "Correct it, or the expectation if the definition is right.",
                related=_expectations([*missed, *_scenarios(blame.extra)]),
                fix=place.fix,
            ),
        )

    def report_extra(self, status: str, blame: _Blame) -> None:
        scenarios = _scenarios(blame.extra)
        matcher = _fired(blame.mapping, blame.extra[0][1])
        place = None if matcher is None else self.misspelt_matcher(matcher)
        if place is None:
            span = blame.mapping.key_span() if matcher is None else value_span(self.status.document, matcher.path)
            if matcher is not None and matcher.by_expression is not None and len(_keys(matcher)) == 1:
                span = matcher.span("byExpression", "expression")
            place = _Place(span)
        expected = sorted({each.expectation.status for each in scenarios if each.expectation is not None})
        if blame.instead:
            message = (
                f"{named(scenarios)} {'reads' if len(scenarios) == 1 else 'read'} {status} by this matcher, and "
                f"{' or '.join(expected)} is expected."
            )
            hint = f"Demand what sets {status} apart, or correct the expectation if the definition is right."
        else:
            message = (
                f"{named(scenarios)} {'reads' if len(scenarios) == 1 else 'read'} {status} as well as "
                f"{' or '.join(expected)}, which is expected: consumers get both, and each picks one."
            )
            hint = f"Demand here what excludes {' and '.join(expected)}."
        self.add(
            "WM501" if blame.instead else "WM502",
            Finding(place.span, message, place.hint or hint, related=_expectations(scenarios), fix=place.fix),
        )


def _scenarios(cases: Iterable[tuple[Scenario, StatusReading]]) -> list[Scenario]:
    return list({id(scenario): scenario for scenario, _ in cases}.values())


def _keys(matcher: Matcher) -> tuple[str, ...]:
    return tuple(key for key in ("byPhase", "byConditions", "byExpression") if matcher.present(key))


def _fired(mapping: StatusMapping, reading: StatusReading) -> Matcher | None:
    return next((matcher for matcher in reading.matchers if matcher.path[:-1] == mapping.path), None)


def _expectations(scenarios: Sequence[Scenario]) -> tuple[Related, ...]:
    return tuple(
        Related(scenario.expectation.span(("status",)), f"`{scenario.label}` is expected to be this.")
        for scenario in scenarios[:_MOST_SHOWN]
        if scenario.expectation is not None
    )


def _cure(expression: Expression, cause: object) -> str:
    if expression.slot is Slot.CONDITIONS_PATH and not isinstance(cause, Failure):
        return "Point it at the list itself, without `[]`: `.status.conditions`."
    if expression.slot is Slot.PHASE_PATH and not isinstance(cause, Failure):
        return "Point it at a text, or convert: `… | tostring`."
    return "Allow for what is absent: `.list[]?`, `(.list // [])[]`, `.number // 0`."


@rule("WM501", "status-differs", Severity.ERROR, "A fixture reads as another status than is expected.")
def status_differs(context: Context) -> Iterable[Finding]:
    """Golden statuses that the definition does not confirm."""
    return _examined(context, "WM501")


@rule("WM502", "two-statuses", Severity.ERROR, "A fixture reads as two statuses at once.")
def two_statuses(context: Context) -> Iterable[Finding]:
    """Matchers of different statuses that hold for one object."""
    return _examined(context, "WM502")


@rule("WM503", "no-status", Severity.ERROR, "A fixture reads as no status at all.")
def no_status(context: Context) -> Iterable[Finding]:
    """Objects that no matcher holds for."""
    return _examined(context, "WM503")


@rule("WM504", "status-fails", Severity.ERROR, "The status of a fixture cannot be read: an expression fails.")
def status_fails(context: Context) -> Iterable[Finding]:
    """Errors and wrong types among what the status is read from."""
    return _examined(context, "WM504")
