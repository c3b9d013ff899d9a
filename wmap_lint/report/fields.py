"""The outline of a kind: a line a field, for people, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from wmap_lint.definition import ResultType
from wmap_lint.jq.flow import path_text
from wmap_lint.outline import Field, Outline
from wmap_lint.report.closing import count
from wmap_lint.report.style import Style
from wmap_lint.shape import Shape

_MOST_VALUES = 8


def render_outline(found: Outline, style: Style) -> str:
    """The kind and where its schema is from, then the fields in two columns::

    JobSet v1alpha2  ·  jobsets.jobset.x-k8s.io  ·  crds/jobset.yaml
    .spec
    ├─ replicatedJobs[]      list of objects
    │  ├─ name *             string
    """
    lines = [_header(found, style), *_versions(found, style)]
    top = f"{path_text(found.path) if found.path else '.'}  {found.top.describe()}{_notes(found.top, style)}"
    lines.append(style.printable(top))
    rows = list(_rows(found.fields, style))
    column = min(max((len(lead) + len(name) for lead, name, _ in rows), default=0), style.width // 2) + 2
    for lead, name, text in rows:
        padding = " " * max(column - len(lead) - len(name), 2)
        lines.append(f"{style.paint(lead, 'frame')}{style.paint(name, 'bold')}{padding}{text}")
    if not rows:
        lines.append(style.paint("no fields are named here", "quiet"))
    for wanted, noun in ((ResultType.POD_TEMPLATE_SPEC, "pod templates"), (ResultType.POD_SPEC, "pod specs")):
        places = [path_text(path) for known, path in found.pods if known is wanted and path]
        if places:
            more = f" and {len(places) - _MOST_VALUES} more" if len(places) > _MOST_VALUES else ""
            lines += ["", style.paint(f"{noun}:", "bold")]
            lines += [f"  {style.printable(place)}" for place in places[:_MOST_VALUES]] + ([f" {more}"] if more else [])
    return "".join(f"{line}\n" for line in lines)


def _header(found: Outline, style: Style) -> str:
    schema = found.schema
    parts = [style.paint(f"{schema.kind} {schema.version}", "bold")]
    parts += ["Kubernetes' own"] if schema.crd is None else [schema.crd.name, style.printable(schema.crd.file)]
    return style.separator.join(parts)


def _versions(found: Outline, style: Style) -> Iterator[str]:
    crd = found.schema.crd
    if crd is not None and (len(crd.versions) > 1 or any(each.deprecated or not each.served for each in crd.versions)):
        words = (
            each.name
            + ("" if each.served else " (not served)")
            + (" (stored)" if each.storage else "")
            + (" (deprecated)" if each.deprecated else "")
            for each in crd.versions
        )
        yield style.paint(f"versions: {', '.join(words)}", "quiet")


def _rows(fields: tuple[Field, ...], style: Style) -> Iterator[tuple[str, str, str]]:
    """What is drawn before a name, the name, what is said of it."""
    branch, end, bar, space = ("├─ ", "└─ ", "│  ", "   ") if style.unicode else ("|- ", "`- ", "|  ", "   ")
    last_at: dict[int, int] = {}
    is_last = [False] * len(fields)
    for position in range(len(fields) - 1, -1, -1):
        level = fields[position].level
        is_last[position] = level not in last_at
        last_at[level] = position
        for deeper in [each for each in last_at if each > level]:
            del last_at[deeper]
    open_levels: list[bool] = []
    for position, field in enumerate(fields):
        del open_levels[field.level :]
        lead = "".join(bar if is_open else space for is_open in open_levels)
        lead += end if is_last[position] else branch
        open_levels.append(not is_last[position])
        yield lead, style.printable(f"{field.name}{' *' if field.required else ''}"), _described(field, style)


def _described(field: Field, style: Style) -> str:
    text = field.shape.describe() if field.known is None else f"{field.shape.describe()}, {field.known.value}"
    hidden = f" ({count(field.hidden, 'field')}{style.cut})" if field.hidden else ""
    return style.printable(text) + _notes(field.shape, style) + style.paint(hidden, "quiet")


def _notes(shape: Shape, style: Style) -> str:
    notes = []
    inner = shape.items if shape.kind == "array" and shape.items is not None else shape
    if inner.enum:
        values = [value if isinstance(value, str) else json.dumps(value) for value in inner.enum]
        shown = ", ".join(value or '""' for value in values[:_MOST_VALUES])
        notes.append(f": {style.printable(shown)}{f', {style.cut}' if len(values) > _MOST_VALUES else ''}")
    if inner.format:
        notes.append(f", {style.printable(inner.format)}")
    if inner.kind == "object" and inner.open:
        notes.append(", other fields allowed")
    if inner.is_pruned:
        notes.append(", keeps no fields")
    return style.paint("".join(notes), "quiet")


def outline_json(found: Outline) -> str:
    """The same for programs.

    ``{"version": 1, "kind": {"group", "version", "kind"}, "crd", "file", "path", "type", "fields": [{"path", "type",
    "required", "nullable", "enum", "format", "open", "is"}]}``: ``type`` is that of the schema (``object``, ``array``,
    ``int-or-string``, ``any``…), ``is`` the Kubernetes type it is recognised as; what is not there is null.
    """
    schema = found.schema
    answer = {
        "version": 1,
        "kind": {"group": schema.group, "version": schema.version, "kind": schema.kind},
        "crd": None if schema.crd is None else schema.crd.name,
        "file": schema.file,
        "path": path_text(found.path),
        "type": found.top.kind,
        "fields": [_as_data(field) for field in found.fields],
    }
    return json.dumps(answer, indent=2) + "\n"


def _as_data(field: Field) -> dict[str, Any]:
    return {
        "path": path_text(field.path),
        "type": field.shape.kind,
        "required": field.required,
        "nullable": field.shape.nullable,
        "enum": None if field.shape.enum is None else list(field.shape.enum),
        "format": field.shape.format,
        "open": field.shape.open,
        "is": None if field.known is None else field.known.value.removeprefix("a ").removeprefix("list of "),
    }
