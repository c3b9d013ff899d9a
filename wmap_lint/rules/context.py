"""What a rule reads: one document and what was found out about it, computed once and when asked for."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from wmap_lint.crd import CrdIndex
from wmap_lint.crd_types import Typing
from wmap_lint.definition import Definition, Expression, Slot, load
from wmap_lint.diagnostic import Diagnostic, Severity, Span
from wmap_lint.expected import Computed, computed
from wmap_lint.fixtures import EMPTY, Corpus, Scenario
from wmap_lint.jq import ast
from wmap_lint.jq.engine import Engine, EngineUnavailable
from wmap_lint.jq.flow import Misfit
from wmap_lint.paths import DocumentPath, lookup
from wmap_lint.resolve.evaluation import plan, refusal
from wmap_lint.resolve.structure import Extraction, extract
from wmap_lint.resolve.view import WorkloadView, build_view
from wmap_lint.rules import registry
from wmap_lint.rules.dead_ends import Shelf, misspelt_step
from wmap_lint.rules.evaluation import Evaluations, is_runnable
from wmap_lint.rules.trials import Trials
from wmap_lint.rules.unknown_fields import UnknownField, explain
from wmap_lint.schema import ProblemKind, SchemaProblem, definition_problems
from wmap_lint.source import Document
from wmap_lint.statespace.model import ModelReading, condition_names, load_model

_STATIC = ("WM0", "WM1", "WM2", "WM3", "WM51")
# Field names that are not stated: fixtures are read with those of the API server.
_OF_NO_CONSEQUENCE = frozenset({"WM512"})


def within(inner: Span, outer: Span) -> bool:
    """Whether ``inner`` lies in ``outer``."""
    return (
        inner.file == outer.file
        and (outer.line, outer.column) <= (inner.line, inner.column)
        and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    )


def _related(one: DocumentPath, other: DocumentPath) -> bool:
    """Whether one path leads to, or through, the other."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


class _Background:
    """Evaluations that are being made in a thread of their own."""

    def __init__(self, engine: Engine, definition: Definition, corpus: Corpus) -> None:
        self._arguments = (engine, definition, corpus)
        # Both threads will ask this. It is work for the processor, not for the worker: do it here, and once.
        for text in (*(programs := plan(definition)).workload, *programs.pod):
            refusal(text)
        self._result: Evaluations | None = None
        self._trials: Trials | None = None
        self._error: BaseException | None = None
        self._evaluated = threading.Event()
        # A thread that a forgotten context leaves behind must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        engine, definition, corpus = self._arguments
        try:
            self._result = Evaluations(engine, definition, corpus)
            self._evaluated.set()
            self._trials = Trials(definition, self._result)
        except BaseException as error:
            self._error = error
        finally:
            self._evaluated.set()

    def result(self) -> Evaluations:
        """The evaluations, once they are there; raises what they raised."""
        self._evaluated.wait()
        if self._result is None:
            assert self._error is not None
            raise self._error
        return self._result

    def trials(self) -> Trials:
        """What comes after them, once it is there; raises what it raised."""
        self._thread.join()
        if self._trials is None:
            assert self._error is not None
            raise self._error
        return self._trials


@dataclass
class Context:
    """One definition under examination."""

    document: Document
    definition: Definition
    corpus: Corpus = EMPTY
    engine: Engine | None = None
    crds: CrdIndex = field(default_factory=CrdIndex)
    engine_fault: str | None = None
    """Why the engine could not be used, once that has been tried."""
    depth: str = "quick"
    """How much of the status space is looked at: ``off``, ``quick`` or ``deep``."""
    memo: dict[str, Any] = field(default_factory=dict, repr=False)
    """What a family of rules works out once for all of its rules, by the name of its module."""
    _background: _Background | None = field(default=None, repr=False)
    _computed: dict[int, Computed] = field(default_factory=dict, repr=False)
    _views: dict[int, WorkloadView] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        document: Document,
        corpus: Corpus = EMPTY,
        engine: Engine | None = None,
        crds: CrdIndex | None = None,
    ) -> Context:
        """The context of ``document``. Without an engine nothing is evaluated, and rules about fixtures rest."""
        return cls(document, load(document), corpus, engine, crds or CrdIndex())

    def begin(self) -> None:
        """Start to evaluate in the background; rules that need no outcome can run meanwhile."""
        if self.engine is not None and self._background is None:
            self._background = _Background(self.engine, self.definition, self.corpus)

    @cached_property
    def typing(self) -> Typing:
        """The expressions by the schemas of the kinds they read; raises :class:`~wmap_lint.crd.CrdError`."""
        return Typing(self.definition, self.crds)

    def misfits(self, expression: Expression) -> tuple[Misfit, ...]:
        """Where no object of the kind fits ``expression``, by its schema; family WM3 tells of it."""
        interpretation = self.typing.of(expression)
        return () if interpretation is None else interpretation.misfits

    def is_misfit(self, expression: Expression, node: ast.Node) -> bool:
        """Whether no object of the kind fits ``expression`` at ``node``."""
        return any(misfit.node is node for misfit in self.misfits(expression))

    @cached_property
    def evaluations(self) -> Evaluations | None:
        """The expressions on the fixtures; None when nothing can be evaluated."""
        self.begin()
        if self._background is None:
            return None
        try:
            return self._background.result()
        except EngineUnavailable as unavailable:
            self.engine_fault = str(unavailable)
            return None

    @cached_property
    def trials(self) -> Trials | None:
        """What suspending and resuming makes of the fixtures; None when nothing can be evaluated."""
        self.begin()
        if self._background is None:
            return None
        try:
            return self._background.trials()
        except EngineUnavailable as unavailable:
            self.engine_fault = str(unavailable)
            return None

    @cached_property
    def status_model(self) -> ModelReading:
        """The status model beside the fixtures, or what is wrong with it."""
        root = self.definition.root
        status = None if root is None else root.status_definition
        return load_model(self.corpus.folder, condition_names(status), self.definition.gvk)

    @cached_property
    def model_expressions(self) -> tuple[Expression, ...]:
        """The programs of the status model."""
        reading = self.status_model
        if not reading.programs or reading.content is None:
            return ()
        document = reading.content.reading.documents[0]
        return tuple(
            Expression(each.text, Slot.MATCHER_EXPRESSION, None, each.path, document) for each in reading.programs
        )

    @cached_property
    def varied(self) -> tuple[tuple[Expression, DocumentPath], ...]:
        """The paths that the status model varies, each with the place of its entry in the model."""
        content = self.status_model.content
        data = None if self.status_model.model is None or content is None else content.documents[0]
        if data is None or content is None:
            return ()
        document = content.reading.documents[0]
        return tuple(
            (
                Expression(each["path"], Slot.MATCHER_EXPRESSION, None, ("vary", position, "path"), document),
                ("vary", position),
            )
            for position, each in enumerate(data["vary"])
            if "path" in each
        )

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Everything that is jq: the expressions of the definition, and those of its status model."""
        return (*self.definition.expressions, *self.model_expressions)

    def view(self, scenario: Scenario) -> WorkloadView:
        """What the definition makes of a scenario, by the evaluations, which have to be there; worked out once."""
        evaluations = self.evaluations
        assert evaluations is not None
        found = self._views.get(id(scenario))
        if found is None:
            found = self._views[id(scenario)] = build_view(
                self.definition,
                scenario.workload,
                evaluations.on(scenario),
                evaluations.pods_of(scenario),
                scenario.others,
            )
        return found

    def computed(self, scenario: Scenario) -> Computed:
        """The computed parts of an expectation, for a scenario; worked out once."""
        found = self._computed.get(id(scenario))
        if found is None:
            found = self._computed[id(scenario)] = computed(self.definition, self.view(scenario))
        return found

    def extractions(self, scenario: Scenario) -> Mapping[str, Extraction]:
        """What is extracted of each component on a scenario, by name; there have to be evaluations."""
        assert self.evaluations is not None
        outcomes = self.evaluations.on(scenario)
        return {component.name: extract(component, outcomes) for component in self.definition.components}

    def diagnostics(self, rule: registry.Rule) -> tuple[Diagnostic, ...]:
        """What ``rule`` finds here, worked out once."""
        found = self.memo.get(rule.code)
        if found is None:
            assert rule.check is not None
            found = self.memo[rule.code] = tuple(rule.diagnostic(finding) for finding in rule.check(self))
        assert isinstance(found, tuple)
        return found

    @cached_property
    def shelf(self) -> Shelf:
        """The workloads of all fixtures."""
        return Shelf(scenario.workload for scenario in self.corpus.scenarios)

    def is_misspelt(self, expression: Expression) -> bool:
        """Whether ``expression`` goes through a name that no fixture has, where all have one like it."""
        return self.engine is not None and misspelt_step(expression, self.shelf) is not None

    @cached_property
    def static_findings(self) -> tuple[Diagnostic, ...]:
        """What is wrong without a look at any fixture: a fixture that shows the same shows nothing new."""
        return tuple(
            diagnostic
            for rule in registry.registered()
            if rule.check is not None and rule.code.startswith(_STATIC) and rule.code not in _OF_NO_CONSEQUENCE
            for diagnostic in self.diagnostics(rule)
            if diagnostic.severity >= Severity.WARNING
        )

    def has_static_finding(self, span: Span, at_least: Severity = Severity.WARNING) -> bool:
        """Whether one of :attr:`static_findings` lies in ``span``."""
        return any(each.severity >= at_least and within(each.span, span) for each in self.static_findings)

    def is_told(self, expression: Expression, at_least: Severity = Severity.WARNING) -> bool:
        """Whether a fault of ``expression`` has been told already, so that its results are no news."""
        return (
            not is_runnable(expression)
            or self.is_doubtful(expression.path)
            or self.has_static_finding(expression.span(), at_least)
        )

    @cached_property
    def schema_problems(self) -> tuple[SchemaProblem, ...]:
        """What the document breaks of its schema, in document order.

        A field that is missing because it is misspelt is left out.
        """
        return tuple(
            problem
            for problem in self._all_schema_problems
            if not (problem.kind is ProblemKind.MISSING_FIELD and self._is_misspelt(problem))
            and not (problem.kind is ProblemKind.WRONG_TYPE and self._is_not_finite(problem))
        )

    def _is_misspelt(self, problem: SchemaProblem) -> bool:
        missing = (*problem.path, problem.name)
        return any(path[: len(missing)] == missing for unknown in self.unknown_fields for path in unknown.meant)

    def _is_not_finite(self, problem: SchemaProblem) -> bool:
        """Whether the value is infinity or not-a-number, which is reported where the file is read."""
        return problem.value is None and self.document.raw(problem.path).lower().lstrip("+-") in {".inf", ".nan"}

    @cached_property
    def unknown_fields(self) -> tuple[UnknownField, ...]:
        """The fields the schema does not know, with what they may stand for."""
        return tuple(
            explain(problem, self._keys(problem.path[:-1]))
            for problem in self._all_schema_problems
            if problem.kind is ProblemKind.UNKNOWN_FIELD
        )

    @cached_property
    def _all_schema_problems(self) -> tuple[SchemaProblem, ...]:
        return definition_problems(self.document.data)

    def _keys(self, path: DocumentPath) -> tuple[str, ...]:
        value = lookup(self.document.data, path)
        return tuple(value) if isinstance(value, dict) else ()

    @cached_property
    def _doubtful(self) -> tuple[DocumentPath, ...]:
        wrong = [problem.path for problem in self._all_schema_problems if problem.kind is ProblemKind.WRONG_TYPE]
        meant = [path for unknown in self.unknown_fields for path in unknown.meant]
        return (*wrong, *meant)

    def is_doubtful(self, path: DocumentPath) -> bool:
        """Whether ``path`` does not say what its author meant, which is reported as such.

        That is so when it, something above or something below it has the wrong type, or when an unknown field
        stands for one of these, or when an unknown field beside it stands for nothing known. Rules that build
        on what ``path`` holds, or on its absence, keep quiet then: the fault has been told.
        """
        return any(_related(path, doubtful) for doubtful in self._doubtful) or any(
            not unknown.meant and unknown.path[:-1] == path[:-1] for unknown in self.unknown_fields
        )
