"""jq text → tokens (floor 0), by the lexical rules of jq 1.8.

The rules were established by running jq 1.8.2; where gojq and jaq read a text differently, the portability
analysis says so. Nothing here knows the grammar except that ``\\(`` inside a string opens a program.
"""

from __future__ import annotations

import enum
import json
import re
from typing import NamedTuple

KEYWORDS = frozenset(
    "as import include module def if then else elif end reduce foreach try catch label and or break".split()
)

_OPERATORS = ("?//", "//=", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "//", "..")
_SINGLE = frozenset(".?=;,:|+-*/%$<>[]{}()")

_IDENTIFIER = re.compile(r"(?:[a-zA-Z_][a-zA-Z_0-9]*::)*[a-zA-Z_][a-zA-Z_0-9]*")
_FIELD = re.compile(r"\.[a-zA-Z_][a-zA-Z_0-9]*")
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_FORMAT = re.compile(r"@[a-zA-Z0-9_]+")
_ESCAPES = re.compile(r"(?:\\[^u(]|\\u[a-zA-Z0-9]{0,4})+", re.DOTALL)
_PLAIN = re.compile(r'[^\\"]+')
_BLANK = re.compile(r"[ \t\r\n]+")


class JqSyntaxError(ValueError):
    """A text that is not jq: what is wrong at ``[start, end)``, and perhaps what to write instead."""

    def __init__(self, message: str, start: int, end: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end
        self.hint = hint


class TokenKind(enum.Enum):
    """What a token is; the value is how it is called in an error message."""

    NUMBER = "a number"
    IDENTIFIER = "a name"
    KEYWORD = "a keyword"
    FIELD = "a field"
    VARIABLE = "a variable"
    LOCATION = "$__loc__"
    FORMAT = "a format"
    SYMBOL = "a symbol"
    STRING_START = "a string"
    STRING_TEXT = "text"
    INTERPOLATION_START = r"\("
    INTERPOLATION_END = "the ) of an interpolation"
    STRING_END = "the end of a string"
    END = "the end of the expression"


class Token(NamedTuple):
    """One token; ``text`` is as written, except for STRING_TEXT, where it is decoded."""

    kind: TokenKind
    text: str
    start: int
    end: int

    def describe(self) -> str:
        """The token as an error message names it."""
        if self.kind is TokenKind.END:
            return str(self.kind.value)
        if self.kind is TokenKind.STRING_START:
            return "a string"
        return f"'{self.text}'"


_ADVICE = {
    "&": "jq writes 'and'",
    "!": "jq writes '| not' after the expression, and '!=' between two values",
    "'": 'jq strings take double quotes: "…"',
    "`": 'jq strings take double quotes: "…"',
    "“": 'jq strings take straight double quotes: "…"',
    "”": 'jq strings take straight double quotes: "…"',
    "‘": 'jq strings take straight double quotes: "…"',
    "’": 'jq strings take straight double quotes: "…"',
    "\xa0": "this is a no-break space; write an ordinary one",
    "^": "jq has no ^ operator; write pow(a; b)",
    "~": 'jq has no ~ operator; write test("regex")',
    "\\": "a backslash only has a meaning inside a string",
}


def tokenize(text: str) -> list[Token]:
    """All tokens of ``text``, the last one of kind END; raises :class:`JqSyntaxError`."""
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.tokens: list[Token] = []
        # For every open bracket, where it stands and whether it is the one of an interpolation.
        self.open: list[tuple[str, int]] = []

    def run(self) -> list[Token]:
        while self.at < len(self.text):
            self._next()
        for bracket, start in reversed(self.open):
            if bracket == "\\(":
                raise JqSyntaxError(
                    r"the interpolation that begins here is never closed; expected ')'", start, start + 2
                )
        self._add(TokenKind.END, "", self.at, self.at)
        return self.tokens

    def _add(self, kind: TokenKind, text: str, start: int, end: int) -> None:
        self.tokens.append(Token(kind, text, start, end))
        self.at = end

    def _next(self) -> None:
        text, at = self.text, self.at
        if blank := _BLANK.match(text, at):
            self.at = blank.end()
        elif text[at] == "#":
            self._comment()
        elif text[at] == '"':
            self._add(TokenKind.STRING_START, '"', at, at + 1)
            self._string(at)
        elif field := _FIELD.match(text, at):
            self._add(TokenKind.FIELD, field.group(), at, field.end())
        elif number := _NUMBER.match(text, at):
            self._add(TokenKind.NUMBER, number.group(), at, number.end())
        elif word := _IDENTIFIER.match(text, at):
            kind = TokenKind.KEYWORD if word.group() in KEYWORDS else TokenKind.IDENTIFIER
            self._add(kind, word.group(), at, word.end())
        elif text[at] == "$" and (name := _IDENTIFIER.match(text, at + 1)):
            kind = TokenKind.LOCATION if name.group() == "__loc__" else TokenKind.VARIABLE
            self._add(kind, "$" + name.group(), at, name.end())
        elif form := _FORMAT.match(text, at):
            self._add(TokenKind.FORMAT, form.group(), at, form.end())
        else:
            self._symbol()

    def _comment(self) -> None:
        # A comment ends with its line, unless the line ends with an odd number of backslashes.
        text = self.text
        while self.at < len(text) and text[self.at] != "\n":
            if text[self.at] == "\\":
                self.at += 2 if text.startswith("\r\n", self.at + 1) else 1
            self.at += 1
        self.at = min(self.at, len(text))

    def _symbol(self) -> None:
        text, at = self.text, self.at
        for operator in _OPERATORS:
            if text.startswith(operator, at):
                self._add(TokenKind.SYMBOL, operator, at, at + len(operator))
                return
        character = text[at]
        if character not in _SINGLE:
            raise JqSyntaxError(
                f"unexpected character {character!r}"
                if character.isprintable()
                else f"unexpected character U+{ord(character):04X}",
                at,
                at + 1,
                _ADVICE.get(character) or (_UNQUOTED if character.isalpha() else None),
            )
        if character in "([{":
            self.open.append((character, at))
        elif character in ")]}":
            self._close(character)
            return
        self._add(TokenKind.SYMBOL, character, at, at + 1)

    def _close(self, character: str) -> None:
        at = self.at
        if not self.open:
            raise JqSyntaxError(f"unexpected '{character}': nothing is open that it would close", at, at + 1)
        opened, start = self.open.pop()
        wanted = {"(": ")", "[": "]", "{": "}", "\\(": ")"}[opened]
        if character != wanted:
            raise JqSyntaxError(
                f"expected '{wanted}' for the '{opened}' at character {start + 1}, found '{character}'",
                at,
                at + 1,
            )
        if opened == "\\(":
            self._add(TokenKind.INTERPOLATION_END, ")", at, at + 1)
            self._string(start)
        else:
            self._add(TokenKind.SYMBOL, character, at, at + 1)

    def _string(self, opening: int) -> None:
        """Continue inside a string until it ends or an interpolation opens."""
        text = self.text
        while self.at < len(text):
            at = self.at
            if text[at] == '"':
                self._add(TokenKind.STRING_END, '"', at, at + 1)
                return
            if text.startswith("\\(", at):
                self.open.append(("\\(", at))
                self._add(TokenKind.INTERPOLATION_START, "\\(", at, at + 2)
                return
            if plain := _PLAIN.match(text, at):
                self._add(TokenKind.STRING_TEXT, plain.group(), at, plain.end())
            elif escapes := _ESCAPES.match(text, at):
                self._add(TokenKind.STRING_TEXT, _unescape(escapes.group(), at), at, escapes.end())
            else:
                raise JqSyntaxError("a lone backslash at the end of a string", at, at + 1)
        raise JqSyntaxError("this string is never closed; expected '\"'", opening, opening + 1)


_UNQUOTED = 'names are plain ASCII letters, digits and _; anything else is written ."…" or ["…"]'


def _unescape(escapes: str, at: int) -> str:
    """Decode a run of escapes as jq does: as JSON, except that a lone low surrogate becomes U+FFFD."""
    decoded: list[str] = []
    position = 0
    while position < len(escapes):
        width = 6 if escapes[position + 1] == "u" else 2
        piece = escapes[position : position + width]
        start = at + position
        if width == 2:
            try:
                decoded.append(str(json.loads(f'"{piece}"', strict=False)))
            except ValueError:
                raise JqSyntaxError(
                    f"invalid escape {piece} in a string",
                    start,
                    start + 2,
                    r'the escapes are \" \\ \/ \b \f \n \r \t \uXXXX and \(…); a regex doubles its backslashes: "\\."',
                ) from None
        else:
            if not re.fullmatch(r"\\u[0-9a-fA-F]{4}", piece):
                raise JqSyntaxError(r"\u takes four hexadecimal digits", start, start + len(piece))
            code = int(piece[2:], 16)
            if 0xD800 <= code < 0xDC00:
                low = escapes[position + 6 : position + 12]
                if not re.fullmatch(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}", low):
                    raise JqSyntaxError(r"the second half of a \uXXXX\uXXXX pair is missing", start, start + 6)
                code = 0x10000 + ((code - 0xD800) << 10) + (int(low[2:], 16) - 0xDC00)
                width = 12
            elif 0xDC00 <= code < 0xE000:
                code = 0xFFFD
            decoded.append(chr(code))
        position += width
    return "".join(decoded)
