"""Steps of an expression that no fixture has, and words in it that no fixture says: where a misspelling is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from wmap_lint.definition import Expression, Slot
from wmap_lint.diagnostic import Edit, Fix, Span
from wmap_lint.jq import ast
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.flow import Every, Path, Step
from wmap_lint.record import Record
from wmap_lint.spelling import nearest

_MOST_VALUES = 10_000
_MOST_COMPARISONS = 100_000  # a comparison takes some twenty microseconds, and strangers write the names
_LONGEST_NAME = 80
_WORDS_OF_JSON = frozenset({"true", "false", "null"})


class Misspelling(Record):
    """A piece of an expression that fits nothing in the fixtures.

    The characters ``[start, end)`` say ``name``; ``close`` are the names the fixtures have instead and that
    are spelled nearly alike. ``[edit_start, edit_end)`` is what to replace by another name.
    """

    expression: Expression
    name: str
    start: int
    end: int
    edit_start: int
    edit_end: int
    close: tuple[str, ...]

    @property
    def span(self) -> Span:
        """Its place in the file."""
        return self.expression.span(self.start, self.end)

    @property
    def hint(self) -> str | None:
        """What may be meant."""
        return f"Did you mean `{self.close[0]}`?" if self.close else None

    @property
    def fix(self) -> Fix | None:
        """The correction, when only one comes into question."""
        if len(self.close) != 1:
            return None
        (name,) = self.close
        written = self.expression.text[self.edit_start : self.edit_end]
        if written.startswith('"'):
            text = json.dumps(name, ensure_ascii=False)
        elif name.isidentifier() and name.isascii():
            text = name
        else:
            return None
        span = self.expression.span(self.edit_start, self.edit_end)
        return Fix(f"Change {self.name} to {name}", (Edit(span, text),))


class Shelf:
    """Objects, and what they have at abstract paths."""

    def __init__(self, objects: Iterable[object]) -> None:
        self._values: dict[Path, list[object]] = {(): list(objects)}
        self._comparisons = _MOST_COMPARISONS

    def values(self, path: Path) -> Sequence[object]:
        """Every value at ``path`` of any of the objects; nothing where a step is computed."""
        found = self._values.get(path)
        if found is None:
            found = []
            for value in self.values(path[:-1]):
                found.extend(_below(value, path[-1]))
                if len(found) > _MOST_VALUES:
                    break
            self._values[path] = found
        return found

    def keys(self, path: Path) -> frozenset[str] | None:
        """The names that objects at ``path`` have; None when there is no object."""
        objects = [value for value in self.values(path) if isinstance(value, dict)]
        return frozenset().union(*objects) if objects else None

    def nearest(self, name: str, candidates: Iterable[str], at_most: int | None = None) -> tuple[str, ...]:
        """The candidates spelled nearly as ``name``; nothing any more once very many have been compared."""
        names = sorted(candidate for candidate in candidates if len(candidate) <= _LONGEST_NAME)
        self._comparisons -= len(names)
        return nearest(name, names, at_most) if self._comparisons > 0 and len(name) <= _LONGEST_NAME else ()

    def texts(self, path: Path) -> frozenset[str]:
        """Every string below ``path``."""
        found: set[str] = set()
        pending = list(self.values(path))
        while pending:
            value = pending.pop()
            if isinstance(value, str):
                found.add(value)
            elif isinstance(value, dict):
                pending.extend(value.values())
            elif isinstance(value, list):
                pending.extend(value)
        return frozenset(found)


def _below(value: object, step: Step) -> Iterable[object]:
    if step is Every.MEMBER:
        if isinstance(value, dict):
            return value.values()
        return value if isinstance(value, list) else ()
    if isinstance(step, str) and isinstance(value, dict):
        return (value[step],) if step in value else ()
    if isinstance(step, int) and isinstance(value, list) and -len(value) <= step < len(value):
        return (value[step],)
    return ()


def dead_ends(expression: Expression, shelf: Shelf, at_most: int | None = None) -> Iterator[Misspelling]:
    """The steps at which ``expression`` first asks for a name that no object there has, in the order of the text.

    ``at_most`` is how many letters of a name may differ (a third of it, if not given).
    """
    analysis = analyse(expression.text)
    if not isinstance(analysis, Analysis):
        return
    for read in analysis.flow.reads:
        if not read.path or not isinstance(read.path[-1], str):
            continue
        keys = shelf.keys(read.path[:-1])
        name = read.path[-1]
        if keys is None or name in keys:
            continue
        start, end = _place(expression.text, read.node)
        edit_start = start + 1 if expression.text[start] == "." else start
        yield Misspelling(expression, name, start, end, edit_start, end, shelf.nearest(name, keys, at_most))


def _place(text: str, node: ast.Node) -> tuple[int, int]:
    """The characters of the step itself: the key with its dot."""
    if not isinstance(node, ast.Index):
        return node.start, node.end
    start = node.key.start
    return (start - 1 if text[start - 1 : start] == "." else start), node.key.end


def foreign_words(expression: Expression, shelf: Shelf) -> Iterator[Misspelling]:
    """The texts in ``expression`` that no object says anywhere, but for one or two letters."""
    analysis = analyse(expression.text)
    if not isinstance(analysis, Analysis):
        return
    said = shelf.texts(())
    for node in analysis.nodes:
        text = node.literal if isinstance(node, ast.String) else None
        if text is None or len(text) < 4 or text in said or text in _WORDS_OF_JSON:
            continue
        if not expression.text.startswith('"', node.start):
            continue  # a key, which is a step
        close = shelf.nearest(text, said, min(2, len(text) // 4))
        if close:
            yield Misspelling(expression, text, node.start, node.end, node.start, node.end, close)


REQUIRED = frozenset({Slot.INSTANCE_ID_PATH, Slot.POD_TEMPLATE_SPEC_PATH, Slot.POD_SPEC_PATH})
"""Slots whose expression leads somewhere in every object that has the component."""


def misspelt_step(expression: Expression, shelf: Shelf) -> Misspelling | None:
    """The first step to a name that no object has, where they have one like it.

    A field that may be left out has to be spelled almost like the other one: it may just be another field.
    """
    at_most = None if expression.slot in REQUIRED else 1
    return next((each for each in dead_ends(expression, shelf, at_most) if each.close), None)


def likely_misspelling(expression: Expression, shelf: Shelf) -> Misspelling | None:
    """The first step or word that looks misspelt: a name that differs in a letter or two from one that is there."""
    found = [each for each in dead_ends(expression, shelf, 2) if each.close]
    found += foreign_words(expression, shelf)
    return min(found, key=lambda each: each.start, default=None)
