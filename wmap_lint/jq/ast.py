"""The syntax tree of a jq program (floor 0).

Every node knows the stretch ``[start, end)`` of the program it was written in, in code points. Positions and
parentheses do not take part in comparison: two programs are equal when they mean the same tree. There is no
node for parentheses; a node that stood in them says so (``parenthesised``), because a precedence mistake is
only a mistake where the author did not write them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields


@dataclass(frozen=True, slots=True)
class Node:
    """What all nodes have: where they stand."""

    start: int = field(default=0, compare=False, kw_only=True, repr=False)
    end: int = field(default=0, compare=False, kw_only=True, repr=False)
    parenthesised: bool = field(default=False, compare=False, kw_only=True, repr=False)

    def children(self) -> Iterator[Node]:
        """The nodes directly below this one, in the order they are written."""
        for item in fields(self):
            yield from _nodes_in(getattr(self, item.name))

    def walk(self) -> Iterator[Node]:
        """This node and every node below it, outermost first, in the order they are written."""
        pending: list[Node] = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(list(node.children())))


def _nodes_in(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes_in(item)


@dataclass(frozen=True, slots=True)
class Identity(Node):
    """``.``"""


@dataclass(frozen=True, slots=True)
class RecursiveDescent(Node):
    """``..``"""


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A number, or one of the words ``null``, ``true``, ``false``. ``text`` is the number as written."""

    value: int | float | bool | None
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Format(Node):
    """A format on its own, ``@base64``; ``name`` is without the at sign."""

    name: str


@dataclass(frozen=True, slots=True)
class Index(Node):
    """``target.name``, ``target."name"``, ``target[key]``; the first two have a :class:`String` as key."""

    target: Node
    key: Node


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """``target[first:last]``; one of the two bounds may be missing."""

    target: Node
    first: Node | None
    last: Node | None


@dataclass(frozen=True, slots=True)
class Iterate(Node):
    """``target[]``"""

    target: Node


@dataclass(frozen=True, slots=True)
class Optional(Node):
    """``target?``"""

    target: Node


@dataclass(frozen=True, slots=True)
class Array(Node):
    """``[body]``"""

    body: Node | None = None


@dataclass(frozen=True, slots=True)
class ObjectEntry(Node):
    """``key: value``, or ``key`` alone: then the value is taken from the input, or from the variable of that name."""

    key: Node
    value: Node | None = None


@dataclass(frozen=True, slots=True)
class Object(Node):
    """``{…}``"""

    entries: tuple[ObjectEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Negate(Node):
    """``-operand``"""

    operand: Node


@dataclass(frozen=True, slots=True)
class Pipe(Node):
    """``left | right``"""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Comma(Node):
    """``left, right``"""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """An operator that reads: ``//``, ``or``, ``and``, comparisons, arithmetic."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Assignment(Node):
    """An operator that writes: ``=``, ``|=``, ``+=``…"""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class If(Node):
    """``if … then … elif … then … else … end``; branches are (condition, result) pairs."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None = None


@dataclass(frozen=True, slots=True)
class Try(Node):
    """``try body catch handler``"""

    body: Node
    handler: Node | None = None


@dataclass(frozen=True, slots=True)
class VariablePattern(Node):
    """``$name`` on the left of a binding."""

    name: str


@dataclass(frozen=True, slots=True)
class ArrayPattern(Node):
    """``[pattern, …]``"""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class PatternEntry(Node):
    """``key: pattern``; the key is a :class:`VariablePattern` (which binds too), a string or a program."""

    key: Node
    pattern: Node | None = None


@dataclass(frozen=True, slots=True)
class ObjectPattern(Node):
    """``{key: pattern, …}``"""

    entries: tuple[PatternEntry, ...]


@dataclass(frozen=True, slots=True)
class Bind(Node):
    """``source as pattern ?// pattern | body``"""

    source: Node
    patterns: tuple[Node, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Reduce(Node):
    """``reduce source as pattern (initial; update)``"""

    source: Node
    patterns: tuple[Node, ...]
    initial: Node
    update: Node


@dataclass(frozen=True, slots=True)
class Foreach(Node):
    """``foreach source as pattern (initial; update; extract)``"""

    source: Node
    patterns: tuple[Node, ...]
    initial: Node
    update: Node
    extract: Node | None = None


@dataclass(frozen=True, slots=True)
class Label(Node):
    """``label $name | body``"""

    name: str
    body: Node


@dataclass(frozen=True, slots=True)
class Break(Node):
    """``break $name``"""

    name: str


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """``$name``"""

    name: str


@dataclass(frozen=True, slots=True)
class Location(Node):
    """``$__loc__``: the place in the program, which differs between engines."""


@dataclass(frozen=True, slots=True)
class Call(Node):
    """``name`` or ``name(argument; …)``; every argument is a program."""

    name: str
    arguments: tuple[Node, ...] = ()

    @property
    def signature(self) -> str:
        """``name/arity``, as jq writes it."""
        return f"{self.name}/{len(self.arguments)}"


@dataclass(frozen=True, slots=True)
class FunctionDefinition(Node):
    """``def name(parameter; $parameter): body;``; parameters keep their ``$``."""

    name: str
    parameters: tuple[str, ...]
    body: Node

    @property
    def signature(self) -> str:
        """``name/arity``, as jq writes it."""
        return f"{self.name}/{len(self.parameters)}"


@dataclass(frozen=True, slots=True)
class Define(Node):
    """A definition and the program that may use it."""

    definition: FunctionDefinition
    body: Node


@dataclass(frozen=True, slots=True)
class Import(Node):
    """``import "path" as name {metadata};`` or ``include "path";`` (``name`` None). The name keeps its ``$``."""

    path: String
    name: str | None
    metadata: Node | None = None


@dataclass(frozen=True, slots=True)
class Program(Node):
    """A whole program."""

    body: Node
    imports: tuple[Import, ...] = ()
    module: Node | None = None
