"""Syntax tree → jq text (floor 0): ``parse(unparse(tree)) == tree`` for every tree that a text can have.

Parentheses are written only where the grammar needs them, so the text is also the shortest plain spelling.
"""

from __future__ import annotations

import json
import re

from wmap_lint.jq import ast
from wmap_lint.jq.lexer import KEYWORDS
from wmap_lint.jq.parser import OPERATORS

_FIELD = re.compile(r"[a-zA-Z_][a-zA-Z_0-9]*\Z")

# How tightly a node holds together: a query (| , def label as), an operator's level, an unary, a term.
_QUERY = -1
_UNARY = 8
_TERM = 9


def unparse(node: ast.Node) -> str:
    """The text of a program or of any expression in it."""
    if isinstance(node, ast.Program):
        head = "" if node.module is None else f"module {unparse(node.module)}; "
        return head + "".join(_import(item) + " " for item in node.imports) + unparse(node.body)
    return _text(node)


def _level(node: ast.Node) -> int:
    if isinstance(node, ast.Pipe | ast.Comma | ast.Define | ast.Label | ast.Bind):
        return _QUERY
    if isinstance(node, ast.Binary | ast.Assignment):
        return OPERATORS[node.operator][0]
    if isinstance(node, ast.Negate | ast.Try):
        return _UNARY
    return _TERM


def _at_least(node: ast.Node, level: int) -> str:
    text = _text(node)
    return text if _level(node) >= level else f"({text})"


def _text(node: ast.Node) -> str:
    match node:
        case ast.Identity():
            return "."
        case ast.RecursiveDescent():
            return ".."
        case ast.Literal(value, text=text):
            if text:
                return text
            return json.dumps(value)
        case ast.String(parts, form):
            return ("" if form is None else f"@{form} ") + _string(parts)
        case ast.Format(name):
            return f"@{name}"
        case ast.Index(target, key):
            return _index(target, key)
        case ast.Slice(target, first, last):
            return f"{_target(target)}[{'' if first is None else _text(first)}:{'' if last is None else _text(last)}]"
        case ast.Iterate(target):
            return f"{_target(target)}[]"
        case ast.Optional(target):
            return f"{_at_least(target, _TERM)}?"
        case ast.Array(body):
            return "[]" if body is None else f"[{_text(body)}]"
        case ast.Object(entries):
            return "{" + ", ".join(_entry(entry) for entry in entries) + "}"
        case ast.Negate(operand):
            return f"-{_at_least(operand, _UNARY)}"
        case ast.Pipe(left, right):
            return f"{_pipe_left(left)} | {_text(right)}"
        case ast.Comma(left, right):
            return f"{_comma_left(left)}, {_comma_right(right)}"
        case ast.Binary(operator, left, right) | ast.Assignment(operator, left, right):
            level, associativity = OPERATORS[operator]
            left_text = _at_least(left, level if associativity == "left" else level + 1)
            right_text = _at_least(right, level if associativity == "right" else level + 1)
            return f"{left_text} {operator} {right_text}"
        case ast.If(branches, otherwise):
            words = " elif ".join(f"{_text(condition)} then {_text(result)}" for condition, result in branches)
            return f"if {words}{'' if otherwise is None else f' else {_text(otherwise)}'} end"
        case ast.Try(body, handler):
            attempt = f"try {_try_body(body, handler is not None)}"
            return attempt if handler is None else f"{attempt} catch {_at_least(handler, _UNARY)}"
        case ast.Bind(source, patterns, body):
            return f"{_at_least(source, 0)} as {_patterns(patterns)} | {_text(body)}"
        case ast.Reduce(source, patterns, initial, update):
            return f"reduce {_at_least(source, 0)} as {_patterns(patterns)} ({_text(initial)}; {_text(update)})"
        case ast.Foreach(source, patterns, initial, update, extract):
            tail = "" if extract is None else f"; {_text(extract)}"
            return f"foreach {_at_least(source, 0)} as {_patterns(patterns)} ({_text(initial)}; {_text(update)}{tail})"
        case ast.Label(name, body):
            return f"label ${name} | {_text(body)}"
        case ast.Break(name):
            return f"break ${name}"
        case ast.Variable(name):
            return f"${name}"
        case ast.Location():
            return "$__loc__"
        case ast.Call(name, arguments):
            return name if not arguments else f"{name}({'; '.join(_text(argument) for argument in arguments)})"
        case ast.Define(definition, body):
            return f"{_definition(definition)} {_text(body)}"
        case ast.FunctionDefinition():
            return _definition(node)
    raise TypeError(f"not an expression: {node!r}")


def _import(node: ast.Import) -> str:
    head = f"include {_text(node.path)}" if node.name is None else f"import {_text(node.path)} as {node.name}"
    return head + ("" if node.metadata is None else f" {_text(node.metadata)}") + ";"


def _definition(node: ast.FunctionDefinition) -> str:
    parameters = f"({'; '.join(node.parameters)})" if node.parameters else ""
    return f"def {node.name}{parameters}: {_text(node.body)};"


def _pipe_left(node: ast.Node) -> str:
    # A definition, label or binding on the left would swallow the rest; a pipe would lean the other way.
    if isinstance(node, ast.Comma):
        return _text(node) if not _swallows(node.right) else f"({_text(node)})"
    return _at_least(node, 0)


def _swallows(node: ast.Node) -> bool:
    return isinstance(node, ast.Define | ast.Label | ast.Bind)


def _comma_left(node: ast.Node) -> str:
    if isinstance(node, ast.Comma) and not _swallows(node.right):
        return _text(node)
    return _at_least(node, 0)


def _comma_right(node: ast.Node) -> str:
    return _text(node) if _swallows(node) else _at_least(node, 0)


def _try_body(body: ast.Node, has_handler: bool) -> str:
    # In `try try a catch b` the handler belongs to the inner one.
    innermost = body
    while isinstance(innermost, ast.Negate):
        innermost = innermost.operand
    if isinstance(innermost, ast.Try) and has_handler and _open_try(innermost):
        return f"({_text(body)})"
    return _at_least(body, _UNARY)


def _open_try(node: ast.Node) -> bool:
    """Whether a ``catch`` after this text would be taken by it."""
    while True:
        if isinstance(node, ast.Negate):
            node = node.operand
        elif isinstance(node, ast.Try):
            if node.handler is None:
                return True
            node = node.handler
        else:
            return False


def _target(node: ast.Node) -> str:
    return _at_least(node, _TERM)


def _index(target: ast.Node, key: ast.Node) -> str:
    if isinstance(key, ast.String):
        name = key.literal
        if name is not None and key.format is None:
            if _FIELD.match(name):
                return f".{name}" if isinstance(target, ast.Identity) else f"{_dotted(target)}.{name}"
            return f"{_target(target)}[{_text(key)}]"
    return f"{_target(target)}[{_text(key)}]"


def _dotted(target: ast.Node) -> str:
    # `1.a` would be a number and a name, `..a` a descent and a name.
    text = _target(target)
    if isinstance(target, ast.RecursiveDescent) or (isinstance(target, ast.Literal) and target.text[:1].isdigit()):
        return f"({text})"
    return text


def _string(parts: tuple[str | ast.Node, ...]) -> str:
    inner = "".join(
        json.dumps(part, ensure_ascii=False)[1:-1] if isinstance(part, str) else rf"\({_text(part)})" for part in parts
    )
    return f'"{inner}"'


def _key(key: ast.Node) -> str:
    if isinstance(key, ast.String):
        name = key.literal
        if name is not None and key.format is None and (_FIELD.match(name) or name in KEYWORDS):
            return name
        return _text(key)
    if isinstance(key, ast.VariablePattern | ast.Variable):
        return f"${key.name}"
    return f"({_text(key)})"


def _entry(entry: ast.ObjectEntry) -> str:
    if entry.value is None:
        return "$__loc__" if isinstance(entry.key, ast.Location) else _key(entry.key)
    return f"{_key(entry.key)}: {_entry_value(entry.value)}"


def _entry_value(value: ast.Node) -> str:
    if isinstance(value, ast.Pipe):
        return f"{_at_least(value.left, 0)} | {_entry_value(value.right)}"
    return _at_least(value, 0)


def _patterns(patterns: tuple[ast.Node, ...]) -> str:
    return " ?// ".join(_pattern(pattern) for pattern in patterns)


def _pattern(node: ast.Node) -> str:
    match node:
        case ast.VariablePattern(name):
            return f"${name}"
        case ast.ArrayPattern(items):
            return f"[{', '.join(_pattern(item) for item in items)}]"
        case ast.ObjectPattern(entries):
            return (
                "{"
                + ", ".join(
                    _key(entry.key) if entry.pattern is None else f"{_key(entry.key)}: {_pattern(entry.pattern)}"
                    for entry in entries
                )
                + "}"
            )
    raise TypeError(f"not a pattern: {node!r}")
