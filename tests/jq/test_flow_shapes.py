"""The interpretation of programs on documents of a known shape: what does not fit, and that it is never wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.jq.programs import documents, programs
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.engine import Engine, Values
from wmap_lint.jq.flow import Interpretation, MisfitKind, interpret, path_text
from wmap_lint.jq.parser import parse
from wmap_lint.shape import Shape, ShapeTable, TableBuilder, reduce_schema

TYPES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def shape_of(schema: object) -> Shape:
    table = TableBuilder()
    number = reduce_schema(schema, table)
    return ShapeTable(table.nodes).shape(number)


def an_object(**fields: object) -> dict[str, object]:
    return {"type": "object", "properties": fields}


def a_list(items: object) -> dict[str, object]:
    return {"type": "array", "items": items}


def a_map(members: object) -> dict[str, object]:
    return {"type": "object", "additionalProperties": members}


TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
CONDITION = an_object(type=TEXT, status={"type": "string", "enum": ["True", "False", "Unknown"]}, age=NUMBER)
WIDGET = shape_of(
    an_object(
        spec=an_object(
            replicas=NUMBER,
            paused=FLAG,
            name=TEXT,
            port={"x-kubernetes-int-or-string": True},
            roles=a_map(an_object(replicas=NUMBER, template=an_object(spec=an_object(image=TEXT)))),
            groups=a_list(an_object(name=TEXT, size=NUMBER, tags=a_list(TEXT))),
            extra={"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"known": NUMBER}},
            free={"x-kubernetes-preserve-unknown-fields": True},
            labels=a_map(TEXT),
            pair=an_object(left=NUMBER, right=NUMBER),
        ),
        status=an_object(
            phase={"type": "string", "enum": ["Up", "Down"]},
            ready=NUMBER,
            conditions=a_list(CONDITION),
        ),
    )
)


def typed(text: str) -> Interpretation:
    return interpret(parse(text), shape=WIDGET)


def misfits(text: str) -> list[tuple[str, str]]:
    """Kind and place of what does not fit."""
    return [(each.kind.value, text[each.node.start : each.node.end]) for each in typed(text).misfits]


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        (".spec.replica", "unknown-field", ".spec.replica"),
        (".spec.groups[].nam", "unknown-field", ".spec.groups[].nam"),
        (".spec.groups[0].nam", "unknown-field", ".spec.groups[0].nam"),
        (".spec.roles[].tmplate", "unknown-field", ".spec.roles[].tmplate"),
        (".spec.roles.Head.tmplate.spec", "unknown-field", ".spec.roles.Head.tmplate"),
        (".spec.roles | to_entries[] | .value.tmplate", "unknown-field", ".value.tmplate"),
        (".spec.roles | with_entries(.value |= . + {}) ", "", ""),
        (".spec.roles | map_values(.template) | .Head.spek", "unknown-field", ".Head.spek"),
        (
            ".spec.roles | to_entries | map({key, value: .value.template}) | from_entries | .a.spek",
            "unknown-field",
            ".a.spek",
        ),
        (".spec as $s | $s.replica", "unknown-field", "$s.replica"),
        (".spec as {replica: $r} | $r", "unknown-field", "replica"),
        ("[.spec.groups[]] | .[0].nam", "unknown-field", ".[0].nam"),
        (".spec.groups | map(select(.size > 1)) | first | .nam", "unknown-field", ".nam"),
        (".spec.groups | sort_by(.sise)", "unknown-field", ".sise"),
        (".spec.groups | group_by(.name) | map({k: .[0].nam})", "unknown-field", ".[0].nam"),
        ("def name: .nam; .spec.groups[] | name", "unknown-field", ".nam"),
        ("def each(f): .spec.groups[] | f; each(.nam)", "unknown-field", ".nam"),
        ("reduce .spec.groups[] as $g (0; . + $g.sise)", "unknown-field", "$g.sise"),
        ("any(.status.conditions[]?; .typ == \"Ready\")", "unknown-field", ".typ"),
        ("(.spec.groups // [])[] | .nam", "unknown-field", ".nam"),
        ("if .spec.paused then .spec.replica else 0 end", "unknown-field", ".spec.replica"),
        ('(.spec | has("replica"))', "unknown-field", 'has("replica")'),
        ('getpath(["spec", "replica"])', "unknown-field", '"replica"'),
        ("([.spec.groups[] | {(.name): .}] | add) as $g | $g.a.sise", "unknown-field", "$g.a.sise"),
        ("INDEX(.spec.groups[]; .name) | .a.sise", "unknown-field", ".a.sise"),
        ("{spec} | .spec.replica", "unknown-field", ".spec.replica"),
        ("first(.spec.groups[]).nam?", "unknown-field", "first(.spec.groups[]).nam"),
        (".spec.replicas.count", "not-an-object", ".spec.replicas.count"),
        (".status.conditions.type", "not-an-object", ".status.conditions.type"),
        (".spec.name.first?", "not-an-object", ".spec.name.first"),
        (".spec[0]", "not-a-list", ".spec[0]"),
        (".spec.replicas[1:]", "not-a-list", ".spec.replicas[1:]"),
        (".spec.replicas[]?", "not-iterable", ".spec.replicas[]"),
        (".spec.name | map(.)", "not-iterable", "map(.)"),
        (".spec[] | .image?", "mixed-fields", ".spec[]"),
        (".spec | keys[]", "mixed-fields", "keys"),
        (".status.conditions > 0", "comparison", ".status.conditions > 0"),
        ('.spec.paused == "true"', "comparison", '.spec.paused == "true"'),
        ('.status.ready == "1"', "comparison", '.status.ready == "1"'),
        ("(.status.conditions // 0) > 0", "comparison", "(.status.conditions // 0) > 0"),
        ("(.status.phase // 0) as $p | $p >= 1", "comparison", "$p >= 1"),
        ("[.spec.replicas // 1, .spec.name // 1] | max", "comparison", "max"),
        (".spec.replicas | startswith(\"a\")", "input", 'startswith("a")'),
        (".spec.groups | ascii_downcase", "input", "ascii_downcase"),
        (".spec.roles | sort", "input", "sort"),
        (".spec.paused | length", "input", "length"),
        (".spec.name | split(.)", "", ""),
        ('(.spec.replicas // "none") == "x"', "comparison", '(.spec.replicas // "none") == "x"'),
        (".spec as $s | .spec.name | test($s.replicas)", "argument", "$s.replicas"),
        (".spec.replicas + .spec.name", "operands", ".spec.replicas + .spec.name"),
        (".spec.name * 2", "operands", ".spec.name * 2"),
        ("-.spec.name", "operands", ".spec.name"),
        ("[.spec.groups[] | .name // 1] | add", "operands", "add"),
        ('{a: 1}[.spec.groups[0].size]', "key", ".spec.groups[0].size"),
        ('.spec.groups[] | {"\\(.)": 1}', "key", "."),
        ('.status.phase == "up"', "outside-enum", '"up"'),
        ('.status.phase == ("Up", "Gone")', "outside-enum", '"Gone"'),
        ('any(.status.conditions[]?; .status == "true")', "outside-enum", '"true"'),
    ],
)  # fmt: skip
def test_what_does_not_fit(text: str, kind: str, place: str) -> None:
    assert misfits(text) == ([(kind, place)] if kind else [])


@pytest.mark.parametrize(
    "text",
    [
        # Open parts: nothing is known, so nothing is wrong.
        ".spec.extra.anything.at.all[0]",
        ".spec.free.x[].y > 3",
        '.spec.free == "x"',
        ".spec.extra | keys[]",
        ".spec.extra[]?",
        # Either type is right for an integer or string.
        ".spec.port > 80",
        '.spec.port == "http"',
        ".spec.port | tonumber",
        '.spec.port | if type == "string" then startswith("x") else . > 1 end',
        ".spec.labels.anything",
        '.spec.labels["a/b"] == "x"',
        ".spec.roles.Whatever.replicas",
        ".spec.pair[] + 1",
        ".spec.pair | keys[]",
        ".spec | to_entries[] | select(.key == \"name\")",
        # One of several values has it.
        "(.spec, .status).phase",
        "def f: .phase; (.spec | f), (.status | f)",
        "(.spec.groups[0], .status) | .ready",
        # null is no type of its own: an absent field is null.
        ".spec.replicas == null",
        ".spec.groups == []",
        ".spec.groups != null",
        "(.spec.replicas // 0) + 1",
        ".status.conditions // [] | length > 0",
        # Whether something is there, by a default that it cannot have.
        '(.spec.replicas // "none") == "none"',
        '(.spec.groups // "none") != "none"',
        # What a branch is never taken for.
        '.spec.name | if type == "array" then .[0] else . end',
        '.spec | if type == "string" then startswith("x") else .replicas end',
        ".spec.groups[]?.tags[]? | ascii_downcase",
        "reduce .spec.groups[]? as $g ({}; . + {($g.name): $g.size}) | .a + 1",
        "[limit(2; .spec.groups[])] | map(.size) | add",
        'try (.spec.name | tonumber) catch "no"',
        ".spec.name as $n | any(.spec.groups[]; .name == $n)",
        "[.spec.groups[].size] | (min // 0) <= (max // 0)",
        ".spec.roles | length",
        '"\\(.spec.replicas)-\\(.spec.name)"',
        ".status.phase == (.spec.name // \"Up\")",
        "[paths]",
    ],
)  # fmt: skip
def test_what_fits(text: str) -> None:
    assert misfits(text) == []


@pytest.mark.parametrize(
    ("text", "types"),
    [
        (".spec.replicas", "null number"),
        (".spec.port", "null number string"),
        (".status.conditions", "array null"),
        (".status.conditions[].type", "null string"),
        (".spec.groups | length", "number"),
        (".spec.roles[].replicas // 1", "number"),
        (".spec.paused | not", "boolean"),
        (".spec.groups | map(.size) | add", "null number"),
        (".spec.roles | map_values(.replicas) | .a", "null number"),
        (".spec.free", "array boolean null number object string"),
    ],
)
def test_types_of_results(text: str, types: str) -> None:
    assert sorted(typed(text).result.types) == types.split()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('.spec.replicas | type == "string"', False),
        ('.status.phase != "Gone"', True),
        ('.status.phase == "Gone" or .spec.paused == "x"', False),
        ('any(.spec.groups[]?; .size == "1")', False),
        ('all(.spec.groups[]?; .size != "1")', True),
        ('if .spec.replicas == "1" then 1 else 2 end', 2),
        ('.spec.paused == "true" | not', True),
    ],
)
def test_what_is_the_same_for_all(text: str, value: object) -> None:
    result = typed(text).result
    assert [each.literal for each in result.values] == [value]


@pytest.mark.parametrize("text", [".spec.replicas == 1", "any(.spec.groups[]?; .size == 1)", '.status.phase == "Up"'])
def test_what_is_not(text: str) -> None:
    assert not any(each.has_literal for each in typed(text).result.values)


def test_a_misfit_knows_where_it_is() -> None:
    (misfit,) = typed(".spec.groups[]?.nam").misfits
    assert misfit.kind is MisfitKind.UNKNOWN_FIELD
    assert misfit.path is not None
    assert path_text(misfit.path) == ".spec.groups[]"
    assert misfit.shape is not None
    assert sorted(misfit.shape.names) == ["name", "size", "tags"]


# -- never wrong --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as started:
        yield started


def schema_for(values: Sequence[Any], draw: st.DataObject) -> dict[str, Any]:
    """A schema that all of ``values`` keep to, as closed as one may draw it."""
    kinds = {TYPES[type(value)] for value in values}
    if len(kinds) != 1 or (kinds == {"object"} and draw.draw(st.integers(0, 9)) == 0):
        if kinds == {"number", "string"} and all(isinstance(value, int | str) for value in values):
            return {"x-kubernetes-int-or-string": True}
        return {"x-kubernetes-preserve-unknown-fields": True}
    (kind,) = kinds
    if kind == "object":
        keys = sorted({key for value in values for key in value})
        if keys and draw.draw(st.booleans()):
            return a_map(schema_for([each for value in values for each in value.values()], draw))
        fields = {key: schema_for([value[key] for value in values if key in value], draw) for key in keys}
        required = [key for key in keys if all(key in value for value in values)]
        return {"type": "object", "properties": fields, "required": required}
    if kind == "array":
        elements = [each for value in values for each in value]
        return a_list(schema_for(elements, draw)) if elements else {"type": "array"}
    if kind == "string" and draw.draw(st.booleans()):
        return {"type": "string", "enum": sorted(set(values))}
    return {"type": kind}


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(programs, min_size=8, max_size=8),
    st.lists(documents, min_size=3, max_size=3),
    st.data(),
)
def test_evaluation_keeps_to_the_interpretation(
    engine: Engine, texts: list[str], inputs: list[Any], draw: st.DataObject
) -> None:
    """Results have the types that are said, and the value where one is said."""
    schema = schema_for(inputs, draw)
    shape = shape_of(schema)
    found = [(text, each) for text in texts if isinstance(each := analyse(text), Analysis) and each.runnable]
    outcomes = engine.evaluate([text for text, _ in found], inputs)
    for (text, analysis), row in zip(found, outcomes, strict=True):
        interpretation = interpret(analysis.program, shape=shape)
        result = interpretation.result
        for document, outcome in zip(inputs, row, strict=True):
            if not isinstance(outcome, Values):
                continue
            case = (text, document, schema, outcome, interpretation.misfits)
            assert {TYPES[type(value)] for value in outcome.values} <= result.types, case
            assert len(outcome.values) >= result.least, case
            if result.values and all(value.has_literal for value in result.values):
                said = [value.literal for value in result.values]
                assert all(any(_same(value, each) for each in said) for value in outcome.values), case


def _same(one: object, two: object) -> bool:
    return (type(one) is type(two) and one == two) or (
        isinstance(one, float) and one == two and not isinstance(two, bool)
    )
