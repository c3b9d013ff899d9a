"""A status definition made of plain data, and evaluation of one program on some objects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wmap_lint.definition import StatusDefinition, load
from wmap_lint.jq.engine import Engine, Outcome
from wmap_lint.resolve.evaluation import evaluate
from wmap_lint.source import read
from wmap_lint.statespace.space import ConditionNames
from wmap_lint.statespace.table import Evaluate

STATUS = ["initializing", "running", "completed", "failed", "degraded", "suspending", "suspended", "resuming"]
CONDITIONS = ConditionNames()


def status_of(mappings: Mapping[str, Any]) -> StatusDefinition:
    """A definition of a kind with a phase and conditions."""
    status = {
        "phaseDefinition": {"path": ".status.phase"},
        "conditionsDefinition": {
            "path": ".status.conditions",
            "typeFieldName": "type",
            "statusFieldName": "status",
            "reasonFieldName": "reason",
        },
        "statusMappings": mappings,
    }
    root = {"name": "widget", "kind": {"group": "x", "version": "v1", "kind": "Widget"}, "statusDefinition": status}
    text = json.dumps(
        {
            "apiVersion": "run.ai/v1alpha1",
            "kind": "WorkloadMap",
            "metadata": {"name": "widget"},
            "spec": {"structureDefinition": {"rootComponent": root}},
        }
    )
    (document,) = read(text, "widget.yaml").documents
    found = load(document).root
    assert found is not None
    assert found.status_definition is not None
    return found.status_definition


def evaluate_with(engine: Engine) -> Evaluate:
    """The outcomes of one program on some objects."""

    def outcomes(text: str, objects: Sequence[Any]) -> list[Outcome]:
        return [programs(text) for programs in evaluate(engine, [text], objects)]

    return outcomes
