"""Paths that consumers write through."""

from __future__ import annotations

import pytest

from tests.rules.expressions import definition
from tests.rules.families import check, marked, places
from wmap_lint.diagnostic import Severity


@pytest.mark.parametrize(
    "expression",
    [
        ".spec.x // ⟦WM801⟧false",
        ".spec.items[]? | ⟦WM801⟧length",
        "⟦WM801⟧{a: .b}",
        ".spec.a | ⟦WM801⟧tostring",
        "⟦WM801⟧[.spec.a]",
        "if .a then .b else ⟦WM801⟧1 end",
        ".a as $t | ⟦WM801⟧$t",
        "⟦WM801⟧last(.spec.items[]?)",
        ".spec.suspend",
        ".spec.items[]?.suspend",
        ".spec.a // .spec.b",
        ".spec.a // empty",
        "if .a then .b else .c end",
        ". as $t | $t.spec.items[]?.x",
        "first(.spec.items[]?).x",
        '.spec.items[]? | select(.role == "x") | .y',
        'getpath(["spec", "x"])',
    ],
)
def test_paths_of_actions(expression: str) -> None:
    text, expected = marked(definition("suspend", expression))
    assert places(text) == expected


@pytest.mark.parametrize(
    ("place", "expression", "fires"),
    [
        ("pod spec", ".spec.template // {}", True),
        ("pod spec", "{containers: [.spec.container]}", True),
        ("labels", ".spec.labels // {}", True),
        ("containers", "[.spec.container]", True),
        ("pod spec", ".spec.a // .spec.b", False),
        ("labels", ".spec.labels", False),
        ("replicas", ".spec.replicas // 1", False),
        ("ids", '.spec.items[]? | .name // "x"', False),
    ],
)
def test_paths_of_pods_are_a_warning(place: str, expression: str, fires: bool) -> None:
    found = check(definition(place, expression))
    assert [(each.rule, each.severity) for each in found] == [("WM801", Severity.WARNING)] * fires
