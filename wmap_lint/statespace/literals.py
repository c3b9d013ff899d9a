"""Names in an expression that no state meets: misspelt, or of something that the operator never writes (floor 3).

A name is *idle* when the part of the expression it stands in comes to the same in every state with any other name in
its place. In a guard that goes unnoticed: what is never true rules out nothing, and the states that it should have
ruled out may be few, or none in the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from wmap_lint.jq import ast
from wmap_lint.jq.unparse import unparse
from wmap_lint.record import Record, replace
from wmap_lint.statespace.formula import (
    Both,
    Bound,
    Choose,
    Either,
    Entries,
    Formula,
    Opposite,
    Test,
    bound,
    formula_of,
)
from wmap_lint.statespace.table import States, Table

Name = ast.String | ast.Literal
"""A text, or ``true`` or ``false``, that something is compared with."""

_NEVER = ast.String(("\N{REPLACEMENT CHARACTER}",))
_MOST_WAYS = 2000


class Idle(Record):
    """A name that no state meets. ``met`` are the texts that are there where it was looked for."""

    node: Name
    met: frozenset[str]

    @property
    def text(self) -> str:
        """The name as it is written."""
        return unparse(self.node)


def idle_names(text: str, table: Table, possible: States) -> Iterator[Idle]:
    """The idle names of a program that is true or false, one of each part of it, in the order they are written."""
    formula = formula_of(text, table.space.names.place if table.has_plain_conditions else None)
    if formula is None or not possible:
        return
    for part in _parts(formula):
        found = _idle_of_entries(part, table) if isinstance(part, Entries) else _idle_of_test(part, table, possible)
        # One wrong name makes those beside it idle too: the one that is nowhere is to blame.
        if found:
            yield next((each for each in found if each.text.strip('"') not in each.met), found[0])


def _parts(formula: Formula) -> Iterator[Test | Entries]:
    match formula:
        case Both(left, right, _) | Either(left, right, _):
            yield from _parts(left)
            yield from _parts(right)
        case Opposite(inner, _) | Bound(_, inner, _):
            yield from _parts(inner)
        case Choose(condition, then, otherwise, _):
            for each in (condition, then, otherwise):
                yield from _parts(each)
        case Test() | Entries():
            yield formula


def _names(node: ast.Node) -> Iterator[Name]:
    """The texts and truth values that are compared with ``==`` and ``!=``."""
    for each in node.walk():
        if isinstance(each, ast.Binary) and each.operator in ("==", "!="):
            for side in (each.left, each.right):
                yield from _alternatives(side)


def _alternatives(node: ast.Node) -> Iterator[Name]:
    match node:
        case ast.Comma(left, right):
            yield from _alternatives(left)
            yield from _alternatives(right)
        case ast.String() if node.literal is not None:
            yield node
        case ast.Literal(bool()):
            yield node


def _idle_of_entries(part: Entries, table: Table) -> list[Idle]:
    """Those of a question that is asked of each condition."""
    predicate = part.predicate_node
    entries = [entry for states, entry in table.listed() if states]
    before = table.evaluate(part.predicate, entries)
    values = [value for entry in entries if isinstance(entry, dict) for value in entry.values()]
    met = frozenset(value for value in values if isinstance(value, str))
    return [
        Idle(name, met)
        for name in _names(predicate)
        if list(table.evaluate(unparse(_with(predicate, name)), entries)) == list(before)
    ]


def _idle_of_test(part: Test, table: Table, possible: States) -> list[Idle]:
    """Those of a question that is asked of the object."""
    names = list(_names(part.node))
    if not names or table.ways(part.text) > _MOST_WAYS:
        return []
    before = table.labelled(part.text, repr, among=possible)
    found = []
    for name in names:
        changed = unparse(bound(_with(part.node, name), part.scope))
        if table.labelled(changed, repr, among=possible) == before:
            found.append(Idle(name, table.texts(part.text)))
    return found


def _with(node: ast.Node, name: Name) -> ast.Node:
    """``node`` with a name in the place of ``name`` that nothing has."""
    if node is name:
        return _NEVER
    changes: dict[str, object] = {}
    for field in node.record_fields:
        value = getattr(node, field)
        if isinstance(value, ast.Node):
            changes[field] = _with(value, name)
        elif isinstance(value, tuple):
            changes[field] = _within(value, name)
    return replace(node, **changes)


def _within(values: tuple[object, ...], name: Name) -> tuple[object, ...]:
    return tuple(
        _with(each, name) if isinstance(each, ast.Node) else _within(each, name) if isinstance(each, tuple) else each
        for each in values
    )


__all__ = ["Idle", "idle_names"]
