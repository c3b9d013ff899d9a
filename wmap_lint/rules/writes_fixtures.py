"""Family WM8, the part that needs objects: what writing, suspending and resuming do to the fixtures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wmap_lint.definition import Expression, Matcher, Slot, StatusDefinition, StatusMapping, SuspendAction
from wmap_lint.diagnostic import Fix, Severity, Span
from wmap_lint.fixtures import Scenario
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.engine import Failure, FailureKind, Values
from wmap_lint.paths import written
from wmap_lint.resolve.status import UNDEFINED, StatusReading, read_status
from wmap_lint.resolve.values import UNKNOWN_TO_PODS
from wmap_lint.resolve.writes import Place, is_plain
from wmap_lint.rules import extraction, status_fixtures, writes
from wmap_lint.rules.context import Context, within
from wmap_lint.rules.dead_ends import likely_misspelling
from wmap_lint.rules.evaluation import Evaluations
from wmap_lint.rules.extraction import named, where_shown
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.rules.structure import value_span
from wmap_lint.rules.trials import Trial, Trials

_PAUSED = frozenset({"Suspended", "Suspending"})


def _examined(context: Context, code: str) -> Iterable[Finding]:
    evaluations = context.evaluations
    if evaluations is None or not evaluations.scenarios:
        return ()
    if __name__ not in context.memo:
        context.memo[__name__] = _Examination(context, evaluations).run()
    findings: dict[str, list[Finding]] = context.memo[__name__]
    return findings.get(code, ())


class _Examination:
    def __init__(self, context: Context, evaluations: Evaluations) -> None:
        self.context = context
        self.evaluations = evaluations
        self.findings: dict[str, list[Finding]] = {}
        self.readable: list[Trial] = []

    def run(self) -> dict[str, list[Finding]]:
        """All findings by code."""
        for expression in self.context.definition.expressions:
            if expression.slot.written and expression.slot not in (Slot.SUSPEND_PATH, Slot.RESUME_PATH):
                self.pod_path(expression)
        trials = self.context.trials
        if trials is not None and trials.trials and not self.is_told(trials):
            self.switch(trials)
        return self.findings

    def add(self, code: str, finding: Finding) -> None:
        self.findings.setdefault(code, []).append(finding)

    # -- paths to pod specs ----------------------------------------------------------------------------------

    def pod_path(self, expression: Expression) -> None:
        """WM802 for a path that consumers read pods by and write them back through."""
        component = self.context.definition.component(expression.component or "")
        if self.context.is_told(expression) or component is None or extraction.is_faulty(self.context, component):
            return
        if not is_plain(expression.text) and self.other_places(expression):
            return
        self.lossy(expression)

    def other_places(self, expression: Expression) -> bool:
        cases: list[tuple[Scenario, str]] = []
        for scenario in self.evaluations.scenarios:
            values = self.evaluations.on(scenario)(expression)
            places = self.evaluations.places(expression, scenario)
            if not isinstance(values, Values):
                continue
            if isinstance(places, Failure):
                if places.kind is FailureKind.ERROR:
                    cases.append((scenario, f"consumers that update pods fail: {places.message}"))
                continue
            kept = [tuple(map(repr, place)) for place in places.values]
            if len(kept) != len(values.values):
                cases.append(
                    (scenario, f"there are {len(values.values)} values and {len(kept)} places to write them to")
                )
            elif len(set(kept)) != len(kept):
                cases.append((scenario, "two of the values are at the same place, so writing one changes the other"))
        if not cases:
            return False
        self.add(
            "WM802",
            Finding(
                expression.span(),
                f"On {named([each for each, _ in cases])} {cases[0][1]}.",
                "Write it as a path that visits each place once: fields, `[]`, `select(…)`.",
                related=where_shown([each for each, _ in cases]),
            ),
        )
        return True

    def lossy(self, expression: Expression) -> None:
        """WM802 for a path to something that holds more than consumers write back."""
        foreign = UNKNOWN_TO_PODS.get(expression.slot.result)
        if foreign is None:
            return
        found: dict[str, list[Scenario]] = {}
        for scenario in self.evaluations.scenarios:
            outcome = self.evaluations.on(scenario)(expression)
            for value in outcome.values if isinstance(outcome, Values) else ():
                for field in foreign(value):
                    found.setdefault(field, []).append(scenario)
        if not found:
            return
        scenarios = list({id(each): each for cases in found.values() for each in cases}.values())
        fields = ", ".join(f"`{field}`" for field in list(found)[:3]) + (" and more" if len(found) > 3 else "")
        self.add(
            "WM802",
            Finding(
                expression.span(),
                f"What is here on {named(scenarios)} has {fields}, which {expression.slot.result.value} has not: "
                "consumers that update pods write back only what they know, so these are lost.",
                "Point at the object that is nothing else, or describe the pods by `fragmentedPodSpecDefinition`.",
                related=where_shown(scenarios),
                severity=Severity.WARNING,
            ),
        )

    # -- suspend and resume ----------------------------------------------------------------------------------

    def is_told(self, trials: Trials) -> bool:
        """Whether an action has a fault that shows without any fixture."""
        static = [*writes.path_not_assignable(self.context), *writes.suspend_value_not_json(self.context)]
        return any(
            action.expression is None
            or action.value is None
            or self.context.is_told(action.expression)
            or self.context.is_doubtful((*action.path, "value"))
            or any(within(finding.span, action.span()) for finding in static)
            for action in (*trials.suspend, *trials.resume)
        )

    def switch(self, trials: Trials) -> None:
        """Everything about the two lists of actions; what hides the rest comes first."""
        if self.fails(trials) or self.nowhere(trials):
            return
        # Fixtures that do not read as they should have been told of.
        self.readable = [
            each
            for each in trials.trials
            if read_status(self.status, self.evaluations.on(each.scenario), raw=False).matched == (each.expected,)
        ]
        self.not_paused(trials)
        self.not_resumed(trials)
        if "WM812" not in self.findings:
            self.not_undone(trials)

    def fails(self, trials: Trials) -> bool:
        """WM802 for an action that cannot be carried out on a fixture."""
        found: dict[int, tuple[SuspendAction, list[tuple[Scenario, str]]]] = {}
        for trial in trials.trials:
            for attempt in (trial.suspended, trial.resumed, trial.again):
                if attempt is not None and attempt.failed is not None:
                    cases = found.setdefault(id(attempt.failed), (attempt.failed, []))[1]
                    if all(each is not trial.scenario for each, _ in cases):
                        cases.append((trial.scenario, attempt.why))
        for action, cases in found.values():
            assert action.expression is not None
            scenarios = [each for each, _ in cases]
            doing = "suspending" if action.expression.slot is Slot.SUSPEND_PATH else "resuming"
            self.add(
                "WM802",
                Finding(
                    action.expression.span(),
                    f"Nothing can be written through this on {named(scenarios)}, so {doing} fails: {cases[0][1]}.",
                    "Allow for what is absent: `.list[]?`, `select(…)`.",
                    related=where_shown(scenarios),
                ),
            )
        return bool(found)

    def nowhere(self, trials: Trials) -> bool:
        """WM813: an action that changes nothing, whatever the fixture."""
        silent = False
        for actions, attempts in (
            (trials.suspend, [each.suspended for each in trials.trials]),
            (trials.resume, [each.resumed for each in trials.trials]),
        ):
            for position, action in enumerate(actions):
                if any(attempt.places[position] for attempt in attempts):
                    continue
                silent = True
                assert action.expression is not None
                slip = likely_misspelling(action.expression, self.context.shelf)
                scenarios = [each.scenario for each in trials.trials]
                doing = "suspend" if actions is trials.suspend else "resume"
                self.add(
                    "WM813",
                    Finding(
                        action.expression.span() if slip is None else slip.span,
                        f"This gives no place on {named(scenarios)}: to {doing} changes nothing then, and says nothing "
                        "of it.",
                        "Name the field plainly: one that is absent is created." if slip is None else slip.hint,
                        related=where_shown(scenarios),
                        fix=None if slip is None else slip.fix,
                    ),
                )
        return silent

    @property
    def status(self) -> StatusDefinition:
        root = self.context.definition.root
        assert root is not None
        assert root.status_definition is not None
        return root.status_definition

    def not_paused(self, trials: Trials) -> None:
        """WM812 for objects that have been suspended."""
        tried = self.readable
        wrong = [
            (each, each.suspended_reading)
            for each in tried
            if each.suspended_reading is not None and not set(each.suspended_reading.matched) <= _PAUSED
        ]
        if not wrong:
            return
        missed = [case for case in wrong if not set(case[1].matched) & _PAUSED]
        live = [each for each in tried if each.expected not in _PAUSED]
        everywhere = len(missed) >= len(live) > 0
        shown = any(each.expected in _PAUSED for each in tried)
        if everywhere and (shown or not any(self.reads(place) for place in _places(missed[0][0]))):
            self.blame_action(trials.suspend, missed, "suspended")
            return
        self.blame_mappings(wrong, "suspended")

    def not_resumed(self, trials: Trials) -> None:
        """WM812 for objects that have been resumed."""
        tried = self.readable
        wrong = [
            (each, each.resumed_reading)
            for each in tried
            if each.resumed_reading is not None and "Suspended" in each.resumed_reading.matched
        ]
        if not wrong or "WM812" in self.findings:
            return
        suspended = [each for each in tried if each.expected == "Suspended"]
        stuck = [case for case in wrong if case[1].matched == ("Suspended",)]
        mapping = next((each for each in self.status.mappings if each.normalized == "Suspended"), None)
        if mapping is not None and self.is_faulty(mapping):
            return
        if stuck and all(any(each is trial for trial, _ in stuck) for each in suspended):
            self.blame_action(trials.resume, stuck, "resumed")
        else:
            self.blame_mappings(wrong, "resumed")

    def reads(self, place: Place) -> bool:
        """Whether the status is read by what is at ``place``."""
        for expression in self.context.definition.expressions:
            if expression.path[: len(self.status.path)] != self.status.path:
                continue
            analysis = analyse(expression.text)
            for read in analysis.flow.reads if isinstance(analysis, Analysis) else ():
                if len(read.path) == len(place) and all(
                    not isinstance(step, str | int) or step == other
                    for step, other in zip(read.path, place, strict=True)
                ):
                    return True
        return False

    def blame_action(
        self,
        actions: Sequence[SuspendAction],
        cases: Sequence[tuple[Trial, StatusReading]],
        done: str,
    ) -> None:
        action = actions[0]
        assert action.expression is not None
        scenarios = [trial.scenario for trial, _ in cases]
        reads = _read(cases)
        trial = cases[0][0]
        attempt = trial.suspended if done == "suspended" else trial.resumed
        known = [self.reads(place) for place in attempt.places[0]]
        slip = likely_misspelling(action.expression, self.context.shelf)
        span: Span = action.expression.span()
        fix: Fix | None = None
        if slip is not None:
            span, hint, fix = slip.span, slip.hint, slip.fix
        elif any(known):
            span, hint = action.span("value"), f"Write the value by which the statuses know that it is {done}."
        else:
            hint = "No status is read by what this writes: write the field that they are read by, or read this one."
        still = "still read" if done == "resumed" else "read"
        verb = f"{still}{'s' if len(scenarios) == 1 else ''} {reads}"
        self.add(
            "WM812",
            Finding(
                span,
                f"{named(scenarios)} {done} through this {verb}: consumers take it that nothing has been done.",
                hint,
                related=where_shown(scenarios),
                fix=fix,
            ),
        )

    def blame_mappings(self, cases: Sequence[tuple[Trial, StatusReading]], done: str) -> None:
        """One finding for each mapping that matches by mistake, or for the absence of one that matches."""
        mappings = {mapping.normalized: mapping for mapping in self.status.mappings}
        by_name: dict[str, list[tuple[Trial, StatusReading]]] = {}
        for case in cases:
            wrong = {"Suspended"} if done == "resumed" else set(case[1].matched) - _PAUSED
            for name in wrong:
                by_name.setdefault(name, []).append(case)
        for name, found in sorted(by_name.items()):
            scenarios = [trial.scenario for trial, _ in found]
            mapping = mappings.get(name) or mappings.get("Suspending") or mappings.get("Suspended")
            if mapping is None:
                span = self.status.key_span("statusMappings")
            elif self.is_faulty(mapping):
                continue
            else:
                matcher = _fired(mapping, found[0][1])
                span = mapping.key_span() if matcher is None else _matcher_span(self.status, matcher)
            read = f"{named(scenarios)} {done} read{'s' if len(scenarios) == 1 else ''}"
            if done == "resumed":
                message = (
                    f"{read} Suspended by this matcher all the same: consumers take it that nothing has been done."
                )
                hint = "Demand here that the switch is on."
            elif name == UNDEFINED:
                message = f"{read} as no status at all."
                hint = "Let Suspending or Suspended hold whatever the controller has written so far."
            elif any(set(reading.matched) & _PAUSED for _, reading in found):
                message = f"{read} {name} by this matcher as well as {_read(found, name)}: consumers get both."
                hint = "Demand here that the switch is off."
            else:
                message = f"{read} {name} by this matcher, and neither Suspending nor Suspended."
                hint = "Demand here that the switch is off, and let Suspending hold from then on."
            self.add("WM812", Finding(span, message, hint, related=where_shown(scenarios)))

    def is_faulty(self, mapping: StatusMapping) -> bool:
        """Whether something has been found about a mapping already."""
        checks = (
            status_fixtures.status_differs,
            status_fixtures.two_statuses,
            status_fixtures.no_status,
            status_fixtures.status_fails,
        )
        return (
            self.context.has_static_finding(mapping.span())
            or self.context.is_doubtful(mapping.path)
            or any(
                within(finding.span, mapping.span()) or within(finding.span, mapping.key_span())
                for check in checks
                for finding in check(self.context)
            )
        )

    def not_undone(self, trials: Trials) -> None:
        """WM811, once for each place that is not what it was."""
        found: dict[str, tuple[Place, list[Scenario]]] = {}
        for trial in trials.trials:
            if trial.again is None or trial.again.failed is not None or trial.again.result == trial.resumed.result:
                continue
            place = next(_differences(trial.resumed.result, trial.again.result), ())
            key = ".".join("[]" if isinstance(step, int) else step for step in place)
            found.setdefault(key, (place, []))[1].append(trial.scenario)
        for place, scenarios in found.values():
            action = self.writer(trials, place)
            assert action.expression is not None
            self.add(
                "WM811",
                Finding(
                    action.expression.span(),
                    f"Suspending {named(scenarios)} changes `{written(place)}`, and resuming does not change it back: "
                    "the workload that goes on is another one.",
                    "Give `resumeActions` the same places, and values that undo these.",
                    related=where_shown(scenarios),
                ),
            )

    def writer(self, trials: Trials, place: Place) -> SuspendAction:
        """The suspend action that writes at, above or below ``place``."""
        for trial in trials.trials:
            for action, places in zip(trials.suspend, trial.suspended.places, strict=False):
                for each in places:
                    shorter = min(len(each), len(place))
                    if each[:shorter] == place[:shorter]:
                        return action
        return trials.suspend[0]


def _places(trial: Trial) -> tuple[Place, ...]:
    return tuple(place for places in trial.suspended.places for place in places)


def _differences(before: object, after: object, place: Place = ()) -> Iterator[Place]:
    """The places where two objects differ, outermost key first."""
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            if before.get(key) != after.get(key) or (key in before) != (key in after):
                yield from _differences(before.get(key), after.get(key), (*place, key)) or ()
        return
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for position, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differences(one, other, (*place, position))
        return
    yield place


def _read(cases: Sequence[tuple[Trial, StatusReading]], without: str = "") -> str:
    names = sorted({name for _, reading in cases for name in reading.matched if name != without})
    return " or ".join(names) if names else "nothing"


def _fired(mapping: StatusMapping, reading: StatusReading) -> Matcher | None:
    return next((matcher for matcher in reading.matchers if matcher.path[:-1] == mapping.path), None)


def _matcher_span(status: StatusDefinition, matcher: Matcher) -> Span:
    if matcher.by_expression is not None and not matcher.by_phase and not matcher.by_conditions:
        return matcher.span("byExpression", "expression")
    return value_span(status.document, matcher.path)


# --- the rules ----------------------------------------------------------------------------------------------


@rule(
    "WM802", "write-changes-more", Severity.ERROR, "On a fixture a path cannot be written through, or not only there."
)
def write_changes_more(context: Context) -> Iterable[Finding]:
    """Paths whose places are not those of their values, and those to something bigger than what is written."""
    return _examined(context, "WM802")


@rule("WM811", "resume-undoes-not", Severity.ERROR, "Resuming does not undo what suspending has done.")
def resume_undoes_not(context: Context) -> Iterable[Finding]:
    """Switches that leave something behind."""
    return _examined(context, "WM811")


@rule("WM812", "suspended-reads-otherwise", Severity.ERROR, "A suspended fixture does not read as suspended.")
def suspended_reads_otherwise(context: Context) -> Iterable[Finding]:
    """Switches that the statuses do not follow."""
    return _examined(context, "WM812")


@rule("WM813", "action-without-place", Severity.ERROR, "A suspend or resume action changes nothing on any fixture.")
def action_without_place(context: Context) -> Iterable[Finding]:
    """Silent actions."""
    return _examined(context, "WM813")
