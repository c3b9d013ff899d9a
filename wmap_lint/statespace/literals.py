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
from wmap_lint.statespace.table import States, Table, truth

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

    @property
    def is_nowhere(self) -> bool:
        """Whether nothing has it, not even together with other things than are asked for."""
        return _is_nowhere(self.node, self.met)


class IdleNames:
    """The idle names of programs, in the ``possible`` states of ``table``."""

    def __init__(self, table: Table, possible: States) -> None:
        self.table = table
        self.possible = possible
        self._known: dict[str, tuple[int, ...]] = {}

    def of(self, text: str) -> Iterator[Idle]:
        """Those of a program that is true or false, one of each part of it, in the order they are written."""
        table = self.table
        formula = formula_of(text, table.space.names.place if table.has_plain_conditions else None)
        if formula is None or not self.possible:
            return
        for part in _parts(formula):
            names = list(_names(part.predicate_node if isinstance(part, Entries) else part.node))
            # The same question is asked by several matchers.
            if part.text not in self._known:
                found = self._of_entries(part, names) if isinstance(part, Entries) else self._of_test(part, names)
                self._known[part.text] = tuple(found)
            idle = [names[position] for position in self._known[part.text]]
            if idle:
                met = self._texts_of_entries() if isinstance(part, Entries) else table.texts(part.text)
                # One wrong name makes those beside it idle too: the one that is nowhere is to blame.
                yield Idle(next((each for each in idle if _is_nowhere(each, met)), idle[0]), met)

    def _of_entries(self, part: Entries, names: list[Name]) -> Iterator[int]:
        """Those of a question that is asked of each condition."""
        entries = [entry for states, entry in self.table.listed() if states]
        before = list(self.table.evaluate(part.predicate, entries))
        for position, name in enumerate(names):
            changed = unparse(_with(part.predicate_node, name))
            if list(self.table.evaluate(changed, entries)) == before:
                yield position

    def _of_test(self, part: Test, names: list[Name]) -> Iterator[int]:
        """Those of a question that is asked of the object."""
        if not names or self.table.ways(part.text) > _MOST_WAYS:
            return
        before = self.table.labelled(part.text, truth, among=self.possible)
        for position, name in enumerate(names):
            changed = unparse(bound(_with(part.node, name), part.scope))
            if self.table.labelled(changed, truth, among=self.possible) == before:
                yield position

    def _texts_of_entries(self) -> frozenset[str]:
        values = [value for _, entry in self.table.listed() if isinstance(entry, dict) for value in entry.values()]
        return frozenset(value for value in values if isinstance(value, str))


def _is_nowhere(name: Name, met: frozenset[str]) -> bool:
    return isinstance(name, ast.Literal) or name.literal not in met


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


__all__ = ["Idle", "IdleNames"]
