"""The fields of a kind as an outline to look paths up in (floor 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wmap_lint import kubernetes
from wmap_lint.crd import CrdIndex, KindSchema
from wmap_lint.crd_types import close_names, fits, places_of
from wmap_lint.definition import ResultType
from wmap_lint.jq.flow import Every, Path, path_text
from wmap_lint.record import Record
from wmap_lint.shape import Shape
from wmap_lint.spelling import nearest

#: Objects that are known by name, and shown as one line.
KNOWN: Final = (ResultType.POD_TEMPLATE_SPEC, ResultType.CONTAINERS, ResultType.RESOURCE_REQUIREMENTS)
_STEP: Final = re.compile(
    r'\.?"((?:[^"\\]|\\.)*)"|\.?([A-Za-z0-9_$/-]+)|\[\s*"((?:[^"\\]|\\.)*)"\s*\]|\[[0-9]*\]\??|\?|\.$'
)


class OutlineError(Exception):
    """A kind or a path that cannot be found: one clear line."""


class Field(Record):
    """A line of an outline.

    ``level`` counts from 0, ``path`` is the whole path in jq's terms, ``name`` its last step with ``[]`` where a
    list or map is gone through. ``known`` is the Kubernetes type it is recognised as. ``hidden`` counts the fields
    below it that are not part of the outline.
    """

    level: int
    path: Path
    name: str
    shape: Shape
    required: bool
    known: ResultType | None
    hidden: int


class Outline(Record):
    """The fields of a kind from a path on, and where in all of it pods are described, however deep."""

    schema: KindSchema
    path: Path
    top: Shape
    fields: tuple[Field, ...]
    pods: tuple[tuple[ResultType, Path], ...]


def outline(schema: KindSchema, path: str = "", depth: int | None = None, fold: bool = True) -> Outline:
    """The fields below ``path`` (as jq writes it; steps into lists may be left out), ``depth`` levels of them.

    With ``fold`` what everybody knows, such as a pod template, is one line. Raises :class:`OutlineError`.
    """
    found, shape = _walk(schema, path)
    return Outline(schema, found, shape, tuple(_fields(found, shape, 0, depth, fold)), tuple(_pods(found, shape)))


def _pods(path: Path, shape: Shape) -> Iterator[tuple[ResultType, Path]]:
    """The pod templates and pod specs at and below ``path``, those inside others left out."""
    known = next((each for each in (ResultType.POD_TEMPLATE_SPEC, ResultType.POD_SPEC) if fits(each, shape)), None)
    if known is not None:
        yield known, path
        return
    for name, each in shape.fields:
        yield from _pods((*path, name), each)
    for inner in (shape.items, shape.members):
        if inner is not None:
            yield from _pods((*path, Every.MEMBER), inner)


def _walk(schema: KindSchema, text: str) -> tuple[Path, Shape]:
    path: Path = ()
    shape = schema.shape
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or match.end() == at:
            raise OutlineError(f"{text!r} is no path: write .spec.replicas, or .spec.groups[].template")
        at = match.end()
        name = next((group for group in match.groups() if group is not None), None)
        if name is None:
            if match[0].startswith("["):
                path, shape = _into(path, shape)
            continue
        while shape.kind == "array" or (shape.members is not None and name not in shape.names and _has(shape, name)):
            path, shape = _into(path, shape)
        below = shape.field(name)
        if below is None:
            raise OutlineError(_missing(schema, path, shape, name))
        path, shape = (*path, name), below
    return path, shape


def _has(shape: Shape, name: str) -> bool:
    """Whether what a map holds has a field ``name``: then a key of the map was left out."""
    return shape.members is not None and name in shape.members.names


def _into(path: Path, shape: Shape) -> tuple[Path, Shape]:
    below = shape.items if shape.kind == "array" else shape.members
    if below is None:
        raise OutlineError(f"`{path_text(path)}` is {shape.describe()}, which has no elements")
    return (*path, Every.MEMBER), below


def _missing(schema: KindSchema, path: Path, shape: Shape, name: str) -> str:
    kind = f"{schema.kind} {schema.version}"
    if shape.kind not in ("object", "any"):
        return f"`{path_text(path)}` of {kind} is {shape.describe()}: it has no fields"
    if shape.open:
        return f"{kind} says nothing of what is in `{path_text(path)}`: any field is allowed there"
    close = close_names(shape, name)
    if close:
        return f"{kind} has no field {name!r} in `{path_text(path)}`; did you mean {close[0]}?"
    places = places_of(schema.shape, path, shape, name)
    elsewhere = [*places.above[:1], *places.below[:1]]
    hint = f"; there is {' and '.join(f'`{path_text(each)}`' for each in elsewhere)}" if elsewhere else ""
    return f"{kind} has no field {name!r} in `{path_text(path)}`{hint}"


def _fields(path: Path, shape: Shape, level: int, depth: int | None, fold: bool) -> Iterator[Field]:
    """The fields of ``shape``, or of what it holds."""
    inner = shape
    while (below := inner.items if inner.kind == "array" else inner.members) is not None:
        path, inner = (*path, Every.MEMBER), below
    for name, each in inner.fields:
        steps, last = "", each
        while (below := last.items if last.kind == "array" else last.members) is not None:
            steps, last = f"{steps}[]", below
        known = next((wanted for wanted in KNOWN if fits(wanted, each)), None)
        is_folded = bool(fold and known) or (depth is not None and level + 1 >= depth)
        metadata = level == 0 and not path and name == "metadata" and fold
        hidden = len(last.names) if is_folded or metadata else 0
        yield Field(level, (*path, name), f"{name}{steps}", each, name in inner.required, known, hidden)
        if not (is_folded or metadata):
            yield from _fields((*path, name), each, level + 1, depth, fold)


# -- kinds --------------------------------------------------------------------------------------------


def find_kind(index: CrdIndex, name: str, version: str | None = None) -> KindSchema:
    """The kind a person means: by kind, plural or short name, ``.group`` behind it where several have the name.

    Without ``version`` the one that is stored, else the last served one. Raises :class:`OutlineError`.
    """
    crds = index.called(name)
    built_in = index.built_in(name)
    names = sorted({*(crd.name for crd in crds), *(kubernetes.full_name(each.group, each.kind) for each in built_in)})
    if not names:
        raise OutlineError(_unknown_kind(index, name))
    if len(names) > 1:
        raise OutlineError(f"several kinds are called {name!r}: {', '.join(names)}; name one of these")
    if built_in:
        (found,) = built_in
        if version not in (None, found.version):
            raise OutlineError(f"{names[0]} has no version {version!r}; its version is {found.version}")
        return found
    versions = [each for crd in crds for each in crd.versions]
    if version is None:
        # Of those served the stored one, else the last.
        chosen = max(versions, key=lambda each: (each.served, each.storage, versions.index(each)), default=None)
        version = None if chosen is None else chosen.name
    crd = crds[0]
    schema = None if version is None else index.schema(crd.group, version, crd.kind)
    if schema is None:
        known = ", ".join(sorted({each.name for each in versions})) or "none"
        raise OutlineError(f"{crd.name} has no version {version!r}; its versions are {known}")
    return schema


def _unknown_kind(index: CrdIndex, name: str) -> str:
    if index.is_empty:
        return f"{name!r} is no kind that Kubernetes runs pods with; name the files of its CRD with --crds"
    kinds = {crd.kind.lower(): crd.kind for crd in index.all}
    close = nearest(name.partition(".")[0].lower(), kinds)
    return f"none of the CRDs given defines {name!r}" + (f"; did you mean {kinds[close[0]]}?" if close else "")
