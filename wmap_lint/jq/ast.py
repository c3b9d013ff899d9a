"""The syntax tree of a jq program (floor 0).

Every node knows the stretch ``[start, end)`` of the program it was written in, in code points. Positions and
parentheses do not take part in comparison: two programs are equal when they mean the same tree. There is no
node for parentheses; a node that stood in them says so (``parenthesised``), because a precedence mistake is
only a mistake where the author did not write them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from wmap_lint.record import Record, compiled, extra


class Node(Record):
    """What all nodes have: where they stand."""

    start: int = extra(default=0, kw_only=True)
    end: int = extra(default=0, kw_only=True)
    parenthesised: bool = extra(default=False, kw_only=True)

    def children(self) -> Iterator[Node]:
        """The nodes directly below this one, in the order they are written."""
        for name in self.record_fields:
            value = self.__dict__[name]
            if isinstance(value, Node):
                yield value
            elif isinstance(value, tuple):
                yield from _nodes_in(value)

    def walk(self) -> Iterator[Node]:
        """This node and every node below it, outermost first, in the order they are written."""
        pending: list[Node] = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(list(node.children())))


def _nodes_in(values: tuple[object, ...]) -> Iterator[Node]:
    for value in values:
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from _nodes_in(value)


@compiled
class Identity(Node):
    """``.``"""


class RecursiveDescent(Node):
    """``..``"""


@compiled
class Literal(Node):
    """A number, or one of the words ``null``, ``true``, ``false``. ``text`` is the number as written."""

    value: int | float | bool | None
    text: str = extra(default="", kw_only=True)

    def _content(self) -> tuple[object, ...]:
        # In Python true is 1; in jq it is not.
        return (isinstance(self.value, bool), self.value)


@compiled
class String(Node):
    """A string: literal text and interpolated programs in turn, with the format (``@base64``) it is written with.

    Adjacent texts are merged and empty ones dropped, so ``""`` has no parts.
    """

    parts: tuple[str | Node, ...] = ()
    format: str | None = None

    @property
    def literal(self) -> str | None:
        """The text, when nothing is interpolated."""
        if not self.parts:
            return ""
        if len(self.parts) == 1 and isinstance(self.parts[0], str):
            return self.parts[0]
        return None


class Format(Node):
    """A format on its own, ``@base64``; ``name`` is without the at sign."""

    name: str


@compiled
class Index(Node):
    """``target.name``, ``target."name"``, ``target[key]``; the first two have a :class:`String` as key."""

    target: Node
    key: Node


class Slice(Node):
    """``target[first:last]``; one of the two bounds may be missing."""

    target: Node
    first: Node | None
    last: Node | None


class Iterate(Node):
    """``target[]``"""

    target: Node


class Optional(Node):
    """``target?``"""

    target: Node


class Array(Node):
    """``[body]``"""

    body: Node | None = None


class ObjectEntry(Node):
    """``key: value``, or ``key`` alone: then the value is taken from the input, or from the variable of that name."""

    key: Node
    value: Node | None = None


class Object(Node):
    """``{…}``"""

    entries: tuple[ObjectEntry, ...] = ()


class Negate(Node):
    """``-operand``"""

    operand: Node


@compiled
class Pipe(Node):
    """``left | right``"""

    left: Node
    right: Node


class Comma(Node):
    """``left, right``"""

    left: Node
    right: Node


@compiled
class Binary(Node):
    """An operator that reads: ``//``, ``or``, ``and``, comparisons, arithmetic."""

    operator: str
    left: Node
    right: Node


class Assignment(Node):
    """An operator that writes: ``=``, ``|=``, ``+=``…"""

    operator: str
    left: Node
    right: Node


class If(Node):
    """``if … then … elif … then … else … end``; branches are (condition, result) pairs."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None = None


class Try(Node):
    """``try body catch handler``"""

    body: Node
    handler: Node | None = None


class VariablePattern(Node):
    """``$name`` on the left of a binding."""

    name: str


class ArrayPattern(Node):
    """``[pattern, …]``"""

    items: tuple[Node, ...]


class PatternEntry(Node):
    """``key: pattern``; the key is a :class:`VariablePattern` (which binds too), a string or a program."""

    key: Node
    pattern: Node | None = None


class ObjectPattern(Node):
    """``{key: pattern, …}``"""

    entries: tuple[PatternEntry, ...]


class Bind(Node):
    """``source as pattern ?// pattern | body``"""

    source: Node
    patterns: tuple[Node, ...]
    body: Node


class Reduce(Node):
    """``reduce source as pattern (initial; update)``"""

    source: Node
    patterns: tuple[Node, ...]
    initial: Node
    update: Node


class Foreach(Node):
    """``foreach source as pattern (initial; update; extract)``"""

    source: Node
    patterns: tuple[Node, ...]
    initial: Node
    update: Node
    extract: Node | None = None


class Label(Node):
    """``label $name | body``"""

    name: str
    body: Node


class Break(Node):
    """``break $name``"""

    name: str


class Variable(Node):
    """``$name``"""

    name: str


class Location(Node):
    """``$__loc__``: the place in the program, which differs between engines."""


@compiled
class Call(Node):
    """``name`` or ``name(argument; …)``; every argument is a program."""

    name: str
    arguments: tuple[Node, ...] = ()

    @property
    def signature(self) -> str:
        """``name/arity``, as jq writes it."""
        return f"{self.name}/{len(self.arguments)}"


class FunctionDefinition(Node):
    """``def name(parameter; $parameter): body;``; parameters keep their ``$``."""

    name: str
    parameters: tuple[str, ...]
    body: Node

    @property
    def signature(self) -> str:
        """``name/arity``, as jq writes it."""
        return f"{self.name}/{len(self.parameters)}"


class Define(Node):
    """A definition and the program that may use it."""

    definition: FunctionDefinition
    body: Node


class Import(Node):
    """``import "path" as name {metadata};`` or ``include "path";`` (``name`` None). The name keeps its ``$``."""

    path: String
    name: str | None
    metadata: Node | None = None


class Program(Node):
    """A whole program."""

    body: Node
    imports: tuple[Import, ...] = ()
    module: Node | None = None

    @functools.cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every node of the main expression, outermost first, in the order they are written."""
        return tuple(self.body.walk())
