"""What a schema says of the JSON values at a place, reduced to what typing needs (floor 0).

An OpenAPI v3 schema as Kubernetes publishes it (`structural schemas
<https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema>`_)
is mostly descriptions and repeats: a pod template weighs 150 KB each time it is embedded. :func:`reduce_schema` keeps
what says something of types and shares what is equal, as a table of nodes that is plain JSON::

    {"t": "object", "p": {"name": 3, "labels": 7}, "r": ["name"]}      fields by name, the required ones
    {"t": "object", "a": 2}                                            a map of node 2
    {"t": "array", "i": 4}                                             a list of node 4
    {"t": "string", "e": ["Always", "Never"], "n": 1}                  an enumeration; null is allowed
    {"t": "integer"}  {"t": "int-or-string"}  {"t": "any"}
    {"t": "object", "p": {}, "o": 1}                                   open: fields that are not named are kept

:class:`Shape` is a node with its table. Shapes of a table are made once, so they are compared by identity.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

#: A node of a table, as above.
Node: TypeAlias = dict[str, Any]
#: JSON types as jq names them, for each type of a schema.
JSON_TYPES: Final[dict[str, frozenset[str]]] = {
    "object": frozenset({"object"}),
    "array": frozenset({"array"}),
    "string": frozenset({"string"}),
    "integer": frozenset({"number"}),
    "number": frozenset({"number"}),
    "boolean": frozenset({"boolean"}),
    "int-or-string": frozenset({"number", "string"}),
    "any": frozenset({"boolean", "number", "string", "array", "object"}),
}
#: No schema that Kubernetes accepts is as deep; what lies deeper reads as "any".
_MAX_DEPTH: Final = 100


class TableBuilder:
    """Nodes of a table, each distinct one once."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: dict[str, int] = {}

    def add(self, node: Node) -> int:
        """The number of ``node``, whose own numbers are those of this table."""
        key = json.dumps(node, sort_keys=True)
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.nodes)
            self.nodes.append(node)
        return number


def reduce_schema(schema: object, table: TableBuilder, keeps_unknown: bool = False, depth: int = 0) -> int:
    """Add ``schema``, an OpenAPI v3 schema without references, to ``table``; the number of its node.

    ``keeps_unknown`` says that nothing is pruned, whatever the schema says (``spec.preserveUnknownFields`` of a
    CustomResourceDefinition). What is not understood reads as "any", which is never wrong.
    """
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return table.add({"t": "any"})
    kind = schema.get("type")
    if schema.get("x-kubernetes-int-or-string") is True:
        kind = "int-or-string"
    if not isinstance(kind, str) or kind not in JSON_TYPES:
        return table.add({"t": "any"})
    node: Node = {"t": kind}
    if schema.get("nullable") is True:
        node["n"] = 1
    if values := _enumerated(schema):
        node["e"] = values
    if kind == "array":
        node["i"] = reduce_schema(schema.get("items"), table, keeps_unknown, depth + 1)
    elif kind == "object":
        _reduce_object(schema, node, table, keeps_unknown, depth)
    elif kind == "string" and isinstance(schema.get("format"), str):
        node["f"] = schema["format"]
    return table.add(node)


def _reduce_object(schema: Mapping[str, Any], node: Node, table: TableBuilder, keeps_unknown: bool, depth: int) -> None:
    fields = schema.get("properties")
    fields = dict(fields) if isinstance(fields, Mapping) else {}
    if schema.get("x-kubernetes-embedded-resource") is True:
        node["k"] = 1
        for name in ("apiVersion", "kind"):
            fields.setdefault(name, {"type": "string"})
    if fields:
        node["p"] = {name: reduce_schema(fields[name], table, keeps_unknown, depth + 1) for name in sorted(fields)}
    others = schema.get("additionalProperties")
    if isinstance(others, Mapping):
        node["a"] = reduce_schema(others, table, keeps_unknown, depth + 1)
    elif others is True or keeps_unknown or schema.get("x-kubernetes-preserve-unknown-fields") is True:
        node["o"] = 1
    required = schema.get("required")
    if isinstance(required, Sequence) and (named := sorted(name for name in required if name in fields)):
        node["r"] = named


def _enumerated(schema: Mapping[str, Any]) -> list[Any] | None:
    """The values that are allowed: those of ``enum``, and of every ``enum`` in ``allOf``."""
    found: list[Any] | None = None
    all_of = schema.get("allOf")
    for part in (schema, *(all_of if isinstance(all_of, Sequence) else ())):
        values = part.get("enum") if isinstance(part, Mapping) else None
        if isinstance(values, Sequence) and not isinstance(values, str):
            found = [value for value in values if found is None or value in found]
    return found


class ShapeTable:
    """A table of nodes, and the shapes made of it so far."""

    def __init__(self, nodes: Sequence[Node], metadata: Shape | None = None) -> None:
        self.nodes = nodes
        self.metadata = metadata
        """What ``metadata`` of an embedded object is."""
        self._shapes: dict[int, Shape] = {}

    def shape(self, number: int) -> Shape:
        """The shape of node ``number``."""
        found = self._shapes.get(number)
        if found is None:
            found = self._shapes[number] = Shape(self.nodes[number], self)
        return found


class Shape:
    """What is known of the values at a place.

    ``kind`` is the type of the schema, a key of :data:`JSON_TYPES`; ``types`` are the JSON types, without null.
    ``open`` is whether an object may have fields that are not named, of which nothing is known.
    """

    __slots__ = ("_node", "_replaced", "_table", "enum", "kind", "nullable", "open", "required", "types")

    def __init__(self, node: Node, table: ShapeTable, replaced: Mapping[str, Shape] | None = None) -> None:
        self._node = node
        self._table = table
        self._replaced = replaced or {}
        self.kind: str = node["t"]
        self.types = JSON_TYPES[self.kind]
        self.open: bool = bool(node.get("o")) or self.kind == "any"
        self.nullable = bool(node.get("n"))
        self.enum: tuple[Any, ...] | None = tuple(node["e"]) if "e" in node else None
        self.required: frozenset[str] = frozenset(node.get("r", ()))

    def __repr__(self) -> str:
        return f"<{self.describe()}>"

    @property
    def names(self) -> Sequence[str]:
        """The names of the fields."""
        own = self._node.get("p", {})
        return (*own, *(name for name in self._implied if name not in own))

    @property
    def _implied(self) -> Mapping[str, Shape]:
        if self._node.get("k") and self._table.metadata is not None:
            return {"metadata": self._table.metadata, **self._replaced}
        return self._replaced

    def field(self, name: str) -> Shape | None:
        """The shape of the field called ``name``, or of a member of the map; None when there is no such field."""
        implied = self._implied.get(name)
        if implied is not None:
            return implied
        number = self._node.get("p", {}).get(name)
        return self.members if number is None else self._table.shape(number)

    @property
    def fields(self) -> Iterator[tuple[str, Shape]]:
        """The fields that have names."""
        for name in self.names:
            shape = self.field(name)
            assert shape is not None
            yield name, shape

    @property
    def members(self) -> Shape | None:
        """The shape of what a map holds under any key; None when this is no map."""
        number = self._node.get("a")
        return None if number is None else self._table.shape(number)

    @property
    def items(self) -> Shape | None:
        """The shape of the elements of a list; None when this is no list, or nothing is known of them."""
        number = self._node.get("i")
        return None if number is None else self._table.shape(number)

    @property
    def is_any(self) -> bool:
        """Whether nothing at all is known."""
        return self.kind == "any"

    @property
    def is_pruned(self) -> bool:
        """Whether this is an object without any field: the API server drops all that is written into it."""
        return self.kind == "object" and not self.open and self.members is None and not self.names

    @property
    def format(self) -> str | None:
        """The format of a text, ``date-time``."""
        found = self._node.get("f")
        return found if isinstance(found, str) else None

    def having(self, **fields: Shape) -> Shape:
        """The same object, which always has ``fields``."""
        changed = Shape(self._node, self._table, {**self._replaced, **fields})
        changed.required = self.required | fields.keys()
        return changed

    def describe(self) -> str:
        """A noun: ``object``, ``list of objects``, ``map of strings``, ``integer or string``."""
        if self.kind == "array":
            items = self.items
            return "list" if items is None or items.is_any else f"list of {_PLURALS.get(items.kind, 'values')}"
        if self.kind == "object":
            members = self.members
            return "object" if members is None else f"map of {_PLURALS.get(members.kind, 'values')}"
        return {"int-or-string": "integer or string", "any": "any value"}.get(self.kind, self.kind)


_PLURALS: Final = {
    "object": "objects",
    "array": "lists",
    "string": "strings",
    "integer": "integers",
    "number": "numbers",
    "boolean": "booleans",
    "int-or-string": "integers or strings",
}

#: What is known of a value of which nothing is known.
ANY: Final = ShapeTable([{"t": "any"}]).shape(0)


def text_of(*values: str) -> Shape:
    """A string that is one of ``values``."""
    return ShapeTable([{"t": "string", "e": list(values)}]).shape(0)
