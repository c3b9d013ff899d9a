"""Regular expressions that a backtracking engine can take exponential time for."""

from __future__ import annotations

import pytest

from wmap_lint.jq.ambiguity import is_exponential

EXPONENTIAL = [
    "(a+)+$",
    "(a*)*b",
    "(a|a)*b",
    "^(a|aa)+$",
    "(x+x+)+y",
    "([a-z]+)*$",
    "(?:(a)+)+$",
    "((a+)b?)+$",
    "(.*a){20}",
    "^(?<word>\\w+ ?)+$",
    "(\\d|[0-9a-f])*z",
    "(a?b?)*c",
    "(a{2,3})+$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(.|\\n)*x",
    "(a|b|ab)*c",
]
HARMLESS = [
    "",
    "a",
    "^Ready|Done$",
    "^[a-z0-9]+(-[a-z0-9]+)*$",
    "^([a-z0-9]+\\.)*[a-z0-9]+$",
    "(foo|bar)+",
    "(ab)*",
    "(a{4})+$",
    "a*b*c*",
    ".*foo.*bar.*",
    "^\\d{1,3}(\\.\\d{1,3}){3}$",
    "\\d+\\s*[KMG]i?",
    "[(]a+[)]+",
    "\\(a+\\)+",
    "(a+)?",
    "^(?i)done",
    "(\\w+)-(\\w+)-[0-9]+$",
    '([^"]|\\\\")x',
    "((a",
    "a))b*",
    "[]a]+",
    "*",
    "(?=a+)+",
]


@pytest.mark.parametrize("text", EXPONENTIAL)
def test_exponential(text: str) -> None:
    assert is_exponential(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless(text: str) -> None:
    assert not is_exponential(text)


@pytest.mark.parametrize("text", ["(" * 2000 + "a" + ")" * 2000, "a" * 10_000, "(" + ".?" * 200 + ")*"])
def test_what_is_too_large_to_examine_is_refused(text: str) -> None:
    assert is_exponential(text)
