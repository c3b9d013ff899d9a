"""The verdicts on a whole program."""

from __future__ import annotations

import pytest

from wmap_lint.jq.analysis import Analysis, UnboundedKind, analyse
from wmap_lint.jq.parser import JqSyntaxError


def analysis(text: str) -> Analysis:
    found = analyse(text)
    assert isinstance(found, Analysis), found
    return found


def test_a_text_that_does_not_parse_gives_its_error() -> None:
    assert isinstance(analyse(".a b"), JqSyntaxError)


def test_the_same_text_is_analysed_once() -> None:
    assert analyse(".a.b") is analyse(".a.b")


@pytest.mark.parametrize(
    ("text", "kind", "at"),
    [
        ("[..]", UnboundedKind.REFUSED, ".."),
        ("[range(3)]", UnboundedKind.REFUSED, "range(3)"),
        (".a | walk(.)", UnboundedKind.REFUSED, "walk(.)"),
        ("[while(true; .)]", UnboundedKind.ENDLESS, "while(true; .)"),
        ("[.a, .b] | combinations", UnboundedKind.ENDLESS, "combinations"),
        ("def f: f; f", UnboundedKind.ENDLESS, "def f: f;"),
        ('.a | test("(a+)+$")', UnboundedKind.REGEX, '"(a+)+$"'),
        ('"x" * 1e9', UnboundedKind.GROWTH, '"x" * 1e9'),
    ],
)
def test_unbounded(text: str, kind: UnboundedKind, at: str) -> None:
    found = analysis(text)
    (unbounded,) = found.unbounded
    assert (unbounded.kind, text[unbounded.node.start : unbounded.node.end]) == (kind, at)
    assert not found.runnable


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("$ENV.A", ["$ENV"]),
        ("env.A, now", ["env", "now"]),
        ('import "a" as a; a::f', ["import"]),
        ('include "a"; input', ["include", "input"]),
        ("def now: 1; now", []),
        (".env | .now", []),
    ],
)
def test_outside(text: str, names: list[str]) -> None:
    assert [each.name for each in analysis(text).outside] == names


@pytest.mark.parametrize(
    ("text", "operators"),
    [(".a = 1", ["="]), ("[.a |= 1, del(.b)]", ["|=", "del"]), (".a == 1", []), ("def del(f): f; del(.a)", [])],
)
def test_writes(text: str, operators: list[str]) -> None:
    assert [each.operator for each in analysis(text).writes] == operators


@pytest.mark.parametrize("text", [".a", ".items[]?.n", 'any(.c[]?; .t == "R")', ".a // 1", '.a // "" | test("x")'])
def test_what_definitions_write_is_runnable(text: str) -> None:
    found = analysis(text)
    assert found.runnable
    assert found.differences == ()


def test_assignable() -> None:
    assert analysis(".a").assignable
    assert not analysis(".a // 1").assignable


@pytest.mark.parametrize("depth", [20, 100])
def test_towers_are_not_run(depth: int) -> None:
    tower = "."
    for _ in range(depth):
        tower = f"[{tower} | .[] , .[]]"
    found = analyse(tower)
    assert isinstance(found, JqSyntaxError) or not found.runnable
