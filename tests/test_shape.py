from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.crds import CONTAINER, POD_TEMPLATE, WIDGET, a_list, a_map, an_object
from wmap_lint.shape import ANY, Shape, ShapeTable, TableBuilder, reduce_schema, text_of


def shape_of(schema: object, keeps_unknown: bool = False) -> Shape:
    table = TableBuilder()
    number = reduce_schema(schema, table, keeps_unknown)
    # What is kept is JSON, so it survives the cache.
    return ShapeTable(json.loads(json.dumps(table.nodes))).shape(number)


@pytest.mark.parametrize(
    ("schema", "kind", "types", "noun"),
    [
        ({"type": "string"}, "string", "string", "string"),
        ({"type": "integer"}, "integer", "number", "integer"),
        ({"type": "number"}, "number", "number", "number"),
        ({"type": "boolean"}, "boolean", "boolean", "boolean"),
        (an_object(a={"type": "string"}), "object", "object", "object"),
        (a_map({"type": "string"}), "object", "object", "map of strings"),
        (a_map({"x-kubernetes-preserve-unknown-fields": True}), "object", "object", "map of values"),
        (a_list(an_object()), "array", "array", "list of objects"),
        ({"type": "array"}, "array", "array", "list"),
        ({"x-kubernetes-int-or-string": True, "anyOf": []}, "int-or-string", "number string", "integer or string"),
        ({"x-kubernetes-preserve-unknown-fields": True}, "any", "array boolean number object string", "any value"),
        ({}, "any", "array boolean number object string", "any value"),
        (None, "any", "array boolean number object string", "any value"),
        ({"type": ["string", "null"]}, "any", "array boolean number object string", "any value"),
        ({"type": "strnig"}, "any", "array boolean number object string", "any value"),
    ],
)
def test_kinds(schema: object, kind: str, types: str, noun: str) -> None:
    shape = shape_of(schema)
    assert (shape.kind, sorted(shape.types), shape.describe()) == (kind, types.split(), noun)


def test_fields() -> None:
    shape = shape_of({**an_object(b={"type": "string"}, a={"type": "integer"}), "required": ["a", "gone"]})
    assert list(shape.names) == ["a", "b"]
    assert {name: each.kind for name, each in shape.fields} == {"a": "integer", "b": "string"}
    assert shape.required == {"a"}
    assert shape.field("c") is None
    assert not shape.open


@pytest.mark.parametrize(
    ("schema", "is_open", "is_pruned"),
    [
        ({"type": "object"}, False, True),
        (an_object(a={"type": "string"}), False, False),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, True, False),
        ({"type": "object", "additionalProperties": True}, True, False),
        ({"type": "object", "additionalProperties": False}, False, True),
        (a_map({"type": "string"}), False, False),
    ],
)
def test_what_is_kept_of_unknown_fields(schema: object, is_open: bool, is_pruned: bool) -> None:
    assert (shape_of(schema).open, shape_of(schema).is_pruned) == (is_open, is_pruned)
    assert shape_of(schema, keeps_unknown=True).is_pruned is False


def test_enumerations_are_intersected() -> None:
    assert shape_of({"type": "string", "enum": ["a", "b"]}).enum == ("a", "b")
    both = {"type": "string", "allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}
    assert shape_of(both).enum == ("b",)
    assert shape_of({"type": "string", "allOf": [{"maxLength": 3}]}).enum is None


def test_an_embedded_object_has_what_every_object_has() -> None:
    metadata = shape_of(an_object(labels=a_map({"type": "string"})))
    table = TableBuilder()
    schema = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"metadata": {"type": "object"}}}
    number = reduce_schema(schema, table)
    shape = ShapeTable(table.nodes, metadata).shape(number)
    assert sorted(shape.names) == ["apiVersion", "kind", "metadata"]
    assert shape.field("metadata") is metadata


def test_what_is_equal_is_kept_once() -> None:
    one, two = TableBuilder(), TableBuilder()
    reduce_schema(POD_TEMPLATE, one)
    reduce_schema(an_object(a=POD_TEMPLATE, b=an_object(template=POD_TEMPLATE), c=a_list(CONTAINER)), two)
    assert len(two.nodes) == len(one.nodes) + 2
    shape = ShapeTable(two.nodes).shape(len(two.nodes) - 1)
    again = shape.field("a")
    assert again is not None
    assert again is shape.field("b").field("template")  # type: ignore[union-attr]


def test_descriptions_are_not_kept() -> None:
    plain, told = TableBuilder(), TableBuilder()
    reduce_schema({"type": "string"}, plain)
    reduce_schema({"type": "string", "description": "x" * 1000, "maxLength": 3, "pattern": "^a"}, told)
    assert plain.nodes == told.nodes


def test_having() -> None:
    shape = shape_of(WIDGET)
    changed = shape.having(kind=text_of("Widget"))
    assert changed.field("kind").enum == ("Widget",)  # type: ignore[union-attr]
    assert "kind" in changed.required
    assert changed.field("spec") is shape.field("spec")
    assert shape.field("kind") is None


@pytest.mark.parametrize("depth", [99, 5000])
def test_a_schema_of_any_depth_is_read(depth: int) -> None:
    schema: object = {"type": "string"}
    for _ in range(depth):
        schema = a_list(schema)
    assert shape_of(schema).kind == "array"


json_values = st.recursive(
    st.sampled_from([None, True, 0, "x", "object", "array", "string"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                "type properties items additionalProperties enum required nullable allOf format "
                "x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields a".split()
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(json_values)
def test_no_schema_is_too_strange(schema: object) -> None:
    """What is not understood says nothing; it never raises, and can always be walked through."""
    pending = [shape_of(schema)]
    while pending:
        shape = pending.pop()
        assert shape.describe()
        pending += [each for _, each in shape.fields]
        pending += [each for each in (shape.items, shape.members) if each is not None]


def test_any_is_any() -> None:
    assert ANY.is_any
    assert ANY.open
