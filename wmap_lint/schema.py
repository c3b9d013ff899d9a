"""The JSON Schemas of ``schema/*.json``: where they are, what they allow, what a document breaks (floor 1).

The files serve editors as well, so they say more than is asked of them here: faults that lie between fields
(two pod spec shapes, an instance id without its selector) are in the schema for the squiggle in an editor,
and in a rule for the words. :func:`definition_problems` leaves them out, so each fault is reported once.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap_lint.paths import DocumentOrder, DocumentPath, written
from wmap_lint.plain_schema import keeps
from wmap_lint.record import Record
from wmap_lint.shipped import shipped
from wmap_lint.spelling import nearest

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

DEFINITION = "workloadmap"
"""Name of the schema of definitions."""

_MOST_SHOWN = 160

CROSS_FIELD_KEYWORDS = frozenset({"anyOf", "dependentRequired", "dependentSchemas", "then", "uniqueItems"})
"""Keywords of the definition schema whose faults a rule reports in better words."""


class ProblemKind(enum.Enum):
    """What is wrong, seen from the schema."""

    UNKNOWN_FIELD = "unknown-field"
    MISSING_FIELD = "missing-field"
    WRONG_TYPE = "wrong-type"
    NOT_ALLOWED = "not-allowed"


class SchemaProblem(Record):
    """One fault of one place.

    ``path`` leads to the unknown field itself, to the mapping that lacks a field, or to the offending value.
    ``name`` is the unknown or missing field. ``expected`` holds the fields known here (unknown field), the
    JSON types wanted (wrong type) or the values allowed, as JSON (``enum`` and ``const``). ``keyword`` is the
    schema keyword that was broken, ``limit`` its value (a count for ``minLength``), ``value`` what the
    document has and ``message`` the validator's own words, for schemas that no rule words better.
    """

    kind: ProblemKind
    path: DocumentPath
    keyword: str
    name: str | None = None
    expected: tuple[str, ...] = ()
    limit: object = None
    value: object = None
    message: str = ""


def schema_path(name: str) -> Path:
    """The file of schema ``name``; raises FileNotFoundError when there is none."""
    path = shipped("schema") / f"{name}.schema.json"
    if not path.is_file():
        raise FileNotFoundError(f"there is no schema named {name}")
    return path


@cache
def load_schema(name: str = DEFINITION) -> dict[str, Any]:
    """Schema ``name`` as plain data; shared, so treat it as read-only."""
    schema: dict[str, Any] = json.loads(schema_path(name).read_text(encoding="utf-8"))
    return schema


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # imported late: it costs more than checking a file

    return Draft202012Validator(_flat_schema(name))


@cache
def _flat_schema(name: str) -> dict[str, Any]:
    schema = load_schema(name)
    flat: dict[str, Any] = _inlined(schema, schema.get("$defs", {}))
    return flat


def _inlined(node: Any, definitions: dict[str, Any], inside: tuple[str, ...] = ()) -> Any:
    """``node`` with local references replaced by what they lead to: following one costs more than checking a field.

    A definition that refers to itself keeps its reference.
    """
    if isinstance(node, list):
        return [_inlined(item, definitions, inside) for item in node]
    if not isinstance(node, dict):
        return node
    name = str(node.get("$ref", "")).removeprefix("#/$defs/")
    if name in definitions and name not in inside:
        beside = {key: value for key, value in node.items() if key not in ("$ref", "description")}
        target = _inlined(definitions[name], definitions, (*inside, name))
        if not target.keys() & beside.keys():
            return {**target, **_inlined(beside, definitions, inside)}
    return {key: value if key == "$defs" else _inlined(value, definitions, inside) for key, value in node.items()}


def problems(name: str, data: object, skip: frozenset[str] = frozenset()) -> tuple[SchemaProblem, ...]:
    """What ``data`` breaks of schema ``name``, in document order, without consequences of other problems.

    Problems found by or below a keyword of ``skip`` are left out.
    """
    if keeps(_flat_schema(name), data, skip):
        return ()
    found: dict[tuple[DocumentPath, ProblemKind, object], SchemaProblem] = {}
    for error in _validator(name).iter_errors(data):
        if skip and not skip.isdisjoint(error.absolute_schema_path):
            continue
        for problem in _problems_of(error):
            found.setdefault((problem.path, problem.kind, problem.name), problem)
    # A value of the wrong type also breaks every other demand on it; that is no news.
    wrong = {problem.path for problem in found.values() if problem.kind is ProblemKind.WRONG_TYPE}
    order = DocumentOrder(data)
    return tuple(
        sorted(
            (
                problem
                for problem in found.values()
                if problem.kind is not ProblemKind.NOT_ALLOWED or problem.path not in wrong
            ),
            key=lambda problem: (order.key(problem.path), problem.kind.value, problem.name or ""),
        )
    )


def definition_problems(data: object) -> tuple[SchemaProblem, ...]:
    """What a definition breaks of its schema, faults between fields left to the rules that word them."""
    return problems(DEFINITION, data, CROSS_FIELD_KEYWORDS)


def _problems_of(error: ValidationError) -> Iterator[SchemaProblem]:
    path: DocumentPath = tuple(error.absolute_path)
    keyword = str(error.validator) if error.validator is not None else "false"
    value: Any = error.instance
    # The library's types allow for an error that no schema raised; these all come from one.
    limit: Any = error.validator_value
    schema: Any = error.schema
    message = error.message
    if keyword == "additionalProperties" and limit is False:
        known = tuple(schema.get("properties", ()))
        patterns = tuple(schema.get("patternProperties", ()))
        for key in value:
            if key not in known and not any(re.search(pattern, key) for pattern in patterns):
                yield SchemaProblem(
                    ProblemKind.UNKNOWN_FIELD,
                    (*path, key),
                    keyword,
                    name=key,
                    expected=known,
                    value=value[key],
                )
    elif keyword == "required":
        for key in limit:
            if key not in value:
                yield SchemaProblem(ProblemKind.MISSING_FIELD, path, keyword, name=key, value=value)
    elif keyword == "type":
        types = (limit,) if isinstance(limit, str) else tuple(limit)
        yield SchemaProblem(
            ProblemKind.WRONG_TYPE, path, keyword, expected=types, limit=limit, value=value, message=message
        )
    else:
        allowed: tuple[str, ...] = ()
        if keyword in {"enum", "const"}:
            choices: Iterable[object] = limit if keyword == "enum" else (limit,)
            allowed = tuple(json.dumps(choice, ensure_ascii=False) for choice in choices)
        yield SchemaProblem(
            ProblemKind.NOT_ALLOWED,
            path,
            keyword,
            expected=allowed,
            limit=limit,
            value=value,
            message=message,
        )


def _resolve(schema: dict[str, Any], node: object) -> dict[str, Any]:
    """``node`` with a reference into ``$defs`` followed."""
    while isinstance(node, dict) and isinstance(node.get("$ref"), str):
        node = schema["$defs"][node["$ref"].removeprefix("#/$defs/")]
    return node if isinstance(node, dict) else {}


def _node(path: DocumentPath, name: str) -> object:
    """The part of schema ``name`` for the value at ``path``, references not followed, if it has one."""
    schema = load_schema(name)
    node: object = schema
    for step in path:
        resolved = _resolve(schema, node)
        if isinstance(step, int):
            node = resolved.get("items")
        else:
            node = resolved.get("properties", {}).get(step, resolved.get("additionalProperties"))
    return node


def field_description(path: DocumentPath, name: str = DEFINITION) -> str:
    """What schema ``name`` says about the value at ``path``; '' where it says nothing."""
    node = _node(path, name)
    own = node.get("description") if isinstance(node, dict) else None
    return str(own or _resolve(load_schema(name), node).get("description", ""))


def field_type(path: DocumentPath, name: str = DEFINITION) -> str | None:
    """The JSON type that schema ``name`` wants at ``path``, if it wants one."""
    wanted = _resolve(load_schema(name), _node(path, name)).get("type")
    return wanted if isinstance(wanted, str) else None


@cache
def field_locations(name: str = DEFINITION) -> dict[str, tuple[DocumentPath, ...]]:
    """Every field of schema ``name``: its name to the paths of the mappings that know it.

    A position in a list is written ``"*"``. The schema must not be recursive.
    """
    schema = load_schema(name)
    found: dict[str, list[DocumentPath]] = {}

    def visit(node: object, path: DocumentPath) -> None:
        resolved = _resolve(schema, node)
        for key, value in resolved.get("properties", {}).items():
            found.setdefault(key, []).append(path)
            visit(value, (*path, key))
        if "items" in resolved:
            visit(resolved["items"], (*path, "*"))

    visit(schema, ())
    return {key: tuple(paths) for key, paths in found.items()}


def worded(problem: SchemaProblem, what: str) -> tuple[str, str | None]:
    """What a document that is ``what`` (``an expectation``) breaks, without full stop, and what to write."""
    where = f"`{written(problem.path)}`" if problem.path else what
    if problem.kind is ProblemKind.UNKNOWN_FIELD:
        close = nearest(str(problem.name), problem.expected)
        hint = f"Did you mean `{close[0]}`?" if close else _known(problem.expected)
        return f"`{problem.name}` is no field of {what} here", hint
    if problem.kind is ProblemKind.MISSING_FIELD:
        return f"{where[:1].upper()}{where[1:]} lacks `{problem.name}`", f"Add `{problem.name}`."
    if problem.kind is ProblemKind.WRONG_TYPE:
        return f"{where} has to be of type {' or '.join(problem.expected)}", None
    if problem.expected:
        values = [value.strip('"') for value in problem.expected]
        close = nearest(problem.value, values) if isinstance(problem.value, str) else ()
        hint = f"Did you mean `{close[0]}`?" if close else f"It can be {', '.join(values)}."
        return f"{where} cannot be {_cut(repr(problem.value))}", hint
    return f"{where} is not as it has to be: {_cut(problem.message.rstrip('.'))}", None


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


def _known(fields: Iterable[str]) -> str | None:
    names = ", ".join(f"`{name}`" for name in fields)
    return f"Known here: {names}." if names else None
