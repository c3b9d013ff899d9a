"""What the answer of a program can depend on (floor 0).

:mod:`.flow` lists every step that is read, the way to a field as well as the field. Here it matters what is *looked
at*, with all that is below, and what is only gone through: of that it matters whether it can be gone through at all,
or whether it is null, or which members it has. Two inputs that agree in all of this are sure to get the same answer.
Where that cannot be told, the answer depends on everything.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from wmap_lint.jq import ast
from wmap_lint.jq.flow import Every, Path
from wmap_lint.jq.names import resolve_names
from wmap_lint.jq.parser import JqSyntaxError, parse
from wmap_lint.record import Record


class Dependence(Record):
    """Paths by what of them matters.

    ``looked_at``: everything, with all below. ``gone_through``: whether a field can be taken of it. ``tested``:
    whether it is null or false. ``iterated``: which members it has.
    """

    looked_at: frozenset[Path]
    gone_through: frozenset[Path] = frozenset()
    tested: frozenset[Path] = frozenset()
    iterated: frozenset[Path] = frozenset()


EVERYTHING = Dependence(frozenset({()}))

_Paths = frozenset[Path]
_NOTHING: _Paths = frozenset()


class _UnclearError(Exception):
    """A form that is not understood here."""


@functools.lru_cache(maxsize=4096)
def dependence(text: str) -> Dependence:
    """What the answer of ``text`` can depend on."""
    try:
        program = parse(text)
    except JqSyntaxError:
        return EVERYTHING
    if program.imports or program.module is not None or resolve_names(program).unknown:
        return EVERYTHING
    looked = _Looked()
    try:
        looked.consume(program.body, frozenset({()}), {})
    except (_UnclearError, RecursionError):
        return EVERYTHING
    return Dependence(
        frozenset(looked.paths), frozenset(looked.through), frozenset(looked.tested), frozenset(looked.iterated)
    )


def overlap(one: Path, other: Path) -> bool:
    """Whether one path leads through, or to, the other; a step that stands for many is any."""
    return all(
        left == right or isinstance(left, Every) or isinstance(right, Every)
        for left, right in zip(one, other, strict=False)
    )


class _Looked:
    """Collects what is looked at. ``run`` gives where the results of a node stand in the input, if they do."""

    def __init__(self) -> None:
        self.paths: set[Path] = set()
        self.through: set[Path] = set()
        self.tested: set[Path] = set()
        self.iterated: set[Path] = set()

    def consume(self, node: ast.Node, here: _Paths, scope: Mapping[str, _Paths]) -> None:
        """Run ``node``, and look at its results as a whole."""
        self.paths |= self.run(node, here, scope)

    def run(self, node: ast.Node, here: _Paths, scope: Mapping[str, _Paths]) -> _Paths:
        match node:
            case ast.Identity():
                return here
            case ast.Literal() | ast.Format():
                if isinstance(node, ast.Format):
                    self.paths |= here
                return _NOTHING
            case ast.Variable(name):
                if name not in scope:
                    raise _UnclearError
                return scope[name]
            case ast.Index(target, key):
                return self.index(self.run(target, here, scope), key, here, scope)
            case ast.Iterate(target):
                return self.members(self.run(target, here, scope))
            case ast.Optional(target):
                return self.run(target, here, scope)
            case ast.Pipe(left, right):
                return self.run(right, self.run(left, here, scope), scope)
            case ast.Comma(left, right) | ast.Binary("//", left, right):
                one, other = self.run(left, here, scope), self.run(right, here, scope)
                if isinstance(node, ast.Binary):
                    self.tested |= one  # whether it is null or false decides
                return one | other
            case ast.Bind(source, patterns, body):
                return self.bind(source, patterns, body, here, scope)
            case ast.If(branches, otherwise):
                found = here if otherwise is None else _NOTHING
                for test, result in branches:
                    self.consume(test, here, scope)
                    found |= self.run(result, here, scope)
                return found if otherwise is None else found | self.run(otherwise, here, scope)
            case ast.Call(name, arguments):
                return self.call(name, arguments, here, scope)
            case ast.Binary("==" | "!=", left, ast.Literal(None)) | ast.Binary("==" | "!=", ast.Literal(None), left):
                self.tested |= self.run(left, here, scope)
                return _NOTHING
            case ast.Binary() | ast.Negate() | ast.Array() | ast.Object() | ast.String():
                self.parts(node, here, scope)
                return _NOTHING
            case ast.Try(body, handler):
                found = self.run(body, here, scope)
                if handler is not None:
                    self.consume(handler, _NOTHING, scope)
                return found
        raise _UnclearError

    def members(self, targets: _Paths) -> _Paths:
        self.iterated |= targets
        return frozenset((*path, Every.MEMBER) for path in targets)

    def index(self, targets: _Paths, key: ast.Node, here: _Paths, scope: Mapping[str, _Paths]) -> _Paths:
        self.through |= targets
        if isinstance(key, ast.String) and key.literal is not None:
            return frozenset((*path, key.literal) for path in targets)
        if isinstance(key, ast.Literal) and isinstance(key.value, int) and not isinstance(key.value, bool):
            # A position counted from the end depends on how many there are.
            step = Every.MEMBER if key.value < 0 else key.value
            return frozenset((*path, step) for path in targets)
        self.consume(key, here, scope)
        return frozenset((*path, Every.COMPUTED) for path in targets)

    def bind(
        self,
        source: ast.Node,
        patterns: tuple[ast.Node, ...],
        body: ast.Node,
        here: _Paths,
        scope: Mapping[str, _Paths],
    ) -> _Paths:
        values = self.run(source, here, scope)
        if len(patterns) == 1 and isinstance(patterns[0], ast.VariablePattern):
            return self.run(body, here, {**scope, patterns[0].name: values})
        self.paths |= values
        bound = {
            each.name: _NOTHING
            for pattern in patterns
            for each in pattern.walk()
            if isinstance(each, ast.VariablePattern)
        }
        if any(not isinstance(each, _PATTERNS) for pattern in patterns for each in pattern.walk()):
            raise _UnclearError
        return self.run(body, here, {**scope, **bound})

    def parts(self, node: ast.Node, here: _Paths, scope: Mapping[str, _Paths]) -> None:
        if isinstance(node, ast.Object):
            for entry in node.entries:
                self.entry(entry, here, scope)
            return
        for child in node.children():
            self.consume(child, here, scope)

    def entry(self, entry: ast.ObjectEntry, here: _Paths, scope: Mapping[str, _Paths]) -> None:
        if entry.value is not None:
            if not isinstance(entry.key, ast.Variable):
                self.consume(entry.key, here, scope)
            self.consume(entry.value, here, scope)
        elif isinstance(entry.key, ast.String) and entry.key.literal is not None:
            self.paths |= self.index(here, entry.key, here, scope)
        elif isinstance(entry.key, ast.Variable):
            self.consume(entry.key, here, scope)
        else:
            self.paths |= here

    def call(self, name: str, arguments: tuple[ast.Node, ...], here: _Paths, scope: Mapping[str, _Paths]) -> _Paths:
        match name, arguments:
            case (("any" | "all"), (source, test)):
                self.consume(test, self.run(source, here, scope), scope)
                return _NOTHING
            case (("any" | "all" | "map"), (test,)):
                self.consume(test, self.members(here), scope)
                return _NOTHING
            case "select", (test,):
                self.consume(test, here, scope)
                return here
            case (("empty" | "true" | "false" | "null"), ()):
                return _NOTHING
            case "first", (source,):
                found = self.run(source, here, scope)
                self.paths |= found  # whether there is one decides
                return found
        if name in _OUTSIDE:
            raise _UnclearError
        # Any other built-in function sees its input, and its arguments see parts of that.
        self.paths |= here
        for argument in arguments:
            self.consume(argument, _NOTHING, scope)
        return _NOTHING


_PATTERNS = (ast.VariablePattern, ast.ArrayPattern, ast.ObjectPattern, ast.PatternEntry, ast.String)
_OUTSIDE = frozenset(
    {"input", "inputs", "env", "now", "debug", "input_line_number", "input_filename", "halt", "builtins"}
)

__all__ = ["EVERYTHING", "Dependence", "dependence", "overlap"]
