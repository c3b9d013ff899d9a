"""The expressions of a definition, typed against the schema of the kind they read (floor 2).

:mod:`wmap_lint.jq.flow` says what a program makes of any object of a shape; this module says which shape that is for
which expression, whether a result is what its place takes, and what may be meant by a name that a shape does not have.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from wmap_lint.crd import CrdIndex, KindSchema
from wmap_lint.definition import Definition, Expression, ResultType
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.flow import Every, Interpretation, Path, Value, interpret
from wmap_lint.record import Record
from wmap_lint.shape import ANY, Shape
from wmap_lint.spelling import nearest


class Typing:
    """What the expressions of a definition come to by the schemas of the workload's kind and of pods.

    ``workload`` is None where no CRD serves the kind: then only what reads pods is typed. Raises
    :class:`~wmap_lint.crd.CrdError` when the CRD cannot be read.
    """

    def __init__(self, definition: Definition, index: CrdIndex) -> None:
        self.definition = definition
        self.index = index
        gvk = definition.gvk
        self.workload = None if gvk is None else index.schema(*gvk.key)
        self._pod = index.schema("", "v1", "Pod")

    def schema(self, expression: Expression) -> KindSchema | None:
        """The schema of what ``expression`` reads."""
        return self._pod if expression.slot.subject == "pod" else self.workload

    def of(self, expression: Expression) -> Interpretation | None:
        """What ``expression`` comes to; None when its kind is not known, or it is no program that may be run."""
        schema = self.schema(expression)
        return None if schema is None else _interpreted(expression.text, schema.shape)

    @cached_property
    def conditions(self) -> Shape | None:
        """The shape of a condition; None when it is not known."""
        status = None if self.definition.root is None else self.definition.root.status_definition
        conditions = None if status is None else status.conditions
        if conditions is None or conditions.expression is None:
            return None
        interpretation = self.of(conditions.expression)
        values = () if interpretation is None else interpretation.result.values
        shapes = {None if value.shape is None else value.shape.items for value in values if value.types != {"null"}}
        return next(iter(shapes)) if len(shapes) == 1 else None


@functools.lru_cache(maxsize=4096)
def _interpreted(text: str, shape: Shape) -> Interpretation | None:
    analysis = analyse(text)
    if not isinstance(analysis, Analysis) or not analysis.runnable:
        return None
    return interpret(analysis.program, shape=shape)


# -- results ------------------------------------------------------------------------------------------

#: The JSON types that a place takes, null aside.
TAKES: Final[Mapping[ResultType, frozenset[str]]] = {
    ResultType.STRING: frozenset({"string"}),
    ResultType.INTEGER: frozenset({"number"}),
    ResultType.STRING_MAP: frozenset({"object"}),
    ResultType.POD_TEMPLATE_SPEC: frozenset({"object"}),
    ResultType.POD_SPEC: frozenset({"object"}),
    ResultType.OBJECT_META: frozenset({"object"}),
    ResultType.RESOURCE_REQUIREMENTS: frozenset({"object"}),
    ResultType.POD_AFFINITY: frozenset({"object"}),
    ResultType.NODE_AFFINITY: frozenset({"object"}),
    ResultType.CONTAINER: frozenset({"object"}),
    ResultType.RESOURCE_CLAIMS: frozenset({"array"}),
    ResultType.CONTAINERS: frozenset({"array"}),
    ResultType.CONDITIONS: frozenset({"array"}),
    ResultType.KEY: frozenset({"string", "number", "boolean"}),
}
#: Fields of which an object has to have one to be taken for what it should be; lists: their elements.
_MARKS: Final[Mapping[ResultType, tuple[tuple[str, ...], ...]]] = {
    ResultType.POD_TEMPLATE_SPEC: (("spec", "containers"),),
    ResultType.POD_SPEC: (("containers",),),
    ResultType.OBJECT_META: (("labels",), ("annotations",)),
    ResultType.RESOURCE_REQUIREMENTS: (("requests",), ("limits",)),
    ResultType.POD_AFFINITY: (("requiredDuringSchedulingIgnoredDuringExecution",),),
    ResultType.NODE_AFFINITY: (("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"),),
    ResultType.CONTAINER: (("image",),),
    ResultType.CONTAINERS: (("image",),),
    ResultType.RESOURCE_CLAIMS: (("name",),),
}


def fits(wanted: ResultType, shape: Shape) -> bool | None:
    """Whether values of ``shape`` are what is wanted; None when the shape leaves it open."""
    takes = TAKES.get(wanted)
    if takes is None or shape.is_any:
        return None
    if not shape.types & takes:
        return False
    if shape.kind == "int-or-string":
        return None
    if wanted is ResultType.STRING_MAP:
        if shape.members is None:
            return None if shape.open else False
        return None if shape.members.is_any else "string" in shape.members.types
    marks = _MARKS.get(wanted)
    element = (shape.items or ANY) if shape.kind == "array" else shape
    if marks is None:
        return True
    if element.kind not in ("object", "any"):
        return False
    found = [reach(element, mark) for mark in marks]
    if all(each is None for each in found):
        return False
    if wanted is ResultType.POD_AFFINITY and all(each is not None and each.kind == "object" for each in found):
        return False  # that of a NodeAffinity
    return None if any(each is ANY for each in found) else True


def reach(shape: Shape, names: Iterable[str]) -> Shape | None:
    """The shape at a path of field names; :data:`ANY` once nothing is known, None when there is no such field."""
    for name in names:
        if shape.is_any:
            return ANY
        found = shape.field(name) if name in shape.names else None
        if found is None:
            # A map may hold anything under any key.
            return ANY if shape.open or (shape.members is not None and shape.members.is_any) else None
        shape = found
    return shape


def is_fit(wanted: ResultType, value: Value) -> bool | None:
    """Whether ``value`` is what is wanted; None when it may be."""
    takes = TAKES.get(wanted)
    types = value.types - {"null"}
    if takes is None or not types:
        return None
    if not types & takes:
        return False
    return None if value.shape is None else fits(wanted, value.shape)


# -- names --------------------------------------------------------------------------------------------

_NEAREST_LEVELS: Final = 3
_MOST_PLACES: Final = 3
_MOST_SHAPES: Final = 4000


class Places(Record):
    """Where something is that was looked for elsewhere: full paths, with how far away they are in words."""

    above: tuple[Path, ...]
    below: tuple[Path, ...]


def close_names(shape: Shape, name: str) -> tuple[str, ...]:
    """The fields of ``shape`` that are spelled nearly as ``name``."""
    limit = max(1, (len(name) + 1) // 3) if len(name) > 2 else 0
    return nearest(name, shape.names, limit)


def places_of(root: Shape, path: Path | None, shape: Shape, name: str) -> Places:
    """Where a field ``name`` is, seen from a ``shape`` at ``path`` that has none: on the way there, or deeper."""
    return Places(
        tuple((*above, name) for above, each in _ancestors(root, path) if name in each.names),
        tuple((*(path or ()), *below, name) for below, each in _within(shape) if below and name in each.names)[
            :_MOST_PLACES
        ],
    )


def places_fit_for(root: Shape, path: Path | None, shape: Shape, wanted: ResultType) -> Places:
    """Where something is that is what is wanted, seen from a ``shape`` at ``path`` that is not: also beside it."""
    return Places(
        tuple(
            found
            for above, each in _ancestors(root, path)
            for found, inner in ((above, each), *(((*above, name), field) for name, field in each.fields))
            if fits(wanted, inner)
        ),
        tuple((*(path or ()), *below) for below, each in _within(shape) if below and fits(wanted, each))[:_MOST_PLACES],
    )


def _ancestors(root: Shape, path: Path | None) -> Iterator[tuple[Path, Shape]]:
    """What is on the way to ``path``, the nearest first."""
    shapes: list[tuple[Path, Shape]] = []
    shape: Shape | None = root
    for length, step in enumerate(path or ()):
        if shape is None or shape.is_any:
            break
        shapes.append(((path or ())[:length], shape))
        shape = _below(shape, step)
    yield from reversed(shapes)


def _below(shape: Shape, step: str | int | Every) -> Shape | None:
    if isinstance(step, str):
        return shape.field(step) if shape.kind == "object" else None
    return shape.items if shape.kind == "array" else shape.members


def shape_at(root: Shape, path: Path) -> Shape | None:
    """The shape at ``path``; None when nothing is known of it."""
    shape: Shape | None = root
    for step in path:
        if shape is None or shape.is_any:
            return None
        shape = _below(shape, step)
    return shape


def _within(shape: Shape) -> Iterator[tuple[Path, Shape]]:
    """``shape`` and what is in it, level by level, through lists and maps; a few levels of it."""
    pending: deque[tuple[Path, int, Shape]] = deque([((), 0, shape)])
    for _ in range(_MOST_SHAPES):
        if not pending:
            return
        path, level, each = pending.popleft()
        yield path, each
        # A list or map is no level of its own.
        pending.extendleft(((*path, Every.MEMBER), level, inner) for inner in (each.items, each.members) if inner)
        if level < _NEAREST_LEVELS:
            pending.extend(((*path, name), level + 1, inner) for name, inner in each.fields)
