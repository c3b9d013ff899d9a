"""Plain programs are answered as jq answers them, or not at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmap_lint.jq import ast
from wmap_lint.jq.engine import Engine, Values, normalise
from wmap_lint.jq.plain import reader
from wmap_lint.jq.unparse import unparse
from wmap_lint.resolve.evaluation import refusal

KEYS = ["a", "b", "x/y.z", "", "é", "key", "value"]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(["", "a", "b", "é", "ab", "7", "-1", "007", "0", "1e3", " 1"]),
    st.sampled_from([0, 1, -3, 2**53, 2**60, 1.5, 3.0, 1e300]),
)
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=14,
)
literals = st.one_of(
    st.sampled_from(KEYS).map(lambda text: ast.String((text,) if text else ())),
    st.sampled_from([None, True, False]).map(ast.Literal),
    st.integers(0, 3).map(lambda number: ast.Literal(number, text=str(number))),
)


functions = st.sampled_from(
    "not add length keys min max ascii_downcase empty any all values floor ceil type tonumber tostring sort unique "
    "from_entries to_entries numbers strings booleans nulls arrays objects".split()
)


regexes = st.lists(
    st.sampled_from(
        ["a", "b", "7", "1", "-", "^", "$", "(", ")", "|", "[a-c]", "[^b]", "[.]", "*", "+", "?", "e", " "]
    ),
    max_size=6,
).map(lambda parts: ast.String(("".join(parts),) if parts else ()))


def extended(inner: st.SearchStrategy[ast.Node]) -> st.SearchStrategy[ast.Node]:
    key = st.sampled_from(KEYS).map(lambda text: ast.String((text,) if text else ()))
    index = st.builds(
        ast.Index, inner, key | st.integers(0, 2).map(lambda number: ast.Literal(number, text=str(number)))
    )
    access = st.one_of(index, st.builds(ast.Iterate, inner))
    variable = st.sampled_from(["x", "y"])
    made = st.builds(
        lambda key, value: ast.Object((ast.ObjectEntry(key, value),)),
        st.one_of(key, inner.map(lambda node: ast.String((node,)))),
        inner,
    )
    return st.one_of(
        access,
        access,
        access.map(ast.Optional),
        st.builds(ast.Pipe, inner, inner),
        st.builds(ast.Comma, inner, inner),
        st.builds(ast.Binary, st.sampled_from("// and or == != < <= > >= + - * /".split()), inner, inner),
        st.builds(ast.Binary, st.sampled_from(["==", "!="]), inner, key),
        st.builds(ast.Array, inner),
        made,
        inner.map(lambda node: ast.String(("a", node))),
        st.builds(ast.If, st.tuples(inner, inner).map(lambda branch: (branch,)), st.none() | inner),
        st.builds(ast.Bind, inner, variable.map(lambda name: (ast.VariablePattern(name),)), inner),
        variable.map(ast.Variable),
        st.builds(ast.Index, inner, inner),
        functions.map(ast.Call),
        st.builds(ast.Pipe, inner, functions.map(ast.Call)),
        st.builds(ast.Pipe, inner, functions.map(ast.Call)),
        st.builds(
            ast.Call,
            st.sampled_from(["startswith", "endswith", "ltrimstr", "rtrimstr", "has", "IN", "index"]),
            st.tuples(inner),
        ),
        st.builds(ast.Call, st.sampled_from(["select", "map", "any", "all", "contains"]), st.tuples(inner)),
        st.builds(ast.Call, st.sampled_from(["any", "all"]), st.tuples(inner, inner)),
        st.builds(ast.Call, st.just("path"), st.tuples(inner)),
        st.builds(ast.Call, st.just("test"), st.tuples(regexes)),
        st.builds(ast.Binary, st.sampled_from(["==", "!="]), inner, inner),
    )


programs = st.recursive(st.just(ast.Identity()) | literals, extended, max_leaves=8)


@settings(max_examples=400, deadline=None)
@given(programs, st.lists(documents, min_size=1, max_size=6))
def test_agrees_with_the_engine(engine: Engine, program: ast.Node, subjects: list[Any]) -> None:
    text = unparse(ast.Program(program))
    read = reader(text)
    if read is None:
        return
    if refusal(text) is not None:
        return  # a variable that nothing binds: it is never asked for
    (outcomes,) = engine.evaluate([text], subjects)
    for subject, outcome in zip(subjects, outcomes, strict=True):
        results = read(subject)
        if results is not None:
            assert outcome == Values(tuple(normalise(each) for each in results)), (text, subject)


@pytest.mark.parametrize(
    ("text", "subject", "results"),
    [
        ('.metadata.labels["x/y"]', {"metadata": {"labels": {"x/y": "v"}}}, ["v"]),
        ('.metadata.labels["x/y"]', {}, [None]),
        (".items[]?.n", {}, []),
        (".items[].n // 1", {"items": [{"n": None}, {"n": 2}]}, [2]),
        (".items[] | .n // 1", {"items": [{"n": None}, {"n": 2}]}, [1, 2]),
        (".m[] | .n", {"m": {"b": {"n": 1}, "a": {"n": 2}}}, [2, 1]),
        ('.l.r == "w"', {"l": {"r": "w"}}, [True]),
        ('.l.r // "x" == "x"', {"l": {"r": "w"}}, ["w"]),
        (".list[1]", {"list": [1]}, [None]),
        (
            'any(.c[]?; .type == ("R", "S") and .status == "True") | not',
            {"c": [{"type": "S", "status": "True"}]},
            [False],
        ),
        ("all(.a[]; . > 1)", {"a": [2, 3]}, [True]),
        ("[.a[] | .n // 1] | add", {"a": [{}, {"n": 4}]}, [5]),
        ('([.a[] | {"\\(.k)": .}] | add) as $by | .want[] | $by[.].n', {"a": [{"k": "x", "n": 7}], "want": ["x"]}, [7]),
        (".m | keys[] | ascii_downcase", {"m": {"B": 1, "A": 2}}, ["a", "b"]),
        ('.reason // "" | contains("Unavailable", "x", "")', {"reason": "MinimumUnavailable"}, [True, False, True]),
        ("if .a == null then 1 else [.a, 3] | min end", {"a": 2}, [2]),
        ("null < 0", {}, [True]),
        (".a / 4 | floor", {"a": 7}, [1]),
        (".a / 4 | ceil", {"a": 7}, [2]),
        (".a / 4 >= .b", {"a": 7, "b": 1.75}, [True]),
        (".a / 2", {"a": 6}, [3]),
        ('.a | rtrimstr("%") | tonumber', {"a": "50%"}, [50]),
        ('.a | startswith("x-"), ltrimstr("x-")', {"a": "x-y"}, [True, "y"]),
        ('has("a"), has("b")', {"a": None}, [True, False]),
        ("[.a[] | type] | unique | .[]", {"a": [1, "x", 2]}, ["number", "string"]),
        (".a | sort | .[]", {"a": ["b", 1, None, "a", True]}, [None, True, 1, "a", "b"]),
        ("[.a[] | {key: .n, value: .v}] | from_entries | .x", {"a": [{"n": "x", "v": 1}]}, [1]),
        ('.a | to_entries | map(.key + "=" + .value) | .[1]', {"a": {"b": "2", "a": "1"}}, ["b=2"]),
        (".a | tostring", {"a": 5}, ["5"]),
        (".a | values", {}, []),
        ('.a | IN("x", "y"), IN(1)', {"a": "y"}, [True, False]),
        ('.a | map(.r) | index("x"), index("z")', {"a": [{"r": "w"}, {"r": "x"}]}, [1, None]),
        ("[.a[] | numbers] | add", {"a": [1, "x", None, 2]}, [3]),
        ("[.a, .b, .c] | max, min", {"a": 1, "c": 3}, [3, None]),
        ('.a | test("(^|:)(v?(2[.]([6-9]|[1-9][0-9])|[3-9]))[^:/]*$"), test("x y")', {"a": "x:v2.10-a"}, [True, False]),
        (".a | any", {"a": [None, 1]}, [True]),
        ("(.a // []) == [], .a != {}", {"a": [1]}, [False, True]),
        ("1", {}, [1]),
        ("[{(.a): .b}] | add", {"a": "x", "b": 1}, [{"x": 1}]),
        ('.a == [{name: "x", status: {n: 1}}]', {"a": [{"status": {"n": 1}, "name": "x"}]}, [True]),
        ("path(.a | .b, .c[]?)", {"a": {"b": 1, "c": [1, 2]}}, [["a", "b"], ["a", "c", 0], ["a", "c", 1]]),
        ("path(.a | .b // .c | select(. != null) | .d)", {"a": {"c": {}}}, [["a", "c", "d"]]),
        ("path(.n as $n | .m[] | select(.n == $n))", {"n": 1, "m": {"b": {"n": 1}, "a": {"n": 2}}}, [["m", "b"]]),
        ("path(if .a then .b else .c[1] end)", {}, [["c", 1]]),
        ("path(if .a then .b elif .c then .c else empty end)", {"c": 1}, [["c"]]),
    ],
)
def test_is_answered_here(text: str, subject: Any, results: list[Any]) -> None:
    read = reader(text)
    assert read is not None
    found = read(subject)
    assert found is not None
    assert list(found) == results


@pytest.mark.parametrize(
    "text",
    [
        ".a | tojson",
        ".a % 2",
        ".a[-1]",
        ".a[1:]",
        "..",
        ". as {a: $x} | $x",
        "1.5",
        "def f: .; f",
        "(.a.b[]?)?",
        ".a[",
        "range(3)",
        '.a | test("x{2}")',
        '.a | test(".")',
        '.a | test("(a*)*")',
        '.a | test("a*b*c*")',
        r'.a | test("\\d")',
        '.a | test("x"; "i")',
        '.a | test("(")',
        '@json "x"',
        "{a}",
    ],
)
def test_is_left_to_jq(text: str) -> None:
    assert reader(text) is None


def test_what_is_nested_too_deep_is_in_doubt() -> None:
    deep: Any = [1]
    other: Any = [1]
    for _ in range(100_000):
        deep, other = [deep], [other]
    for text in (".a == .b", "[.a]"):
        read = reader(text)
        assert read is not None
        assert read({"a": deep, "b": other}) is None


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        (".a.b", {"a": "text"}),
        (".a + .b", {"a": 1, "b": "x"}),
        (".a + 1", {"a": 1.5}),
        (".b as $b | any(.a[]; . == $b)", {"a": [[1] * 900 + [2]] * 900, "b": [1] * 901}),
        ("{(.a): 1}", {}),
        ("[.a[], .a[]]", {"a": [0] * 600}),
        ("path(.a[])", {}),
        ("{b: 1, a: 2}[]", {}),
        ("any(.a[]; any(.b[]; false))", {"a": [{"b": [0] * 1000}] * 1000}),
        (".a + .a | length", {"a": "x" * 30_000}),
        (".a == .b", {"a": "x" * 5000, "b": "x" * 4999 + "y"}),
        (".a | ascii_downcase", {"a": "x" * 5000}),
        ('.a | contains("x")', {"a": ["x"]}),
        ('.a | contains("x")', {"a": "x" * 5000}),
        ('.a | contains("b")', {"a": "a\0b"}),
        (".none", {str(index): index for index in range(2000)}),
        (". as $all | any(.m[]; any($all.m[]; true) | not)", {"m": {str(index): index for index in range(900)}}),
        (".a[]", {}),
        (".a.b[]?", {"a": "text"}),
        (".a[]", {"a": [0] * 1000}),
        (".a / 0", {"a": 1}),
        ('.a | test("x")', {"a": "x\n"}),
        ('.a | test("x")', {"a": "x" * 300}),
        ('.a | index("x")', {"a": "axa"}),
        ("[.a[]] | max", {"a": [[1], [2]]}),
        (".a / 5", {"a": -1}),
        (".a / 3 | tostring", {"a": 1}),
        (".a / 3 + 1", {"a": 1}),
        (".a | tonumber", {"a": "007"}),
        (".a | tonumber", {"a": "1e3"}),
        (".a | unique", {"a": [[1], [1]]}),
        (".a | floor", {"a": -1.5}),
        ('.a | startswith("x")', {"a": 1}),
        ('.a | rtrimstr("")', {"a": "x"}),
        (".a | from_entries", {"a": [{"name": "x", "value": 1}]}),
        (".a", {1: 2}),
        (".a", ("no", "JSON")),
        ('.a == "x"', {"a": object()}),
    ],
)
def test_is_in_doubt(text: str, subject: Any) -> None:
    read = reader(text)
    assert read is not None
    assert read(subject) is None
