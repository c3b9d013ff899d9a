"""What can be written through, checked against jq itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.jq.programs import documents, programs
from wmap_lint.jq.assignability import obstacle_to_assignment
from wmap_lint.jq.engine import Engine, FailureKind, Outcome, Values
from wmap_lint.jq.parser import parse


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as started:
        yield started


def _is_no_path(outcome: Outcome) -> bool:
    return not isinstance(outcome, Values) and "nvalid path" in outcome.message


@pytest.mark.parametrize(
    "text",
    [
        ".a.b",
        '.a["x"]',
        ".a[0]",
        ".items[]",
        ".items[]?",
        'getpath(["a", "b"])',
        ".items[] | select(.k == 1) | .x",
        ".items[] | select(.k).x",
        "first(.items[])",
        ".items | first",
        ".items | last",
        "limit(1; .items[])",
        "skip(1; .items[])",
        "nth(0; .items[])",
        ".items[1:]",
        ".a // .b",
        ".x // empty",
        "if .c then .a else .b end",
        "try .x catch .y",
        ". as $t | $t.items[] | .x",
        ".b | . as $t | $t.a",
        ".a as $t | .b",
        "def f(g): g | .a; f(.b)",
        "label $out | .a, break $out",
        ".a, .b",
        ".b | objects",
    ],
)
def test_paths(text: str) -> None:
    assert obstacle_to_assignment(parse(text)) is None


@pytest.mark.parametrize(
    ("text", "obstacle", "only_when_unset"),
    [
        (".n // 1", "1", True),
        (".n // {}", "{}", True),
        (".a // .b // 0", "0", True),
        (".a as $t | $t.items[]", "$t", False),
        (".m | to_entries[] | .value.x", "to_entries", False),
        (".items | map(.x)[]", "map(.x)", False),
        (".items | sort_by(.x)", "sort_by(.x)", False),
        ("{a: .b} | .a", "{a: .b}", False),
        ("[.a]", "[.a]", False),
        (".a + 1", ".a + 1", False),
        (".a | ascii_downcase", "ascii_downcase", False),
        ("if .a then .b else 1 end", "1", False),
        ("last(.items[])", "last(.items[])", False),
        ("reduce .items[] as $x (.; .a)", "reduce .items[] as $x (.; .a)", False),
        ("def f: 1; f", "f", False),
        ("1 // .a", "1", False),
    ],
)
def test_what_is_no_path(text: str, obstacle: str, only_when_unset: bool) -> None:
    found = obstacle_to_assignment(parse(text))
    assert found is not None
    assert (text[found.node.start : found.node.end], found.only_when_unset) == (obstacle, only_when_unset)


ERROR = object()


@pytest.mark.parametrize(
    ("path", "document", "result"),
    [
        (".primary // .fallback", {"fallback": "b"}, {"fallback": 5}),
        (".primary // .fallback", {}, {"fallback": 5}),
        (".n // 1", {"n": 3}, {"n": 5}),
        (".n // 1", {}, ERROR),
        (".items[]", {}, ERROR),
        (".items[]?", {}, {}),
        ('.m.ann["k"]', {"m": {}}, {"m": {"ann": {"k": 5}}}),
        (".items[] | select(.k) | .x", {"items": [{"k": True}, {}]}, {"items": [{"k": True, "x": 5}, {}]}),
        (".m | to_entries[] | .value.x", {"m": {"a": {"x": 0}}}, ERROR),
        ("{a: .b} | .a", {"b": 1}, ERROR),
        (".items | map(.x)[]", {"items": [{"x": 1}]}, ERROR),
        (". as $t | $t.items[] | .x", {"items": [{"x": 1}]}, {"items": [{"x": 5}]}),
        (".a as $t | $t.items[] | .x", {"a": {"items": [{"x": 1}]}}, ERROR),
        ("first(.items[]).x", {"items": [{"x": 1}, {"x": 2}]}, {"items": [{"x": 5}, {"x": 2}]}),
        (".a | tostring", {"a": "s"}, {"a": 5}),
        (".a | ascii_downcase", {"a": "S"}, ERROR),
        ("if .a then .a else .b end", {"b": 1}, {"b": 5}),
    ],
)
def test_golden_writes(engine: Engine, path: str, document: object, result: object) -> None:
    ((outcome,),) = engine.evaluate([f"({path}) = 5"], [document])
    if result is ERROR:
        assert not isinstance(outcome, Values)
        iterates_over_nothing = path == ".items[]"
        assert iterates_over_nothing or obstacle_to_assignment(parse(path)) is not None
    else:
        assert outcome == Values((result,))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(programs, min_size=10, max_size=10), st.lists(documents, min_size=4, max_size=4))
def test_a_path_is_never_refused_as_none(engine: Engine, texts: list[str], inputs: list[Any]) -> None:
    """What catches errors is left out: a handler sees the message, which is no part of the document."""
    paths = [text for text in texts if "catch" not in text and obstacle_to_assignment(parse(text)) is None]
    for text, row in zip(paths, engine.evaluate([f"[path({text})]" for text in paths], inputs), strict=True):
        for document, outcome in zip(inputs, row, strict=True):
            assert not _is_no_path(outcome), (text, document, outcome)
            assert isinstance(outcome, Values) or outcome.kind is FailureKind.ERROR
