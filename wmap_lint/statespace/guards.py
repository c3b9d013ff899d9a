"""What a matcher should demand as well, or demands too much (floor 3): found in the definition, and proven.

The parts of which the expressions of a definition are made, and what its matchers ask of conditions and the phase,
are what its author tells states apart by. A guard is one of them, or two, that is false wherever a matcher holds by
mistake and true wherever it is right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations

from wmap_lint.definition import ConditionMatcher, Matcher, StatusDefinition
from wmap_lint.diagnostic import Span
from wmap_lint.jq import ast
from wmap_lint.jq.flow import path_text
from wmap_lint.jq.parser import JqSyntaxError, parse
from wmap_lint.record import Record
from wmap_lint.resolve.writes import static_place
from wmap_lint.statespace.formula import Both, Bound, Choose, Either, Entries, Formula, Opposite, Test, formula_of
from wmap_lint.statespace.proof import Proof, holding
from wmap_lint.statespace.table import States

_MOST_LITERALS = 60
_LONGEST = 200


class Literal(Record):
    """A jq text and the states in which it is true; in those of neither set it is not to be relied on."""

    text: str
    true: States
    false: States


class Demand(Record):
    """One thing that a matcher demands: the place in the definition, its text, and where it holds.

    ``condition`` is the condition that is asked for, where it is one.
    """

    span: Span
    text: str
    true: States
    condition: ConditionMatcher | None = None


def literals(proof: Proof) -> list[Literal]:
    """What the definition tells states apart by, shortest first, each also as its opposite."""
    found: dict[str, Literal] = {}

    def add(text: str, true: States, false: States) -> None:
        text = " ".join(text.split())
        if len(text) <= _LONGEST:
            found.setdefault(text, Literal(text, true, false))
            negated = f"({text} | not)"
            found.setdefault(negated, Literal(negated, false, true))

    def add_part(text: str, true: States, false: States) -> None:
        add(text if is_operand(text) else f"({text})", true, false)

    table = proof.table
    for matcher in _matchers(proof.status):
        expected = matcher.by_expression
        if expected is not None and expected.expression is not None:
            formula = formula_of(expected.expression.text, proof.names.place if table.has_plain_conditions else None)
            for part in _parts(formula) if formula is not None else ():
                verdict = table.of_formula(part)
                add_part(part.text, verdict.true, verdict.false)
        for wanted in matcher.by_conditions:
            if table.has_plain_conditions and proof.names.place is not None:
                true = holding(wanted, table.listed(), proof.names)
                add(condition_text(wanted, proof), true, table.everything & ~true)
        if matcher.by_phase and proof.status.phase is not None:
            text = phase_text(proof.status.phase.text, matcher.by_phase)
            verdict = table.verdict(text, "true")
            add(text, verdict.true, verdict.false)
    return sorted(found.values(), key=lambda each: (len(each.text), each.text))[:_MOST_LITERALS]


def is_operand(text: str) -> bool:
    """Whether ``and`` can be written beside a program without parentheses around it."""
    try:
        body = parse(text).body
    except JqSyntaxError:
        return False
    if body.parenthesised:
        return True
    if isinstance(body, ast.Binary):
        return body.operator in _BINDS_TIGHTLY
    return not isinstance(body, ast.Pipe | ast.Comma | ast.Bind | ast.Reduce | ast.Foreach | ast.Label | ast.Define)


def can_be_continued(text: str) -> bool:
    """Whether ``and`` with a further demand can be written at the end of a program, and means what it says."""
    try:
        body = parse(text).body
    except JqSyntaxError:
        return False
    while isinstance(body, ast.Bind) and not body.parenthesised:
        body = body.body
    if body.parenthesised:
        return True
    if isinstance(body, ast.Binary):
        return body.operator == "and" or body.operator in _BINDS_TIGHTLY
    return isinstance(body, ast.Call | ast.Index)


_BINDS_TIGHTLY = frozenset({"==", "!=", "<", "<=", ">", ">="})


def phase_text(path: str, phase: str) -> str:
    """What is asked of a phase, in jq."""
    path = path.strip()
    return f"{path if static_place(path) is not None else f'({path})'} == {json.dumps(phase)}"


def condition_text(wanted: ConditionMatcher, proof: Proof) -> str:
    """What is asked of a condition, in jq."""
    names = proof.names
    asked = [f".{names.type} == {json.dumps(wanted.type)}"]
    if wanted.status:
        asked.append(f".{names.status} == {json.dumps(wanted.status)}")
    if wanted.reason:
        asked.append(f".{names.reason} == {json.dumps(wanted.reason)}")
    return f"any({path_text(tuple(names.place or ()))}[]?; {' and '.join(asked)})"


def guard(proof: Proof, wrong: States, right: States) -> str | None:
    """A jq text that is false in all states of ``wrong`` and true in all of ``right``; None when none is found."""
    candidates = literals(proof)
    for each in candidates:
        if not wrong & ~each.false and not right & ~each.true:
            return each.text
    allowed = [each for each in candidates if not right & ~each.true and wrong & each.false]
    for one, other in combinations(allowed, 2):
        if not wrong & ~(one.false | other.false):
            return f"{one.text} and {other.text}"
    return None


def demands(proof: Proof, matcher: Matcher) -> Iterator[Demand]:
    """Everything that a matcher demands, each for itself."""
    table = proof.table
    if matcher.by_phase and proof.status.phase is not None:
        text = phase_text(proof.status.phase.text, matcher.by_phase)
        yield Demand(matcher.span("byPhase"), matcher.by_phase, table.verdict(text, "true").true)
    for position, wanted in enumerate(matcher.by_conditions):
        if table.has_plain_conditions:
            true = holding(wanted, table.listed(), proof.names)
            said = " ".join(filter(None, (wanted.type, wanted.status, wanted.reason)))
            yield Demand(matcher.span("byConditions", position), said, true, wanted)
    expected = matcher.by_expression
    if expected is None or expected.expression is None:
        return
    expression = expected.expression
    formula = formula_of(expression.text, proof.names.place if table.has_plain_conditions else None)
    if formula is None or expected.expected_result != "true":
        true = table.verdict(expression.text, expected.expected_result).true
        yield Demand(expression.span(), expression.text.strip(), true)
        return
    for part in _conjuncts(formula):
        span = expression.span(part.node.start, part.node.end)
        text = expression.text[part.node.start : part.node.end]
        yield Demand(span, " ".join(text.split()), table.of_formula(part).true)


def too_strict(proof: Proof, matcher: Matcher, missed: States) -> Demand | None:
    """The one demand that fails in all states of ``missed``, where everything else that ``matcher`` demands holds."""
    asked = list(demands(proof, matcher))
    for position, each in enumerate(asked):
        others = proof.table.everything
        for index, other in enumerate(asked):
            if index != position:
                others &= other.true
        if not missed & each.true and not missed & ~others:
            return each
    return None


def _matchers(status: StatusDefinition) -> Iterator[Matcher]:
    for mapping in status.mappings:
        yield from mapping.matchers


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    match formula:
        case Both(left, right, _):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case Bound(_, body, _):
            yield from _conjuncts(body)
        case _:
            yield formula


def _parts(formula: Formula) -> Iterator[Test | Entries]:
    match formula:
        case Both(left, right, _) | Either(left, right, _):
            yield from _parts(left)
            yield from _parts(right)
        case Opposite(inner, _):
            yield from _parts(inner)
        case Choose(condition, then, otherwise, _):
            for each in (condition, then, otherwise):
                yield from _parts(each)
        case Bound(_, body, _):
            yield from _parts(body)
        case Test() | Entries():
            yield formula


__all__ = [
    "Demand",
    "Literal",
    "can_be_continued",
    "condition_text",
    "demands",
    "guard",
    "is_operand",
    "literals",
    "too_strict",
]
