"""Programs so plain that their answer is beyond doubt, answered without jq (floor 0).

Handing an object to the worker and jq takes a hundred times as long as following a path in it. What is answered here
is what jq and gojq agree on: paths and ``?``, ``|``, ``,``, constants, comparisons of texts and numbers, ``and`` and
``or``, ``//``, ``if``, ``as``, arithmetic, and the simple functions. Everything else is jq's to answer, and so is
every error: a program that is not plain gives no reader, and a reader that is in doubt about an input gives None. A
reader does a bounded amount of work; beyond that it is in doubt too, and the worker's limits hold.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from wmap_lint.jq import ast
from wmap_lint.jq.ambiguity import is_exponential
from wmap_lint.jq.lexer import JqSyntaxError
from wmap_lint.jq.parser import parse

MAX_RESULTS = 999
"""With more results an answer is left to the engine, which knows what is too many."""

MAX_WORK = 50_000
"""Values that are looked at, or copied, for one answer."""

_LARGEST = 2**53
# What is looked at as a whole, a text or the keys of an object, must not be large: it may be looked at often.
_LONG = 4096
_WIDE = 1000
_SMALL = 1000


class _DoubtError(Exception):
    """The answer is not known here."""


class _MadeList(list[Any]):
    """A list that the program made."""


class _MadeObject(dict[str, Any]):
    """An object that the program made: jq and gojq go through it in different orders."""


class _Scope:
    """Variables, and how much work is left."""

    __slots__ = ("left", "variables")

    def __init__(self) -> None:
        self.left = MAX_WORK
        self.variables: dict[str, Any] = {}

    def work(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise _DoubtError


Step = Callable[[Any, _Scope], Sequence[Any]]
"""The results of a part of a program on one value."""

Access = Callable[[Any], Sequence[Any] | None]
"""The results of looking into one value, None for an error."""


@functools.lru_cache(maxsize=4096)
def reader(text: str) -> Callable[[Any], Sequence[Any] | None] | None:
    """A function from an input to the results of the program ``text``, or None when it is not plain.

    The function gives None when the answer is an error, too long, or depends on something that is no JSON. Results
    are scalars, parts of the input as they are, or small things made of these: numbers and keys have yet to be
    normalised.
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

    def read(value: Any) -> Sequence[Any] | None:
        try:
            results = step(value, _Scope())
            if len(results) > MAX_RESULTS:
                return None
            made = [each for each in results if type(each) in _MADE]
            return results if not made or _size(made, _SMALL) <= _SMALL else None
        except (_DoubtError, RecursionError):
            return None

    return read


def _size(values: Iterable[Any], most: int) -> int:
    """How many values there are with all that is in them, or a number above ``most``.

    What a program made may share parts with itself; written out it could be of any size.
    """
    size = 0
    for value in values:
        size += 1
        if size > most:
            break
        if isinstance(value, (list, dict)):
            size += _size(value if isinstance(value, list) else value.values(), most - size)
    return size


_TEXT = frozenset({str})
_MADE = frozenset({_MadeList, _MadeObject})
_JSON = frozenset({dict, list, str, int, float, bool, type(None), _MadeList, _MadeObject})


# -- parts of programs ----------------------------------------------------------------------------------------


def _step(node: ast.Node) -> Step | None:
    builder = _BUILDERS.get(type(node))
    return None if builder is None else builder(node)


def _steps(*nodes: ast.Node) -> list[Step] | None:
    found = [_step(node) for node in nodes]
    steps = [step for step in found if step is not None]
    return steps if len(steps) == len(found) else None


def _same(value: Any, scope: _Scope) -> Sequence[Any]:
    return (value,)


def _literal(node: Any) -> Step | None:
    if isinstance(node.value, float) or (isinstance(node.value, int) and abs(node.value) > _LARGEST):
        return None
    constant = (node.value,)
    return lambda value, scope: constant


def _string(node: Any) -> Step | None:
    if node.format is not None:
        return None
    if node.literal is not None:
        constant = (node.literal,)
        return lambda value, scope: constant
    parts = [part if isinstance(part, str) else _step(part) for part in node.parts]
    if any(part is None for part in parts):
        return None

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        text = "".join([part if isinstance(part, str) else _text(_one(part(value, scope))) for part in parts if part])
        scope.work(len(text))
        return (text,)

    return step


def _text(value: Any) -> str:
    if type(value) is str:
        return value
    if type(value) is int:
        return str(_number(value))
    raise _DoubtError


def _one(results: Sequence[Any]) -> Any:
    if len(results) != 1:
        raise _DoubtError
    return results[0]


def _number(value: Any) -> int:
    if type(value) is not int or not -_LARGEST <= value <= _LARGEST:
        raise _DoubtError
    return value


def _pipe(node: Any) -> Step | None:
    steps = _steps(node.left, node.right)
    return None if steps is None else _piped(*steps)


def _piped(one: Step, other: Step) -> Step:
    if one is _same:
        return other

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        results = one(value, scope)
        if len(results) == 1:
            return other(results[0], scope)
        scope.work(len(results))
        return [each for result in results for each in other(result, scope)]

    return step


def _comma(node: Any) -> Step | None:
    steps = _steps(node.left, node.right)
    if steps is None:
        return None
    one, other = steps

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        results = [*one(value, scope), *other(value, scope)]
        scope.work(len(results))
        return results

    return step


def _array(node: Any) -> Step | None:
    if node.body is None:
        return lambda value, scope: (_MadeList(),)
    body = _step(node.body)
    if body is None:
        return None

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        made = _MadeList(body(value, scope))
        scope.work(len(made))
        return (made,)

    return step


def _object(node: Any) -> Step | None:
    entries = []
    for entry in node.entries:
        if entry.value is None:
            return None
        steps = _steps(entry.key, entry.value)
        if steps is None:
            return None
        entries.append(steps)

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        made = _MadeObject()
        for key, item in entries:
            name = _one(key(value, scope))
            if type(name) is not str:
                raise _DoubtError
            made[name] = _one(item(value, scope))
        scope.work(len(made))
        return (made,)

    return step


def _variable(node: Any) -> Step | None:
    name = node.name

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        if name not in scope.variables:
            raise _DoubtError
        return (scope.variables[name],)

    return step


def _bind(node: Any) -> Step | None:
    steps = _steps(node.source, node.body)
    if steps is None or len(node.patterns) != 1 or not isinstance(node.patterns[0], ast.VariablePattern):
        return None
    source, body = steps
    name = node.patterns[0].name

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        results: list[Any] = []
        outer = scope.variables
        for each in source(value, scope):
            scope.work(1)
            scope.variables = {**outer, name: each}
            results += body(value, scope)
        scope.variables = outer
        return results

    return step


def _if(node: Any) -> Step | None:
    otherwise: Step | None = _same if node.otherwise is None else _step(node.otherwise)
    for condition, result in reversed(node.branches):
        steps = _steps(condition, result)
        if steps is None or otherwise is None:
            return None
        otherwise = _branch(steps[0], steps[1], otherwise)
    return otherwise


def _branch(condition: Step, result: Step, otherwise: Step) -> Step:
    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        chosen = result if _is_true(_one(condition(value, scope))) else otherwise
        return chosen(value, scope)

    return step


def _is_true(value: Any) -> bool:
    if value is None or value is False:
        return False
    if type(value) is float:
        return math.isfinite(value)  # jq is handed null in place of what is not
    if type(value) not in _JSON:
        raise _DoubtError
    return True


# -- operators ------------------------------------------------------------------------------------------------


def _binary(node: Any) -> Step | None:
    steps = _steps(node.left, node.right)
    if steps is None:
        return None
    one, other = steps
    if node.operator == "//":
        return _alternative(one, other)
    if node.operator in ("and", "or"):
        return _connected(one, other, node.operator == "or")
    if node.operator in ("==", "!=") and isinstance(node.right, ast.String) and node.right.literal is not None:
        return _compared(one, node.right.literal, node.operator == "==")
    combine = _OPERATORS.get(node.operator)
    if combine is None:
        return None

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        left, right = one(value, scope), other(value, scope)
        if len(left) == 1 == len(right):
            return (combine(left[0], right[0], scope),)
        if len(left) > 1 and len(right) > 1:
            raise _DoubtError  # in which order?
        scope.work(len(left) * len(right))
        return [combine(each, against, scope) for each in left for against in right]

    return step


def _compared(one: Step, text: str, wanted: bool) -> Step:
    """Whether each result is (or is not) a text: the commonest comparison there is."""
    short = len(text) <= _LONG

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        found = one(value, scope)
        if len(found) == 1 and short and type(found[0]) is str:
            return ((found[0] == text) is wanted,)
        scope.work(len(found))
        return [_equal(each, text, scope) is wanted for each in found]

    return step


def _alternative(one: Step, other: Step) -> Step:
    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        return [each for each in one(value, scope) if _is_true(each)] or other(value, scope)

    return step


def _connected(one: Step, other: Step, settles: bool) -> Step:
    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        results: list[bool] = []
        first = one(value, scope)
        if len(first) == 1:
            truth = first[0] if type(first[0]) is bool else _is_true(first[0])
            if truth is settles:
                return (settles,)
            second = other(value, scope)
            if len(second) == 1:
                return (second[0] if type(second[0]) is bool else _is_true(second[0]),)
            scope.work(len(second))
            return [_is_true(found) for found in second]
        for each in first:
            if _is_true(each) is settles:
                results.append(settles)
            else:
                results += [_is_true(found) for found in other(value, scope)]
        scope.work(len(results))
        return results

    return step


def _rank(value: Any) -> int:
    """The order of types; what is not ranked cannot be compared here."""
    if value is None:
        return 0
    if value is False:
        return 1
    if value is True:
        return 2
    kind = type(value)
    if (kind is int or kind is float) and -_LARGEST <= value <= _LARGEST:
        return 3
    if kind is str:
        return 4
    if kind is list or kind is _MadeList:
        return 5
    if kind is dict or kind is _MadeObject:
        return 6
    raise _DoubtError


def _compare(one: Any, other: Any) -> int:
    if type(one) is str and type(other) is str:
        if min(len(one), len(other)) > _LONG:
            raise _DoubtError
        return int(one > other) - int(one < other)
    left, right = _rank(one), _rank(other)
    if left != right:
        return -1 if left < right else 1
    if left < 3:
        return 0
    if left > 4:
        raise _DoubtError
    return int(one > other) - int(one < other)


def _equal(one: Any, other: Any, scope: _Scope) -> bool:
    if type(one) is str and type(other) is str:
        if len(one) == len(other) > _LONG:
            raise _DoubtError
        return one == other
    if _rank(one) == _rank(other) > 4:
        return _same_parts(one, other, scope)
    return _compare(one, other) == 0


def _same_parts(one: Any, other: Any, scope: _Scope) -> bool:
    """Whether two lists, or two objects, have equal members."""
    if len(one) != len(other) or not one:
        return len(one) == len(other)
    scope.work(len(one))
    if isinstance(one, list):
        return all(_equal(*pair, scope) for pair in zip(one, other, strict=True))
    if not _TEXT.issuperset(map(type, [*one, *other])):
        raise _DoubtError
    return one.keys() == other.keys() and all(_equal(value, other[key], scope) for key, value in one.items())


def _plus(one: Any, other: Any, scope: _Scope) -> Any:
    if one is None:
        _rank(other)
        return other
    if other is None:
        _rank(one)
        return one
    if isinstance(one, str) and isinstance(other, str):
        scope.work(len(one) + len(other))
        return one + other
    if isinstance(one, list) and isinstance(other, list):
        scope.work(len(one) + len(other))
        return _MadeList([*one, *other])
    if isinstance(one, dict) and isinstance(other, dict):
        scope.work(len(one) + len(other))
        return _MadeObject({**one, **other})
    return _number(_number(one) + _number(other))


def _quotient(one: Any, other: Any) -> int | float:
    """A number that is no integer can only be rounded or compared here."""
    dividend, divisor = _number(one), _number(other)
    if dividend < 0 or divisor <= 0:
        raise _DoubtError  # an error, or a zero with a sign
    return dividend // divisor if dividend % divisor == 0 else dividend / divisor


_OPERATORS: dict[str, Callable[[Any, Any, _Scope], Any]] = {
    "==": _equal,
    "!=": lambda one, other, scope: not _equal(one, other, scope),
    "<": lambda one, other, scope: _compare(one, other) < 0,
    "<=": lambda one, other, scope: _compare(one, other) <= 0,
    ">": lambda one, other, scope: _compare(one, other) > 0,
    ">=": lambda one, other, scope: _compare(one, other) >= 0,
    "+": _plus,
    "-": lambda one, other, scope: _number(_number(one) - _number(other)),
    "*": lambda one, other, scope: _number(_number(one) * _number(other)),
    "/": lambda one, other, scope: _quotient(one, other),
}


# -- functions ------------------------------------------------------------------------------------------------


def _call(node: Any) -> Step | None:
    simple = _SIMPLE.get(node.signature)
    if simple is not None:
        return lambda value, scope: (simple(value, scope),)
    if node.signature == "path/1":
        return _path(node.arguments[0])
    steps = _steps(*node.arguments)
    if steps is None:
        return None
    match node.signature:
        case "empty/0":
            return lambda value, scope: ()
        case "values/0":
            return lambda value, scope: () if value is None else (value,)
        case "numbers/0" | "strings/0" | "booleans/0" | "nulls/0" | "arrays/0" | "objects/0":
            name = node.name.removesuffix("s")
            return lambda value, scope: (value,) if _TYPES[_rank(value)] == name else ()
        case "any/0" | "all/0":
            return _quantified(_each, _same, node.name == "any")
        case "startswith/1" | "endswith/1" | "ltrimstr/1" | "rtrimstr/1" | "has/1":
            return _with_text(_OF_TEXT[node.name], steps[0])
        case "select/1":
            return _select(steps[0])
        case "map/1":
            return _map(steps[0])
        case "any/1" | "all/1":
            return _quantified(_each, steps[0], node.name == "any")
        case "any/2" | "all/2":
            return _quantified(steps[0], steps[1], node.name == "any")
        case "IN/1":
            return _is_in(steps[0])
        case "index/1":
            return _with_text(_position_of, steps[0])
        case "test/1":
            return _tested(node.arguments[0])
        case "contains/1":
            return _contains(steps[0])
    return None


def _is_in(source: Step) -> Step:
    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        found = source(value, scope)
        scope.work(len(found))
        return (any(_equal(each, value, scope) for each in found),)

    return step


def _position_of(value: Any, text: str) -> int | None:
    """Where a text is in a list."""
    if not isinstance(value, list) or len(value) > _WIDE:
        raise _DoubtError
    return next((position for position, each in enumerate(value) if type(each) is str and each == text), None)


_REGEX_PART = re.compile(
    r"(?P<repeat>[*+?])|(?P<begin>[(|^])|[)$]|\[\^?(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9.:/_ ,=@])+\]"
    r"|[A-Za-z0-9 :/_,=@%;<>!~'-]",
    re.ASCII,
)
_MOST_REPEATS = 2
_SEARCHED = 256


@functools.lru_cache(maxsize=256)
def _pattern(regex: str) -> re.Pattern[str] | None:
    """A regular expression that every engine takes alike, and that is done soon on a short text."""
    at = repeats = 0
    may_repeat = False
    while at < len(regex):
        part = _REGEX_PART.match(regex, at)
        if part is None or (part["repeat"] and not may_repeat):
            return None
        repeats += part[0] in "*+"
        may_repeat = not (part["repeat"] or part["begin"] or part[0] == "$")
        at = part.end()
    if repeats > _MOST_REPEATS or len(regex) > _SEARCHED or is_exponential(regex):
        return None
    try:
        return re.compile(regex)
    except re.error:
        return None


def _tested(argument: ast.Node) -> Step | None:
    regex = argument.literal if isinstance(argument, ast.String) and argument.format is None else None
    pattern = None if regex is None else _pattern(regex)
    if pattern is None:
        return None

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        # Engines differ in what begins and ends a line.
        if type(value) is not str or len(value) > _SEARCHED or "\n" in value:
            raise _DoubtError
        scope.work(len(value))
        return (pattern.search(value) is not None,)

    return step


def _with_text(combine: Callable[[Any, str], Any], argument: Step) -> Step:
    """A function of a value and one text."""

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        text = _one(argument(value, scope))
        if type(text) is not str or len(text) > _LONG:
            raise _DoubtError
        return (combine(value, text),)

    return step


def _is_short_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONG


def _starts(value: Any, text: str) -> bool:
    if not _is_short_text(value):
        raise _DoubtError
    return bool(value.startswith(text))


def _ends(value: Any, text: str) -> bool:
    if not _is_short_text(value):
        raise _DoubtError
    return bool(value.endswith(text))


def _without_start(value: Any, text: str) -> Any:
    if not text:
        raise _DoubtError  # some jq leaves nothing then
    return value[len(text) :] if _starts(value, text) else value


def _without_end(value: Any, text: str) -> Any:
    if not text:
        raise _DoubtError
    return value[: len(value) - len(text)] if _ends(value, text) else value


def _has(value: Any, text: str) -> bool:
    if not isinstance(value, dict) or not _TEXT.issuperset(map(type, value)):
        raise _DoubtError
    return text in value


_OF_TEXT: dict[str, Callable[[Any, str], Any]] = {
    "startswith": _starts,
    "endswith": _ends,
    "ltrimstr": _without_start,
    "rtrimstr": _without_end,
    "has": _has,
}


def _select(condition: Step) -> Step:
    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        return [value for each in condition(value, scope) if _is_true(each)]

    return step


def _map(body: Step) -> Step:
    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        made = _MadeList([each for item in _each(value, scope) for each in body(item, scope)])
        scope.work(len(made))
        return (made,)

    return step


def _contains(part: Step) -> Step:
    """Of texts alone; jq before 1.7 looks at them up to their first NUL only."""

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        parts = part(value, scope)
        for text in (value, *parts):
            if not isinstance(text, str) or len(text) > _LONG or "\0" in text:
                raise _DoubtError
        scope.work(len(parts))
        return [each in value for each in parts]

    return step


def _quantified(source: Step, condition: Step, settles: bool) -> Step:
    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        for item in source(value, scope):
            scope.work(1)
            for each in condition(item, scope):
                if _is_true(each) is settles:
                    return (settles,)
        return (not settles,)

    return step


def _each(value: Any, scope: _Scope) -> Sequence[Any]:
    results = _items(value)
    if results is None:
        raise _DoubtError
    scope.work(len(results))
    return results


def _sum(value: Any, scope: _Scope) -> Any:
    total: Any = None
    for each in _each(value, scope):
        total = _plus(total, each, scope)
    return total


def _length(value: Any, scope: _Scope) -> int:
    if value is None:
        return 0
    if isinstance(value, (str, list, dict)):
        return len(value)
    raise _DoubtError


def _keys(value: Any, scope: _Scope) -> _MadeList:
    if not isinstance(value, dict) or not _TEXT.issuperset(map(type, value)):
        raise _DoubtError
    scope.work(len(value))
    return _MadeList(sorted(value))


def _extreme(choose: Callable[[list[Any]], Any]) -> Callable[[Any, _Scope], Any]:
    def simple(value: Any, scope: _Scope) -> Any:
        ordered = _in_order(value, scope)
        return choose(ordered) if ordered else None

    return simple


def _rounded(round_: Callable[[float], int]) -> Callable[[Any, _Scope], Any]:
    def simple(value: Any, scope: _Scope) -> Any:
        if type(value) is float and 0 < value <= _LARGEST:  # below, a zero would have a sign
            return round_(value)
        return _number(value)

    return simple


_TYPES: dict[int, str] = {0: "null", 1: "boolean", 2: "boolean", 3: "number", 4: "string", 5: "array", 6: "object"}
_NUMBER = re.compile(r"-?[1-9][0-9]{0,14}|0", re.ASCII)


def _to_number(value: Any, scope: _Scope) -> int:
    if type(value) is str and _NUMBER.fullmatch(value):
        return int(value)
    return _number(value)


def _to_text(value: Any, scope: _Scope) -> str:
    if value is None or type(value) is bool:
        return "null" if value is None else "true" if value else "false"
    return _text(value)


def _in_order(value: Any, scope: _Scope) -> list[Any]:
    """The members of a list of scalars, sorted."""
    if not isinstance(value, list):
        raise _DoubtError
    scope.work(len(value))
    ranked = [(_rank(each), each) for each in value]
    if any(rank > 4 or (rank == 4 and not _is_short_text(each)) for rank, each in ranked):
        raise _DoubtError
    return [each for _, each in sorted(ranked, key=lambda pair: (pair[0], pair[1] if pair[0] > 2 else 0))]


def _sorted(value: Any, scope: _Scope) -> _MadeList:
    return _MadeList(_in_order(value, scope))


def _unique(value: Any, scope: _Scope) -> _MadeList:
    made = _MadeList()
    for each in _in_order(value, scope):
        if not made or not _equal(made[-1], each, scope):
            made.append(each)
    return made


def _from_entries(value: Any, scope: _Scope) -> _MadeObject:
    made = _MadeObject()
    for each in _each(value, scope):
        if not isinstance(each, dict) or type(each.get("key")) is not str or "value" not in each:
            raise _DoubtError
        made[each["key"]] = each["value"]
    return made


def _to_entries(value: Any, scope: _Scope) -> _MadeList:
    return _MadeList([_MadeObject(key=key, value=value[key]) for key in _keys(value, scope)])


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_UPPER = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}


def _translated(table: dict[int, int]) -> Callable[[Any, _Scope], Any]:
    def simple(value: Any, scope: _Scope) -> Any:
        if not isinstance(value, str) or len(value) > _LONG:
            raise _DoubtError
        return value.translate(table)

    return simple


_SIMPLE: dict[str, Callable[[Any, _Scope], Any]] = {
    "not/0": lambda value, scope: not _is_true(value),
    "add/0": _sum,
    "length/0": _length,
    "keys/0": _keys,
    "min/0": _extreme(lambda ordered: ordered[0]),
    "max/0": _extreme(lambda ordered: ordered[-1]),
    "floor/0": _rounded(math.floor),
    "ceil/0": _rounded(math.ceil),
    "type/0": lambda value, scope: _TYPES[_rank(value)],
    "tonumber/0": _to_number,
    "tostring/0": _to_text,
    "sort/0": _sorted,
    "unique/0": _unique,
    "from_entries/0": _from_entries,
    "to_entries/0": _to_entries,
    "ascii_downcase/0": _translated(_LOWER),
    "ascii_upcase/0": _translated(_UPPER),
}


# -- looking into values --------------------------------------------------------------------------------------


def _access(node: Any) -> Step | None:
    return _accessing(node, optional=False)


def _optional(node: Any) -> Step | None:
    """With ``?`` an error of this step, and of no other, is no result."""
    return _accessing(node.target, optional=True) if isinstance(node.target, ast.Index | ast.Iterate) else None


def plain_path(node: ast.Node) -> list[str] | None:
    """The keys of ``.a.b.c``, or None when it is something else."""
    keys: list[str] = []
    while isinstance(node, ast.Index):
        if not isinstance(node.key, ast.String) or node.key.format is not None or node.key.literal is None:
            return None
        keys.append(node.key.literal)
        node = node.target
    return keys[::-1] if isinstance(node, ast.Identity) else None


def _followed(keys: Sequence[str]) -> Step:
    """The value at the end of a path: most of what programs do, so in one go."""
    accesses = [(key, _field(key)) for key in keys]

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        for key, access in accesses:
            if type(value) is dict and key in value:
                value = value[key]
                continue
            results = access(value)
            if results is None:
                raise _DoubtError
            value = results[0]
        return (value,)

    return step


def _accessing(node: Any, *, optional: bool) -> Step | None:
    if not optional and (keys := plain_path(node)):
        return _followed(keys)
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
        return None if optional else _looked_up(target, _step(node.key))

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        results = inner(value)
        if results is None:
            if optional:
                return ()
            raise _DoubtError
        scope.work(len(results))
        return results

    return _piped(target, step)


def _looked_up(target: Step, key: Step | None) -> Step | None:
    """``target[key]``, where the key is computed from the same input."""
    if key is None:
        return None

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        name = _one(key(value, scope))
        if type(name) is not str:
            raise _DoubtError
        results = _field(name)(_one(target(value, scope)))
        if results is None:
            raise _DoubtError
        return results

    return step


def _field(key: str) -> Access:
    def access(value: Any) -> Sequence[Any] | None:
        if isinstance(value, dict):
            found = value.get(key, _MISSING)
            if found is not _MISSING:
                return (found,)
            if len(value) > _WIDE or not _TEXT.issuperset(map(type, value)):
                raise _DoubtError
            return _NULL
        return _of_no_container(value)

    return access


def _position(index: int) -> Access:
    def access(value: Any) -> Sequence[Any] | None:
        if isinstance(value, list):
            return (value[index] if index < len(value) else None,)
        return _of_no_container(value)

    return access


def _of_no_container(value: Any) -> Sequence[Any] | None:
    """Looking into null, and into what has no such parts, which is an error."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return _NULL
    if type(value) not in _JSON:
        raise _DoubtError
    return None


def _items(value: Any) -> Sequence[Any] | None:
    if isinstance(value, list):
        return value
    if type(value) is _MadeObject:
        raise _DoubtError
    if isinstance(value, dict):
        if not _TEXT.issuperset(map(type, value)):
            raise _DoubtError
        return [value[key] for key in sorted(value)]
    if type(value) not in _JSON:
        raise _DoubtError
    return None


# -- places ---------------------------------------------------------------------------------------------------

Walk = Callable[[Any, _Scope], Sequence[tuple[tuple[str | int, ...], Any]]]
"""The places that a part of a program leads to from one value, each with what is there."""


def _path(node: ast.Node) -> Step | None:
    walk = _walk(node)
    if walk is None:
        return None

    def step(value: Any, scope: _Scope) -> Sequence[Any]:
        return [_MadeList(place) for place, _ in walk(value, scope)]

    return step


def _walk(node: ast.Node) -> Walk | None:
    match node:
        case ast.Identity():
            return lambda value, scope: (((), value),)
        case ast.Index() | ast.Iterate():
            return _walked(node, optional=False)
        case ast.Optional(ast.Index() | ast.Iterate() as target):
            return _walked(target, optional=True)
        case ast.Pipe(left, right):
            return _joined(_walk(left), _walk(right))
        case ast.Comma(left, right):
            return _either(_walk(left), _walk(right), only_first=False)
        case ast.Binary("//", left, right):
            return _either(_walk(left), _walk(right), only_first=True)
        case ast.If(branches, otherwise):
            chosen = _walk(otherwise or ast.Identity())
            for condition, result in reversed(branches):
                chosen = _chosen(_step(condition), _walk(result), chosen)
            return chosen
        case ast.Bind(source, (ast.VariablePattern(name),), body):
            return _bound(_step(source), name, _walk(body))
        case ast.Call("select", (condition,)):
            return _kept(_step(condition))
        case ast.Call("empty", ()):
            return lambda value, scope: ()
    return None


def _walked(node: ast.Index | ast.Iterate, *, optional: bool) -> Walk | None:
    """One step further down."""
    inner: Callable[[Any], Sequence[Any] | None]
    key = node.key if isinstance(node, ast.Index) else None
    name: str | int | None = None
    if key is None:
        inner = _items
    elif isinstance(key, ast.String) and key.format is None and key.literal is not None:
        name, inner = key.literal, _field(key.literal)
    elif isinstance(key, ast.Literal) and type(key.value) is int and 0 <= key.value < _LARGEST:
        name, inner = key.value, _position(key.value)
    else:
        return None

    def down(value: Any, scope: _Scope) -> Sequence[tuple[tuple[str | int, ...], Any]]:
        found = inner(value)
        if found is None:
            if optional:
                return ()
            raise _DoubtError
        scope.work(len(found))
        if name is not None:
            return (((name,), found[0]),)
        names = sorted(value) if isinstance(value, dict) else range(len(value))
        return [((each,), item) for each, item in zip(names, found, strict=True)]

    return _joined(_walk(node.target), down)


def _joined(one: Walk | None, other: Walk | None) -> Walk | None:
    if one is None or other is None:
        return None

    def walk(value: Any, scope: _Scope) -> Sequence[tuple[tuple[str | int, ...], Any]]:
        found = []
        for place, item in one(value, scope):
            for further, each in other(item, scope):
                scope.work(1 + len(place) + len(further))
                found.append(((*place, *further), each))
        return found

    return walk


def _either(one: Walk | None, other: Walk | None, *, only_first: bool) -> Walk | None:
    if one is None or other is None:
        return None

    def walk(value: Any, scope: _Scope) -> Sequence[tuple[tuple[str | int, ...], Any]]:
        first = one(value, scope)
        if only_first:
            return [found for found in first if _is_true(found[1])] or other(value, scope)
        return [*first, *other(value, scope)]

    return walk


def _chosen(condition: Step | None, result: Walk | None, otherwise: Walk | None) -> Walk | None:
    if condition is None or result is None or otherwise is None:
        return None

    def walk(value: Any, scope: _Scope) -> Sequence[tuple[tuple[str | int, ...], Any]]:
        return (result if _is_true(_one(condition(value, scope))) else otherwise)(value, scope)

    return walk


def _bound(source: Step | None, name: str, body: Walk | None) -> Walk | None:
    if source is None or body is None:
        return None

    def walk(value: Any, scope: _Scope) -> Sequence[tuple[tuple[str | int, ...], Any]]:
        outer = scope.variables
        scope.variables = {**outer, name: _one(source(value, scope))}
        found = body(value, scope)
        scope.variables = outer
        return found

    return walk


def _kept(condition: Step | None) -> Walk | None:
    if condition is None:
        return None

    def walk(value: Any, scope: _Scope) -> Sequence[tuple[tuple[str | int, ...], Any]]:
        return [((), value) for each in condition(value, scope) if _is_true(each)]

    return walk


_MISSING = object()
_NULL = (None,)

_BUILDERS: dict[type[ast.Node], Callable[[Any], Step | None]] = {
    ast.Identity: lambda node: _same,
    ast.Literal: _literal,
    ast.String: _string,
    ast.Pipe: _pipe,
    ast.Comma: _comma,
    ast.Array: _array,
    ast.Object: _object,
    ast.Variable: _variable,
    ast.Bind: _bind,
    ast.If: _if,
    ast.Binary: _binary,
    ast.Call: _call,
    ast.Index: _access,
    ast.Iterate: _access,
    ast.Optional: _optional,
}

__all__ = ["MAX_RESULTS", "MAX_WORK", "plain_path", "reader"]
