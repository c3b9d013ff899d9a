"""The expressions of a definition on its fixtures: what the rules about fixtures look up."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from wmap_lint.definition import Definition, Expression
from wmap_lint.fixtures import Corpus, Scenario
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.engine import Engine, Outcome
from wmap_lint.resolve import Outcomes
from wmap_lint.resolve.evaluation import Programs, by_expression, evaluate, plan, refusal
from wmap_lint.resolve.pods import typed
from wmap_lint.resolve.writes import is_plain, path_program


def is_runnable(expression: Expression) -> bool:
    """Whether the expression is run at all, and means for consumers what it means here."""
    analysis = analyse(expression.text)
    return isinstance(analysis, Analysis) and analysis.runnable and refusal(expression.text) is None


class Evaluations:
    """Outcomes of every runnable expression: of those about the workload on every scenario's, of those about
    pods on every recorded pod. Each of the two takes one call of the engine.

    Without scenarios, or without pods, the expressions meet one probe, an object that is as good as empty:
    then only those outcomes count that no object can make good.
    """

    def __init__(self, engine: Engine, definition: Definition, corpus: Corpus) -> None:
        self.scenarios = corpus.scenarios
        self.pods: tuple[tuple[Scenario, Mapping[str, Any]], ...] = tuple(
            (scenario, pod) for scenario in corpus.scenarios for pod in scenario.pods
        )
        self._positions = {id(scenario): position for position, scenario in enumerate(self.scenarios)}
        self.engine = engine
        # Also what the interpreter does not need: rules judge paths that are only written to, and selectors alone.
        workload = dict.fromkeys(each.text for each in definition.expressions if each.slot.subject == "workload")
        pod = dict.fromkeys(each.text for each in definition.expressions if each.slot.subject == "pod")
        pod.update(dict.fromkeys(plan(definition).pod))
        # Where consumers would write. What only walks down gives as many places as values: that is not asked.
        places = (
            path_program(each.text)
            for each in definition.expressions
            if each.slot.written and is_runnable(each) and not is_plain(each.text)
        )
        self._programs = tuple(dict.fromkeys((*workload, *places)))
        workloads = [scenario.workload for scenario in self.scenarios] or [_probe(definition)]
        # The same pod is in many scenarios.
        pods = {id(pod): typed(pod) for _, pod in self.pods} or {0: _PROBE_POD}
        with _ONE_AT_A_TIME:
            self._workloads = evaluate(engine, self._programs, workloads)
            found = dict(zip(pods, evaluate(engine, tuple(pod), list(pods.values())), strict=True))
        self._pods = [found[id(pod)] for _, pod in self.pods] or [*found.values()]

    def is_on_probe(self, expression: Expression) -> bool:
        """Whether the outcomes of ``expression`` are those on a probe."""
        return not (self.scenarios if expression.slot.subject == "workload" else self.pods)

    def of(self, expression: Expression) -> Sequence[Outcome]:
        """The outcomes of ``expression``, in the order of :attr:`scenarios` or :attr:`pods`, or on the probe."""
        subjects = self._workloads if expression.slot.subject == "workload" else self._pods
        return [programs(expression.text) for programs in subjects]

    def on(self, scenario: Scenario) -> Outcomes:
        """The outcomes of all expressions about the workload on that of ``scenario``."""
        return by_expression(self._workloads[self._positions[id(scenario)]])

    def places(self, expression: Expression, scenario: Scenario) -> Outcome:
        """The places that a written expression, one that :func:`is_plain` does not vouch for, gives on a workload."""
        return self._workloads[self._positions[id(scenario)]](path_program(expression.text))

    def on_others(self, workloads: Sequence[Any]) -> list[Outcomes]:
        """The outcomes of all expressions about the workload on other objects, through one more call."""
        with _ONE_AT_A_TIME:
            # The same programs as before: the worker has them compiled.
            return [by_expression(each) for each in evaluate(self.engine, self._programs, workloads)]

    def outcomes_on(self, text: str, objects: Sequence[Any]) -> list[Outcome]:
        """The outcomes on any objects of a program that can be run, or a part of one."""
        with _ONE_AT_A_TIME:
            return [programs(text) for programs in evaluate(self.engine, [text], objects, checked=True)]

    def places_on(self, requests: Sequence[tuple[str, Any]]) -> list[Outcome]:
        """The places that each program gives in the object beside it."""
        texts = list(dict.fromkeys(path_program(text) for text, _ in requests))
        objects = {id(item): item for _, item in requests}
        with _ONE_AT_A_TIME:
            rows = evaluate(self.engine, texts, list(objects.values()))
        found = dict(zip(objects, rows, strict=True))
        return [found[id(item)](path_program(text)) for text, item in requests]

    def pods_of(self, scenario: Scenario) -> list[tuple[Mapping[str, Any], Programs]]:
        """The recorded pods of ``scenario``, each with the outcomes of all programs that read it."""
        return self._pods_by_scenario.get(id(scenario), [])

    @cached_property
    def _pods_by_scenario(self) -> dict[int, list[tuple[Mapping[str, Any], Programs]]]:
        found: dict[int, list[tuple[Mapping[str, Any], Programs]]] = {}
        for (scenario, pod), programs in zip(self.pods, self._pods, strict=False):  # without pods there is a probe
            found.setdefault(id(scenario), []).append((pod, programs))
        return found


_ONE_AT_A_TIME = threading.Lock()  # an engine does not serve several threads

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
