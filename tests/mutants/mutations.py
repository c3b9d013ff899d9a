"""Faults a person can make in a definition, made by a machine: each is the whole definition with one thing wrong.

What is changed is the meaning, not the layout: a mutant that says the same in other words is not made. Ten kinds, after
what has gone wrong in definitions of this sort: see :data:`KINDS`.
"""

from __future__ import annotations

import copy
import itertools
import json
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from wmap_lint.definition import Definition, Expression, Slot
from wmap_lint.jq import ast
from wmap_lint.jq.lexer import JqSyntaxError
from wmap_lint.jq.parser import parse

Path = tuple[str | int, ...]

KINDS = (
    "typo in a path",
    "guard dropped",
    "statuses swapped",
    "wrong label key",
    "wrong level of count",
    "role removed",
    "condition renamed",
    "True for False",
    "default dropped",
    "parentheses dropped",
)

_TRUTHS = {"True": "False", "False": "True", "true": "false", "false": "true"}
_COUNTS = (Slot.REPLICAS_PATH, Slot.MIN_REPLICAS_PATH, Slot.MAX_REPLICAS_PATH)
_STATUS = (Slot.MATCHER_EXPRESSION, Slot.PHASE_PATH, Slot.CONDITIONS_PATH)
_ROOT: Path = ("spec", "structureDefinition", "rootComponent")
_CHILDREN: Path = ("spec", "structureDefinition", "childComponents")


class Mutant(NamedTuple):
    """A definition with one fault: what kind it is, where, what was done, and the data of the whole document."""

    kind: str
    where: str
    what: str
    data: Any

    def __str__(self) -> str:
        return f"{self.kind}, {self.where}: {self.what}"


def mutants(definition: Definition) -> Iterator[Mutant]:
    """Every fault, the same ones in the same order each time."""
    seen = {_text(definition.document.data)}
    for make in (_in_expressions, _in_matchers, _statuses_swapped, _in_selectors, _counts_elsewhere, _roles_removed):
        for mutant in make(definition):
            text = _text(mutant.data)
            if text not in seen:
                seen.add(text)
                yield mutant


def _text(data: Any) -> str:
    return json.dumps(data, sort_keys=False, default=str)


def slip(name: str) -> str:
    """``name`` with one letter wrong, in one of four ways, the same way each time."""
    middle = len(name) // 2
    before, letter, after = name[:middle], name[middle : middle + 1], name[middle + 1 :]
    ways = [before + after, before + letter + letter + after, before + ("x" if letter != "x" else "z") + after]
    if middle and name[middle - 1] != letter:
        ways.append(name[: middle - 1] + letter + name[middle - 1] + after)
    return ways[sum(map(ord, name)) % len(ways)] or f"{name}x"


# -- the data of a definition ---------------------------------------------------------------------------------


def value_at(data: Any, path: Path) -> Any:
    """The value at ``path``, None where there is none."""
    for key in path:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def changed(data: Any, path: Path, value: Any) -> Any:
    """A copy of ``data`` with another value at ``path``."""
    result = copy.deepcopy(data)
    value_at(result, path[:-1])[path[-1]] = value
    return result


def without(data: Any, path: Path) -> Any:
    """A copy of ``data`` without what is at ``path``; a list or map that is empty then goes too."""
    result = copy.deepcopy(data)
    while path:
        parent = value_at(result, path[:-1])
        del parent[path[-1]]
        if parent:
            break
        path = path[:-1]
    return result


def _place(path: Path) -> str:
    return ".".join(map(str, path[2:] if path[:2] == _ROOT[:2] else path[1:]))


# -- in expressions ---------------------------------------------------------------------------------------------


class Edit(NamedTuple):
    """The characters from ``start`` to ``end`` of an expression become ``text``."""

    kind: str
    start: int
    end: int
    text: str


def _in_expressions(definition: Definition) -> Iterator[Mutant]:
    for expression in definition.expressions:
        for edit, text in edited(expression.text, expression.slot):
            old = expression.text[edit.start : edit.end]
            data = changed(definition.document.data, expression.path, text)
            yield Mutant(edit.kind, _place(expression.path), _words(expression.text, edit, old), data)


def _words(text: str, edit: Edit, old: str) -> str:
    """The change with a little of what is around it, in one line."""
    around = 25
    before, after = text[max(0, edit.start - around) : edit.start], text[edit.end : edit.end + around]
    return " ".join(f"{before}«{old}» becomes «{edit.text}»{after}".split())


def edited(text: str, slot: Slot) -> Iterator[tuple[Edit, str]]:
    """The changes of an expression that leave something jq can read and that means something else."""
    body = _parsed(text)
    if body is None:
        return
    for edit in _edits(text, body, slot):
        result = text[: edit.start] + edit.text + text[edit.end :]
        other = _parsed(result)
        if other is not None and _meaning(other) != _meaning(body):
            yield edit, result


def _parsed(text: str) -> ast.Node | None:
    try:
        return parse(text).body
    except JqSyntaxError:
        return None


_OPERATORS = frozenset("== != < <= > >= + - * /".split())


def _meaning(node: object) -> object:
    """A tree to compare: ``(a | b) == 1`` is ``a | (b == 1)``."""
    if isinstance(node, tuple):
        return tuple(map(_meaning, node))
    if not isinstance(node, ast.Node):
        return (type(node), node)
    if (
        isinstance(node, ast.Binary)
        and node.operator in _OPERATORS
        and isinstance(node.left, ast.Pipe)
        and isinstance(node.right, ast.Literal | ast.String | ast.Variable)
    ):
        moved = ast.Binary(node.operator, node.left.right, node.right)
        return (ast.Pipe, _meaning(node.left.left), _meaning(moved))
    return (type(node), *(_meaning(getattr(node, name)) for name in node.record_fields))


def _edits(text: str, body: ast.Node, slot: Slot) -> Iterator[Edit]:
    keys: set[int] = set()
    chains: set[int] = set()
    parents = {id(child): node for node in body.walk() for child in node.children()}
    for node in body.walk():
        match node:
            case ast.Index(target, ast.String() as key):
                keys.add(id(key))
                yield from _misspelt(text, target, key)
            case ast.ObjectEntry(ast.String() as key, _):
                keys.add(id(key))
            case ast.String() if id(node) not in keys:
                yield from _renamed(text, node)
            case ast.Literal(True | False as value):
                yield Edit("True for False", node.start, node.end, "false" if value else "true")
            case ast.Binary("and" | "or" as word) if id(node) not in chains:
                parts = list(_chain(node, word, chains))
                yield from _dropped(text, parts, "guard dropped")
            case ast.Binary("//", left, right) if not _is_null_as_good(node, parents):
                yield Edit("default dropped", _start(text, left), _end(text, right), _source(text, left))
            case ast.Binary("*" | "+", left, right) if slot in _COUNTS:
                yield from _dropped(text, [left, right], "wrong level of count")
            case ast.Pipe(left, ast.Call("not", ())):
                yield Edit("guard dropped", _start(text, left), node.end, _source(text, left))
            case ast.Call("select", (_,)):
                yield Edit("guard dropped", node.start, node.end, ".")
        if node.parenthesised:
            start, end = _start(text, node), _end(text, node)
            yield Edit("parentheses dropped", start, end, f" {text[start + 1 : end - 1]} ")


def _is_null_as_good(node: ast.Binary, parents: Mapping[int, ast.Node]) -> bool:
    """Whether null does where the default would stand: added to a number, below it, or the least of several."""
    default, parent = node.right, parents.get(id(node))
    if not isinstance(default, ast.Literal) or isinstance(default.value, bool) or default.value is None:
        return False
    match parent:
        case ast.Binary("+", left, right):
            return default.value == 0 and _is_number(right if left is node else left)
        case ast.Binary(sign, left, right) if sign in _COMPARISONS:
            limit = right if left is node else left
            if not isinstance(limit, ast.Literal) or isinstance(limit.value, bool) or limit.value is None:
                return False
            # Null is below every number.
            compare = _COMPARISONS[sign]
            below = (-math.inf, limit.value) if left is node else (limit.value, -math.inf)
            above = (default.value, limit.value) if left is node else (limit.value, default.value)
            return compare(*below) == compare(*above)
        case ast.Comma(left, right):
            above_comma = parents.get(id(parent))
            collected = parents.get(id(above_comma)) if isinstance(above_comma, ast.Array) else None
            is_most = isinstance(collected, ast.Pipe) and collected.right == ast.Call("max", ())
            return is_most and default.value == 0 and _is_number(right if left is node else left)
    return False


_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _is_number(node: ast.Node) -> bool:
    """Whether an expression gives a number, not null, as far as its form tells."""
    match node:
        case ast.Literal(value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ast.Binary("//", _, right):
            return _is_number(right)
        case ast.Binary("+" | "-" | "*" | "/", left, right):
            return _is_number(left) or _is_number(right)
        case ast.If(branches, otherwise):
            results = [result for _, result in branches]
            return otherwise is not None and all(map(_is_number, [*results, otherwise]))
        case ast.Pipe(_, right):
            return _is_number(right)
        case ast.Call("length" | "floor" | "ceil", ()):
            return True
    return False


def _chain(node: ast.Binary, word: str, chains: set[int]) -> Iterator[ast.Node]:
    """The parts that ``word`` connects, without those inside of parentheses."""
    chains.add(id(node))
    for side in (node.left, node.right):
        if isinstance(side, ast.Binary) and side.operator == word and not side.parenthesised:
            yield from _chain(side, word, chains)
        else:
            yield side


def _dropped(text: str, parts: list[ast.Node], kind: str) -> Iterator[Edit]:
    """Each part of an operation left out, with the operator beside it."""
    for position, part in enumerate(parts):
        if position:
            yield Edit(kind, _end(text, parts[position - 1]), _end(text, part), "")
        else:
            yield Edit(kind, _start(text, part), _start(text, parts[1]), "")


def _misspelt(text: str, target: ast.Node, key: ast.String) -> Iterator[Edit]:
    if not key.literal:
        return
    written = text[key.start : key.end]
    at = written.find(key.literal)
    if at < 0:
        return
    is_label = isinstance(target, ast.Index) and (
        isinstance(target.key, ast.String) and target.key.literal in ("labels", "annotations", "matchLabels")
    )
    start = key.start + at
    kind = "wrong label key" if is_label else "typo in a path"
    yield Edit(kind, start, start + len(key.literal), slip(key.literal))


def _renamed(text: str, node: ast.String) -> Iterator[Edit]:
    name = node.literal
    if not name or text[node.start : node.end] != f'"{name}"':
        return
    if name in _TRUTHS:
        yield Edit("True for False", node.start, node.end, f'"{_TRUTHS[name]}"')
    else:
        yield Edit("condition renamed", node.start, node.end, f'"{slip(name)}"')


def _start(text: str, node: ast.Node) -> int:
    """Where a node begins, with its parenthesis."""
    return text.rindex("(", 0, node.start) if node.parenthesised else node.start


def _end(text: str, node: ast.Node) -> int:
    return text.index(")", node.end) + 1 if node.parenthesised else node.end


def _source(text: str, node: ast.Node) -> str:
    return text[_start(text, node) : _end(text, node)]


# -- in the rest ------------------------------------------------------------------------------------------------


def _mappings(definition: Definition) -> dict[str, list[Any]]:
    found = value_at(definition.document.data, (*_ROOT, "statusDefinition", "statusMappings"))
    return found if isinstance(found, dict) else {}


def _in_matchers(definition: Definition) -> Iterator[Mutant]:
    data = definition.document.data
    base: Path = (*_ROOT, "statusDefinition", "statusMappings")
    for status, matchers in _mappings(definition).items():
        for number, matcher in enumerate(matchers):
            place: Path = (*base, status, number)
            where = _place(place)
            yield Mutant("guard dropped", where, "the whole matcher is gone", without(data, place))
            for part in matcher if len(matcher) > 1 else ():
                yield Mutant("guard dropped", where, f"{part} is gone", without(data, (*place, part)))
            for index, condition in enumerate(matcher.get("byConditions", ())):
                path: Path = (*place, "byConditions", index)
                name = condition.get("type")
                if len(matcher["byConditions"]) > 1:
                    yield Mutant("guard dropped", where, f"the condition {name} is gone", without(data, path))
                yield Mutant(
                    "condition renamed",
                    where,
                    f"{name} becomes {slip(name)}",
                    changed(data, (*path, "type"), slip(name)),
                )
                for key in ("status", "reason"):
                    if value := condition.get(key):
                        other = _TRUTHS.get(value, slip(value))
                        kind = "True for False" if value in _TRUTHS else "condition renamed"
                        what = f"{name}: {key} {value} becomes {other}"
                        yield Mutant(kind, where, what, changed(data, (*path, key), other))
            if phase := matcher.get("byPhase"):
                phase_path = (*place, "byPhase")
                yield Mutant(
                    "condition renamed", where, f"{phase} becomes {slip(phase)}", changed(data, phase_path, slip(phase))
                )
            expected = value_at(matcher, ("byExpression", "expectedResult"))
            if expected in _TRUTHS:
                path = (*place, "byExpression", "expectedResult")
                what = f"expectedResult {expected} becomes {_TRUTHS[expected]}"
                yield Mutant("True for False", where, what, changed(data, path, _TRUTHS[expected]))


def _statuses_swapped(definition: Definition) -> Iterator[Mutant]:
    """Each status with the next one that is mapped."""
    base: Path = (*_ROOT, "statusDefinition", "statusMappings")
    mappings = _mappings(definition)
    names = list(mappings)
    for one, other in itertools.pairwise(names):
        swapped = {**mappings, one: mappings[other], other: mappings[one]}
        data = changed(definition.document.data, base, swapped)
        yield Mutant("statuses swapped", _place(base), f"{one} and {other}", data)


def _in_selectors(definition: Definition) -> Iterator[Mutant]:
    """The value of a label, and a selector that is not there."""
    data = definition.document.data
    for place in _components(definition):
        path: Path = (*place, "podSelector", "componentTypeSelector", "value")
        value = value_at(data, path)
        if isinstance(value, str):
            yield Mutant(
                "wrong label key", _place(path), f"{value} becomes {slip(value)}", changed(data, path, slip(value))
            )
            yield Mutant("guard dropped", _place(path), f"{value} is gone", without(data, path))


def _components(definition: Definition) -> list[Path]:
    children = value_at(definition.document.data, _CHILDREN) or []
    return [_ROOT, *((*_CHILDREN, index) for index in range(len(children)))]


def _counts_elsewhere(definition: Definition) -> Iterator[Mutant]:
    """Each count left out, and each in the place of another one."""
    data = definition.document.data
    counts = [
        (*place, "scaleDefinition", key)
        for place in _components(definition)
        for key in ("replicasPath", "minReplicasPath", "maxReplicasPath")
        if isinstance(value_at(data, (*place, "scaleDefinition", key)), str)
    ]
    for path in counts:
        yield Mutant("wrong level of count", _place(path), "is gone", without(data, path))
        for other in counts:
            if other != path and value_at(data, other) != value_at(data, path):
                what = f"is {_place(other)}"
                yield Mutant("wrong level of count", _place(path), what, changed(data, path, value_at(data, other)))


def _roles_removed(definition: Definition) -> Iterator[Mutant]:
    """Each component gone with all that speaks of it, and each alternative of its paths."""
    data = definition.document.data
    for place in _components(definition)[1:]:
        component = value_at(data, place)
        yield Mutant("role removed", _place(place), f"{component['name']} is gone", _role_removed(data, place))
    for place in _components(definition):
        yield from _arms_removed(data, place, definition.expressions)


def _role_removed(data: Any, place: Path) -> Any:
    component = value_at(data, place)
    name, owner = component["name"], component.get("ownerRef")
    result = without(data, place)
    for child in value_at(result, _CHILDREN) or []:
        if child.get("ownerRef") == name:
            child["ownerRef"] = owner
    groups = value_at(result, ("spec", "optimizationInstructions", "gangScheduling"))
    if groups is not None and _mentions(groups, name):
        _forget(groups, name)
        if not groups or _mentions(groups, name):
            del result["spec"]["optimizationInstructions"]["gangScheduling"]
            if not result["spec"]["optimizationInstructions"]:
                del result["spec"]["optimizationInstructions"]
    return result


def _mentions(value: Any, name: str) -> bool:
    if isinstance(value, dict):
        return any(_mentions(each, name) for each in value.values())
    if isinstance(value, list):
        return any(_mentions(each, name) for each in value)
    return bool(value == name)


def _forget(value: Any, name: str) -> None:
    """Leave out the members of lists that name a component."""
    for each in list(value.values()) if isinstance(value, dict) else list(value):
        if isinstance(each, list):
            each[:] = [
                item
                for item in each
                if not (isinstance(item, dict) and item.get("componentName") == name) and item != name
            ]
        if isinstance(each, dict | list):
            _forget(each, name)


def _arms_removed(data: Any, place: Path, expressions: Iterable[Expression]) -> Iterator[Mutant]:
    """One instance that is written out in an ``instanceIdPath`` gone from all the paths that write out as many."""
    own = [each for each in expressions if each.path[: len(place)] == place and each.slot not in _STATUS]
    count = next((_count(each.text) for each in own if each.slot is Slot.INSTANCE_ID_PATH), 1)
    alike = [each for each in own if _count(each.text) == count]
    for arm in range(count if count > 1 else 0):
        texts = [_without_arm(each.text, arm) for each in alike]
        if all(_parsed(text) is not None for text in texts):
            result = data
            for each, text in zip(alike, texts, strict=True):
                result = changed(result, each.path, text)
            yield Mutant("role removed", _place(place), f"instance {arm + 1} of {count} is gone", result)


def _arms(text: str) -> list[ast.Node]:
    body = _parsed(text)
    comma = next((each for each in body.walk() if isinstance(each, ast.Comma)), None) if body is not None else None
    arms: list[ast.Node] = []
    node: ast.Node | None = comma
    while isinstance(node, ast.Comma) and (node is comma or not node.parenthesised):
        arms.insert(0, node.right)
        node = node.left
    return [node, *arms] if node is not None else []


def _count(text: str) -> int:
    """How many alternatives the outermost comma of an expression connects, 1 where there is none."""
    return len(_arms(text)) or 1


def _without_arm(text: str, arm: int) -> str:
    arms = _arms(text)
    (edit, *_) = list(_dropped(text, arms, ""))[arm : arm + 1]
    return text[: edit.start] + edit.text + text[edit.end :]


__all__ = ["KINDS", "Edit", "Mutant", "changed", "edited", "mutants", "slip", "without"]
