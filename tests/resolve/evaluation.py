"""Definitions as data, and the outcomes of their expressions on an object by the real engine."""

from __future__ import annotations

import json
from typing import Any

from wmap_lint.definition import Component, Definition, Expression, StatusDefinition, load
from wmap_lint.jq.engine import Engine, Failure, FailureKind, Outcome
from wmap_lint.resolve import Outcomes
from wmap_lint.resolve.evaluation import by_expression, evaluate, plan
from wmap_lint.resolve.structure import ExtractionProblem, Instance, ProblemKind
from wmap_lint.resolve.values import ConversionError
from wmap_lint.source import read


def definition_of(data: object) -> Definition:
    reading = read(json.dumps(data), "definition.yaml")
    assert not reading.problems
    return load(reading.documents[0])


def with_root(**fields: Any) -> Definition:
    root = {"name": "widget", "kind": {"group": "example.com", "version": "v1", "kind": "Widget"}, **fields}
    return definition_of({"spec": {"structureDefinition": {"rootComponent": root}}})


def status_definition(**fields: Any) -> StatusDefinition:
    root = with_root(statusDefinition=fields).root
    assert root is not None
    assert root.status_definition is not None
    return root.status_definition


def component(**fields: Any) -> Component:
    root = with_root(**fields).root
    assert root is not None
    return root


def evaluated(engine: Engine, definition: Definition, subject: object) -> Outcomes:
    """The outcomes of all expressions about the workload, whether or not they are advisable."""
    texts = sorted({each.text for each in definition.expressions if each.slot.subject == "workload"})
    outcomes = dict(zip(texts, (row[0] for row in engine.evaluate(texts, [subject])), strict=True))

    def lookup(expression: Expression) -> Outcome:
        return outcomes[expression.text]

    return lookup


def error_class(failure: Failure | ConversionError) -> str:
    """The word for what went wrong that the recorded answers and the tables use."""
    if isinstance(failure, ConversionError):
        return "wrong-type"
    return {
        FailureKind.ERROR: "jq-runtime",
        FailureKind.COMPILE: "jq-compile",
        FailureKind.TOO_MANY: "too-many-results",
        FailureKind.SKIPPED: "refused",
    }[failure.kind]


def problem_class(problem: ExtractionProblem) -> str:
    if problem.kind in (ProblemKind.COUNT_MISMATCH, ProblemKind.EMPTY_INSTANCE_ID):
        return problem.kind.value
    assert problem.cause is not None
    return error_class(problem.cause)


def meaning(value: Any) -> Any:
    """A struct without what says nothing: nulls, empty texts and empty objects."""
    if isinstance(value, dict):
        slim = {key: meaning(each) for key, each in value.items()}
        return {key: each for key, each in slim.items() if each not in (None, "", {})}
    return [meaning(each) for each in value] if isinstance(value, list) else value


def rendered(instance: Instance) -> dict[str, Any]:
    scale = instance.scale
    shapes = {
        "podTemplateSpec": instance.pod_template_spec,
        "podSpec": instance.pod_spec,
        "fragmentedPodSpec": instance.fragments,
        "metadata": instance.metadata,
        "scale": None
        if scale is None
        else {
            "replicas": scale.replicas,
            "minReplicas": scale.min_replicas,
            "maxReplicas": scale.max_replicas,
        },
    }
    return {name: meaning(shape) for name, shape in shapes.items() if shape is not None}


def outcomes_of(engine: Engine, definition: Definition, subject: object) -> Outcomes:
    """The outcomes as consumers get them: what they could not compile is refused."""
    (programs,) = evaluate(engine, plan(definition).workload, [subject])
    return by_expression(programs)
