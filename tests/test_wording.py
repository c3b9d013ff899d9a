"""Texts of others made fit for a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap_lint.wording import capitalised, joined, listed, shortened


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("abcde", "abcde"),
        ("abcdef", "abcd…"),
        (" a\n\tb ", "a b"),
        ("a     b", "a b"),
    ],
)
def test_shortened(text: str, expected: str) -> None:
    assert shortened(text, 5) == expected


@given(st.text(), st.integers(1, 20))
def test_shortened_fits_one_line(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert len(short) <= limit
    assert len(short.splitlines()) <= 1
    assert shortened(short, limit) == short


@pytest.mark.parametrize(
    ("text", "expected"), [("", ""), ("`minReplicas`", "`minReplicas`"), ("the RayCluster", "The RayCluster")]
)
def test_capitalised(text: str, expected: str) -> None:
    assert capitalised(text) == expected


def test_lists_in_a_sentence() -> None:
    assert joined(["a"]) == "a"
    assert joined(["a", "b"], "or") == "a or b"
    assert joined(iter("abc")) == "a, b and c"
    assert listed(["a", "b", "c"]) == "`a`, `b` and `c`"
