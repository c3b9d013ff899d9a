"""Programs so plain that their answer is beyond doubt, answered without jq (floor 0).

Most expressions of a definition are paths: ``.metadata.labels["x"]``, ``.spec.groups[]?.name``. Handing a pod to the
worker takes a hundred times as long as following one. What is answered here is what jq and gojq agree on: keys of
objects, positions of lists, iteration, ``?`` behind either, ``|``, constants, a comparison with a text, and ``//``.
Everything else, and every error, is jq's to answer: a program that is not plain gives no reader, and a reader that is
in doubt about an input gives None.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

from wmap_lint.jq import ast
from wmap_lint.jq.lexer import JqSyntaxError
from wmap_lint.jq.parser import parse

MAX_RESULTS = 999
"""With more results an answer is left to the engine, which knows what is too many."""

_LARGEST = 2**53

Step = Callable[[Any], list[Any]]
"""The results of a part of a program on one value."""

Access = Callable[[Any], list[Any] | None]
"""The results of looking into one value, None for an error."""


class _DoubtError(Exception):
    """The answer is not known here."""


@functools.lru_cache(maxsize=4096)
def reader(text: str) -> Callable[[Any], list[Any] | None] | None:
    """A function from an input to the results of the program ``text``, or None when it is not plain.

    The function gives None when the answer is an error, too long, or depends on something that is no JSON. Results
    are parts of the input, as they are: numbers and keys have yet to be normalised.
    """
    try:
        program = parse(text)
    except JqSyntaxError:
        return None
    if program.imports or program.module is not None:
        return None
    step = _step(program.body)
    if step is None:
        return None

    def read(value: Any) -> list[Any] | None:
        try:
            results = step(value)
        except _DoubtError:
            return None
        return results if len(results) <= MAX_RESULTS else None

    return read


def _step(node: ast.Node) -> Step | None:
    match node:
        case ast.Identity():
            return _same
        case ast.Literal(value):
            return _constant(value) if not isinstance(value, float) and _is_small(value) else None
        case ast.String():
            return None if node.literal is None or node.format is not None else _constant(node.literal)
        case ast.Index() | ast.Iterate():
            return _access(node, optional=False)
        case ast.Optional(ast.Index() | ast.Iterate() as target):
            return _access(target, optional=True)
        case ast.Pipe(left, right):
            return _both(left, right, _piped)
        case ast.Binary("//", left, right):
            return _both(left, right, _alternative)
        case ast.Binary("==" | "!=" as operator, left, ast.String() as right) if right.format is None:
            return _comparison(_step(left), right.literal, operator == "==")
    return None


def _is_small(value: object) -> bool:
    return not isinstance(value, int) or abs(value) <= _LARGEST


def _same(value: Any) -> list[Any]:
    return [value]


def _constant(constant: Any) -> Step:
    return lambda value: [constant]


def _both(left: ast.Node, right: ast.Node, combine: Callable[[Step, Step], Step]) -> Step | None:
    one, other = _step(left), _step(right)
    return None if one is None or other is None else combine(one, other)


def _piped(one: Step, other: Step) -> Step:
    if one is _same:
        return other
    return lambda value: _concatenated(map(other, one(value)))


def _alternative(one: Step, other: Step) -> Step:
    def step(value: Any) -> list[Any]:
        return [each for each in one(value) if _is_true(each)] or other(value)

    return step


def _is_true(value: Any) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return False  # jq is handed null in its place
    return value is not None and value is not False


def _comparison(one: Step | None, text: str | None, same: bool) -> Step | None:
    if one is None or text is None:
        return None

    def step(value: Any) -> list[Any]:
        results = one(value)
        if any(type(each) not in _JSON for each in results):
            raise _DoubtError
        return [(isinstance(each, str) and each == text) is same for each in results]

    return step


_JSON = frozenset({dict, list, str, int, float, bool, type(None)})


def _access(node: ast.Index | ast.Iterate, *, optional: bool) -> Step | None:
    """A step into each result of the target. With ``?`` an error of this step, and of no other, is no result."""
    target = _step(node.target)
    if target is None:
        return None
    inner: Access
    if isinstance(node, ast.Iterate):
        inner = _items
    elif isinstance(node.key, ast.String) and node.key.format is None and node.key.literal is not None:
        inner = _field(node.key.literal)
    elif isinstance(node.key, ast.Literal) and type(node.key.value) is int and 0 <= node.key.value < _LARGEST:
        inner = _position(node.key.value)
    else:
        return None
    access = _or_nothing(inner) if optional else _or_doubt(inner)
    return _piped(target, access)


def _or_nothing(inner: Access) -> Step:
    return lambda value: inner(value) or []


def _or_doubt(inner: Access) -> Step:
    def step(value: Any) -> list[Any]:
        results = inner(value)
        if results is None:
            raise _DoubtError
        return results

    return step


def _field(key: str) -> Access:
    def step(value: Any) -> list[Any] | None:
        if isinstance(value, dict):
            found = value.get(key, _MISSING)
            if found is not _MISSING:
                return [found]
            if any(type(each) is not str for each in value):
                raise _DoubtError
            return [None]
        return _of_no_container(value)

    return step


def _position(index: int) -> Access:
    def step(value: Any) -> list[Any] | None:
        if isinstance(value, list):
            return [value[index] if index < len(value) else None]
        return _of_no_container(value)

    return step


def _of_no_container(value: Any) -> list[Any] | None:
    """Looking into null, and into what has no such parts, which is an error."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return [None]
    if type(value) not in _JSON:
        raise _DoubtError
    return None


def _items(value: Any) -> list[Any] | None:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        if any(type(each) is not str for each in value):
            raise _DoubtError
        return [value[key] for key in sorted(value)]
    if value is not None and type(value) not in _JSON:
        raise _DoubtError
    return None


def _concatenated(lists: Iterable[list[Any]]) -> list[Any]:
    return [each for part in lists for each in part]


_MISSING = object()

__all__ = ["MAX_RESULTS", "reader"]
