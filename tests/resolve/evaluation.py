"""Definitions as data, and the outcomes of their expressions on an object by the real engine."""

from __future__ import annotations

import json
from typing import Any

from wmap_lint.definition import Component, Definition, Expression, StatusDefinition, load
from wmap_lint.jq.engine import Engine, Outcome
from wmap_lint.resolve import Outcomes
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
