"""Whether consumers can write through an expression (floor 0).

They run ``(expression) = $value``: every result has to be a *path* of the document. The verdicts follow the
table of jq and gojq (both were run): paths compose with pipes, commas, conditions, `//`, `select`, `first`…;
anything that computes a value ends them, and so do `reduce`, `foreach` and `last(…)`, which is a `reduce`.
"""

from __future__ import annotations

from wmap_lint.jq import ast
from wmap_lint.record import Record

#: Functions that pass paths through, with the positions of the arguments that have to be paths themselves.
_PATH_FUNCTIONS: dict[str, tuple[int, ...]] = {
    "empty/0": (),
    "error/0": (),
    "error/1": (),
    "select/1": (),
    "first/0": (),
    "last/0": (),
    "first/1": (0,),
    "limit/2": (1,),
    "skip/2": (1,),
    "nth/1": (),
    "nth/2": (1,),
    "getpath/1": (),
    "recurse/0": (),
    "recurse/1": (0,),
    "recurse/2": (0,),
    "values/0": (),
    "nulls/0": (),
    "strings/0": (),
    "numbers/0": (),
    "booleans/0": (),
    "arrays/0": (),
    "objects/0": (),
    "iterables/0": (),
    "scalars/0": (),
}


class Obstacle(Record):
    """The node that is no path. ``only_when_unset``: the right side of `//`, reached only while the left is unset."""

    node: ast.Node
    only_when_unset: bool = False


def obstacle_to_assignment(program: ast.Program) -> Obstacle | None:
    """The first node that keeps ``program`` from being written through; None when it can be."""
    return _find(program.body, {}, frozenset(), 0)


_Functions = dict[str, tuple[ast.FunctionDefinition, "_Functions"] | None]


def _find(node: ast.Node, functions: _Functions, roots: frozenset[str], depth: int) -> Obstacle | None:
    """``roots`` are the variables that hold the whole document, read while the input still is the document."""
    match node:
        case ast.Identity() | ast.RecursiveDescent() | ast.Break():
            return None
        case ast.Index(target) | ast.Slice(target) | ast.Iterate(target) | ast.Optional(target):
            return _find(target, functions, roots, depth)
        case ast.Pipe(left, right):
            return _find(left, functions, roots, depth) or _find(
                right, functions, roots if isinstance(left, ast.Identity) else frozenset(), depth
            )
        case ast.Comma(left, right):
            return _find(left, functions, roots, depth) or _find(right, functions, roots, depth)
        case ast.Binary("//", left, right):
            if obstacle := _find(left, functions, roots, depth):
                return obstacle
            obstacle = _find(right, functions, roots, depth)
            return None if obstacle is None else Obstacle(obstacle.node, only_when_unset=True)
        case ast.If(branches, otherwise):
            for _, result in branches:
                if obstacle := _find(result, functions, roots, depth):
                    return obstacle
            return None if otherwise is None else _find(otherwise, functions, roots, depth)
        case ast.Try(body, handler):
            found = _find(body, functions, roots, depth)
            return found if found or handler is None else _find(handler, functions, roots, depth)
        case ast.Bind(source, patterns, body):
            bound = {
                inner.name for pattern in patterns for inner in pattern.walk() if isinstance(inner, ast.VariablePattern)
            }
            held = roots - bound
            if isinstance(source, ast.Identity) and len(patterns) == 1 and isinstance(patterns[0], ast.VariablePattern):
                held = held | {patterns[0].name}
            return _find(body, functions, held, depth)
        case ast.Label(_, body):
            return _find(body, functions, roots, depth)
        case ast.Define(definition, body):
            known = {**functions, definition.signature: (definition, functions)}
            return _find(body, known, roots, depth)
        case ast.Variable(name) if name in roots:
            return None
        case ast.Call(_, arguments):
            return _call(node, arguments, functions, roots, depth)
    return Obstacle(node)


def _call(
    node: ast.Call, arguments: tuple[ast.Node, ...], functions: _Functions, roots: frozenset[str], depth: int
) -> Obstacle | None:
    signature = node.signature
    if signature in functions:
        known = functions[signature]
        if known is None or depth > 8:
            return None  # a parameter is judged where it is given; recursion is reported as unbounded
        definition, outer = known
        inner: _Functions = {**outer, signature: known}
        for parameter, argument in zip(definition.parameters, arguments, strict=True):
            inner[f"{parameter.removeprefix('$')}/0"] = None
            if parameter.startswith("$"):
                continue
            used = any(
                isinstance(use, ast.Call) and use.signature == f"{parameter}/0" for use in definition.body.walk()
            )
            if used and (obstacle := _find(argument, functions, roots, depth + 1)):
                return obstacle
        return Obstacle(node) if _find(definition.body, inner, frozenset(), depth + 1) else None
    if signature not in _PATH_FUNCTIONS:
        return Obstacle(node)
    for position in _PATH_FUNCTIONS[signature]:
        if obstacle := _find(arguments[position], functions, roots, depth):
            return obstacle
    return None
