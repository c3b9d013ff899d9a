from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap_lint.report.characters import columns, printable, wrap

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "shown", "ascii_shown"),
    [
        ("plain text", "plain text", "plain text"),
        ("\x1b[31mred", "␛[31mred", "\\x1b[31mred"),
        ("two\nlines\r\n", "two␊lines␍␊", "two\\x0alines\\x0d\\x0a"),
        ("\x7f\x9b", "␡\\x9b", "\\x7f\\x9b"),
        ("a\u202eb\u2066c\u200bd\ufeff", "a\\u202eb\\u2066c\\u200bd\\ufeff", "a\\u202eb\\u2066c\\u200bd\\ufeff"),
        ("\u2028", "\\u2028", "\\u2028"),
        ("byte \udcff", "byte \\xff", "byte \\xff"),
        ("日本 é", "日本 é", "\\u65e5\\u672c \\xe9"),
        ("👩\u200d🚀", "👩\u200d🚀", "\\U0001f469\\u200d\\U0001f680"),
    ],
)
def test_what_is_not_plainly_visible_is_written_out(text: str, shown: str, ascii_shown: str) -> None:
    assert printable(text) == shown
    assert printable(text, unicode=False) == ascii_shown


@given(ANY_TEXT)
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    for character in printable(text):
        assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
        assert unicodedata.bidirectional(character) not in {
            "LRE",
            "RLE",
            "LRO",
            "RLO",
            "PDF",
            "LRI",
            "RLI",
            "FSI",
            "PDI",
        }
    assert printable(text, unicode=False).isascii()


@given(ANY_TEXT)
def test_what_is_printable_stays_as_it_is(text: str) -> None:
    assert printable(printable(text)) == printable(text)


@pytest.mark.parametrize(("text", "wide"), [("", 0), ("abc", 3), ("日本", 4), ("😀", 2), ("e\u0301", 1), ("é", 1)])
def test_columns(text: str, wide: int) -> None:
    assert columns(text) == wide


def test_wrapping_breaks_at_spaces_and_keeps_long_words() -> None:
    assert list(wrap("one two three", 7, 5)) == ["one two", "three"]
    assert list(wrap("a .spec.aLongPath.of.fields b", 8, 8)) == ["a", ".spec.aLongPath.of.fields", "b"]
    assert list(wrap("wide 日本 日本", 9, 9)) == ["wide 日本", "日本"]
    assert list(wrap("keep  two", 40, 40)) == ["keep  two"]
    assert list(wrap("", 40, 40)) == [""]


@given(st.text(alphabet="ab日 ", max_size=60), st.integers(1, 20), st.integers(1, 20))
def test_wrapping_loses_no_word_and_overflows_only_for_one_word(text: str, first: int, following: int) -> None:
    lines = list(wrap(text, first, following))
    assert [word for line in lines for word in line.split()] == text.split()
    for number, line in enumerate(lines):
        room = following if number else first
        assert columns(line) <= room or not re.search(r"\S \S", line)
