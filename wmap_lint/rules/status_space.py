"""Family WM5, the part about all states: what the operator can write, by a status model or by guess.

What the fixtures show has been told; here is what they do not show. So these rules rest as long as another finding is
about the status, and without a model they only say what holds whatever the operator writes.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from wmap_lint.definition import Matcher, StatusDefinition
from wmap_lint.diagnostic import Related, Severity, Span
from wmap_lint.fixtures import Scenario
from wmap_lint.jq import ast
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.flow import path_text
from wmap_lint.record import Record
from wmap_lint.resolve.evaluation import refusal
from wmap_lint.resolve.status import UNDEFINED, StatusReading, read_status
from wmap_lint.rules import registry
from wmap_lint.rules.context import Context, within
from wmap_lint.rules.evaluation import is_runnable
from wmap_lint.rules.extraction import one_line
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.rules.structure import value_span
from wmap_lint.spelling import nearest
from wmap_lint.statespace.guards import can_be_continued
from wmap_lint.statespace.space import conditions_of
from wmap_lint.wording import capitalised, joined, shortened

if TYPE_CHECKING:
    from wmap_lint.statespace.exploration import Exploration
    from wmap_lint.statespace.model import StatusModel, Truth
    from wmap_lint.statespace.properties import Violation

_OWN = ("WM52", "WM53")
_ABOUT_STATUS = ("WM50", "WM81")
_MOST_BECAUSE = 320
_FINAL = frozenset({"Completed", "Failed"})
_TYPE = re.compile(r'\.type == "([A-Za-z0-9./-]+)"')


class Coverage(Record):
    """How often a matcher fires: in how many states, and in which fixtures."""

    status: str
    span: Span
    states: int
    fixtures: tuple[str, ...]


class SpaceReport(Record):
    """What of a definition's states was looked at.

    ``by_model`` is False for a guessed space. ``combinations`` counts all of the space, ``states`` those possible ones
    that were read; ``complete`` says whether these are all.
    """

    definition: str
    by_model: bool
    complete: bool
    combinations: int
    states: int
    seed: int
    matchers: tuple[Coverage, ...]


class _Explored(Record):
    exploration: Exploration | None
    findings: dict[str, list[Finding]]
    unanswered: bool = False


def explored(context: Context) -> Exploration | None:
    """The states of the definition, read; None when that is not asked for or cannot be done."""
    return _examined(context).exploration


def space_report(context: Context) -> SpaceReport | None:
    """What was looked at, for a summary."""
    exploration = explored(context)
    if exploration is None or context.evaluations is None:
        return None
    fired: dict[tuple[str | int, ...], list[str]] = {}
    status = exploration.proof.status
    for scenario in context.evaluations.scenarios:
        for matcher in read_status(status, context.evaluations.on(scenario), raw=False).matchers:
            fired.setdefault(matcher.path, []).append(scenario.label)
    return SpaceReport(
        context.definition.name or context.document.source.file,
        exploration.model is not None,
        exploration.complete,
        exploration.combinations,
        exploration.states,
        exploration.seed,
        tuple(
            Coverage(
                each.mapping.normalized,
                value_span(context.document, each.matcher.path),
                each.fires.bit_count(),
                tuple(fired.get(each.matcher.path, ())),
            )
            for each in exploration.proof.readings.matchers
        ),
    )


def _findings(context: Context, code: str) -> Iterable[Finding]:
    return _examined(context).findings.get(code, ())


def _examined(context: Context) -> _Explored:
    if __name__ not in context.memo:
        context.memo[__name__] = _explore(context)
    found: _Explored = context.memo[__name__]
    return found


def _explore(context: Context) -> _Explored:
    nothing = _Explored(None, {})
    root = context.definition.root
    status = None if root is None else root.status_definition
    if context.depth == "off" or status is None or context.evaluations is None or not status.mappings:
        return nothing
    model = context.status_model.model
    if context.status_model.problems or not _can_be_read(context, status):
        return nothing
    from wmap_lint.statespace.exploration import Depth, explore

    exploration = explore(
        context.definition,
        status,
        model,
        [scenario.workload for scenario in context.corpus.scenarios],
        context.evaluations.outcomes_on,
        Depth(context.depth),
    )
    if exploration is None:
        return _Explored(None, {}, unanswered=model is not None)
    writer = _Writer(context, exploration)
    if _is_told(context):
        return _Explored(exploration, {})
    contradictions = list(writer.contradictions())
    if contradictions:
        return _Explored(exploration, {"WM521": contradictions})
    for violation in exploration.violations:
        writer.write(violation)
    if model is not None and exploration.complete and not exploration.violations:
        writer.idle_names(status)
    return _Explored(exploration, writer.findings)


def _can_be_read(context: Context, status: StatusDefinition) -> bool:
    """Whether everything that the status is read by can be run, and means what it seems to."""
    of_status = [each for each in context.definition.expressions if each.path[: len(status.path)] == status.path]
    return (
        all(is_runnable(each) for each in (*of_status, *context.model_expressions))
        and all(each.by_expression is None or each.by_expression.expression is not None for each in _matchers(status))
        and not any(context.is_doubtful((*status.path, key)) for key in _PARTS)
    )


_PARTS = ("phaseDefinition", "conditionsDefinition", "statusMappings")


def _matchers(status: StatusDefinition) -> Iterator[Matcher]:
    for mapping in status.mappings:
        yield from mapping.matchers


def _is_told(context: Context) -> bool:
    """Whether something has been found about the status already: it would only be found again in many states."""
    areas = [
        component.span(part)
        for component in context.definition.components
        for part in ("statusDefinition", "suspendDefinition")
        if component.has(part)
    ]
    model = context.status_model
    return any(
        diagnostic.severity >= Severity.WARNING
        and (
            each.code.startswith(_ABOUT_STATUS)
            or any(within(diagnostic.span, area) for area in areas)
            or (model.content is not None and diagnostic.span.file == model.content.file)
        )
        for each in registry.registered()
        if each.check is not None and not each.code.startswith(_OWN) and each.code not in _OF_NO_CONSEQUENCE
        for diagnostic in context.diagnostics(each)
    )


# States are read with the field names that the API server fills in.
_OF_NO_CONSEQUENCE = frozenset({"WM512"})


class _Writer:
    """Puts violations into words."""

    def __init__(self, context: Context, exploration: Exploration) -> None:
        from wmap_lint.statespace.shrink import in_words

        self.context = context
        self.exploration = exploration
        self.model: StatusModel | None = exploration.model
        self.names = exploration.space.names
        self.in_words = in_words
        self.findings: dict[str, list[Finding]] = {}

    def add(self, code: str, finding: Finding) -> None:
        self.findings.setdefault(code, []).append(finding)

    # -- the model against the fixtures ---------------------------------------------------------------------------

    def contradictions(self) -> Iterator[Finding]:
        """WM521: what was recorded and cannot be, and what a person and the model call differently."""
        model = self.model
        if model is None:
            return
        for program, states in self.exploration.examination.failing_programs:
            where = _states(states.bit_count(), self.exploration.proof.table.count)
            yield Finding(
                self.place(program.path),
                f"This program fails in {where}, so the model says nothing of them.",
                "Allow for what is absent: `.list[]?`, `.number // 0`.",
            )
        oracle = self.exploration.examination.oracle
        oracle.prepare([scenario.workload for scenario in self.context.corpus.scenarios], with_status=False)
        for scenario in self.context.corpus.scenarios:
            ruled_out = next(
                (each for each in model.impossible if oracle.holds(each.when.text, scenario.workload)), None
            )
            if ruled_out is not None:
                yield Finding(
                    self.place(ruled_out.when.path),
                    f"The model calls the fixture `{scenario.label}` impossible: {_because(ruled_out.because)}.",
                    "Let the rule leave out what is there, or correct the fixture.",
                    related=(Related(scenario.span(), "The workload is here."),),
                )
                continue
            truth = oracle.truth(scenario.workload)
            expectation = scenario.expectation
            if truth is not None and expectation is not None and truth.status != expectation.status:
                yield Finding(
                    self.place(truth.when.path),
                    f"By the model the fixture `{scenario.label}` is {truth.status}, and {expectation.status} is "
                    "expected of it.",
                    "Correct the one that is wrong.",
                    related=(Related(expectation.span(("status",)), f"{expectation.status} is expected here."),),
                )
        if not self.exploration.states:
            yield Finding(
                self.place(("impossible",)),
                "The model rules out every combination, so nothing is proven.",
                "Let each rule hold for the states that it is about.",
            )

    def place(self, path: tuple[str | int, ...]) -> Span:
        assert self.model is not None
        return self.model.span(path)

    # -- violations -------------------------------------------------------------------------------------------------

    def write(self, violation: Violation) -> None:
        """The finding for one violation."""
        from wmap_lint.statespace.properties import Property

        writers = {
            Property.ONE_STATUS: self.two_statuses,
            Property.SOME_STATUS: self.no_status,
            Property.NO_ERROR: self.error,
            Property.TRUTH: self.differs,
            Property.NOTHING_SETTLED_UNWRITTEN: self.unwritten,
            Property.ANY_ORDER: self.order,
            Property.NOTHING_UNRELATED: self.unrelated,
            Property.MATCHER_FIRES: self.dead,
            Property.MATCHER_NEEDED: self.redundant,
            Property.SUSPEND_UNDONE: self.suspension,
            Property.STEP_ALLOWED: self.step,
        }
        writers[violation.kind](violation)

    def idle_names(self, status: StatusDefinition) -> None:
        """WM533"""
        from wmap_lint.statespace.literals import IdleNames

        idle_names = IdleNames(self.exploration.proof.table, self.exploration.proof.possible)
        for matcher in _matchers(status):
            expression = None if matcher.by_expression is None else matcher.by_expression.expression
            if expression is None:
                continue
            for idle in idle_names.of(expression.text):
                close = nearest(idle.text.strip('"'), idle.met) if idle.is_nowhere else ()
                self.add(
                    "WM533",
                    Finding(
                        expression.span(idle.node.start, idle.node.end),
                        f"By the status model the operator never writes `{idle.text}` here, so it lets nothing through "
                        "and rules nothing out."
                        if idle.is_nowhere
                        else f"By the status model nothing that the operator writes is `{idle.text}` and what else is "
                        "asked of it here, so this lets nothing through and rules nothing out.",
                        f"Did you mean `{close[0]}`?"
                        if close
                        else "Correct it or leave it out; or, if the operator does write it, let the model vary it.",
                    ),
                )

    def span(self, violation: Violation) -> Span:
        if violation.matcher is not None:
            return self.matcher_span(violation.matcher)
        if violation.mapping is not None:
            return violation.mapping.key_span()
        return self.exploration.proof.status.key_span("statusMappings")

    def matcher_span(self, matcher: Matcher) -> Span:
        keys = [key for key in ("byPhase", "byConditions", "byExpression") if matcher.present(key)]
        if keys == ["byExpression"] and matcher.by_expression is not None:
            return matcher.span("byExpression", "expression")
        return value_span(self.context.document, matcher.path)

    def of(self, matcher: Matcher) -> str:
        return self.exploration.examination.status_of(matcher)

    def related(self, violation: Violation) -> tuple[Related, ...]:
        found = [
            Related(self.matcher_span(each), f"This is why it reads {self.of(each)}.") for each in violation.others
        ]
        if violation.truth is not None:
            found.append(Related(self.place(violation.truth.when.path), _says(violation.truth)))
        return tuple(found)

    def example(self, violation: Violation) -> str:
        return f"an object {self.in_words(violation.example, self.names)}"

    def how_many(self, violation: Violation) -> str:
        return f"so in {_states(violation.states, self.exploration.states)}" if violation.states > 1 else ""

    def guarded(self, matcher: Matcher | None, guard: str | None, instead: str) -> str:
        if guard is None or matcher is None:
            return instead
        expected = matcher.by_expression
        if expected is None or expected.expression is None:
            return f'Add `byExpression` with the expression `{guard}` and the expected result "true".'
        if expected.expected_result != "true":
            return f"Demand here that `{guard}`."
        if can_be_continued(expected.expression.text):
            return f"Add `and {guard}` to the expression."
        return f"Put the expression into parentheses and add `and {guard}`."

    def two_statuses(self, violation: Violation) -> None:
        mapping = violation.mapping
        assert mapping is not None
        others = [each for each in violation.statuses if each != mapping.normalized]
        more = self.how_many(violation)
        self.add(
            "WM522",
            Finding(
                self.span(violation),
                f"{capitalised(self.example(violation))} reads {mapping.normalized} as well as {joined(others)}"
                f"{f' ({more})' if more else ''}: consumers get both, and each picks one.",
                self.guarded(violation.matcher, violation.guard, f"Demand here what excludes {joined(others)}."),
                related=self.related(violation),
            ),
        )

    def no_status(self, violation: Violation) -> None:
        expected = violation.expected
        more = self.how_many(violation)
        span = violation.strict.span if violation.strict is not None else self.span(violation)
        status = violation.mapping.normalized if violation.mapping is not None else None
        if violation.strict is not None:
            hint = f"{status} would be read but for `{violation.strict.text}`: {self.less(violation)}."
        elif expected is not None:
            hint = f"Let one matcher of {expected} hold for it."
        else:
            hint = "Let one matcher hold for it, or add to the model why it cannot be."
        should = f", and by the model it is {expected}" if expected is not None else ""
        self.add(
            "WM523",
            Finding(
                span,
                f"Nothing matches {self.example(violation)}{f' ({more})' if more else ''}{should}.",
                hint,
                related=self.related(violation),
            ),
        )

    def less(self, violation: Violation) -> str:
        """What to write instead of a demand that is too strict."""
        strict = violation.strict
        assert strict is not None
        entries = conditions_of(violation.example, self.names)
        asked = strict.condition
        there = [each.get(self.names.type) for each in entries if isinstance(each, dict)]
        if asked is not None and asked.status == "False" and asked.type not in there and self.names.place is not None:
            look = f'.{self.names.type} == "{asked.type}" and .{self.names.status} == "True"'
            absent = f"(any({path_text(self.names.place)}[]?; {look}) | not)"
            return f"the condition can be absent, so ask in the expression for `{absent}`"
        unknown = any(isinstance(each, dict) and each.get(self.names.status) == "Unknown" for each in entries)
        if unknown and f'.{self.names.status} == "False"' in strict.text:
            return f'`.{self.names.status} != "True"` takes in Unknown, which is neither True nor False'
        if unknown and f'.{self.names.status} != "False"' in strict.text:
            return f'`.{self.names.status} == "True"` leaves out Unknown, which is neither True nor False'
        return "demand less here"

    def differs(self, violation: Violation) -> None:
        mapping, expected = violation.mapping, violation.expected
        assert mapping is not None
        reads = joined(violation.statuses)
        more = self.how_many(violation)
        others: tuple[Related, ...] = ()
        told = f"{capitalised(self.example(violation))} reads {reads}, and by the model it is {expected}"
        if violation.swapped is not None:
            pair = f"{mapping.normalized} and {violation.swapped.normalized}"
            message = f"{pair} are in each other's place. {told}."
            hint = "Exchange what the two demand."
            others = (Related(violation.swapped.key_span(), f"The other one is {violation.swapped.normalized}."),)
        elif violation.strict is not None:
            message = f"{told}{f' ({more})' if more else ''}."
            hint = f"{expected} would be read but for `{violation.strict.text}`: demand less here."
        else:
            message = f"{told}{f' ({more})' if more else ''}."
            hint = self.guarded(violation.matcher, violation.guard, f"Demand here what excludes {expected}.")
        span = violation.strict.span if violation.strict is not None else self.span(violation)
        self.add("WM525", Finding(span, message, hint, related=(*others, *self.related(violation))))

    def error(self, violation: Violation) -> None:
        assert violation.expression is not None
        more = self.how_many(violation)
        self.add(
            "WM524",
            Finding(
                violation.expression.span(),
                f"The status of {self.example(violation)} cannot be read{f' ({more})' if more else ''}: "
                f"{one_line(violation.cause)}. One expression that fails is enough, and consumers then drop the "
                "workload.",
                "Allow for what is absent or of another form: `.list[]?`, `.number // 0`, `tonumber? // 0`.",
                severity=None if self.model is not None else Severity.WARNING,
            ),
        )

    def unwritten(self, violation: Violation) -> None:
        mapping = violation.mapping
        assert mapping is not None
        written = "(.status // {}) != {}"
        self.add(
            "WM526",
            Finding(
                self.span(violation),
                f"{capitalised(self.example(violation))} reads {mapping.normalized}: a workload that its operator has "
                "not looked at yet passes for one that has got there.",
                self.guarded(violation.matcher, written, "Demand something that only the operator writes."),
            ),
        )

    def order(self, violation: Violation) -> None:
        assert violation.expression is not None
        more = self.how_many(violation)
        wanted = _TYPE.search(violation.expression.text)
        type_ = wanted[1] if wanted is not None else "…"
        self.add(
            "WM527",
            Finding(
                violation.expression.span(),
                f"{capitalised(self.example(violation))} reads {joined(violation.statuses)}, and {violation.after} "
                f"with its conditions in another order{f' ({more})' if more else ''}: nothing promises an order.",
                f'Look for the type: `any(.status.conditions[]?; .type == "{type_}" and .status == "True")`.',
            ),
        )

    def unrelated(self, violation: Violation) -> None:
        assert violation.expression is not None
        self.add(
            "WM528",
            Finding(
                violation.expression.span(),
                f"{capitalised(self.example(violation))} reads {joined(violation.statuses)}, and {violation.after} "
                f"with {violation.cause}, which has nothing to do with it: the next release may write one.",
                "Look at conditions by their type, and at fields by their name.",
            ),
        )

    def dead(self, violation: Violation) -> None:
        mapping, matcher = violation.mapping, violation.matcher
        assert mapping is not None
        assert matcher is not None
        alone = f", and nothing else reads {mapping.normalized}" if len(mapping.matchers) == 1 else ""
        self.add(
            "WM529",
            Finding(
                self.span(violation),
                f"This matcher of {mapping.normalized} fires in none of all {self.exploration.states:,} states{alone}.",
                "Correct it or remove it; if the operator does write what it demands, add that to the model.",
            ),
        )

    def redundant(self, violation: Violation) -> None:
        mapping = violation.mapping
        assert mapping is not None
        self.add(
            "WM530",
            Finding(
                self.span(violation),
                f"Wherever this matcher holds, {_states(violation.states, self.exploration.states)}, another one of "
                f"{mapping.normalized} holds too: it decides nothing.",
                "Remove it.",
                related=tuple(
                    Related(self.matcher_span(each), "This one holds there as well.") for each in violation.others
                ),
            ),
        )

    def suspension(self, violation: Violation) -> None:
        assert violation.mapping is not None
        when, _, reads = violation.after.partition(":")
        status = violation.mapping.normalized
        message = (
            f"{capitalised(self.example(violation))} is {status}, and reads {reads} once it is suspended, which is "
            "neither Suspending nor Suspended."
            if when == "suspended"
            else f"{capitalised(self.example(violation))} is {status}, and reads {reads} after it has been suspended "
            "and resumed before anybody noticed."
        )
        hint = (
            "Let Suspending or Suspended hold as soon as the switch is on."
            if when == "suspended"
            else "Compare with the value that suspends, not with an absent field: `.spec.suspend != true`."
        )
        self.add("WM531", Finding(self.switch_span(), message, hint))

    def switch_span(self) -> Span:
        for component in self.context.definition.components:
            if component.suspend_definition is not None:
                return component.suspend_definition.key_span()
        return self.exploration.proof.status.key_span()

    def step(self, violation: Violation) -> None:
        assert violation.step is not None
        self.add(
            "WM532",
            Finding(
                self.span(violation),
                f"By the model {self.example(violation)} reads {joined(violation.statuses)}, and {violation.after} "
                "after the operator's next step: a final status is left without a change of the specification.",
                "Let the final status hold on, or correct the step.",
                related=(
                    Related(self.place(violation.step.when.path), f"The step: {_because(violation.step.because)}."),
                ),
            ),
        )


def _states(count: int, total: int) -> str:
    return f"{count:,} of {total:,} states" if total != 1 else "the only state"


def _because(text: str) -> str:
    return shortened(text.strip().rstrip("."), _MOST_BECAUSE)


def _says(truth: Truth) -> str:
    return f"The model says {truth.status}: {_because(truth.because)}."


# -- journeys -----------------------------------------------------------------------------------------------------


def _journeys(context: Context) -> Iterator[Finding]:
    """Frames of one object that do not follow from each other."""
    evaluations = context.evaluations
    root = context.definition.root
    status = None if root is None else root.status_definition
    if evaluations is None or status is None or _is_told(context) or not _can_be_read(context, status):
        return
    journeys: dict[str, list[tuple[Scenario, StatusReading]]] = {}
    for scenario in evaluations.scenarios:
        if scenario.journey is not None:
            reading = read_status(status, evaluations.on(scenario), raw=False)
            journeys.setdefault(scenario.journey, []).append((scenario, reading))
    for frames in journeys.values():
        yield from _hole(frames)
        yield from _revived(frames)


def _hole(frames: list[tuple[Scenario, StatusReading]]) -> Iterator[Finding]:
    defined = [position for position, (_, reading) in enumerate(frames) if reading.matched != (UNDEFINED,)]
    for position, (scenario, reading) in enumerate(frames):
        if reading.matched == (UNDEFINED,) and defined and defined[0] < position < defined[-1]:
            before, after = frames[position - 1][0], next(frames[each][0] for each in defined if each > position)
            yield Finding(
                scenario.span(("status",)),
                f"`{scenario.label}` reads Undefined between two frames that read as something: a workload drops out "
                "of sight on its way.",
                "Let a status hold for it.",
                related=(
                    Related(before.span(("status",)), f"`{before.label}` comes before it."),
                    Related(after.span(("status",)), f"`{after.label}` comes after it."),
                ),
            )


def _revived(frames: list[tuple[Scenario, StatusReading]]) -> Iterator[Finding]:
    for (before, first), (after, second) in itertools.pairwise(frames):
        was, now = set(first.matched), set(second.matched)
        same_spec = before.workload.get("spec") == after.workload.get("spec")
        if was & _FINAL and not now & _FINAL and UNDEFINED not in now and same_spec and second.error is None:
            yield Finding(
                after.span(("status",)),
                f"`{after.label}` reads {joined(second.matched)} after `{before.label}` has read "
                f"{joined(first.matched)}, and the specification is the same: a final status does not end by itself.",
                f"Demand of {joined(first.matched)} what the operator does not take back, or correct the journey.",
                related=(Related(before.span(("status",)), f"`{before.label}` comes before it."),),
            )


# -- the rules ------------------------------------------------------------------------------------------------------


@rule("WM520", "status-model-unusable", Severity.ERROR, "A status model cannot be used.")
def status_model_unusable(context: Context) -> Iterable[Finding]:
    """Faults of the file. What is no jq at all is told by WM201, and traps in its jq by other rules of that family."""
    for problem in context.status_model.problems:
        yield Finding(problem.span, problem.message, problem.hint)
    for expression in context.model_expressions:
        analysis = analyse(expression.text)
        if not isinstance(analysis, Analysis) or is_runnable(expression):
            continue
        node, message = _obstacle(analysis)
        yield Finding(
            expression.span() if node is None else expression.span(node.start, node.end),
            f"{message}, so the model is not used.",
            "Write paths, comparisons and built-in functions that only read.",
        )
    if _examined(context).unanswered and context.status_model.model is not None:
        yield Finding(
            context.status_model.model.span(("base",)),
            "The states of the model were not read, so nothing is proven: an expression takes too long, or too much "
            "memory, for so many.",
            "Vary less, or make the expressions simpler.",
            severity=Severity.WARNING,
        )


def _obstacle(analysis: Analysis) -> tuple[ast.Node | None, str]:
    """What keeps a program from being run, and where."""
    for unknown in analysis.names.unknown:
        return unknown.node, f"Nothing defines the {unknown.kind} `{unknown.name}`"
    for write in analysis.writes:
        return write.node, f"`{write.operator}` changes the object, and a model only reads"
    for unbounded in analysis.unbounded:
        return unbounded.node, f"This is not bounded: {unbounded.reason}"
    for read in analysis.outside:
        return read.node, f"`{read.name}` {read.what}"
    refused = refusal(analysis.text)
    return None, "This cannot be run" if refused is None else capitalised(refused.message)


@rule("WM521", "status-model-contradicted", Severity.ERROR, "A status model does not agree with the fixtures.")
def status_model_contradicted(context: Context) -> Iterable[Finding]:
    """Fixtures that the model calls impossible, or by another status than expected; programs of it that fail."""
    return _findings(context, "WM521")


@rule("WM522", "two-statuses-in-a-state", Severity.ERROR, "The operator can write a state that reads as two statuses.")
def two_statuses_in_a_state(context: Context) -> Iterable[Finding]:
    """Matchers of different statuses that hold together in a state of the model."""
    return _findings(context, "WM522")


@rule("WM523", "no-status-in-a-state", Severity.ERROR, "The operator can write a state that reads as no status.")
def no_status_in_a_state(context: Context) -> Iterable[Finding]:
    """States of the model that no matcher holds for."""
    return _findings(context, "WM523")


@rule("WM524", "status-fails-in-a-state", Severity.ERROR, "The operator can write a state whose status cannot be read.")
def status_fails_in_a_state(context: Context) -> Iterable[Finding]:
    """Expressions that fail in a state; of a guessed space a warning."""
    return _findings(context, "WM524")


@rule("WM525", "status-differs-in-a-state", Severity.ERROR, "A state reads as another status than the model says.")
def status_differs_in_a_state(context: Context) -> Iterable[Finding]:
    """Truths of the model that the definition does not confirm."""
    return _findings(context, "WM525")


@rule(
    "WM526",
    "settled-before-written",
    Severity.ERROR,
    "A workload that no operator has looked at reads Running, Completed or Failed.",
)
def settled_before_written(context: Context) -> Iterable[Finding]:
    """Settled statuses of objects without a status."""
    return _findings(context, "WM526")


@rule("WM527", "order-of-conditions", Severity.WARNING, "The status depends on the order of conditions.")
def order_of_conditions(context: Context) -> Iterable[Finding]:
    """Expressions that take a condition by its position."""
    return _findings(context, "WM527")


@rule("WM528", "unrelated-condition", Severity.WARNING, "The status depends on what has nothing to do with it.")
def unrelated_condition(context: Context) -> Iterable[Finding]:
    """Expressions that look at all conditions, or all fields."""
    return _findings(context, "WM528")


@rule("WM529", "matcher-never-fires", Severity.WARNING, "A matcher holds in no state that the operator can write.")
def matcher_never_fires(context: Context) -> Iterable[Finding]:
    """Dead matchers of a space that was looked at completely."""
    return _findings(context, "WM529")


@rule("WM530", "matcher-decides-nothing", Severity.NOTE, "A matcher holds only where another of its status does.")
def matcher_decides_nothing(context: Context) -> Iterable[Finding]:
    """Redundant matchers of a space that was looked at completely."""
    return _findings(context, "WM530")


@rule(
    "WM531",
    "suspension-not-undone",
    Severity.ERROR,
    "A state does not read as suspended with the switch on, or as before once it is off.",
)
def suspension_not_undone(context: Context) -> Iterable[Finding]:
    """Suspending and resuming, on every live state of the model."""
    return _findings(context, "WM531")


@rule("WM532", "impossible-step", Severity.ERROR, "A final status ends by itself, or a journey has a hole.")
def impossible_step(context: Context) -> Iterable[Finding]:
    """Consecutive frames of journeys, and the transitions of a model."""
    yield from _findings(context, "WM532")
    yield from _journeys(context)


@rule("WM533", "name-in-vain", Severity.WARNING, "An expression asks for a name that no state of the model has.")
def name_in_vain(context: Context) -> Iterable[Finding]:
    """Texts and truth values in comparisons that could as well be any other one."""
    return _findings(context, "WM533")


SPACE_RULES = frozenset(
    {
        status_model_contradicted,
        two_statuses_in_a_state,
        no_status_in_a_state,
        status_fails_in_a_state,
        status_differs_in_a_state,
        settled_before_written,
        order_of_conditions,
        unrelated_condition,
        matcher_never_fires,
        matcher_decides_nothing,
        suspension_not_undone,
        impossible_step,
        name_in_vain,
    }
)
"""The rules for which states have to be read."""

__all__ = ["SPACE_RULES", "Coverage", "SpaceReport", "explored", "space_report"]
