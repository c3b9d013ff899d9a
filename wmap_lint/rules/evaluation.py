"""The expressions of a definition on its fixtures: what the rules about fixtures look up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wmap_lint.definition import Definition, Expression
from wmap_lint.fixtures import Corpus, Scenario
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.engine import Engine, Failure, FailureKind, Outcome
from wmap_lint.resolve import Outcomes

NOT_RUN = Failure(FailureKind.SKIPPED, "the expression was not evaluated")
"""The outcome of an expression that may not be run: another rule says why."""


def is_runnable(expression: Expression) -> bool:
    """Whether the expression may be handed to the engine at all."""
    analysis = analyse(expression.text)
    return isinstance(analysis, Analysis) and analysis.runnable


class Evaluations:
    """Outcomes of every runnable expression: of those about the workload on every scenario's, of those about
    pods on every recorded pod. Both take one call of the engine.

    Without scenarios, or without pods, the expressions meet one probe, an object that is as good as empty:
    then only those outcomes count that no object can make good.
    """

    def __init__(self, engine: Engine, definition: Definition, corpus: Corpus) -> None:
        self.scenarios = corpus.scenarios
        self.pods: tuple[tuple[Scenario, Mapping[str, Any]], ...] = tuple(
            (scenario, pod) for scenario in corpus.scenarios for pod in scenario.pods
        )
        self._positions = {id(scenario): position for position, scenario in enumerate(self.scenarios)}
        runnable = [expression for expression in definition.expressions if is_runnable(expression)]
        workloads = [scenario.workload for scenario in self.scenarios] or [_probe(definition)]
        pods = [pod for _, pod in self.pods] or [_PROBE_POD]
        self._workload = _evaluate(engine, [each for each in runnable if each.slot.subject == "workload"], workloads)
        self._pod = _evaluate(engine, [each for each in runnable if each.slot.subject == "pod"], pods)

    def is_on_probe(self, expression: Expression) -> bool:
        """Whether the outcomes of ``expression`` are those on a probe."""
        return not (self.scenarios if expression.slot.subject == "workload" else self.pods)

    def of(self, expression: Expression) -> Sequence[Outcome]:
        """The outcomes of ``expression``, in the order of :attr:`scenarios` or :attr:`pods`; none if not run."""
        outcomes = self._workload if expression.slot.subject == "workload" else self._pod
        return outcomes.get(expression.text, ())

    def on(self, scenario: Scenario) -> Outcomes:
        """The outcomes of all expressions about the workload on that of ``scenario``."""
        position = self._positions[id(scenario)]

        def lookup(expression: Expression) -> Outcome:
            outcomes = self._workload.get(expression.text)
            return NOT_RUN if outcomes is None else outcomes[position]

        return lookup


def _evaluate(
    engine: Engine, expressions: Iterable[Expression], inputs: Sequence[object]
) -> Mapping[str, Sequence[Outcome]]:
    texts = list(dict.fromkeys(expression.text for expression in expressions))
    return dict(zip(texts, engine.evaluate(texts, inputs), strict=True)) if texts else {}


_PROBE_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "probe", "namespace": "default"},
    "spec": {"containers": [{"name": "main", "image": "main"}]},
    "status": {},
}


def _probe(definition: Definition) -> Mapping[str, object]:
    kind = definition.gvk
    return {
        "apiVersion": "v1" if kind is None else kind.api_version,
        "kind": "Object" if kind is None else kind.kind,
        "metadata": {"name": "probe", "namespace": "default"},
        "spec": {},
    }
