"""What the names of a program refer to."""

from __future__ import annotations

import pytest

from wmap_lint.jq.names import Names, resolve_names
from wmap_lint.jq.parser import parse


def names(text: str) -> Names:
    return resolve_names(parse(text))


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("nosuch", ["function nosuch/0"]),
        ("map(.a; .b)", ["function map/2"]),
        ("$x", ["variable x"]),
        ("(.a as $x | 1) | $x", ["variable x"]),
        ("def f: 1; f(2)", ["function f/1"]),
        ("(def f: 1; f) | f", ["function f/0"]),
        ("def f(g): g; g", ["function g/0"]),
        ("@nosuch", ["format nosuch"]),
        ('@nosuch "x"', ["format nosuch"]),
        ("break $x", ["label x"]),
        ("(label $x | 1), break $x", ["label x"]),
        ("m::f", ["module m"]),
        ("reduce $y as $x (0; $x) | $x", ["variable y", "variable x"]),
        (". as {(nosuch): $x} | $x", ["function nosuch/0"]),
        ('"\\(nosuch)"', ["function nosuch/0"]),
        ("[nosuch, {a: nosuch}]", ["function nosuch/0", "function nosuch/0"]),
        (". as $x | def f: $x; f", []),
        ("def f($x): $x + x; f(1)", []),
        ("def f(g): g; f(.a)", []),
        ("def f: def g: 1; g; f", []),
        (". as [$x] ?// {b: $y} | [$x, $y]", []),
        (". as {$x: [$y]} | $x, $y", []),
        ("label $x | break $x", []),
        ("foreach .[] as $x (0; $x; [$x])", []),
        ('import "m" as m; m::f', []),
        ('import "m" as $m; $m::m', []),
        ("$ENV.x, $__loc__, @base64, @text", []),
    ],
)
def test_unknown_names(text: str, unknown: list[str]) -> None:
    assert [f"{each.kind} {each.name}" for each in names(text).unknown] == unknown


@pytest.mark.parametrize(
    ("text", "recursive"),
    [
        ("def f: f; f", ["f"]),
        ("def f: def g: f; g; f", ["f"]),
        ("def f(g): f(g); f(.)", ["f"]),
        ("def f: 1; def f: f; f", ["f"]),
        ("def f(f): f; f(.)", []),
        ("def f: 1; def g: f; g", []),
        ("def f: 1; def f(x): f; f(.)", []),
    ],
)
def test_recursion(text: str, recursive: list[str]) -> None:
    assert [each.name for each in names(text).recursive] == recursive


def test_builtins_are_known_by_signature_and_can_be_shadowed() -> None:
    assert [each.signature for each in names("map(length) | first, first(.[])").builtin_calls] == [
        "map/1",
        "length/0",
        "first/0",
        "first/1",
    ]
    assert names("def length: 1; length").builtin_calls == ()
    assert [each.name for each in names(". as $x | $x, $ENV").global_variables] == ["ENV"]
    assert names(". as $ENV | $ENV").global_variables == ()
