"""The table of traps names every trap, and only rules that exist or are planned."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wmap_lint.rules import all_rules

PAGE = Path(__file__).parent.parent / "docs" / "traps.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if re.match(r"\| \d", line)
]
PLANNED = {"WM4", "WM5", "WM6", "WM7", "WM8", "WM9"}


def test_every_trap_has_its_row() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 59))


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_row_names_rules_or_a_reason(row: list[str]) -> None:
    _, trap, finders = row
    assert len(trap) > 20
    registered = {rule.code for rule in all_rules()}
    codes = set(re.findall(r"\bWM\d+\b", finders))
    assert {code for code in codes if len(code) == 5} <= registered
    assert {code for code in codes if len(code) == 3} == set(re.findall(r"\b(WM\d) \(planned\)", finders))
    assert {code for code in codes if len(code) == 3} <= PLANNED
    assert codes or re.match(r"no rule: .{20}", finders)


def test_every_rule_about_expressions_is_for_a_trap_or_for_safety() -> None:
    """WM201 (validators refuse it too), WM207 and WM218 (ours) are for no trap of the table."""
    named = set(re.findall(r"\bWM2\d\d\b", PAGE.read_text(encoding="utf-8")))
    ours = {rule.code for rule in all_rules() if rule.code.startswith("WM2")}
    assert ours - named == {"WM201", "WM207", "WM218"}
