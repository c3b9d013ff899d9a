"""Characters on a terminal: which are safe to print, how wide they are, where a sentence may break.

File names, messages and source lines come from strangers. What would move the cursor, change colours, end a
line or reorder the text (control characters, ANSI escapes, bidirectional overrides) is shown, never sent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_JOINERS = "\u200c\u200d"
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_ZERO_WIDTH = {"Mn", "Me", "Cf"}
_WORD = re.compile(r" *[^ ]+")


def printable(text: str, *, unicode: bool = True) -> str:
    """``text`` with everything that is not plainly visible written out, on one line.

    An escape character is ``␛``, or ``\\x1b`` where only ASCII can be shown; there every other character is
    escaped too.
    """
    if text.isprintable() and (unicode or text.isascii()):
        return text
    return "".join(visible(character, unicode=unicode) for character in text)


def visible(character: str, *, unicode: bool = True) -> str:
    """One character as it is shown."""
    code = ord(character)
    if 0x20 <= code < 0x7F:
        return character
    if unicode:
        if code < 0x20:
            return chr(0x2400 + code)
        if code == 0x7F:
            return "␡"
        if character in _JOINERS or unicodedata.category(character) not in _HIDDEN:
            return character
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not text
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def columns(text: str) -> int:
    """How many columns of a terminal ``text``, which is printable, takes."""
    if text.isascii():
        return len(text)
    return sum(map(_character_columns, text))


def _character_columns(character: str) -> int:
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 0 if unicodedata.category(character) in _ZERO_WIDTH else 1


def wrap(text: str, first: int, following: int) -> Iterator[str]:
    """Break ``text`` at spaces into lines of at most ``first`` columns, then ``following`` columns.

    A word that is too long stays whole, so that paths and expressions can be copied. Spaces inside a line are
    kept as they are.
    """
    line, used, room = "", 0, first
    for match in _WORD.finditer(text):
        word = match.group()
        wide = columns(word)
        if line and used + wide > room:
            yield line
            room = following
            word = word.lstrip(" ")
            line, used = word, columns(word)
        else:
            line += word
            used += wide
    yield line
