"""A jq program taken apart where it says ``and``, ``or``, ``not``, so that each part can be answered once (floor 3).

Parts depend on little of an object. What a program comes to in thousands of states is put together from what its
parts come to in a few. Where a part gives anything but one result, or fails, the whole program is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from wmap_lint.jq import ast
from wmap_lint.jq.parser import JqSyntaxError, parse
from wmap_lint.jq.plain import plain_path
from wmap_lint.jq.unparse import unparse
from wmap_lint.record import Record, extra
from wmap_lint.resolve.writes import Place


class Test(Record):
    """Whether the one result of a program is neither null nor false. ``node`` is the part of the expression."""

    __test__ = False

    text: str
    node: ast.Node
    scope: Mapping[str, ast.Bind] = extra(default=MappingProxyType({}), kw_only=True)
    """What the variables of ``node`` are bound to."""


class Entries(Record):
    """Whether ``predicate`` holds for ``any``, or ``all``, of the conditions."""

    quantifier: str
    predicate: str
    text: str
    node: ast.Node

    @property
    def predicate_node(self) -> ast.Node:
        """The predicate as a part of the expression."""
        call = self.node.right if isinstance(self.node, ast.Pipe) else self.node
        assert isinstance(call, ast.Call)
        return call.arguments[-1]


class Both(Record):
    """``and``"""

    left: Formula
    right: Formula
    node: ast.Node


class Either(Record):
    """``or``"""

    left: Formula
    right: Formula
    node: ast.Node


class Opposite(Record):
    """``not``"""

    formula: Formula
    node: ast.Node


class Choose(Record):
    """``if`` with both branches."""

    condition: Formula
    then: Formula
    otherwise: Formula
    node: ast.Node


class Bound(Record):
    """``source as $name | body``: what ``body`` is, as long as ``source`` gives one result."""

    source: str
    body: Formula
    node: ast.Node


Formula: TypeAlias = Test | Entries | Both | Either | Opposite | Choose | Bound


@lru_cache(maxsize=1024)
def formula_of(text: str, conditions: Place | None) -> Formula | None:
    """``text`` taken apart, when its results are certainly true or false; None for any other program."""
    try:
        program = parse(text)
    except JqSyntaxError:
        return None
    if program.imports or program.module is not None:
        return None
    reader = _Reader(conditions)
    body = program.body
    while isinstance(body, ast.Bind):
        body = body.body
    return reader.read(program.body, {}) if _is_boolean(body) else None


def _is_boolean(node: ast.Node) -> bool:
    match node:
        case ast.Binary(operator, _, _):
            return operator in _BOOLEAN
        case ast.Pipe(_, right):
            return _is_boolean(right)
        case ast.Call(name, arguments):
            return (name, len(arguments)) in _PREDICATES
        case ast.Literal(value):
            return isinstance(value, bool)
        case ast.If(branches, otherwise):
            return otherwise is not None and all(map(_is_boolean, [otherwise, *(result for _, result in branches)]))
    return False


_BOOLEAN = frozenset({"and", "or", "==", "!=", "<", "<=", ">", ">="})
_PREDICATES = frozenset(
    {("not", 0), ("any", 0), ("any", 1), ("any", 2), ("all", 0), ("all", 1), ("all", 2), ("has", 1), ("test", 1)}
    | {("startswith", 1), ("endswith", 1), ("contains", 1), ("isempty", 1), ("inside", 1)}
)

_Scope = Mapping[str, ast.Bind]


class _Reader:
    def __init__(self, conditions: Place | None) -> None:
        self.conditions = conditions

    def read(self, node: ast.Node, scope: _Scope) -> Formula:
        match node:
            case ast.Binary("and", left, right):
                return Both(self.read(left, scope), self.read(right, scope), node)
            case ast.Binary("or", left, right):
                return Either(self.read(left, scope), self.read(right, scope), node)
            case ast.Pipe(left, ast.Call("not", ())):
                return Opposite(self.read(left, scope), node)
            case ast.If(((condition, then),), otherwise) if otherwise is not None:
                return Choose(self.read(condition, scope), self.read(then, scope), self.read(otherwise, scope), node)
            case ast.Bind(source, (ast.VariablePattern(name),), body):
                inner = {key: value for key, value in scope.items() if key != name}
                return Bound(_text(source, scope), self.read(body, {**inner, name: node}), node)
        entries = self.entries(node)
        if entries is not None:
            return Entries(entries[0], entries[1], _text(node, scope), node)
        return Test(_text(node, scope), node, scope=scope)

    def entries(self, node: ast.Node) -> tuple[str, str] | None:
        """The quantifier and the predicate, when ``node`` asks something of each condition, and of nothing else."""
        match node:
            case ast.Call("any" | "all" as name, (source, predicate)):
                listed = self.is_list(source)
            case ast.Pipe(source, ast.Call("any" | "all" as name, (predicate,))):
                listed = _is_default_empty(source) and self.is_path(source)
            case _:
                return None
        if not listed or any(isinstance(each, ast.Variable | ast.Break) for each in predicate.walk()):
            return None
        return name, unparse(predicate)

    def is_list(self, node: ast.Node) -> bool:
        """``.status.conditions[]?`` or ``(.status.conditions // [])[]``, which never fail."""
        match node:
            case ast.Optional(ast.Iterate(target)):
                return self.is_path(target)
            case ast.Iterate(target):
                return _is_default_empty(target) and self.is_path(target)
        return False

    def is_path(self, node: ast.Node) -> bool:
        if isinstance(node, ast.Binary) and _is_default_empty(node):
            node = node.left
        keys = plain_path(node)
        return keys is not None and self.conditions is not None and tuple(keys) == self.conditions


def _is_default_empty(node: ast.Node) -> bool:
    return isinstance(node, ast.Binary) and node.operator == "//" and node.right == ast.Array(None)


def _text(node: ast.Node, scope: _Scope) -> str:
    """The text of ``node`` with the bindings that it needs around it."""
    return unparse(bound(node, scope))


def bound(node: ast.Node, scope: _Scope) -> ast.Node:
    """``node`` with the bindings of ``scope`` that it needs around it."""
    needed: set[str] = set()
    pending = [node]
    while pending:
        for each in pending.pop().walk():
            if isinstance(each, ast.Variable) and each.name in scope and each.name not in needed:
                needed.add(each.name)
                pending.append(scope[each.name].source)
    # Outermost first, as they were written.
    for name in reversed([each for each in scope if each in needed]):
        binding = scope[name]
        node = ast.Bind(binding.source, binding.patterns, node)
    return node


__all__ = ["Both", "Bound", "Choose", "Either", "Entries", "Formula", "Opposite", "Test", "bound", "formula_of"]
