"""The instances of a component and what is extracted for each (SEMANTICS 3)."""

from __future__ import annotations

import enum
import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from wmap_lint.definition import Component, Expression, FragmentedPodSpec
from wmap_lint.jq.engine import Failure, Values
from wmap_lint.record import Record, compiled
from wmap_lint.resolve import Outcomes, outcome_of
from wmap_lint.resolve.values import ConversionError, convert

SINGLE = ""
"""The id of the one instance of a component without ``instanceIdPath``."""


class ProblemKind(enum.Enum):
    """Why a component cannot be extracted."""

    COUNT_MISMATCH = "count-mismatch"
    EMPTY_INSTANCE_ID = "empty-instance-id"
    WRONG_TYPE = "wrong-type"
    EVALUATION = "evaluation"


class ExtractionProblem(Record):
    """The first thing that went wrong, which ends the extraction.

    ``expressions`` are those it is about (none for an empty shape), ``cause`` is what one of them gave.
    For a count mismatch ``results`` results stand against ``ids`` instance ids.
    """

    kind: ProblemKind
    expressions: tuple[Expression, ...]
    cause: Failure | ConversionError | None = None
    ids: int = 0
    results: int = 0

    @property
    def message(self) -> str:
        """What is the case, as a clause."""
        if self.kind is ProblemKind.COUNT_MISMATCH:
            return f"there are {self.ids} instance ids and {self.results} results"
        if self.kind is ProblemKind.EMPTY_INSTANCE_ID:
            return "an instance id is empty"
        assert self.cause is not None
        return self.cause.message


@compiled
class Scale(Record):
    """Counts of one instance; None is "not said"."""

    replicas: int | None = None
    min_replicas: int | None = None
    max_replicas: int | None = None


@compiled
class Instance(Record):
    """What was extracted for one instance; None is a shape that the definition does not have.

    ``fragments`` goes by the name of the field without ``Path``; a fragment that is None was not given.
    """

    pod_template_spec: Mapping[str, Any] | None = None
    pod_spec: Mapping[str, Any] | None = None
    fragments: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] | None = None
    scale: Scale | None = None


@compiled
class Extraction(Record):
    """All instances of a component by id.

    ``ids`` are the ids as given, in order: an id that is repeated has one instance only, that of its last
    occurrence, and is in ``duplicates``. With a ``problem`` there are no instances; the ids and the counts may be had
    all the same, for those who want nothing else. ``scales`` is None when the counts fail too.
    """

    instances: Mapping[str, Instance]
    ids: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    problem: ExtractionProblem | None = None
    scales: Mapping[str, Scale] | None = None


class _ExtractionFails(Exception):  # noqa: N818
    def __init__(self, problem: ExtractionProblem) -> None:
        super().__init__()
        self.problem = problem


class Shape(Record):
    """A list of results that has to be as long as the list of instance ids.

    It is made of the lists of ``expressions``, side by side and padded at the end to the longest.
    """

    name: str
    expressions: tuple[Expression | None, ...]

    @functools.cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields of ``expressions``, without ``Path``; the position stands for one that is not there."""
        return tuple(
            f"{position}" if expression is None else expression.slot.label.removesuffix("Path")
            for position, expression in enumerate(self.expressions)
        )


SCALE = "scaleDefinition"
FRAGMENTS = "fragmentedPodSpecDefinition"
_FRAGMENTS = (
    "scheduler_name_path labels_path annotations_path resources_path resource_claims_path pod_affinity_path "
    "node_affinity_path containers_path container_path priority_class_name_path image_path"
).split()


_KNOWN: dict[int, tuple[Component, tuple[Shape, ...]]] = {}
_MOST_KNOWN = 4096


def shapes(component: Component) -> tuple[Shape, ...]:
    """What is extracted of ``component``, in the order in which consumers do it. Presence counts."""
    known = _KNOWN.get(id(component))
    if known is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[id(component)] = (component, tuple(_shapes(component)))
    return known[1]


def _shapes(component: Component) -> Iterator[Shape]:
    spec = component.spec_definition
    if spec is not None:
        if spec.pod_template_spec_path is not None:
            yield Shape("podTemplateSpecPath", (spec.pod_template_spec_path,))
        if spec.pod_spec_path is not None:
            yield Shape("podSpecPath", (spec.pod_spec_path,))
        if spec.fragmented is not None:
            yield Shape(FRAGMENTS, fragments(spec.fragmented))
        if spec.metadata_path is not None:
            yield Shape("metadataPath", (spec.metadata_path,))
    scale = component.scale_definition
    if scale is not None:
        yield Shape(SCALE, (scale.replicas_path, scale.min_replicas_path, scale.max_replicas_path))


def fragments(definition: FragmentedPodSpec) -> tuple[Expression | None, ...]:
    """The expressions of a fragmented pod spec that are there."""
    found: list[Expression | None] = [getattr(definition, name) for name in _FRAGMENTS]
    return tuple(expression for expression in found if expression is not None)


def read_ids(component: Component, outcomes: Outcomes) -> tuple[str, ...] | ExtractionProblem:
    """The instance ids as given, or why there are none; a component without ids has one, :data:`SINGLE`."""
    try:
        return _ids(component, outcomes)
    except _ExtractionFails as failure:
        return failure.problem


def extract(component: Component, outcomes: Outcomes) -> Extraction:
    """The instances of ``component`` in the object that ``outcomes`` are of."""
    try:
        ids = _ids(component, outcomes)
        lists = {shape.name: _rows(shape, ids, outcomes) for shape in shapes(component)}
    except _ExtractionFails as failure:
        readable = read_ids(component, outcomes)
        return Extraction(
            {},
            readable if isinstance(readable, tuple) else (),
            problem=failure.problem,
            scales=_scales(component, outcomes),
        )
    instances = {}
    for position, instance_id in enumerate(ids):
        row = {name: rows[position] for name, rows in lists.items()}
        instances[instance_id] = Instance(
            pod_template_spec=_only(row.get("podTemplateSpecPath")),
            pod_spec=_only(row.get("podSpecPath")),
            fragments=row.get(FRAGMENTS),
            metadata=_only(row.get("metadataPath")),
            scale=Scale(*row[SCALE].values()) if SCALE in row else None,
        )
    duplicates: tuple[str, ...] = ()
    if len(instances) < len(ids):
        duplicates = tuple(instance_id for instance_id, times in Counter(ids).items() if times > 1)
    scales = {key: each.scale for key, each in instances.items() if each.scale is not None}
    return Extraction(instances, ids, duplicates, scales=scales)


def _scales(component: Component, outcomes: Outcomes) -> Mapping[str, Scale] | None:
    try:
        ids = _ids(component, outcomes)
        rows = {shape.name: _rows(shape, ids, outcomes) for shape in shapes(component) if shape.name == SCALE}
    except _ExtractionFails:
        return None
    return {key: Scale(*row.values()) for key, row in zip(ids, rows.get(SCALE, ()), strict=False)}


def _only(row: Mapping[str, Any] | None) -> Any:
    return None if row is None else next(iter(row.values()))


def _ids(component: Component, outcomes: Outcomes) -> tuple[str, ...]:
    path = component.instance_id_path
    if path is None:
        return (SINGLE,)
    ids = _converted(path, outcomes)
    if "" in ids:
        raise _ExtractionFails(ExtractionProblem(ProblemKind.EMPTY_INSTANCE_ID, (path,)))
    return ids


def _converted(expression: Expression, outcomes: Outcomes) -> tuple[Any, ...]:
    outcome = outcome_of(outcomes, expression)
    if not isinstance(outcome, Values):
        raise _ExtractionFails(ExtractionProblem(ProblemKind.EVALUATION, (expression,), outcome))
    converted = convert(outcome.values, expression.slot.result)
    if isinstance(converted, ConversionError):
        raise _ExtractionFails(ExtractionProblem(ProblemKind.WRONG_TYPE, (expression,), converted))
    return converted


def _rows(shape: Shape, ids: tuple[str, ...], outcomes: Outcomes) -> list[dict[str, Any]]:
    """One row for each instance: the value of each expression by the name of its field without ``Path``."""
    columns = [() if expression is None else _converted(expression, outcomes) for expression in shape.expressions]
    rows = [dict(zip(shape.fields, row, strict=True)) for row in zip_longest(*columns)]
    if len(rows) != len(ids):
        present = tuple(expression for expression in shape.expressions if expression is not None)
        raise _ExtractionFails(ExtractionProblem(ProblemKind.COUNT_MISMATCH, present, None, len(ids), len(rows)))
    return rows


__all__ = [
    "SCALE",
    "SINGLE",
    "Extraction",
    "ExtractionProblem",
    "Instance",
    "ProblemKind",
    "Scale",
    "Shape",
    "extract",
    "read_ids",
    "shapes",
]
