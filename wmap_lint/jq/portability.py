"""Where jq, gojq and jaq read or run a program differently (floor 0).

Consumers embed gojq as a library; jq and jaq are what people try an expression with. Each difference was seen by
running jq 1.8.2, gojq 0.12.19 and jaq 3.1.2 on the same program, or is documented by gojq.
"""

from __future__ import annotations

import re

from wmap_lint.jq import ast, builtins
from wmap_lint.jq.ambiguity import is_exponential
from wmap_lint.jq.flow import Interpretation
from wmap_lint.jq.names import Names
from wmap_lint.record import Record


class Difference(Record):
    """A construct that one engine lacks or reads otherwise.

    ``breaks_consumers``: it is gojq, hence every consumer, that differs. ``message`` is a clause about the node,
    ``hint`` what to write instead.
    """

    node: ast.Node
    message: str
    hint: str
    breaks_consumers: bool


def differences(program: ast.Program, names: Names, interpretation: Interpretation) -> tuple[Difference, ...]:
    """All differences in ``program``, in the order of the text."""
    found: list[Difference] = []
    for call in names.builtin_calls:
        found.extend(_call(call))
    for node in program.nodes:
        found.extend(_syntax(node))
        if isinstance(node, ast.Reduce) and _drops(node.update):
            found.append(
                Difference(
                    node.update,
                    "when an update gives no result, jq goes on with null, gojq with the last value and jaq with none",
                    "write what to keep: if … then … else . end",
                    True,
                )
            )
    for use in interpretation.order_uses:
        found.append(
            Difference(
                use.node,
                "the members of an object built here come in the order written in jq and jaq, sorted by key in gojq",
                "write the keys in alphabetical order",
                True,
            )
        )
    return tuple(sorted(found, key=lambda difference: (difference.node.start, difference.node.end)))


_INSTEAD = {
    "keys_unsorted/0": "keys",
    "IN/1": "any(…; . == $x), or index on an array",
    "IN/2": "any(…; …)",
    "trimstr/1": 'ltrimstr("…") | rtrimstr("…")',
}


def _call(call: ast.Call) -> list[Difference]:
    found: list[Difference] = []
    signature = call.signature
    instead = _INSTEAD.get(signature)
    hint = f"write {instead}" if instead else "write it with functions that all engines have"
    if signature in builtins.OUTSIDE:
        return []
    if signature in builtins.NOT_IN_GOJQ:
        found.append(Difference(call, f"gojq has no {call.name}: consumers fail to compile it", hint, True))
    elif signature in builtins.NOT_IN_JAQ:
        found.append(Difference(call, f"jaq has no {call.name}", hint, False))
    if signature in builtins.REGEX_ARGUMENTS:
        position, flags = builtins.REGEX_ARGUMENTS[signature]
        found.extend(_regex(call.arguments[position]))
        if flags is not None:
            found.extend(_flags(call.arguments[flags]))
    return found


def _syntax(node: ast.Node) -> list[Difference]:
    match node:
        case ast.Location():
            return [Difference(node, "gojq and jaq have no $__loc__", "leave it out", True)]
        case ast.Format(name) if name in builtins.FORMATS_NOT_IN_GOJQ:
            return [Difference(node, f"gojq and jaq have no @{name}", "leave it out", True)]
        case ast.String(_, str(name)) if name in builtins.FORMATS_NOT_IN_GOJQ:
            return [Difference(node, f"gojq and jaq have no @{name}", "leave it out", True)]
        case ast.Bind(_, patterns) | ast.Reduce(_, patterns) | ast.Foreach(_, patterns) if len(patterns) > 1:
            return [Difference(node, "jaq has no ?//", "test the type with if … then … else … end", False)]
        case ast.ObjectEntry(ast.String(_, str()), None):
            return [Difference(node, "gojq has no key with a format and no value", "write the value too", True)]
        case ast.PatternEntry(ast.VariablePattern(), ast.Node()):
            return [Difference(node, "jaq has no {$name: pattern}", "bind the two separately", False)]
        case ast.Literal(_, text=text) if text.startswith(".") or re.search(r"\.(?![0-9])", text):
            return [
                Difference(
                    node, f"jaq cannot read the number {text}", "write a digit on both sides of the point", False
                )
            ]
        case ast.Reduce(source) | ast.Foreach(source) if (
            isinstance(source, ast.Binary | ast.Assignment) and not source.parenthesised
        ):
            return [Difference(source, "jaq takes only a term here", "put it in parentheses", False)]
    return []


def _drops(update: ast.Node) -> bool:
    """Whether the update of a ``reduce`` is written to have no result at times."""
    match update:
        case ast.Pipe(left, right):
            return _drops(left) or _drops(right)
        case ast.Binary("//", _, right):
            return _drops(right)
        case ast.If(branches, otherwise):
            return any(_drops(result) for _, result in branches) or (otherwise is not None and _drops(otherwise))
        case ast.Call("select" | "empty"):
            return True
    return False


# What RE2, the engine of gojq, does not have, and a name for it.
_NOT_IN_RE2 = [
    (re.compile(r"\(\?<?[=!]"), "look-around"),
    (re.compile(r"(?<!\\)(?:\\\\)*\\[1-9]"), "a back-reference"),
    (re.compile(r"\\k<"), "a back-reference"),
    (re.compile(r"\(\?>"), "an atomic group"),
    (re.compile(r"(?<!\\)(?:\\\\)*(?:[*+?]|\{\d+(?:,\d*)?\})\+"), "a possessive quantifier"),
    (re.compile(r"(?<!\\)(?:\\\\)*\\[hHRXKyYGZ]"), "an Oniguruma escape"),
    (re.compile(r"\(\?\("), "a condition"),
]


def _regex(argument: ast.Node) -> list[Difference]:
    if isinstance(argument, ast.Array):
        return [
            Difference(
                argument,
                "gojq takes no regex and flags in an array",
                "give the flags as an argument of their own",
                True,
            )
        ]
    if not isinstance(argument, ast.String) or (text := argument.literal) is None:
        return []
    found = [
        Difference(argument, "jaq refuses `&&` in a class of a regex", "write one & only, or two tests", False)
        for _ in re.findall(r"\[[^\]]*&&", text)[:1]
    ]
    return found + [
        Difference(
            argument,
            f"the regex uses {construct} ({match.group()}), which gojq's regular expressions (RE2) do not have",
            "write a regex without it, or two tests",
            True,
        )
        for pattern, construct in _NOT_IN_RE2
        if (match := pattern.search(text))
    ]


def _flags(argument: ast.Node) -> list[Difference]:
    if not isinstance(argument, ast.String) or (text := argument.literal) is None:
        return []
    return [
        Difference(
            argument, f"gojq does not know the regex flag {flag!r}", "the flags all engines share are g and i", True
        )
        for flag in sorted(set(text) - {"g", "i"})
    ]


def catastrophic_regexes(names: Names) -> tuple[ast.Node, ...]:
    """Literal regexes that a backtracking engine (jq's; RE2 is linear) can take exponential time for."""
    found: list[ast.Node] = []
    for call in names.builtin_calls:
        if call.signature in builtins.REGEX_ARGUMENTS:
            argument = call.arguments[builtins.REGEX_ARGUMENTS[call.signature][0]]
            if isinstance(argument, ast.String) and (text := argument.literal) is not None and is_exponential(text):
                found.append(argument)
    return tuple(found)
