"""What a new version of a CRD does to definitions that were right by the old one (floor 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wmap_lint.crd import CrdIndex
from wmap_lint.crd_types import Typing, shape_at
from wmap_lint.definition import Definition, Expression
from wmap_lint.diagnostic import Diagnostic, Severity, Span
from wmap_lint.jq.flow import Path, path_text
from wmap_lint.record import Record
from wmap_lint.rules import all_rules
from wmap_lint.rules.context import Context
from wmap_lint.shape import Shape

_FAMILY = "WM3"


class TypeChange(Record):
    """A value that an expression reads and whose type is another one now: ``change`` says how."""

    span: Span
    path: Path
    change: str


class Drift(Record):
    """What changes for one definition.

    ``breaks`` are findings by the new CRDs that there are none of by the old ones, ``changes`` what still works and
    may mean something else.
    """

    definition: Definition
    breaks: tuple[Diagnostic, ...]
    changes: tuple[TypeChange, ...]


def drift(definitions: Iterable[Definition], old: CrdIndex, new: CrdIndex) -> Iterator[Drift]:
    """What changes for each of ``definitions`` whose kind the old CRDs define; raises CrdError for unreadable ones."""
    for definition in definitions:
        gvk = definition.gvk
        if gvk is None or not old.of_kind(gvk.group, gvk.kind):
            continue
        before, after = _findings(definition, old), _findings(definition, new)
        known = {(each.rule, each.span) for each in before}
        breaks = [each for each in after if (each.rule, each.span) not in known and each.severity > Severity.NOTE]
        if not new.of_kind(gvk.group, gvk.kind):
            message = f"The new CRDs do not define {gvk.kind} of `{gvk.group}`."
            breaks = [Diagnostic("WM310", Severity.ERROR, message, gvk.span("kind"))]
        changes = tuple(_changes(definition, old, new, [each.span for each in breaks]))
        yield Drift(definition, tuple(breaks), changes)


def _findings(definition: Definition, index: CrdIndex) -> list[Diagnostic]:
    context = Context(definition.document, definition, crds=index)
    rules = (rule for rule in all_rules() if rule.code.startswith(_FAMILY))
    return sorted((each for rule in rules for each in context.diagnostics(rule)), key=lambda each: each.sort_key)


def _changes(definition: Definition, old: CrdIndex, new: CrdIndex, told: list[Span]) -> Iterator[TypeChange]:
    before, after = Typing(definition, old), Typing(definition, new)
    seen: set[tuple[Path, str]] = set()
    for expression in definition.expressions:
        if expression.slot.subject != "workload" or expression.span() in told:
            continue
        for path, span in _reads(expression, before):
            one, two = _at(before, path), _at(after, path)
            change = None if one is None or two is None else _change(one, two)
            if change is not None and (path, change) not in seen and span not in told:
                seen.add((path, change))
                yield TypeChange(span, path, change)


def _reads(expression: Expression, typing: Typing) -> Iterator[tuple[Path, Span]]:
    interpretation = typing.of(expression)
    for read in () if interpretation is None else interpretation.reads:
        yield read.path, expression.span(read.node.start, read.node.end)


def _at(typing: Typing, path: Path) -> Shape | None:
    return None if typing.workload is None else shape_at(typing.workload.shape, path)


def _change(one: Shape, two: Shape) -> str | None:
    """What is different between two shapes, in words; None when nothing is that a reader could notice."""
    if one.describe() != two.describe():
        return f"{one.describe()}, now {two.describe()}"
    lost = [value for value in one.enum or () if two.enum is not None and value not in two.enum]
    gained = [value for value in two.enum or () if one.enum is not None and value not in one.enum]
    if lost or gained:
        parts = [f"no longer {_listed(lost)}"] if lost else []
        return ", ".join([*parts, *([f"now also {_listed(gained)}"] if gained else [])])
    if one.enum is None and two.enum is not None:
        return f"any {one.describe()}, now only {_listed(list(two.enum))}"
    if one.enum is not None and two.enum is None:
        return f"now any {two.describe()}"
    return None


def _listed(values: list[object]) -> str:
    return ", ".join(str(value) for value in values)


def described(change: TypeChange) -> str:
    """`.status.restarts`: integer, now string"""
    return f"`{path_text(change.path)}`: {change.change}"
