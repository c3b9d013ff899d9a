"""What every name of a program refers to (floor 0): builtins, unknown names, recursion.

Scoping as in jq: a definition sees itself, its parameters and everything around it; a variable is seen in the
body of its binding; a label in its body.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from wmap_lint.jq import ast, builtins
from wmap_lint.record import Record


class UnknownName(Record):
    """A name nothing defines: ``kind`` is function, variable, label, format or module."""

    node: ast.Node
    kind: str
    name: str


class Names(Record):
    """The names of a program, each list in the order of the text."""

    builtin_calls: tuple[ast.Call, ...]
    global_variables: tuple[ast.Variable, ...]
    unknown: tuple[UnknownName, ...]
    recursive: tuple[ast.FunctionDefinition, ...]


def resolve_names(program: ast.Program) -> Names:
    """Resolve every name of ``program``."""
    resolver = _Resolver()
    scope = _Scope()
    for item in program.imports:
        if item.name is not None:
            scope = scope.module(item.name)
    resolver.visit(program.body, scope)
    return Names(
        tuple(sorted(resolver.calls, key=_position)),
        tuple(sorted(resolver.globals, key=_position)),
        tuple(sorted(resolver.unknown, key=lambda name: _position(name.node))),
        tuple(sorted(resolver.recursive, key=_position)),
    )


def _position(node: ast.Node) -> tuple[int, int]:
    return (node.start, node.end)


@dataclass(frozen=True, slots=True)
class _Scope:
    functions: dict[str, ast.FunctionDefinition | None] = field(default_factory=dict)
    variables: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    # The definitions whose bodies we are in.
    inside: tuple[ast.FunctionDefinition, ...] = ()

    def function(self, signature: str, definition: ast.FunctionDefinition | None) -> _Scope:
        functions = {**self.functions, signature: definition}
        return _Scope(functions, self.variables, self.labels, self.modules, self.inside)

    def variable(self, *names: str) -> _Scope:
        return _Scope(self.functions, self.variables | set(names), self.labels, self.modules, self.inside)

    def label(self, name: str) -> _Scope:
        return _Scope(self.functions, self.variables, self.labels | {name}, self.modules, self.inside)

    def module(self, name: str) -> _Scope:
        return _Scope(self.functions, self.variables, self.labels, self.modules | {name}, self.inside)

    def enter(self, definition: ast.FunctionDefinition) -> _Scope:
        return _Scope(self.functions, self.variables, self.labels, self.modules, (*self.inside, definition))


class _Resolver:
    def __init__(self) -> None:
        self.calls: list[ast.Call] = []
        self.globals: list[ast.Variable] = []
        self.unknown: list[UnknownName] = []
        self.recursive: list[ast.FunctionDefinition] = []

    def visit(self, node: ast.Node, scope: _Scope) -> None:
        match node:
            case ast.Call(name, arguments):
                self.call(node, name, scope)
                for argument in arguments:
                    self.visit(argument, scope)
            case ast.Variable(name):
                self.variable(node, name, scope)
            case ast.Break(name):
                if name not in scope.labels:
                    self.unknown.append(UnknownName(node, "label", name))
            case ast.Format(name):
                self.format(node, name)
            case ast.String(parts, form):
                if form is not None:
                    self.format(node, form)
                for part in parts:
                    if isinstance(part, ast.Node):
                        self.visit(part, scope)
            case ast.Label(name, body):
                self.visit(body, scope.label(name))
            case ast.Define(definition, body):
                known = scope.function(definition.signature, definition)
                self.definition(definition, known)
                self.visit(body, known)
            case ast.Bind(source, patterns, body):
                self.visit(source, scope)
                self.visit(body, self.bind(patterns, scope))
            case ast.Reduce(source, patterns, initial, update):
                self.visit(source, scope)
                self.visit(initial, scope)
                self.visit(update, self.bind(patterns, scope))
            case ast.Foreach(source, patterns, initial, update, extract):
                self.visit(source, scope)
                self.visit(initial, scope)
                bound = self.bind(patterns, scope)
                self.visit(update, bound)
                if extract is not None:
                    self.visit(extract, bound)
            case _:
                for child in node.children():
                    self.visit(child, scope)

    def call(self, node: ast.Call, name: str, scope: _Scope) -> None:
        signature = node.signature
        if signature in scope.functions:
            definition = scope.functions[signature]
            recursive = definition is not None and any(definition is outer for outer in scope.inside)
            if definition is not None and recursive and not any(definition is known for known in self.recursive):
                self.recursive.append(definition)
        elif "::" in name:
            if name.split("::")[0] not in scope.modules:
                self.unknown.append(UnknownName(node, "module", name.split("::")[0]))
        elif signature in builtins.JQ:
            self.calls.append(node)
        else:
            self.unknown.append(UnknownName(node, "function", signature))

    def variable(self, node: ast.Variable, name: str, scope: _Scope) -> None:
        if name in scope.variables or f"${name}" in scope.modules or "::" in name:
            return
        if name in builtins.OUTSIDE_VARIABLES:
            self.globals.append(node)
        else:
            self.unknown.append(UnknownName(node, "variable", name))

    def format(self, node: ast.Node, name: str) -> None:
        if name not in builtins.FORMATS:
            self.unknown.append(UnknownName(node, "format", name))

    def definition(self, definition: ast.FunctionDefinition, scope: _Scope) -> None:
        inner = scope.enter(definition)
        for parameter in definition.parameters:
            if parameter.startswith("$"):
                inner = inner.variable(parameter[1:])
            inner = inner.function(f"{parameter.removeprefix('$')}/0", None)
        self.visit(definition.body, inner)

    def bind(self, patterns: tuple[ast.Node, ...], scope: _Scope) -> _Scope:
        # With ?// every variable of every pattern exists in the body.
        names: set[str] = set()
        for pattern in patterns:
            for node in pattern.walk():
                if isinstance(node, ast.VariablePattern):
                    names.add(node.name)
        bound = scope.variable(*names)
        for pattern in patterns:
            for node in pattern.walk():
                if isinstance(node, ast.PatternEntry) and not isinstance(node.key, ast.VariablePattern):
                    self.visit(node.key, bound)
        return bound
