"""Whether a backtracking engine can take exponential time for a regular expression (floor 0).

It can when there is a state from which the same text leads back to it in two ways: each repetition of the text
then doubles the number of ways, and an engine tries them all before it gives up. The expression is read into
positions (Glushkov's automaton): each character of it is a state, `follows` says what may come after it, and how
often the same step can be taken in different ways. What is no regular language (look-around, back-references)
counts as nothing: other rules refuse it.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

#: What is larger or deeper than this is not examined, and taken for exponential.
_MAX_POSITIONS: Final = 400
_MAX_DEPTH: Final = 40
_MAX_PAIRS: Final = 4_000
#: A repetition that is longer than this is as bad as one without end.
_LONG: Final = 10

_PROBES: Final = (*map(chr, range(9, 127)), "é", "中", "\0")

_TOKEN = re.compile(
    r"(?P<group>\((?:\?(?:P?<[A-Za-z_]\w*>|[a-z-]*:))?)"
    r"|(?P<look>\(\?(?:<?[=!]|>))"
    r"|(?P<flags>\(\?[a-z-]+\))"
    r"|(?P<close>\))"
    r"|(?P<or>\|)"
    r"|(?P<class>\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\])"
    r"|(?P<repeat>(?:[*+?]|\{\d*,?\d*\})[?+]?)"
    r"|(?P<anchor>[\^$]|\\[bBAzZG])"
    r"|(?P<atom>\\[pP]\{\^?\w+\}|\\x[0-9A-Fa-f]{2}|\\.|.)",
    re.DOTALL,
)


@dataclass(slots=True)
class _Part:
    """A piece of the expression: whether it matches nothing, and the positions it begins and ends with."""

    empty: bool = True
    first: Counter[int] = field(default_factory=Counter)
    last: Counter[int] = field(default_factory=Counter)


class _TooLarge(Exception):  # noqa: N818 - it says what is the case
    pass


class _Automaton:
    def __init__(self, text: str) -> None:
        self.tokens = [(match.lastgroup or "", match.group()) for match in _TOKEN.finditer(text)]
        self.at = 0
        self.depth = 0
        self.characters: list[frozenset[str]] = []
        self.follows: list[Counter[int]] = []

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def alternatives(self) -> _Part:
        part = self.sequence()
        while self.peek() == "or":
            self.at += 1
            other = self.sequence()
            part = _Part(part.empty or other.empty, part.first + other.first, part.last + other.last)
        return part

    def sequence(self) -> _Part:
        part = _Part()
        while self.peek() not in ("", "or", "close"):
            part = self.join(part, self.piece())
        return part

    def join(self, one: _Part, two: _Part) -> _Part:
        self.connect(one.last, two.first)
        return _Part(
            one.empty and two.empty,
            one.first + two.first if one.empty else one.first,
            one.last + two.last if two.empty else two.last,
        )

    def connect(self, ends: Counter[int], beginnings: Counter[int]) -> None:
        for position, ways in ends.items():
            for following, times in beginnings.items():
                self.follows[position][following] += ways * times

    def piece(self) -> _Part:
        begin = self.at
        part = self.atom()
        while self.peek() == "repeat":
            least, most = _bounds(self.tokens[self.at][1])
            after = self.at + 1
            if most <= 1:
                part.empty = part.empty or least == 0
            elif least == most < _LONG and after - begin == 2:
                for _ in range(least - 1):
                    self.at = begin
                    part = self.join(part, self.atom())
            else:
                self.connect(part.last, part.first)
                part.empty = part.empty or least == 0
            self.at = after
        return part

    def atom(self) -> _Part:
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind in ("group", "look"):
            self.depth += 1
            if self.depth > _MAX_DEPTH:
                raise _TooLarge
            part = self.alternatives()
            self.depth -= 1
            self.at += 1  # the closing parenthesis
            return _Part() if kind == "look" else part
        if kind in ("anchor", "flags", "repeat", "close"):
            return _Part()
        if len(self.characters) >= _MAX_POSITIONS:
            raise _TooLarge
        self.characters.append(_matched(text))
        self.follows.append(Counter())
        position = len(self.characters) - 1
        return _Part(False, Counter([position]), Counter([position]))


def _bounds(repeat: str) -> tuple[int, float]:
    text = repeat.rstrip("?+") or repeat[0]
    if text in ("*", "+", "?"):
        return (1 if text == "+" else 0), (1 if text == "?" else float("inf"))
    least, comma, most = text.strip("{}").partition(",")
    low = int(least or 0)
    return low, (float(most) if most else float("inf")) if comma else float(low)


def _matched(atom: str) -> frozenset[str]:
    """Which of some characters ``atom`` matches; all of them when it cannot be told."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about what other engines may read as set operations
            pattern = re.compile(atom, re.DOTALL)
    except re.error:
        return frozenset(_PROBES)
    return frozenset(character for character in _PROBES if pattern.fullmatch(character)) or frozenset({atom})


def is_exponential(text: str) -> bool:
    """Whether some texts take a backtracking engine exponential time to match with the regular expression ``text``."""
    automaton = _Automaton(text)
    try:
        while automaton.peek():
            automaton.alternatives()
            automaton.at += 1  # a closing parenthesis too many
        return _is_exponential(automaton.follows, automaton.characters)
    except _TooLarge:
        return True


def _is_exponential(follows: list[Counter[int]], characters: list[frozenset[str]]) -> bool:
    reach = _closure(follows)
    if any(times > 1 and start in reach[end] for start, ends in enumerate(follows) for end, times in ends.items()):
        return True
    # Two ways with the same text, as a walk of pairs: from (q, q) over a pair of different states back to (q, q).
    forward: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for state in range(len(follows)):
        if state in reach[state]:
            _walk((state, state), follows, characters, forward)
    backward: dict[tuple[int, int], set[tuple[int, int]]] = {pair: set() for pair in forward}
    for pair, following in forward.items():
        for other in following:
            backward[other].add(pair)
    return any(
        one != two
        for state in range(len(follows))
        if (state, state) in forward
        for one, two in _reachable((state, state), forward) & _reachable((state, state), backward)
    )


def _closure(follows: list[Counter[int]]) -> list[set[int]]:
    reach = []
    for state in range(len(follows)):
        seen: set[int] = set()
        pending = list(follows[state])
        while pending:
            following = pending.pop()
            if following not in seen:
                seen.add(following)
                pending.extend(follows[following])
        reach.append(seen)
    return reach


def _walk(
    start: tuple[int, int],
    follows: list[Counter[int]],
    characters: list[frozenset[str]],
    forward: dict[tuple[int, int], set[tuple[int, int]]],
) -> None:
    pending = [start]
    while pending:
        pair = pending.pop()
        if pair in forward:
            continue
        if len(forward) >= _MAX_PAIRS:
            raise _TooLarge
        forward[pair] = {
            (min(one, two), max(one, two))
            for one in follows[pair[0]]
            for two in follows[pair[1]]
            if characters[one] & characters[two]
        }
        pending.extend(forward[pair])


def _reachable(start: tuple[int, int], forward: dict[tuple[int, int], set[tuple[int, int]]]) -> set[tuple[int, int]]:
    seen: set[tuple[int, int]] = set()
    pending = list(forward[start])
    while pending:
        pair = pending.pop()
        if pair not in seen:
            seen.add(pair)
            pending.extend(forward[pair])
    return seen
