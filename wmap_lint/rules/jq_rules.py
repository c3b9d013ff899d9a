"""Family WM2: what is wrong with an expression, before anything runs.

One fault gives one finding: an expression that does not parse, or that could not be run at all, is not judged
any further. All verdicts come from :mod:`wmap_lint.jq.analysis`; this module words them.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator

from wmap_lint.definition import Component, Definition, Expression, ExpressionMatcher, ResultType, Slot
from wmap_lint.diagnostic import Edit, Fix, Related, Severity
from wmap_lint.jq import ast, builtins
from wmap_lint.jq.analysis import Analysis, Unbounded, UnboundedKind, analyse
from wmap_lint.jq.engine import normalise
from wmap_lint.jq.flow import Every, MisfitKind, Path, Value, interpret, path_text
from wmap_lint.jq.parser import OPERATORS, JqSyntaxError, parse
from wmap_lint.jq.unparse import unparse
from wmap_lint.resolve.evaluation import swallows
from wmap_lint.rules.context import Context
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.wording import shortened

_STATUS_SLOTS = frozenset({Slot.PHASE_PATH, Slot.CONDITIONS_PATH, Slot.MATCHER_EXPRESSION})


def _analyses(context: Context) -> Iterator[tuple[Expression, Analysis]]:
    """Every expression that parses."""
    for expression in context.definition.expressions:
        analysis = analyse(expression.text)
        if isinstance(analysis, Analysis):
            yield expression, analysis


def _runnable(context: Context) -> Iterator[tuple[Expression, Analysis]]:
    """Every expression that could be run; the others have had their finding."""
    for expression, analysis in _analyses(context):
        if analysis.runnable:
            yield expression, analysis


def _everywhere(context: Context) -> Iterator[tuple[Expression, Analysis]]:
    """As :func:`_runnable`, with the programs of the status model, which no consumer runs."""
    for expression in context.expressions:
        analysis = analyse(expression.text)
        if isinstance(analysis, Analysis) and analysis.runnable:
            yield expression, analysis


def _at(expression: Expression, node: ast.Node, message: str, hint: str | None = None, **more: object) -> Finding:
    return Finding(expression.span(node.start, node.end), message, hint, **more)  # type: ignore[arg-type]


def _sentence(clause: str) -> str:
    """A clause as a sentence of its own; the name of the language keeps its lower case."""
    return f"{clause}." if clause.startswith("jq ") else f"{clause[:1].upper()}{clause[1:]}."


def _quoted(analysis: Analysis, node: ast.Node, limit: int = 60) -> str:
    """The text of ``node`` as written, on one line, for a message."""
    text = " ".join(analysis.text[node.start : node.end].split())
    return f"`{text if len(text) <= limit else text[: limit - 1] + '…'}`"


# -- what keeps an expression from being run ----------------------------------------------------------


@rule("WM201", "jq-syntax", Severity.ERROR, "The expression is not jq.")
def jq_syntax(context: Context) -> Iterable[Finding]:
    """Expressions that do not parse."""
    for expression in context.expressions:
        error = analyse(expression.text)
        if isinstance(error, JqSyntaxError):
            yield Finding(
                expression.span(error.start, error.end),
                f"This is not jq: {error.message}.",
                None if error.hint is None else _sentence(error.hint),
            )


@rule("WM202", "unknown-name", Severity.ERROR, "The expression uses a function or a variable that does not exist.")
def unknown_name(context: Context) -> Iterable[Finding]:
    """Names that nothing defines; a validator that only parses accepts them, and every evaluation fails."""
    for expression, analysis in _analyses(context):
        told: list[ast.Node] = []
        for unknown in analysis.names.unknown:
            if any(node.start <= unknown.node.start and unknown.node.end <= node.end for node in told):
                continue
            if unknown.kind == "function" and (key := _unquoted_key(analysis, unknown.node)) is not None:
                told.append(key[0])
                yield _at(
                    expression,
                    key[0],
                    f"{_quoted(analysis, key[0])} is read as a calculation, because the key is not quoted: "
                    f"{_unquoted_parts(analysis, key[0])}.",
                    f"Quote the key: `{key[1]}`.",
                )
                continue
            same = [
                each.node for each in analysis.names.unknown if (each.kind, each.name) == (unknown.kind, unknown.name)
            ]
            told += same
            binding = (
                _misspelt_binding(analysis, unknown.name) if unknown.kind == "variable" and len(same) > 1 else None
            )
            if binding is not None:
                yield _at(
                    expression,
                    binding,
                    f"`${binding.name}` is bound and never used, and `${unknown.name}` is used and never bound, so "
                    "consumers fail to compile the expression.",
                    f"Did you mean `${unknown.name}`?",
                    related=tuple(
                        Related(expression.span(node.start, node.end), f"`${unknown.name}` is used here.")
                        for node in same
                    ),
                )
                continue
            message, hint = _unknown(unknown.kind, unknown.name, analysis)
            yield _at(
                expression,
                unknown.node,
                message,
                hint,
                related=tuple(
                    Related(expression.span(node.start, node.end), "It is used here too.") for node in same[1:]
                ),
            )


def _misspelt_binding(analysis: Analysis, name: str) -> ast.VariablePattern | None:
    """The binding of a variable that nothing uses and whose name is nearly ``name``."""
    nodes = analysis.nodes
    used = {node.name for node in nodes if isinstance(node, ast.Variable)}
    unused = {node.name: node for node in nodes if isinstance(node, ast.VariablePattern) and node.name not in used}
    close = difflib.get_close_matches(name, sorted(unused), 1)
    return unused[close[0]] if close else None


def _unknown(kind: str, name: str, analysis: Analysis) -> tuple[str, str | None]:
    if kind == "variable":
        bound = sorted({node.name for node in analysis.nodes if isinstance(node, ast.VariablePattern)})
        close = difflib.get_close_matches(name, bound, 1)
        return (
            f"Nothing defines the variable `${name}` here, so consumers fail to compile the expression.",
            f"Did you mean `${close[0]}`?" if close else f"Bind it first: `… as ${name} | …`.",
        )
    if kind == "label":
        return f"There is no `label ${name}` around this `break`.", f"Write `label ${name} | …` around it."
    if kind == "format":
        close = difflib.get_close_matches(name, sorted(builtins.FORMATS), 1)
        return (
            f"There is no format `@{name}`: the evaluation fails.",
            f"Did you mean `@{close[0]}`?" if close else f"The formats are {_listed(sorted(builtins.FORMATS), '@')}.",
        )
    if kind == "module":
        return f"There is no module `{name}`; consumers load none.", "Write the function into the expression."
    return _unknown_function(*name.split("/"))


def _unknown_function(name: str, arity: str) -> tuple[str, str | None]:
    message = f"jq has no function `{name}`"
    arities = sorted(int(known.split("/")[1]) for known in builtins.JQ if known.split("/")[0] == name)
    if arities:
        takes = " or ".join(str(count) for count in arities)
        noun = "argument" if arities == [1] else "arguments"
        return (
            f"`{name}` takes {takes} {noun}, not {arity}, so consumers fail to compile the expression.",
            "Arguments are separated by `;`: a `,` makes one argument with several results."
            if max(arities) > int(arity) > 0
            else None,
        )
    message += ", so consumers fail to compile the expression."
    if (retired := builtins.RETIRED.get(f"{name}/{arity}")) is not None:
        return message, f"Engines no longer have it: write {retired}."
    if name in ("spec", "status", "metadata", "kind", "items", "labels", "annotations", "data"):
        return message, f"A field begins with a dot: `.{name}`."
    if (instead := builtins.CONFUSIONS.get(name.lower())) is not None:
        return message, f"In jq it is {instead}."
    close = difflib.get_close_matches(name, sorted({known.split("/")[0] for known in builtins.JQ}), 1, 0.75)
    if close:
        return message, f"Did you mean `{close[0]}`?"
    return message, f'A field begins with a dot (`.{name}`), a text stands in quotes (`"{name}"`).'


def _unquoted_key(analysis: Analysis, node: ast.Node) -> tuple[ast.Node, str] | None:
    """The calculation that an unquoted key such as ``.labels.app.kubernetes.io/name`` is read as, and its cure."""
    best: ast.Node | None = None
    for outer in analysis.nodes:
        if isinstance(outer, ast.Binary) and outer.operator in "-/" and outer.start <= node.start < outer.end:
            text = analysis.text[outer.start : outer.end]
            if re.fullmatch(r"[A-Za-z0-9_./\-]+", text) and text.startswith("."):
                best = outer
                break
    if best is None:
        return None
    text = analysis.text[best.start : best.end]
    # The key begins after the field that holds it: labels, annotations, nodeSelector, requests…
    match = re.match(r"(.*\.(?:labels|annotations|matchLabels|nodeSelector|requests|limits))\.(.+)\Z", text)
    if match:
        return best, f'{match[1]}["{match[2]}"]'
    quoted = "".join(f'["{key}"]' if re.search("[-/]", key) else f".{key}" for key in text[1:].split("."))
    return best, quoted if quoted.startswith(".") else f".{quoted}"


def _unquoted_parts(analysis: Analysis, node: ast.Node) -> str:
    operators = {"/": "divides", "-": "subtracts"}
    words = [
        f"'{inner.operator}' {operators[inner.operator]}"
        for inner in node.walk()
        if isinstance(inner, ast.Binary) and inner.operator in operators
    ]
    return " and ".join(sorted(set(words)))


@rule("WM203", "jq-writes", Severity.ERROR, "The expression changes what it reads.")
def jq_writes(context: Context) -> Iterable[Finding]:
    """Assignments and deletions; consumers refuse a definition that has one."""
    for expression, analysis in _analyses(context):
        for write in analysis.writes:
            if isinstance(write.node, ast.Assignment):
                start, end = _operator_span(analysis, write.node)
                yield Finding(
                    expression.span(start, end),
                    f"`{write.operator}` changes the object; expressions only read, and consumers refuse this.",
                    _instead_of_writing(write.operator),
                )
            else:
                refused = (
                    "and consumers refuse this" if write.operator == "del" else "and no validator notices this one"
                )
                yield _at(
                    expression,
                    write.node,
                    f"`{write.operator}` changes the object; expressions only read, {refused}.",
                    "Select what you want instead of changing what you do not want.",
                )


def _instead_of_writing(operator: str) -> str:
    if operator == "=":
        return "Write `==` to compare."
    if operator == "|=":
        return "Write `.a | …`, which gives the changed value, not `.a |= …`."
    return f"Compute the value: `.a {operator[:-1]} 1`, not `.a {operator} 1`."


def _operator_span(analysis: Analysis, node: ast.Binary | ast.Assignment) -> tuple[int, int]:
    """Where the operator stands between its operands."""
    between = analysis.text.find(node.operator, node.left.end, node.right.start)
    return (between, between + len(node.operator)) if between >= 0 else (node.start, node.end)


@rule("WM204", "jq-unbounded", Severity.ERROR, "Nothing bounds the time or the memory that the expression takes.")
def jq_unbounded(context: Context) -> Iterable[Finding]:
    """Generators without end, recursion, explosions."""
    for expression, analysis in _analyses(context):
        for unbounded in analysis.unbounded:
            yield _at(
                expression,
                unbounded.node,
                f"This is not bounded: {unbounded.reason}. {_UNBOUNDED_CONSEQUENCE[unbounded.kind]}",
                _bounded(unbounded),
            )


_UNBOUNDED_CONSEQUENCE = {
    UnboundedKind.REFUSED: "Consumers refuse the definition.",
    UnboundedKind.ENDLESS: "Consumers give the evaluation up after 1,000 results or 10 seconds, which is an error.",
    UnboundedKind.GROWTH: "Consumers give the evaluation up after 1,000 results or 10 seconds, which is an error.",
    UnboundedKind.REGEX: "A long text in the object makes whoever evaluates this with jq hang.",
}


def _bounded(unbounded: Unbounded) -> str:
    match unbounded.kind, unbounded.node:
        case UnboundedKind.REGEX, _:
            return "Write the regular expression so that a text can be matched in one way only."
        case UnboundedKind.GROWTH, _:
            return "Write a simpler expression: a path and a comparison."
        case _, ast.Call("range"):
            return "Iterate over the list itself: `.items[]`, or `to_entries` for positions."
        case _, ast.FunctionDefinition():
            return "Write the levels out, or iterate."
    return "Name the path you mean."


@rule("WM205", "jq-outside", Severity.ERROR, "The expression reads something other than the object it is given.")
def jq_outside(context: Context) -> Iterable[Finding]:
    """The environment, files, the clock, other inputs."""
    for expression, analysis in _analyses(context):
        for read in analysis.outside:
            yield _at(
                expression,
                read.node,
                f"`{read.name}` {read.what}; an expression has only the object it is given.",
                "Read only the object: paths begin at its root.",
            )


# -- what runs, and means something else --------------------------------------------------------------


@rule("WM206", "jq-not-portable", Severity.ERROR, "jq, gojq and jaq do not agree on the expression.")
def jq_not_portable(context: Context) -> Iterable[Finding]:
    """Constructs that gojq (an error: consumers embed it) or jaq (a warning) lack or read otherwise."""
    for expression, analysis in _runnable(context):
        for difference in analysis.differences:
            yield _at(
                expression,
                difference.node,
                f"Not portable: {difference.message}.",
                _sentence(difference.hint),
                severity=None if difference.breaks_consumers else Severity.WARNING,
            )


_TIGHTER = {operator for operator, (level, _) in OPERATORS.items() if level > OPERATORS["//"][0]}


@rule("WM207", "jq-precedence", Severity.ERROR, "Operators bind otherwise than the expression looks.")
def jq_precedence(context: Context) -> Iterable[Finding]:
    """``.a // 0 > 1`` is ``.a // (0 > 1)``; ``x | not and y`` is ``x | (not and y)``."""
    for expression, analysis in _everywhere(context):
        if _is_spliced_wrongly(context.definition, expression):
            continue  # WM208 says the same of the whole
        for node in analysis.nodes:
            if isinstance(node, ast.Binary) and node.operator == "//":
                yield from _loose_default(expression, node)
            elif isinstance(node, ast.Pipe) and isinstance(node.right, ast.Binary) and not node.right.parenthesised:
                yield from _not_and(expression, analysis, node.right)


def _is_loose_default(node: ast.Binary) -> bool:
    return any(_binds_tighter(node, side) for side in (node.right, node.left))


def _binds_tighter(node: ast.Binary, side: ast.Node) -> bool:
    """Whether ``side`` of the default ``node`` is a calculation without parentheses that may be misread."""
    if not isinstance(side, ast.Binary) or side.parenthesised or side.operator not in _TIGHTER:
        return False
    # `.a == 1 // false` gives true or false whichever way one reads it.
    harmless = isinstance(node.right, ast.Literal) and node.right.value is False and side is node.left
    return not (harmless and not _is_arithmetic(side))


def _is_arithmetic(node: ast.Binary) -> bool:
    return OPERATORS[node.operator][0] > OPERATORS["=="][0]


def _loose_default(expression: Expression, node: ast.Binary) -> Iterator[Finding]:
    for side in (node.right, node.left):
        if not isinstance(side, ast.Binary) or not _binds_tighter(node, side):
            continue
        if side is node.right:
            meant = ast.Binary(side.operator, ast.Binary("//", node.left, side.left), side.right)
        elif isinstance(side.right, ast.Literal | ast.String):
            # What is spelt out needs no default.
            meant = ast.Binary(side.operator, ast.Binary("//", side.left, node.right), side.right)
        else:
            meant = ast.Binary(side.operator, side.left, ast.Binary("//", side.right, node.right))
        yield _at(
            expression,
            node,
            f"`//` binds more loosely than `{side.operator}`: this is read as `{_explicit(node)}`.",
            f"Write `{unparse(meant)}`, or put parentheses around the part with `{side.operator}`.",
            severity=Severity.WARNING if _is_arithmetic(side) else None,
        )
        return


def _explicit(node: ast.Node) -> str:
    """``node`` with parentheses around its operands, so that a reader sees how it is read."""
    if not isinstance(node, ast.Binary):
        return unparse(node)
    sides = (
        f"({unparse(side)})" if isinstance(side, ast.Binary | ast.Pipe) else unparse(side)
        for side in (node.left, node.right)
    )
    return f" {node.operator} ".join(sides)


def _not_and(expression: Expression, analysis: Analysis, node: ast.Binary) -> Iterator[Finding]:
    innermost: ast.Node = node
    while (
        isinstance(innermost, ast.Binary)
        and innermost.operator in ("and", "or")
        and not (innermost is not node and innermost.parenthesised)
    ):
        innermost = innermost.left
    if innermost is not node and isinstance(innermost, ast.Call) and innermost.signature == "not/0":
        yield _at(
            expression,
            node,
            f"`|` binds most loosely: everything after it, {_quoted(analysis, node)}, is asked of the value before it, "
            "not of the object.",
            "Put the pipe in parentheses: `(… | not) and …`.",
        )


@rule("WM208", "spliced-selector", Severity.ERROR, "A keyPath means something else once its value is appended.")
def spliced_selector(context: Context) -> Iterable[Finding]:
    """Consumers run ``keyPath == "value"`` as one text, without parentheses around the path."""
    for expression, analysis in _runnable(context):
        if not _is_spliced_wrongly(context.definition, expression):
            continue
        value = _selector_value(context.definition, expression) or ""
        body = analysis.program.body
        spliced = f"{expression.text.rstrip()} == {json.dumps(value, ensure_ascii=False)}"
        result = _splice(expression.text, value)
        if result is None:
            problem = "that is not jq, so no pod can be matched"
        elif result == body:
            problem = "the comment swallows the comparison, so the selector matches no pod"
        else:
            problem = (
                f"only `{shortened(unparse(_compared(result)))}` is then compared, so the selector asks something else"
            )
        yield Finding(
            expression.span(),
            f"Consumers append the value without parentheses, `{shortened(spliced)}`: {problem}.",
            f"Write `({shortened(unparse(body))})`, or a plain path.",
            fix=_parenthesise(expression) if result != body else None,
        )


def _compared(spliced: ast.Node) -> ast.Node:
    """What the comparison at the very end of ``spliced`` compares."""
    compared = spliced
    for node in spliced.walk():
        if isinstance(node, ast.Binary) and node.operator == "==" and node.end == spliced.end:
            compared = node.left
    return compared


def _parenthesise(expression: Expression) -> Fix | None:
    raw = expression.document.raw(expression.path)
    if "\n" in raw or expression.text != expression.text.strip() or "#" in expression.text:
        return None
    text = f"({expression.text})"
    quoted = json.dumps(text, ensure_ascii=False) if '"' not in text else "'" + text.replace("'", "''") + "'"
    return Fix("Put the path in parentheses", (Edit(expression.span(), quoted),))


def _selector_value(definition: Definition, expression: Expression) -> str | None:
    """The value that consumers compare this ``keyPath`` with; None for any other expression."""
    if expression.slot is not Slot.TYPE_KEY_PATH or expression.component is None:
        return None
    component = definition.component(expression.component)
    selector = component.pod_selector.type_selector if component and component.pod_selector else None
    return selector.value if selector and selector.key_path == expression else None


def _splice(text: str, value: str) -> ast.Node | None:
    try:
        return parse(f"{text} == {json.dumps(value)}").body
    except JqSyntaxError:
        return None


def _is_spliced_wrongly(definition: Definition, expression: Expression) -> bool:
    value = _selector_value(definition, expression)
    if value is None:
        return False
    spliced = _splice(expression.text, value)
    alone = parse(expression.text)
    if spliced is None:
        # A calculation that gives true or false is wrong in parentheses too: WM215 says so.
        return interpret(alone).result.types != {"boolean"}
    return not _compares_the_whole(alone.body, spliced)


def _compares_the_whole(alone: ast.Node, spliced: ast.Node) -> bool:
    """Whether ``spliced`` is ``alone`` with only its last step compared, which comes to the same."""
    if isinstance(spliced, ast.Binary) and spliced.operator == "==":
        return spliced.left == alone
    if isinstance(alone, ast.Pipe) and isinstance(spliced, ast.Pipe):
        return alone.left == spliced.left and _compares_the_whole(alone.right, spliced.right)
    if isinstance(alone, ast.Bind) and isinstance(spliced, ast.Bind):
        return alone.source == spliced.source and _compares_the_whole(alone.body, spliced.body)
    if isinstance(alone, ast.Label) and isinstance(spliced, ast.Label):
        return _compares_the_whole(alone.body, spliced.body)
    if isinstance(alone, ast.Define) and isinstance(spliced, ast.Define):
        return alone.definition == spliced.definition and _compares_the_whole(alone.body, spliced.body)
    return False


@rule("WM209", "spliced-expression", Severity.ERROR, "An expression breaks the program that consumers put it into.")
def spliced_expression(context: Context) -> Iterable[Finding]:
    """A trailing comment swallows what follows; an ``expectedResult`` is spliced into a string by older consumers."""
    for expression, analysis in _runnable(context):
        embedded = _embedded(expression.slot)
        if embedded is None or not swallows(expression.text):
            continue
        start = expression.text.index("#", analysis.program.body.end)
        read = expression.slot.written and expression.slot not in (Slot.SUSPEND_PATH, Slot.RESUME_PATH)
        yield Finding(
            expression.span(start, len(expression.text)),
            f"Consumers{' that update pods' if read else ''} put the expression in parentheses, `{embedded}`: this "
            "comment swallows what follows, and the evaluation fails.",
            "Move the comment to a YAML comment above the field.",
            severity=Severity.WARNING if read else None,
        )
    for matcher in _expression_matchers(context.definition):
        expected = matcher.expected_result
        if expected is not None and ('"' in expected or "\\" in expected):
            yield Finding(
                matcher.span("expectedResult"),
                'Older consumers splice this text into a jq string, where `"` ends it and `\\` escapes.',
                'Compare inside the expression (`.a == …`) and expect `"true"`.',
                severity=Severity.WARNING,
            )


def _embedded(slot: Slot) -> str | None:
    """The bigger program that consumers run at ``slot``."""
    if slot is Slot.MATCHER_EXPRESSION:
        return "(…) | tostring"
    if slot.written:
        return "(…) = $value"
    return None


def _expression_matchers(definition: Definition) -> Iterator[ExpressionMatcher]:
    for component in definition.components:
        if component.status_definition is not None:
            for mapping in component.status_definition.mappings:
                for matcher in mapping.matchers:
                    if matcher.by_expression is not None:
                        yield matcher.by_expression


@rule("WM210", "impossible-expected-result", Severity.ERROR, "The expression can never give the expected text.")
def impossible_expected_result(context: Context) -> Iterable[Finding]:
    """What ``tostring`` makes of every possible result differs from ``expectedResult``."""
    for matcher, expression, expected, analysis in _impossible(context.definition):
        values = analysis.flow.result.values
        types = analysis.flow.result.types
        gives = _gives(values)
        hint: str | None = f"Expect {gives}." if values else None
        fix = None
        if types == {"boolean"} and expected.strip().lower() in ("true", "false", "yes", "no", "1", "0"):
            right = "true" if expected.strip().lower() in ("true", "yes", "1") else "false"
            hint = f'Write `expectedResult: "{right}"`.'
            fix = Fix(f'Expect "{right}"', (Edit(matcher.span("expectedResult"), f'"{right}"'),))
        yield Finding(
            matcher.span("expectedResult"),
            f"The expression gives {gives}, never `{shortened(expected, 40)}`: this matcher never holds.",
            hint,
            related=(Related(expression.span(), "The expression."),),
            fix=fix,
        )


def _impossible(definition: Definition) -> Iterator[tuple[ExpressionMatcher, Expression, str, Analysis]]:
    """The matchers whose expression can never give what is expected, with both of these."""
    for matcher in _expression_matchers(definition):
        expression, expected = matcher.expression, matcher.expected_result
        if expression is None or expected is None:
            continue
        analysis = analyse(expression.text)
        if not isinstance(analysis, Analysis) or not analysis.runnable or analysis.flow.exhausted:
            continue
        if not any(may_be_text(value, expected) for value in analysis.flow.result.values):
            yield matcher, expression, expected, analysis


def _gives(values: tuple[Value, ...]) -> str:
    if not values:
        return "no result at all"
    words = {
        "boolean": '"true" or "false"',
        "null": '"null"',
        "number": "a number",
        "string": "a text",
        "array": "a list as compact JSON",
        "object": "an object as compact JSON",
    }
    if all(value.has_literal for value in values):
        return " or ".join(f"`{_tostring(value.literal)}`" for value in values)
    types = frozenset[str]().union(*(value.types for value in values))
    return " or ".join(words[name] for name in words if name in types)


def _tostring(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(normalise(value))


_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d*[1-9])?(e[+-]?\d+)?\Z", re.IGNORECASE)


def may_be_text(value: Value, expected: str) -> bool:
    """Whether ``value | tostring`` can be ``expected``."""
    if value.has_literal and not (isinstance(value.literal, float) and not value.literal.is_integer()):
        return _tostring(value.literal) == expected
    if value.path is not None or "string" in value.types:
        return True
    return (
        ("boolean" in value.types and expected in ("true", "false"))
        or ("null" in value.types and expected == "null")
        or ("number" in value.types and _NUMBER.match(expected) is not None)
        or ("array" in value.types and expected.startswith("["))
        or ("object" in value.types and expected.startswith("{"))
    )


@rule("WM211", "default-over-iteration", Severity.ERROR, "A default after `[]` drops items instead of filling them in.")
def default_over_iteration(context: Context) -> Iterable[Finding]:
    """``.items[].n // 1`` is one `1` for no items, and nothing for an item without `n`."""
    for expression, analysis in _runnable(context):
        for node in analysis.nodes:
            if not isinstance(node, ast.Binary) or node.operator != "//" or _is_empty(node.right):
                continue
            iterate = _unfiltered_iteration(node.left)
            if iterate is None or isinstance(iterate.target, ast.Array) or _is_loose_default(node):
                continue
            lined_up = expression.slot is Slot.INSTANCE_ID_PATH or expression.slot.may_yield == "per-instance"
            yield _at(
                expression,
                node,
                "`//` looks at all results of its left side together: items whose value is null or false are dropped, "
                "and the default comes once, only when nothing is left."
                + (" Counts then no longer match the instances." if lined_up else ""),
                f"Apply it to each item: `{_per_item(node, iterate)}`.",
            )


def _is_empty(node: ast.Node) -> bool:
    return isinstance(node, ast.Call) and node.signature == "empty/0"


def _unfiltered_iteration(node: ast.Node) -> ast.Iterate | None:
    """The last `[]` of a path that yields every item."""
    match node:
        case ast.Iterate():
            return node
        case ast.Index(target) | ast.Optional(target) | ast.Slice(target):
            return _unfiltered_iteration(target)
        case ast.Pipe(left, right):
            if (iterate := _unfiltered_iteration(right)) is not None:
                return iterate
            return _unfiltered_iteration(left) if _is_plain_path(right) else None
    return None


def _is_plain_path(node: ast.Node) -> bool:
    match node:
        case ast.Identity():
            return True
        case ast.Index(target) | ast.Optional(target) | ast.Slice(target):
            return _is_plain_path(target)
        case ast.Pipe(left, right):
            return _is_plain_path(left) and _is_plain_path(right)
    return False


def _per_item(node: ast.Binary, iterate: ast.Iterate) -> str:
    """The cure: the items first, the default after a pipe."""
    items, item = _split(node.left, iterate)
    return f"{unparse(items)} | {unparse(ast.Binary('//', item, node.right))}"


def _split(path: ast.Node, iterate: ast.Iterate) -> tuple[ast.Node, ast.Node]:
    """``path`` up to ``iterate`` (with its `?`), and the rest of it as a path from there."""
    if path is iterate or (isinstance(path, ast.Optional) and path.target is iterate):
        return path, ast.Identity()
    match path:
        case ast.Index(target, key):
            items, rest = _split(target, iterate)
            return items, ast.Index(rest, key)
        case ast.Slice(target, first, last):
            items, rest = _split(target, iterate)
            return items, ast.Slice(rest, first, last)
        case ast.Optional(target):
            items, rest = _split(target, iterate)
            return items, ast.Optional(rest)
        case ast.Pipe(left, right) if any(inner is iterate for inner in right.walk()):
            items, rest = _split(right, iterate)
            return ast.Pipe(left, items), rest
        case ast.Pipe(left, right):
            items, rest = _split(left, iterate)
            return items, right if isinstance(rest, ast.Identity) else ast.Pipe(rest, right)
    return path, ast.Identity()


@rule("WM212", "fails-on-absent", Severity.WARNING, "The expression fails when a field is absent.")
def fails_on_absent(context: Context) -> Iterable[Finding]:
    """jq iterates over, and calculates with, no null; an absent field is null. Under `.status` it is an error."""
    for expression, analysis in _runnable(context):
        told: set[tuple[Path, str]] = set()
        for hazard in analysis.flow.null_hazards:
            if (hazard.path, hazard.operation) in told or _gives_each_condition(expression, analysis, hazard.node):
                continue
            if context.is_misfit(expression, hazard.node):
                continue  # it fails whether the field is there or not
            if hazard.operation == "indexing with it" and Every.MEMBER in hazard.path:
                continue  # the name by which one list refers to another: items have one
            told.add((hazard.path, hazard.operation))
            path = path_text(hazard.path)
            always = hazard.path[:1] == ("status",) and expression.slot.subject == "workload"
            when = "before the controller has written it" if always else "where it is left out"
            yield _at(
                expression,
                hazard.node,
                f"`{path}` is absent {when}, and {_operation(hazard.operation)} null fails: "
                f"{_consequence(expression)}.",
                _guard(hazard.operation, hazard.path),
                severity=Severity.ERROR if always else None,
            )


def _operation(operation: str) -> str:
    if operation == "iteration":
        return "iterating over"
    if operation.startswith("'"):
        return f"calculating {operation} with"
    if operation == "indexing with it":
        return "indexing with"
    return "negation of" if operation == "negation" else f"`{operation}` of"


def _guard(operation: str, path: Path) -> str:
    text = path_text(path)
    if operation == "iteration":
        return f"Write `{text}[]?`, or `({text} // [])[]`."
    default = _GUARDED.get(operation, "0" if operation.startswith("'") else '""')
    if Every.MEMBER not in path:
        return f"Write `({text} // {default})`."
    # A default after `[]` would be given once for all items.
    position = len(path) - path[::-1].index(Every.MEMBER)
    item = path_text(path[position:])
    return f"Write `({item} // {default})` for each item: `{path_text(path[:position])} | ({item} // {default}) | …`."


_GUARDED = {
    **dict.fromkeys("negation tonumber floor ceil round sqrt abs fabs trunc pow log log2 log10 exp".split(), "0"),
    **dict.fromkeys("keys to_entries with_entries map_values in".split(), "{}"),
    **dict.fromkeys(
        "map add any all min max min_by max_by sort sort_by unique unique_by group_by reverse flatten join transpose "
        "from_entries implode bsearch @csv @tsv contains inside".split(),
        "[]",
    ),
    "toboolean": "false",
}


def _consequence(expression: Expression) -> str:
    if expression.slot in _STATUS_SLOTS:
        return "one failing expression makes the whole status an error"
    if expression.slot.subject == "pod":
        return "the pod is attributed to nothing"
    if expression.slot in (Slot.SUSPEND_PATH, Slot.RESUME_PATH):
        return "the action fails"
    return "the whole workload can then not be resolved"


@rule("WM213", "odd-comparison", Severity.WARNING, "A comparison is true of a missing field, or of a wrong type.")
def odd_comparison(context: Context) -> Iterable[Finding]:
    """null sorts before every number, and numbers before every string."""
    for expression, analysis in _everywhere(context):
        for comparison in analysis.flow.null_comparisons:
            if context.is_misfit(expression, comparison.node):
                continue
            path = path_text(comparison.path)
            yield _at(
                expression,
                comparison.node,
                f"When `{path}` is absent it is null, which sorts before everything: "
                f"{_quoted(analysis, comparison.node)} is then true.",
                f"Say what absence means: `({unparse(comparison.side)} // 0)`.",
            )
        for clash in analysis.flow.type_clashes:
            yield _at(
                expression,
                clash.node,
                f"This compares {_types(clash.left)} with {_types(clash.right)}, so it is always "
                f"{'true' if clash.verdict else 'false'}: jq orders values of different types by their type.",
                "Compare values of one type: `tonumber` for a number in a text, `tostring` the other way.",
                severity=Severity.ERROR,
            )
        yield from _quantities(expression, analysis)


def _types(types: frozenset[str]) -> str:
    words = {"array": "a list", "object": "an object", "null": "null"}
    return " or ".join(words.get(name, f"a {name}") for name in sorted(types))


_QUANTITY_FIELDS = frozenset({"limits", "requests", "capacity", "allocatable"})


def _quantities(expression: Expression, analysis: Analysis) -> Iterator[Finding]:
    for node in analysis.nodes:
        if not isinstance(node, ast.Binary) or node.operator not in ("<", "<=", ">", ">=", "==", "!="):
            continue
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if not isinstance(other, ast.Literal) or not isinstance(other.value, int | float) or _converts(side):
                continue
            reads = [
                read.path
                for read in analysis.flow.reads
                if side.start <= read.node.start and read.node.end <= side.end and _is_quantity(read.path)
            ]
            if reads:
                yield _at(
                    expression,
                    node,
                    f'`{path_text(reads[0])}` is a quantity, which is a text (`"1"`): greater than every '
                    'number and equal to none, so even `"0"` passes for more than 0.',
                    'Compare with a text (`!= "0"`), or convert it with `tonumber`.',
                )
                break


def _is_quantity(path: Path) -> bool:
    return any(step in _QUANTITY_FIELDS for step in path[:-1] if isinstance(step, str))


def _converts(node: ast.Node) -> bool:
    return any(
        isinstance(inner, ast.Call) and inner.name in ("tonumber", "length", "has", "any", "all", "type")
        for inner in node.walk()
    )


@rule("WM214", "default-true", Severity.WARNING, "With a default of true, false can never come out.")
def default_true(context: Context) -> Iterable[Finding]:
    """`//` takes false for missing."""
    for expression, analysis in _everywhere(context):
        for node in analysis.nodes:
            if (
                isinstance(node, ast.Binary)
                and node.operator == "//"
                and isinstance(node.right, ast.Literal)
                and node.right.value is True
                and not _is_loose_default(node)
            ):
                left = unparse(ast.Binary("!=", node.left, ast.Literal(False)))
                yield _at(
                    expression,
                    node,
                    f"`//` takes false for missing, so {_quoted(analysis, node)} is true even "
                    "where the field is false.",
                    f"Write `({left})`.",
                )


# -- what the place wants -----------------------------------------------------------------------------


@rule("WM215", "boolean-selector", Severity.ERROR, "A keyPath that answers true or false selects every pod, or none.")
def boolean_selector(context: Context) -> Iterable[Finding]:
    """Existence asks for "not null", which false is; equality compares with a text, which a boolean never is."""
    for expression, analysis in _runnable(context):
        result = analysis.flow.result
        if expression.slot is not Slot.TYPE_KEY_PATH or result.types != {"boolean"}:
            continue
        if _is_spliced_wrongly(context.definition, expression):
            continue
        value = _selector_value(context.definition, expression)
        if value is None and all(item.has_literal and item.literal is True for item in result.values):
            continue  # true or nothing answers the question of existence
        if value is None:
            message = "Without a `value` consumers ask whether the result is null, and false is not: every pod matches."
        else:
            message = f"The result is true or false, and the text `{value}` of `value` equals neither: no pod matches."
        yield Finding(
            expression.span(),
            message,
            _selector_hint(analysis) or "Name the label in `keyPath`, and what it has to be in `value`.",
        )


def _selector_hint(analysis: Analysis) -> str | None:
    body = analysis.program.body
    if isinstance(body, ast.Binary) and body.operator == "==":
        for path, literal in ((body.left, body.right), (body.right, body.left)):
            if isinstance(literal, ast.String) and literal.literal is not None:
                return f"Write `keyPath: {unparse(path)}` and `value: {json.dumps(literal.literal)}`."
    return None


_MAY_DROP = frozenset(
    "empty select values strings numbers booleans arrays objects iterables scalars nulls limit skip scan match capture "
    "splits error".split()
)


def _may_yield_nothing(analysis: Analysis) -> bool:
    """Whether there may be no result for a reason the author wrote (a `?` on a plain path is none)."""
    return analysis.flow.result.least == 0 and any(
        isinstance(node, ast.Iterate) or (isinstance(node, ast.Call) and node.name in _MAY_DROP)
        for node in analysis.nodes
    )


def _component(context: Context, expression: Expression) -> Component | None:
    return None if expression.component is None else context.definition.component(expression.component)


@rule("WM216", "result-count", Severity.ERROR, "The expression gives more or fewer results than consumers take.")
def result_count(context: Context) -> Iterable[Finding]:
    """One result where one is taken; one for each instance id where they are lined up with instances."""
    for expression, analysis in _runnable(context):
        flow = analysis.flow.result
        slot = expression.slot
        if slot is not Slot.FILTER and has_wrong_type(expression, analysis):
            continue
        if any(misfit.kind is MisfitKind.NOT_ITERABLE for misfit in context.misfits(expression)):
            continue  # the `[]` is wrong, whatever it would give
        if slot.may_yield == "one":
            if flow.most > 1 and slot in (Slot.PHASE_PATH, Slot.MATCHER_EXPRESSION):
                yield Finding(
                    expression.span(),
                    "This may give several results, and consumers look at the first one only: the others go unseen.",
                    "Reduce them to one, with `any(…)`, `all(…)` or `first(…)`.",
                    severity=Severity.WARNING,
                )
            elif flow.most > 1:
                yield Finding(
                    expression.span(),
                    f"`{slot.label}` takes exactly one result, and this may give several: such a pod is an error.",
                    "Write a path to one value; `first(…)` takes the first.",
                )
            elif slot.subject == "pod" and _may_yield_nothing(analysis):
                yield Finding(
                    expression.span(),
                    f"`{slot.label}` takes exactly one result, and this may give none: such a pod is an error, "
                    "not passed over.",
                    'Give a value in every case: compare (`.a == "b"`).'
                    if slot is Slot.FILTER
                    else 'Give a value in every case: end with `// "…"`.',
                )
        elif slot.may_yield == "per-instance":
            yield from _lined_up(context, expression, analysis)


def _lined_up(context: Context, expression: Expression, analysis: Analysis) -> Iterator[Finding]:
    component = _component(context, expression)
    if component is None or context.is_doubtful((*component.path, "instanceIdPath")):
        return
    many = analysis.flow.result.most > 1
    if component.instance_id_path is None:
        if many and not component.present("instanceIdPath"):
            yield Finding(
                expression.span(),
                f"This may give several results, and component `{component.name}` has no `instanceIdPath`: with any "
                "number of results but one the workload cannot be resolved.",
                "Add `instanceIdPath` (and `podSelector.componentInstanceSelector`), or take one with `first(…)`.",
            )
        elif not many and _may_yield_nothing(analysis) and not component.present("instanceIdPath"):
            yield Finding(
                expression.span(),
                f"This may give no result, and component `{component.name}` has no `instanceIdPath`: then there has to "
                "be exactly one, or the workload cannot be resolved.",
                "Give null instead, which means that there is no value: leave `empty` or `select` out.",
            )
        return
    ids = analyse(component.instance_id_path.text)
    if not isinstance(ids, Analysis) or not ids.runnable:
        return
    related = (Related(component.instance_id_path.span(), "The instance ids."),)
    if ids.flow.result.most > 1 and not many:
        yield Finding(
            expression.span(),
            f"`instanceIdPath` of component `{component.name}` may give several ids, and this one result at most: "
            "the counts differ as soon as there are two instances, and the workload cannot be resolved.",
            "Iterate over the same list as `instanceIdPath`.",
            related=related,
        )
        return
    ours, theirs = _iterated(analysis), _iterated(ids)
    if ours and theirs and not ours & theirs:
        if context.is_misspelt(expression) or context.is_misspelt(component.instance_id_path):
            return  # the fixtures know the right name: WM401
        yield Finding(
            expression.span(),
            f"This iterates over {_paths(ours)}, the instance ids over {_paths(theirs)}: results and ids are lined up "
            "by position, so values land on the wrong instance, or the counts differ.",
            "Iterate over the same list as `instanceIdPath`.",
            related=related,
        )
    elif many and _filters(analysis) != _filters(ids):
        filtered = "this" if _filters(analysis) else "`instanceIdPath`"
        yield Finding(
            expression.span(),
            f"Only {filtered} passes items over: results and ids are lined up by position, so values land on the wrong "
            "instance, or the counts differ.",
            "Filter both in the same way.",
            related=related,
        )


def _iterated(analysis: Analysis) -> frozenset[Path]:
    """The outermost lists or maps of the document that the expression iterates over."""
    return frozenset(
        read.path[:-1]
        for read in analysis.flow.reads
        if read.path[-1:] == (Every.MEMBER,) and Every.MEMBER not in read.path[:-1]
    )


def _paths(paths: frozenset[Path]) -> str:
    return " and ".join(f"`{text}`" for text in sorted(path_text(path) for path in paths))


def _filters(analysis: Analysis) -> bool:
    """Whether the expression passes items over, at its top: not inside an array, or a test."""

    def dropping(node: ast.Node) -> bool:
        match node:
            case ast.Pipe(left, right) | ast.Comma(left, right) | ast.Binary("//", left, right):
                return dropping(left) or dropping(right)
            case ast.Bind(source, _, body):
                return dropping(source) or dropping(body)
            case ast.If(branches, otherwise):
                return any(dropping(result) for _, result in branches) or (
                    otherwise is not None and dropping(otherwise)
                )
            case ast.Index(target) | ast.Iterate(target) | ast.Optional(target):
                return dropping(target)
            case ast.Call(name):
                return name in _MAY_DROP
        return False

    return dropping(analysis.program.body)


_WANTED: dict[ResultType, tuple[frozenset[str], str]] = {
    ResultType.STRING: (frozenset({"string", "null"}), "a text"),
    ResultType.INTEGER: (frozenset({"number", "string", "null"}), "a whole number"),
    ResultType.STRING_MAP: (frozenset({"object", "null"}), "a map of texts"),
    ResultType.CONTAINERS: (frozenset({"array", "null"}), "a list of containers"),
    ResultType.RESOURCE_CLAIMS: (frozenset({"array", "null"}), "a list of resource claims"),
    ResultType.CONDITIONS: (frozenset({"array", "null"}), "the list of conditions"),
    **dict.fromkeys(
        (
            ResultType.POD_TEMPLATE_SPEC,
            ResultType.POD_SPEC,
            ResultType.OBJECT_META,
            ResultType.RESOURCE_REQUIREMENTS,
            ResultType.POD_AFFINITY,
            ResultType.NODE_AFFINITY,
            ResultType.CONTAINER,
        ),
        (frozenset({"object", "null"}), "an object"),
    ),
}


@rule("WM217", "result-type", Severity.ERROR, "The expression gives a type that consumers fail on.")
def result_type(context: Context) -> Iterable[Finding]:
    """What is computed has the wrong JSON type for its place, whatever the object is."""
    for expression, analysis in _runnable(context):
        if expression.slot is Slot.FILTER:
            yield from _no_filter(expression, analysis)
        elif _gives_each_condition(expression, analysis):
            yield Finding(
                expression.span(),
                "This gives each condition on its own, and consumers want the list: every object with conditions is "
                "then an error.",
                "Leave the `[]` at the end out.",
            )
        elif has_wrong_type(expression, analysis):
            types = analysis.flow.result.types
            noun = _WANTED[expression.slot.result][1]
            yield Finding(
                expression.span(),
                f"`{expression.slot.label}` wants {noun}, and this gives {_types(types)}: consumers fail on it.",
                "Convert it with `tostring`." if noun == "a text" and types <= {"number", "boolean"} else None,
            )


def has_wrong_type(expression: Expression, analysis: Analysis) -> bool:
    """Whether no result can have a type that consumers take."""
    result = analysis.flow.result
    wanted = _WANTED.get(expression.slot.result)
    return wanted is not None and bool(result.values) and not result.types & wanted[0]


def _gives_each_condition(expression: Expression, analysis: Analysis, node: ast.Node | None = None) -> bool:
    """Whether the conditions path ends in `[]` (and, when ``node`` is given, whether that is this `[]`)."""
    if expression.slot is not Slot.CONDITIONS_PATH:
        return False
    if node is not None and not (isinstance(node, ast.Iterate) and node.end == analysis.program.body.end):
        return False
    return any(value.path is not None and value.path[-1:] == (Every.MEMBER,) for value in analysis.flow.result.values)


def _no_filter(expression: Expression, analysis: Analysis) -> Iterator[Finding]:
    result = analysis.flow.result
    if result.most > 1 or _may_yield_nothing(analysis):
        return  # WM216 says so
    if "null" in result.types:
        yield Finding(
            expression.span(),
            "A filter passes a pod on `true` alone, and null, as an absent label gives, is an error, not a no.",
            _filter_hint(analysis),
        )
    elif result.values and not any(_may_be_true(value) for value in result.values):
        yield Finding(
            expression.span(),
            f"A filter passes a pod on `true` alone, and this gives {_types(_filter_types(result.values))}, never "
            "true: no pod passes.",
            'Compare: `.a == "…"`.',
        )


def _may_be_true(value: Value) -> bool:
    return "boolean" in value.types and value.literal is not False and not _is_label(value)


def _is_label(value: Value) -> bool:
    path = value.path or ()
    return len(path) == 3 and path[0] == "metadata" and path[1] in ("labels", "annotations")


def _filter_types(values: tuple[Value, ...]) -> frozenset[str]:
    return frozenset[str]().union(*({"string"} if _is_label(value) else value.types for value in values))


def _filter_hint(analysis: Analysis) -> str:
    body = analysis.program.body
    if isinstance(body, ast.Identity | ast.Index):
        return f'Compare: `{unparse(body)} == "…"`, or `{unparse(body)} != null` for existence.'
    return "End with a comparison, or with `// false`."


@rule("WM218", "constant-expression", Severity.WARNING, "The expression does not look at the object.")
def constant_expression(context: Context) -> Iterable[Finding]:
    """A phase, a matcher, a selector or ids that are the same for every object."""
    impossible = [expression for _, expression, _, _ in _impossible(context.definition)]
    places = _STATUS_SLOTS | {Slot.TYPE_KEY_PATH, Slot.INSTANCE_ID_PATH, Slot.INSTANCE_KEY_PATH}
    for expression, analysis in _runnable(context):
        if expression.slot not in places or analysis.flow.reads or analysis.flow.type_clashes:
            continue
        if any(isinstance(node, ast.Identity | ast.Format | ast.Location) for node in analysis.nodes):
            continue
        if has_wrong_type(expression, analysis) or expression in impossible:
            continue  # that is told
        if _reads_input(analysis.program.body):
            continue
        yield Finding(
            expression.span(),
            f"This reads nothing of the {'pod' if expression.slot.subject == 'pod' else 'workload'}: it gives the same "
            "for every one.",
            "A path begins with a dot: `.status.phase`.",
        )


def _reads_input(node: ast.Node) -> bool:
    return any(isinstance(inner, ast.Call) and inner.name not in ("empty", "error") for inner in node.walk())


def _listed(names: list[str], prefix: str = "") -> str:
    return ", ".join(f"`{prefix}{name}`" for name in names)
