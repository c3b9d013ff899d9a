"""CustomResourceDefinitions: from files to the shape of a kind (floor 1).

A folder of CRDs is tens of megabytes, of which a definition needs one kind. So files are only looked through for
names at first; those that may have a kind that is asked for are read, once, and what is kept of them
(:mod:`wmap_lint.shape`) goes into the user's cache folder under the hash of their content.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from wmap_lint import kubernetes
from wmap_lint.files import write
from wmap_lint.record import Record
from wmap_lint.shape import Shape, ShapeTable, TableBuilder, reduce_schema, text_of
from wmap_lint.source import DOES_NOT_PARSE, ReadLimits, read_data

#: Changes whenever what is written into the cache does.
CACHE_FORMAT: Final = 1
#: A list of all CRDs of a cluster is larger than any object of it.
LIMITS: Final = ReadLimits(max_bytes=64 * 1024 * 1024, max_depth=200, max_nodes=5_000_000)
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_KIND: Final = b"CustomResourceDefinition"
# One for each word: a pattern that begins with a fixed text is searched for several times as fast.
_KINDS: Final = re.compile(rb"""kind["']?\s*:\s*["']?([\w.-]+)""")
_GROUPS: Final = re.compile(rb"""group["']?\s*:\s*["']?([\w.-]+)""")


class CrdError(Exception):
    """CRDs that cannot be used: one clear line."""


class CrdVersion(Record):
    """A version of a kind. ``warning`` is what clients are told of a deprecated one."""

    name: str
    served: bool
    storage: bool
    deprecated: bool
    warning: str | None
    shape: Shape


class Crd(Record):
    """A CustomResourceDefinition; ``file`` is where it was read."""

    group: str
    kind: str
    plural: str
    names: tuple[str, ...]
    versions: tuple[CrdVersion, ...]
    file: str

    @property
    def name(self) -> str:
        """``jobsets.jobset.x-k8s.io``"""
        return f"{self.plural}.{self.group}"

    def version(self, name: str) -> CrdVersion | None:
        """The version called ``name``."""
        return next((version for version in self.versions if version.name == name), None)


class KindSchema(Record):
    """What is known of a kind: the shape of its objects, and the file it is from (None: it came with the package)."""

    group: str
    version: str
    kind: str
    shape: Shape
    crd: Crd | None

    @property
    def file(self) -> str | None:
        """The file of the CRD."""
        return None if self.crd is None else self.crd.file


class _File:
    """A file that holds CRDs, probably."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.words = frozenset((*_KINDS.findall(data), *_GROUPS.findall(data)))
        """What stands behind "kind" and "group", and more: where a name is not among them, it is not in the file."""

    @cached_property
    def crds(self) -> tuple[Crd, ...]:
        """What is in it; raises :class:`CrdError`."""
        return read_crds(self.path)


class CrdIndex:
    """The CRDs of some files and folders, found by the kind they define."""

    def __init__(self, files: Iterable[_File] = ()) -> None:
        self._files = tuple(files)

    @classmethod
    def of(cls, paths: Iterable[Path]) -> CrdIndex:
        """The CRDs in ``paths``; folders are searched for YAML and JSON files.

        Raises :class:`CrdError` for a path that does not exist, and for a file named that holds no CRD.
        """
        files: dict[str, _File] = {}
        for path in paths:
            if not path.exists():
                raise CrdError(f"there is no file or folder {str(path)!r} to read CRDs from")
            found = False
            for each in _search(path) if path.is_dir() else (path,):
                data = _bytes_of(each)
                if _KIND in data:
                    found = True
                    files.setdefault(os.path.realpath(each), _File(each, data))
            if not found:
                raise CrdError(f"there is no CustomResourceDefinition in {str(path)!r}")
        return cls(files.values())

    @property
    def is_empty(self) -> bool:
        """Whether no CRDs were given."""
        return not self._files

    def of_kind(self, group: str, kind: str) -> tuple[Crd, ...]:
        """The CRDs that define ``kind``; raises :class:`CrdError` for a file that cannot be read."""
        return tuple(
            crd for crd in self._among(kind.encode(), group.encode()) if (crd.group, crd.kind) == (group, kind)
        )

    def of_group(self, group: str) -> tuple[Crd, ...]:
        """The CRDs of ``group``."""
        return tuple(crd for crd in self._among(None, group.encode()) if crd.group == group)

    def _among(self, kind: bytes | None, group: bytes) -> Iterator[Crd]:
        for file in self._files:
            if group in file.words and (kind is None or kind in file.words):
                yield from file.crds

    def called(self, name: str) -> tuple[Crd, ...]:
        """The CRDs a person may mean: by kind, plural, singular or short name, with the group after a dot or without.

        Files in which the name stands nowhere as a kind are read too when those give nothing.
        """
        wanted, _, group = name.lower().partition(".")
        likely = [
            file for file in self._files if any(word.decode(errors="replace").lower() == wanted for word in file.words)
        ]
        for files in (likely, self._files):
            found = tuple(
                crd
                for file in files
                for crd in file.crds
                if wanted in crd.names
                and group in ("", crd.group, *(f"{each.name}.{crd.group}" for each in crd.versions))
            )
            if found:
                return found
        return ()

    @staticmethod
    def built_in(name: str) -> tuple[KindSchema, ...]:
        """The kinds of Kubernetes' own that a person may mean."""
        wanted, _, group = name.lower().partition(".")
        return tuple(
            found
            for key in kubernetes.kinds()
            if group in ("", key[0]) and wanted in kubernetes.names(key[2]) and (found := _built_in(*key)) is not None
        )

    @property
    def all(self) -> Iterator[Crd]:
        """Every CRD there is."""
        for file in self._files:
            yield from file.crds

    def schema(self, group: str, version: str, kind: str) -> KindSchema | None:
        """What is known of a kind in a version: of a custom one from its CRD, of one of Kubernetes' own always.

        Where several CRDs serve it, the one that says most: some projects ship one without a schema beside it.
        """
        built_in = _built_in(group, version, kind)
        if built_in is not None:
            return built_in
        found = [(crd, each) for crd in self.of_kind(group, kind) if (each := crd.version(version)) is not None]
        if not found:
            return None
        crd, chosen = max(found, key=lambda each: _content(each[1].shape)) if len(found) > 1 else found[0]
        return KindSchema(group, version, kind, chosen.shape, crd)


def _content(shape: Shape) -> int:
    """How many different shapes there are in ``shape``."""
    seen: set[int] = set()
    pending = [shape]
    while pending:
        each = pending.pop()
        if id(each) not in seen:
            seen.add(id(each))
            pending += [inner for _, inner in each.fields]
            pending += [inner for inner in (each.items, each.members) if inner is not None]
    return len(seen)


def _search(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.endswith(_SUFFIXES):
                yield Path(root, name)


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LIMITS.max_bytes + 1)
    except OSError as error:
        raise CrdError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > LIMITS.max_bytes:
        raise CrdError(f"{path}: larger than {LIMITS.max_bytes // 1024 // 1024} MB, so it is not read")
    return data


# -- reading ------------------------------------------------------------------------------------------


def read_crds(path: Path) -> tuple[Crd, ...]:
    """The CRDs of a file: documents, lists of them, YAML or JSON. Raises :class:`CrdError` when it cannot be read."""
    import hashlib

    data = _bytes_of(path)
    digest = hashlib.sha256(data).hexdigest()
    content = _cached(digest)
    if content is not None:
        # Whatever has happened to the entry, the file is there.
        with contextlib.suppress(KeyError, IndexError, TypeError, AttributeError):
            return _made(content, str(path))
    content = _reduced(data, path)
    _keep(digest, content)
    return _made(content, str(path))


def _reduced(data: bytes, path: Path) -> dict[str, Any]:
    """What is kept of a file."""
    table = TableBuilder()
    crds = [
        each
        for document in _documents(data, path)
        for item in _items(document)
        if (each := _crd(item, table)) is not None
    ]
    return {"format": CACHE_FORMAT, "crds": crds, "nodes": table.nodes}


def _documents(data: bytes, path: Path) -> Iterable[Any]:
    if data.lstrip()[:1] == b"{":
        try:
            return [json.loads(data)]
        except ValueError:
            pass  # several of them, or YAML after all
    reading = read_data(data, str(path), LIMITS)
    fatal = (each for each in reading.problems if each.rule == DOES_NOT_PARSE or not reading.documents)
    problem = next(fatal, None)
    if problem is not None:
        raise CrdError(f"{path}:{problem.span.line}:{problem.span.column}: {problem.message}")
    return reading.documents


def _items(document: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(document, Mapping):
        items = document.get("items")
        if str(document.get("kind", "")).endswith("List") and isinstance(items, list):
            for item in items:
                # Items of a CustomResourceDefinitionList do not say their kind again.
                if isinstance(item, Mapping):
                    yield item if "kind" in item else {**item, "kind": str(document["kind"]).removesuffix("List")}
        else:
            yield document


def _crd(document: Mapping[str, Any], table: TableBuilder) -> dict[str, Any] | None:
    spec = document.get("spec")
    if document.get("kind") != _KIND.decode() or not isinstance(spec, Mapping):
        return None
    names = spec.get("names")
    if (
        not isinstance(names, Mapping)
        or not isinstance(names.get("kind"), str)
        or not isinstance(spec.get("group"), str)
    ):
        return None
    kind = names["kind"]
    words = [kind, names.get("plural"), names.get("singular"), *(names.get("shortNames") or ())]
    keeps_unknown = spec.get("preserveUnknownFields") is True
    versions = spec.get("versions")
    if not isinstance(versions, list):  # v1beta1 may have one version and say so outside
        versions = [{"name": spec.get("version"), "served": True, "storage": True}]
    return {
        "group": spec["group"],
        "kind": kind,
        "plural": str(names.get("plural") or kind.lower()),
        "names": sorted({word.lower() for word in words if isinstance(word, str)}),
        "versions": [
            _version(each, spec, table, keeps_unknown)
            for each in versions
            if isinstance(each, Mapping) and each.get("name")
        ],
    }


def _version(
    version: Mapping[str, Any], spec: Mapping[str, Any], table: TableBuilder, keeps_unknown: bool
) -> dict[str, Any]:
    validation = version.get("schema") or spec.get("validation")
    schema = validation.get("openAPIV3Schema") if isinstance(validation, Mapping) else None
    warning = version.get("deprecationWarning")
    return {
        "name": str(version["name"]),
        "served": version.get("served") is not False,
        "storage": version.get("storage") is True,
        "deprecated": version.get("deprecated") is True,
        "warning": warning if isinstance(warning, str) else None,
        "node": reduce_schema(schema, table, keeps_unknown),
    }


def _made(content: Mapping[str, Any], file: str) -> tuple[Crd, ...]:
    table = ShapeTable(content["nodes"], kubernetes.object_meta())
    return tuple(
        Crd(
            each["group"],
            each["kind"],
            each["plural"],
            tuple(each["names"]),
            tuple(
                CrdVersion(
                    version["name"],
                    version["served"],
                    version["storage"],
                    version["deprecated"],
                    version["warning"],
                    _root(table.shape(version["node"]), each["group"], version["name"], each["kind"]),
                )
                for version in each["versions"]
            ),
            file,
        )
        for each in content["crds"]
    )


@functools.cache
def _built_in(group: str, version: str, kind: str) -> KindSchema | None:
    shape = kubernetes.kinds().get((group, version, kind))
    return None if shape is None else KindSchema(group, version, kind, _root(shape, group, version, kind), None)


def _root(shape: Shape, group: str, version: str, kind: str) -> Shape:
    """The shape of whole objects: what every object has is not left to the CRD."""
    api_version = f"{group}/{version}" if group else version
    return shape.having(apiVersion=text_of(api_version), kind=text_of(kind), metadata=kubernetes.object_meta())


# -- cache --------------------------------------------------------------------------------------------


def cache_folder() -> Path:
    """Where reduced CRDs are kept: nothing is lost when it is deleted."""
    import platformdirs

    return platformdirs.user_cache_path("wmap-lint", appauthor=False) / f"crds-{CACHE_FORMAT}"


def _cached(digest: str) -> dict[str, Any] | None:
    try:
        content = json.loads((cache_folder() / f"{digest}.json").read_bytes())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) and content.get("format") == CACHE_FORMAT else None


def _keep(digest: str, content: Mapping[str, Any]) -> None:
    """Write into the cache; where that is not possible the file is read again next time."""
    try:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / f"{digest}.json", json.dumps(content, separators=(",", ":")).encode())
    except OSError:
        pass
