"""The abstract interpretation: what it says of single programs, and that evaluation never contradicts it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.jq.programs import documents, path_programs, programs
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.engine import Engine, FailureKind, Values
from wmap_lint.jq.flow import path_text

TYPES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as started:
        yield started


def analysis(text: str) -> Analysis:
    found = analyse(text)
    assert isinstance(found, Analysis), found
    return found


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (".", []),
        (".spec.replicas", [".spec", ".spec.replicas"]),
        ('.metadata.labels["a/b"]', [".metadata", ".metadata.labels", '.metadata.labels["a/b"]']),
        (".items[0].n", [".items", ".items[0]", ".items[0].n"]),
        (".items[].n", [".items", ".items[]", ".items[].n"]),
        (".items[]?.n", [".items", ".items[]", ".items[].n"]),
        (".items | map(.n)", [".items", ".items[]", ".items[].n"]),
        ("(.items // [])[] | .n", [".items", ".items[]", ".items[].n"]),
        (".a | .b | .c", [".a", ".a.b", ".a.b.c"]),
        (".a as $x | .b | $x.c", [".a", ".b", ".a.c"]),
        (". as $r | .a[]? | $r.b", [".a", ".a[]", ".b"]),
        (".a as {b: $x, c: [$y]} | $x.d", [".a", ".a.b", ".a.c", ".a.c[0]", ".a.b.d"]),
        ("[.a, .b] | .[0].c", [".a", ".b"]),
        ("{a: .b} | .a.c", [".b", ".b.c"]),
        ("{spec: .x}.spec.y", [".x", ".x.y"]),
        (".m | to_entries[] | .value.n", [".m", ".m[]", ".m[].n"]),
        (".m | keys[]", [".m", ".m[]"]),
        ('.m | has("k")', [".m", ".m.k"]),
        ('getpath(["a", "b"])', [".a", ".a.b"]),
        (".a[.k]", [".a", ".k", ".a[*]"]),
        ("def f: .b; .a | f", [".a", ".a.b"]),
        ("def f(g): .a | g; f(.b)", [".a", ".a.b"]),
        ('any(.c[]?; .type == "R")', [".c", ".c[]", ".c[].type"]),
        ("first(.c[] | select(.t)).s", [".c", ".c[]", ".c[].t", ".c[].s"]),
        (".c | sort_by(.t) | last | .s", [".c", ".c[]", ".c[].t", ".c[].s"]),
        ("if .a then .b else .c end", [".a", ".b", ".c"]),
        ("reduce .c[]? as $x (0; . + $x.n)", [".c", ".c[]", ".c[].n"]),
        ('"\\(.a)-\\(.b.c)"', [".a", ".b", ".b.c"]),
        (".a.b?", [".a", ".a.b"]),
        (".a[1:]", [".a"]),
        ("1", []),
        ('"a" | length', []),
    ],
)
def test_reads(text: str, paths: list[str]) -> None:
    read = [path_text(each.path) for each in analysis(text).flow.reads]
    assert list(dict.fromkeys(read)) == paths or sorted(set(read)) == sorted(set(paths))


@pytest.mark.parametrize(
    ("text", "types", "least", "most"),
    [
        (".a", "null boolean number string array object", 1, 1),
        (".a == 1", "boolean", 1, 1),
        (".a and .b", "boolean", 1, 1),
        (".a | not", "boolean", 1, 1),
        (".a | length", "number", 1, 1),
        (".a | tostring", "string", 1, 1),
        ('"\\(.a)"', "string", 1, 1),
        ("[.a[]?]", "array", 1, 1),
        ("{a: .b}", "object", 1, 1),
        ('.a // "x"', "boolean number string array object", 1, 1),
        (".a // empty", "boolean number string array object", 0, 1),
        ("empty", "", 0, 0),
        (".a, .b", "null boolean number string array object", 1, 2),
        (".a[]?", "boolean number string array object", 0, 16),
        (".a[]?.b[]?", "boolean number string array object", 0, 256),
        ("first(.a[]?)", "boolean number string array object", 0, 1),
        ("limit(3; .a[]?)", "boolean number string array object", 0, 3),
        ("[.a, .b] | .[]", "null boolean number string array object", 0, 2),
        ("select(.a)", "object", 0, 1),
        (".a | strings", "string", 0, 1),
        ("[1, 2] | max", "number", 1, 1),
        ("[.a[]? | 1] | max", "null number", 1, 1),
        ('if .a then 1 else "x" end', "number string", 1, 1),
        (".a as $x | 1", "number", 1, 1),
        (".a[]? as $x | 1", "number", 0, 16),
        ("def f: 1; f, f", "number", 1, 2),
        ("reduce .a[]? as $x (0; . + 1)", "number", 1, 1),
        ("any(.a[]?; .b)", "boolean", 1, 1),
        ('try error("x") catch "y"', "string", 0, 1),
    ],
)
def test_results(text: str, types: str, least: int, most: float) -> None:
    result = analysis(text).flow.result
    assert (result.types, result.least, result.most) == (frozenset(types.split()), least, most)


@pytest.mark.parametrize(
    ("text", "hazards"),
    [
        (".items[]", [".items iteration"]),
        (".a | keys", [".a keys"]),
        (".a - 1", [".a '-'"]),
        (".a * .b", [".a '*'", ".b '*'"]),
        ("-.a", [".a negation"]),
        (".a[.k]", [".k indexing with it"]),
        ('.a | contains("x")', [".a contains"]),
        ('.a | test("x")', [".a test"]),
        ("any(.c[]; .x)", [".c iteration"]),
        (". as $r | .c[] | $r.a | keys", [".c iteration", ".a keys"]),
        ("if .b then .a | keys else 1 end", [".a keys"]),
        ("(.a | keys), (if .a then 1 else 2 end)", [".a keys"]),
        # Guarded, or not a null that a document brings about:
        (".items[]?", []),
        (".a | keys?", []),
        ("try (.a | keys) catch 1", []),
        ("(.a // {}) | keys", []),
        (".a + 1", []),
        (".a | length", []),
        (".a.b.c", []),
        ("if .a then .a | keys else 1 end", []),
        ("if .a == null then 1 else .a | keys end", []),
        ("select(.a) | .a | keys", []),
        ("select(.a != null and (.a | length) > 0) | .a[]", []),
        ('.a | select(type == "string") | test("x")', []),
        ('.a | type == "string" and test("x")', []),
        (".a as $x | if $x then $x | keys else 1 end", []),
        (".a as $x | select(.a) | $x[]", []),
        ('.a != null and (.a | test("x"))', []),
        ('.a == null or (.a | test("x"))', []),
        ("(.a > 1) and (.a - 1 == 0)", []),
        (".a | values | keys", []),
        ('.a | strings | test("x")', []),
    ],
)
def test_null_hazards(text: str, hazards: list[str]) -> None:
    found = [f"{path_text(each.path)} {each.operation}" for each in analysis(text).flow.null_hazards]
    assert found == hazards


@pytest.mark.parametrize(
    "text",
    [
        "[.a[] as $x | .a[] as $y | .b[] as $z | .b[] as $w | .c[] as $v | .d[]]",
        "[.[] | .[] , .[]] | [.[] | .[] , .[]]" + " | [.[] | .[] , .[]]" * 18,
        "[.]" + " | [.[], .[]]" * 20,
        ". as $a | [$a, $a]" + " | [., .]" * 20,
        'def f: "\\(.)\\(.)"; tostring' + " | f" * 20,
        '"x" * 1e9',
        ".a | tostring * .n",
        "tojson" + " | tojson" * 20,
        ".a | tostring" + " | @sh" * 12,
        '.a | gsub("."; "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")'
        + ' | gsub("."; "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")' * 9,
        "reduce .a[] as $x (.; [., .])",
        "[.a | explode[] as $x | explode[] as $y | explode[]]",
    ],
)
def test_growth_is_noticed(text: str) -> None:
    assert [each.kind.name for each in analysis(text).unbounded] == ["GROWTH"]


@pytest.mark.parametrize(
    "text",
    [
        "[.a[]?.b[]?.c[]?]",
        "[.a[]? as $x | .b[]? as $y | $x + $y]",
        "reduce .a[]? as $x (0; . + $x)",
        "reduce .a[]? as $x ([]; . + [$x])",
        'reduce .a[]? as $x (""; . + $x + ",")',
        "reduce .a[]? as $x (null; [., $x])",
        '[.a[]? | "\\(.x)-\\(.y)"] | join(", ")',
        '.a | tostring | gsub("a"; "b")',
        "tojson | fromjson",
        '"x" * 3',
        ".a * 1024",
        ".a | group_by(.x) | map({k: .[0].x, v: length})",
    ],
)
def test_what_grows_with_the_document_is_bounded(text: str) -> None:
    assert analysis(text).unbounded == ()


@pytest.mark.parametrize("text", ["[] | last", "[] | max", "[] | min_by(.x)", "[] | first", "[] | add"])
def test_of_nothing_there_is_null(text: str) -> None:
    assert analysis(text).flow.result.types == {"null"}


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("limit(select(.a) | 1; .)", 0, 1),
        ("limit(2; 1, 2, 3)", 1, 2),
        ("limit(1, 2; 1, 2, 3)", 1, 4),
        ("limit(1.5; 1, 2, 3)", 1, 2),
        ("limit(0; 1)", 0, 0),
        ("first(1, 2, 3)", 1, 1),
        ("skip(1, 2; 1, 2, 3)", 0, 6),
    ],
)
def test_how_many_results_some_of_them_are(text: str, least: int, most: float) -> None:
    result = analysis(text).flow.result
    assert (result.least, result.most) == (least, most)


modest = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def runnable(texts: list[str]) -> list[tuple[str, Analysis]]:
    return [(text, found) for text in texts if isinstance(found := analyse(text), Analysis) and found.runnable]


@modest
@given(st.lists(programs, min_size=8, max_size=8), st.lists(documents, min_size=5, max_size=5))
def test_evaluation_keeps_to_the_interpretation(engine: Engine, texts: list[str], inputs: list[Any]) -> None:
    """Types, number of results, and an end in time. Members of lists and maps are not null: nobody writes one."""
    analyses = runnable(texts)
    outcomes = engine.evaluate([text for text, _ in analyses], inputs)
    for (text, found), row in zip(analyses, outcomes, strict=True):
        result = found.flow.result
        for document, outcome in zip(inputs, row, strict=True):
            case = (text, document, outcome)
            if not isinstance(outcome, Values):
                assert outcome.kind is FailureKind.ERROR, case
                continue
            assert {TYPES[type(value)] for value in outcome.values} <= result.types, case
            assert len(outcome.values) >= result.least, case
            assert len(outcome.values) <= result.most, case


@modest
@given(st.lists(path_programs, min_size=10, max_size=10))
def test_what_fails_on_the_empty_document_is_a_hazard(engine: Engine, texts: list[str]) -> None:
    """Nulls that programs make themselves do not count, so these programs make none."""
    analyses = runnable(texts)
    for (text, found), (outcome,) in zip(analyses, engine.evaluate([text for text, _ in analyses], [{}]), strict=True):
        if not isinstance(outcome, Values) and _tells_of_null(outcome.message):
            assert found.flow.null_hazards, (text, outcome)


def _tells_of_null(message: str) -> bool:
    """Whether jq speaks of a null, and not of a text with that word in it."""
    return re.search(r"^null|null \(null\)|(over|index|with) null", message) is not None
