"""A set of definitions, and views of many workloads by them (floor 2)."""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wmap_lint.definition import API_VERSION, KINDS, Definition
from wmap_lint.definition import load as model
from wmap_lint.jq.engine import Engine
from wmap_lint.record import Record
from wmap_lint.resolve import writes
from wmap_lint.resolve.evaluation import Plan, Programs, by_expression, evaluate, plan
from wmap_lint.resolve.pods import typed
from wmap_lint.resolve.view import WorkloadView, build_view
from wmap_lint.shipped import shipped
from wmap_lint.source import Reading, read, read_file


class DefinitionError(ValueError):
    """A definition that cannot be loaded: one clear line."""


def load_definition(source: str | Path) -> Definition:
    """The definition in a file, or in a text: YAML has a line break, JSON a brace; anything else is a path.

    The file may hold other documents; the first definition counts. Raises :class:`DefinitionError` when there is
    none, or when the file cannot be read. A definition with faults loads all the same: `check` tells them.
    """
    definitions = _definitions(_reading(source))
    if not definitions:
        raise DefinitionError(f"there is no WorkloadMap or Karta in {_named(source)}")
    return definitions[0]


def _is_text(source: str | Path) -> bool:
    return isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{"))


def _named(source: str | Path) -> str:
    return "the text" if _is_text(source) else str(source)


def _reading(source: str | Path) -> Reading:
    reading = read(str(source), "<text>") if _is_text(source) else read_file(Path(source))
    fatal = next((each for each in reading.problems if each.rule in ("WM001", "WM003")), None)
    if fatal is not None and not reading.documents:
        raise DefinitionError(f"{fatal.span.file}:{fatal.span.line}: {fatal.message}")
    return reading


def _definitions(reading: Reading) -> list[Definition]:
    return [
        model(document)
        for document in reading.documents
        if isinstance(document.data, dict)
        and document.data.get("apiVersion") == API_VERSION
        and document.data.get("kind") in KINDS
    ]


class Match(Record):
    """The definition for an object; ``note`` says so when it is that of another version of the kind."""

    definition: Definition
    note: str | None


class Catalog:
    """Definitions by the kind they are about; of two for one kind the later one counts."""

    def __init__(self, definitions: Iterable[Definition] = ()) -> None:
        self._by_kind: dict[tuple[str, str], dict[str, Definition]] = {}
        for definition in definitions:
            self.add(definition)

    def add(self, definition: Definition) -> None:
        """Add a definition, or replace the one for its kind and version. One without a kind is passed over."""
        kind = definition.gvk
        if kind is not None and kind.kind:
            self._by_kind.setdefault((kind.group, kind.kind), {})[kind.version] = definition

    @classmethod
    def builtin(cls) -> Catalog:
        """The catalog that comes with the package."""
        return cls.load(shipped("catalog"))

    @classmethod
    def load(cls, path: str | Path) -> Catalog:
        """The definitions in a file, or in the YAML files of a folder (not below it).

        Raises :class:`DefinitionError` for a path that does not exist or a file that cannot be read.
        """
        path = Path(path)
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if file.suffix in (".yaml", ".yml"))
        elif path.exists():
            files = [path]
        else:
            raise DefinitionError(f"there is no file or folder {str(path)!r}")
        return cls(definition for file in files for definition in _definitions(_reading(file)))

    def __iter__(self) -> Iterator[Definition]:
        for versions in self._by_kind.values():
            yield from versions.values()

    def __len__(self) -> int:
        return sum(len(versions) for versions in self._by_kind.values())

    def find(self, workload: Any) -> Match | None:
        """The definition for an object: that of its group, kind and version, else of another version of its kind.

        Among other versions the most stable one counts (v1 before v1beta1 before v1alpha1).
        """
        if not isinstance(workload, Mapping):
            return None
        group, _, version = str(workload.get("apiVersion") or "").rpartition("/")
        versions = self._by_kind.get((group, str(workload.get("kind") or "")))
        if not versions:
            return None
        if version in versions:
            return Match(versions[version], None)
        other = max(versions, key=_stability)
        name = f"{workload.get('kind')} {group}/{version}" if group else f"{workload.get('kind')} {version}"
        return Match(versions[other], f"{name} is read by the definition of version {other}")


def _stability(version: str) -> tuple[int, int, int]:
    """How Kubernetes orders versions: stable before beta before alpha, then by number."""
    digits = "".join(character if character.isdigit() else " " for character in version).split()
    major = int(digits[0]) if digits else 0
    level = 1 if "beta" in version else 0 if "alpha" in version else 2
    return (level, major, int(digits[1]) if len(digits) > 1 else 0)


class Request(Record):
    """A workload to resolve, with what belongs to it: its pods and the objects between (Jobs, StatefulSets…)."""

    definition: Definition
    workload: Any
    pods: Sequence[Any] = ()
    owners: Sequence[Any] = ()
    note: str | None = None


class Resolver:
    """Turns workloads into views, many at a time, with one engine.

    Use it as a context manager; it holds a worker process.
    """

    #: Workloads, and pods, that go through the engine in one call.
    BATCH = 200

    def __init__(self, engine: Engine | None = None) -> None:
        self.engine = engine or Engine()
        self._own_engine = engine is None
        self._plans: dict[int, tuple[Definition, Plan]] = {}

    def __enter__(self) -> Resolver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker."""
        if self._own_engine:
            self.engine.close()

    def resolve(
        self,
        definition: Definition,
        workload: Any,
        pods: Sequence[Any] = (),
        owners: Sequence[Any] = (),
        note: str | None = None,
    ) -> WorkloadView:
        """The view of one workload."""
        return next(iter(self.resolve_many([Request(definition, workload, pods, owners, note)])))

    def resolve_many(self, requests: Iterable[Request]) -> Iterator[WorkloadView]:
        """The views of many workloads, in their order, in batches and at constant memory."""
        for batch in self._batches(requests):
            yield from self._views(batch, self._evaluate(batch))

    def _batches(self, requests: Iterable[Request]) -> Iterator[list[Request]]:
        batch: list[Request] = []
        pods = 0
        for request in requests:
            batch.append(request)
            pods += len(request.pods)
            if len(batch) >= self.BATCH or pods >= 4 * self.BATCH:
                yield batch
                batch, pods = [], 0
        if batch:
            yield batch

    def _plan(self, definition: Definition) -> Plan:
        known = self._plans.get(id(definition))
        if known is None:
            known = self._plans[id(definition)] = (definition, plan(definition))
        return known[1]

    def _evaluate(self, requests: Sequence[Request]) -> list[tuple[Programs, list[Programs]]]:
        """The outcomes on each workload, and on each of its pods."""
        groups: dict[int, list[int]] = {}
        for index, request in enumerate(requests):
            groups.setdefault(id(request.definition), []).append(index)
        found: dict[int, tuple[Programs, list[Programs]]] = {}
        for indexes in groups.values():
            chosen = [requests[index] for index in indexes]
            programs = self._plan(chosen[0].definition)
            workloads = evaluate(self.engine, programs.workload, [request.workload for request in chosen])
            everybody = [pod for request in chosen for pod in request.pods]
            if not programs.labels_only:
                everybody = [typed(pod) for pod in everybody]
            pods = iter(evaluate(self.engine, programs.pod, everybody))
            for index, request, outcomes in zip(indexes, chosen, workloads, strict=True):
                found[index] = (outcomes, [next(pods) for _ in request.pods])
        return [found[index] for index in range(len(requests))]

    def _views(
        self, requests: Sequence[Request], outcomes: Sequence[tuple[Programs, list[Programs]]]
    ) -> Iterator[WorkloadView]:
        for request, (on_workload, on_pods) in zip(requests, outcomes, strict=True):
            pods = list(zip(request.pods, on_pods, strict=True))
            yield build_view(
                request.definition, request.workload, by_expression(on_workload), pods, request.owners, request.note
            )


_SHARED: list[Resolver] = []


def resolve(
    definition: Definition, workload: Any, pods: Sequence[Any] = (), owners: Sequence[Any] = ()
) -> WorkloadView:
    """The view of one workload.

    ``pods`` are its pods and ``owners`` the objects between them and the workload, as plain data. Never fails on what
    the objects hold: what cannot be read is among the view's problems. The first call starts a worker process, which
    later calls share; use a :class:`Resolver` for many workloads.
    """
    return _shared().resolve(definition, workload, pods, owners)


def update_pods(definition: Definition, workload: Any, changes: Mapping[str, Mapping[str, Any]]) -> Any:
    """A copy of ``workload`` with the pods of some roles changed: :func:`wmap_lint.resolve.writes.update_pods`.

    ``changes`` goes by role (``worker``, or ``worker[gpu]`` for one instance), then by field. Raises ``WriteError``.
    """
    return writes.update_pods(definition, workload, changes, _shared().engine)


def suspend(definition: Definition, workload: Any) -> Any:
    """A copy of ``workload`` that is asked to suspend, by its native switch. Raises ``WriteError``."""
    return writes.suspend(definition, workload, writes.paths_by(_shared().engine))


def resume(definition: Definition, workload: Any) -> Any:
    """A copy of ``workload`` that is asked to run again, by its native switch. Raises ``WriteError``."""
    return writes.resume(definition, workload, writes.paths_by(_shared().engine))


def _shared() -> Resolver:
    """The resolver, and with it the worker process, that the functions of the public interface share."""
    if not _SHARED:
        _SHARED.append(Resolver())
        atexit.register(_SHARED[0].close)
    return _SHARED[0]
