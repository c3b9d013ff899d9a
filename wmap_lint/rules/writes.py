"""Family WM8, the part that needs no object: what consumers write into a workload."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NoReturn

from wmap_lint.definition import Slot
from wmap_lint.diagnostic import Edit, Fix, Severity
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.rules.context import Context
from wmap_lint.rules.jq_rules import has_wrong_type
from wmap_lint.rules.registry import Finding, rule


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


@rule("WM801", "path-not-assignable", Severity.ERROR, "Consumers cannot write through a path.")
def path_not_assignable(context: Context) -> Iterable[Finding]:
    """They run ``(path) = $value``: each result has to be a place in the object, not something computed."""
    for expression in context.definition.expressions:
        analysis = analyse(expression.text)
        if not isinstance(analysis, Analysis) or not analysis.runnable or analysis.obstacle is None:
            continue
        acted = expression.slot in (Slot.SUSPEND_PATH, Slot.RESUME_PATH)
        if not expression.slot.written or (not acted and has_wrong_type(expression, analysis)):
            continue
        node = analysis.obstacle.node
        text = " ".join(analysis.text[node.start : node.end].split())
        fails = "suspending or resuming fails" if acted else "consumers that update pods fail"
        if analysis.obstacle.only_when_unset:
            when = f"exactly while the field is unset, {fails}"
            hint = "Leave the default out: an absent field is created."
        else:
            when = fails
            hint = "Write a path: fields, `[]`, `select(…)`, `first(…)`, `if`, `//` between paths."
        yield Finding(
            expression.span(node.start, node.end),
            f"`{text}` is no place in the object that a value can be written to, so {when}.",
            hint,
            severity=None if acted else Severity.WARNING,
        )


@rule(
    "WM810",
    "suspend-value-not-json",
    Severity.ERROR,
    "The value of a suspend or resume action is no JSON text.",
)
def suspend_value_not_json(context: Context) -> Iterable[Finding]:
    """The value is decoded as JSON when the action runs, and nothing checks it before."""
    for component in context.definition.components:
        suspend = component.suspend_definition
        for action in (*suspend.suspend_actions, *suspend.resume_actions) if suspend else ():
            value = action.value
            if value is None or _is_json(value):
                continue
            span = action.span("value")
            spelling = {"True": "true", "False": "false", "None": "null", "Null": "null", "NULL": "null"}
            if value.strip() in spelling:
                meant = spelling[value.strip()]
                written = f'"{meant}"'
            else:
                meant = json.dumps(value, ensure_ascii=False)
                written = "'" + meant.replace("'", "''") + "'"
            yield Finding(
                span,
                f"{value!r} is no JSON: the value is decoded as JSON when the workload is suspended or "
                "resumed, which fails then, and no validator notices before.",
                f"Write {written}"
                + (" (a JSON string keeps its own quotes inside the YAML ones)." if meant.startswith('"') else "."),
                fix=Fix(f"Write the value as the JSON text {meant}", (Edit(span, written),)),
            )
