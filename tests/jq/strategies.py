"""Hypothesis strategies for jq syntax trees, and jq's own verdict on a text."""

from __future__ import annotations

import functools

import jq
from hypothesis import strategies as st

from wmap_lint.jq import ast

NAMES = ["a", "b_1", "spec", "x9", "and", "if", "null"]
KEYS = [*NAMES, "a/b-c", "", "é", 'q"\\', "1"]
FUNCTIONS = ["f", "select", "length", "map", "not", "a::b"]


def strings(inner: st.SearchStrategy[ast.Node]) -> st.SearchStrategy[ast.String]:
    """Strings in their canonical form: no empty text, no two texts side by side."""

    def canonical(parts: list[str | ast.Node], form: str | None) -> ast.String:
        merged: list[str | ast.Node] = []
        for part in parts:
            if isinstance(part, str) and merged and isinstance(merged[-1], str):
                merged[-1] += part
            elif part != "":
                merged.append(part)
        return ast.String(tuple(merged), form)

    part = st.one_of(st.sampled_from(KEYS), st.text(max_size=3).filter(lambda text: "\0" not in text), inner)
    safe = part.filter(lambda p: not (isinstance(p, str) and any(0xD800 <= ord(c) < 0xE000 for c in p)))
    return st.builds(canonical, st.lists(safe, max_size=3), st.sampled_from([None, None, "base64", "json"]))


literal_strings = st.sampled_from(KEYS).map(lambda text: ast.String((text,) if text else ()))
variables = st.sampled_from(["x", "y", "if", "ENV"])
leaves: st.SearchStrategy[ast.Node] = st.one_of(
    st.just(ast.Identity()),
    st.just(ast.RecursiveDescent()),
    st.just(ast.Location()),
    st.integers(0, 1000).map(lambda n: ast.Literal(n, text=str(n))),
    st.sampled_from([ast.Literal(None, text="null"), ast.Literal(True, text="true"), ast.Literal(0.5, text="0.5")]),
    literal_strings,
    st.sampled_from(["base64", "text"]).map(ast.Format),
    variables.map(ast.Variable),
    st.just(ast.Break("out")),
    st.sampled_from(FUNCTIONS).map(lambda name: ast.Call(name)),
)


def _patterns(inner: st.SearchStrategy[ast.Node]) -> st.SearchStrategy[tuple[ast.Node, ...]]:
    variable = variables.map(ast.VariablePattern)
    # What is in parentheses as a key must not be a constant other than a string.
    computed = inner.map(lambda node: ast.Pipe(node, ast.Identity()))

    def extend(pattern: st.SearchStrategy[ast.Node]) -> st.SearchStrategy[ast.Node]:
        entry = st.one_of(
            variable.map(ast.PatternEntry),
            st.builds(ast.PatternEntry, st.one_of(variable, literal_strings, computed), pattern),
        )
        return st.one_of(
            st.lists(pattern, min_size=1, max_size=2).map(lambda items: ast.ArrayPattern(tuple(items))),
            st.lists(entry, min_size=1, max_size=2).map(lambda items: ast.ObjectPattern(tuple(items))),
        )

    pattern = st.recursive(variable, extend, max_leaves=3)
    return st.lists(pattern, min_size=1, max_size=2).map(tuple)


def _extend(inner: st.SearchStrategy[ast.Node]) -> st.SearchStrategy[ast.Node]:
    maybe = st.none() | inner
    computed_key = inner.map(lambda node: ast.Pipe(node, ast.Identity()))
    entry = st.one_of(
        st.builds(ast.ObjectEntry, st.one_of(literal_strings, strings(inner), variables.map(ast.Variable))),
        st.just(ast.ObjectEntry(ast.Location())),
        st.builds(ast.ObjectEntry, st.one_of(literal_strings, computed_key, variables.map(ast.Variable)), inner),
    )
    definition = st.builds(
        ast.FunctionDefinition,
        st.sampled_from(FUNCTIONS),
        st.lists(st.sampled_from(["g", "$x", "a::b"]), max_size=2).map(tuple),
        inner,
    )
    return st.one_of(
        st.builds(ast.Index, inner, st.one_of(literal_strings, inner)),
        st.builds(ast.Slice, inner, inner, maybe),
        st.builds(ast.Slice, inner, st.none(), inner),
        st.builds(ast.Iterate, inner),
        st.builds(ast.Optional, inner),
        st.builds(ast.Array, maybe),
        st.lists(entry, max_size=3).map(lambda entries: ast.Object(tuple(entries))),
        strings(inner),
        st.builds(ast.Negate, inner),
        st.builds(ast.Pipe, inner, inner),
        st.builds(ast.Comma, inner, inner),
        st.builds(ast.Binary, st.sampled_from("// or and == != < <= > >= + - * / %".split()), inner, inner),
        st.builds(ast.Assignment, st.sampled_from("= |= += -= *= /= %= //=".split()), inner, inner),
        st.builds(
            ast.If,
            st.lists(st.tuples(inner, inner), min_size=1, max_size=2).map(tuple),
            maybe,
        ),
        st.builds(ast.Try, inner, maybe),
        st.builds(ast.Bind, inner, _patterns(inner), inner),
        st.builds(ast.Reduce, inner, _patterns(inner), inner, inner),
        st.builds(ast.Foreach, inner, _patterns(inner), inner, inner, maybe),
        st.builds(ast.Label, st.just("out"), inner),
        st.builds(ast.Call, st.sampled_from(FUNCTIONS), st.lists(inner, min_size=1, max_size=2).map(tuple)),
        st.builds(ast.Define, definition, inner),
    )


nodes = st.recursive(leaves, _extend, max_leaves=12)

IMPORTS = st.lists(
    st.sampled_from(
        [
            ast.Import(ast.String(("m",)), None),
            ast.Import(ast.String(("m",)), "m"),
            ast.Import(
                ast.String(("m",)),
                "$m",
                ast.Object((ast.ObjectEntry(ast.String(("k",)), ast.Literal(1, text="1")),)),
            ),
        ]
    ),
    max_size=2,
).map(tuple)
programs = st.builds(ast.Program, nodes, IMPORTS)


@functools.cache
def jq_parses(text: str) -> bool:
    """Whether jq itself gets past its parser: names that nothing defines are found only after that."""
    try:
        jq.compile(text)
    except ValueError as error:
        message = str(error)
        if "syntax error" in message:
            return False
        return any(after in message for after in ("is not defined", "module not found", "too many function parameters"))
    return True
