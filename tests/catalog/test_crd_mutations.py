"""The rules about schemas find what goes wrong in a path: a typo, a level that is missing, a neighbour instead.

Every definition of the catalog whose CRD is at hand is changed at one place of one expression, again and again, and
checked without any fixture. Only names of fields are changed: the keys of maps, such as labels, are data of which a
schema knows nothing, as of other names in an object that keeps what is not in its schema, and a neighbour of the very
same type is another right path as far as types go.

There are some 900 changes for a definition; an even selection is tried, and all of them with ``ALL_MUTATIONS=1``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from wmap_lint.crd import CrdIndex
from wmap_lint.crd_types import Typing, shape_at
from wmap_lint.definition import Definition, Expression, load
from wmap_lint.diagnostic import Diagnostic
from wmap_lint.jq import ast
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.record import Record
from wmap_lint.rules import all_rules
from wmap_lint.rules.context import Context
from wmap_lint.shape import Shape
from wmap_lint.source import read, read_file

ROOT = Path(__file__).parents[2]
CRDS = ROOT.parent / "shared" / "crds"
DEFINITIONS = sorted((ROOT / "catalog").glob("*.yaml"))
MOST = 20
RULES = [rule for rule in all_rules() if rule.code.startswith("WM3")]

pytestmark = pytest.mark.skipif(not CRDS.is_dir(), reason="the CRDs of the frameworks are not beside the project")


@pytest.fixture(scope="module")
def index() -> CrdIndex:
    return CrdIndex.of([CRDS])


class Mutation(Record):
    """A change of one expression: what kind, what it did, the new text, and the name that was there."""

    kind: str
    what: str
    expression: Expression
    text: str
    original: str


def steps(expression: Expression, typing: Typing) -> Iterator[tuple[ast.Index, str, Shape]]:
    """The steps of an expression to fields that have names, each with the shape that has them."""
    interpretation, schema = typing.of(expression), typing.schema(expression)
    if interpretation is None or schema is None:
        return
    for read_ in {id(each.node): each for each in interpretation.reads}.values():
        node, name = read_.node, read_.path[-1]
        if isinstance(node, ast.Index) and isinstance(name, str):
            shape = shape_at(schema.shape, read_.path[:-1])
            if shape is not None and name in shape.names:
                yield node, name, shape


def typos(name: str) -> Iterator[str]:
    """Each kind of slip once: two letters swapped, one left out, one written twice, one wrong."""
    middle = len(name) // 2
    if name[middle - 1] != name[middle]:
        yield name[: middle - 1] + name[middle] + name[middle - 1] + name[middle + 1 :]
    yield name[:middle] + name[middle + 1 :]
    yield name[:middle] + name[middle] + name[middle:]
    yield name[:middle] + ("x" if name[middle] != "x" else "z") + name[middle + 1 :]


def mutations(definition: Definition, typing: Typing) -> Iterator[Mutation]:
    for expression in definition.expressions:
        text = expression.text
        for node, name, shape in steps(expression, typing):
            start, end = node.key.start, node.key.end
            if text[start:end] != name:
                continue
            # Of a field that is not named an open object says nothing: it may be there.
            for typo in () if shape.open else typos(name):
                if typo not in shape.names:
                    yield Mutation("typo", f"{name} -> {typo}", expression, text[:start] + typo + text[end:], name)
            for dropped in (text[: start - 1] + text[end:], text[:start] + text[end:]):
                if isinstance(analyse(dropped), Analysis):
                    yield Mutation("level", f"without {name}", expression, dropped, name)
                    break
            own = shape.field(name)
            others = [
                other for other, each in shape.fields if own is not None and each.kind != own.kind and each is not own
            ]
            for other in others[:2]:
                yield Mutation("sibling", f"{name} -> {other}", expression, text[:start] + other + text[end:], name)


def mutated(definition: Definition, mutation: Mutation) -> Definition:
    """The definition with one expression changed."""
    source = definition.document.source
    old, new = mutation.expression.text, mutation.text
    first = next(
        (at for at, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), min(len(old), len(new))
    )
    last = next(
        (
            at
            for at, (one, two) in enumerate(zip(reversed(old[first:]), reversed(new[first:]), strict=False))
            if one != two
        ),
        min(len(old), len(new)) - first,
    )
    span = mutation.expression.span(first, len(old) - last)
    start, end = source.offset(span.line, span.column), source.offset(span.end_line, span.end_column)
    text = source.text[:start] + new[first : len(new) - last] + source.text[end:]
    (document,) = read(text, source.file).documents
    changed = load(document)
    assert [each.text for each in changed.expressions if each.path == mutation.expression.path] == [new]
    return changed


def findings(definition: Definition, index: CrdIndex) -> list[Diagnostic]:
    context = Context(definition.document, definition, crds=index)
    return [each for rule in RULES for each in context.diagnostics(rule)]


class Outcome(Record):
    """What came of the faults in one definition: how many of each kind, those not found, and nameless typos."""

    name: str
    counts: dict[str, int]
    missed: tuple[str, ...]
    unnamed: tuple[str, ...]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def __str__(self) -> str:
        lines = (*self.missed, *self.unnamed)
        return (
            f"{self.name}: {self.total} faults {self.counts}, {len(self.missed)} missed, {len(self.unnamed)} unnamed\n"
            + ("\n".join(lines))
        )


def outcome_of(path: Path, index: CrdIndex, most: int | None) -> Outcome | None:
    """The faults of one definition; None without a CRD for its kind."""
    (document,) = read_file(path).documents
    definition = load(document)
    typing = Typing(definition, index)
    if typing.workload is None or typing.workload.crd is None:
        return None
    assert findings(definition, index) == []
    missed: list[str] = []
    unnamed: list[str] = []
    counts: dict[str, int] = {}
    every = list(mutations(definition, typing))
    for mutation in every if most is None else every[:: max(1, len(every) // most)]:
        counts[mutation.kind] = counts.get(mutation.kind, 0) + 1
        found = findings(mutated(definition, mutation), index)
        label = f"{mutation.expression.slot.label}: {mutation.what}"
        if not found:
            missed.append(f"{mutation.kind}, {label}: {' '.join(mutation.text.split())[:200]}")
        elif mutation.kind == "typo" and not any(f"`{mutation.original}`" in (each.hint or "") for each in found):
            unnamed.append(label)
    return Outcome(path.stem, counts, tuple(missed), tuple(unnamed))


def test_faults_in_paths_are_found(index: CrdIndex) -> None:
    all_of_them = bool(os.environ.get("ALL_MUTATIONS"))
    outcomes = [
        each
        for path in (DEFINITIONS if all_of_them else DEFINITIONS[::3])
        if (each := outcome_of(path, index, None if all_of_them else MOST)) is not None
    ]
    for outcome in outcomes:
        print(outcome)
    # Of a few the share says little; of all of them it holds for each definition.
    for group in [[each] for each in outcomes] if all_of_them else [outcomes]:
        total = sum(each.total for each in group)
        typos = sum(each.counts["typo"] for each in group)
        assert total >= 100
        assert sum(len(each.missed) for each in group) <= 0.05 * total
        assert sum(len(each.unnamed) for each in group) <= 0.05 * typos
