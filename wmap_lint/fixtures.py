"""The fixtures of a definition: recorded or authored objects, and what people expect of them (floor 3).

A *scenario* is a YAML file as ``kubectl get -o yaml`` would give it: the workload, then its pods and the
objects between. Beside it lies its *expectation*. A *journey* is a folder of numbered scenarios, consecutive
frames of one object. The formats are described in ``schema/expectation.schema.json``.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wmap_lint.definition import GroupVersionKind
from wmap_lint.diagnostic import Related, Span
from wmap_lint.paths import DocumentPath, lookup
from wmap_lint.record import Record, extra
from wmap_lint.schema import ProblemKind as SchemaProblemKind
from wmap_lint.schema import problems, worded
from wmap_lint.source import DataReading, KnownDocuments, read_data_file
from wmap_lint.spelling import nearest

EXPECTATION = "expectation"
"""Name of the schema of expectations."""

CANONICAL: Mapping[str, str] = MappingProxyType(
    {
        "created": "Initializing",
        "starting": "Initializing",
        "running": "Running",
        "degraded": "Degraded",
        "completed": "Completed",
        "failed": "Failed",
        "suspending": "Suspending",
        "suspended": "Suspended",
        "resuming": "Resuming",
        "scaled": "Running",
    }
)
"""The names of scenarios, by what comes before the first dash, with the status each has as a rule."""

MOST_FILES = 2000
"""More files than this in one folder are not read: nobody has so many scenarios."""

_MOST_HINTS = 50
_IGNORED = frozenset({"status-model.yaml", "status-model.yml"})
_YAML = (".yaml", ".yml")
_EXPECTED = ".expected"
_FRAME = re.compile(r"[0-9]+-(.+)", re.DOTALL)
_INSTANCE = re.compile(r"([^\[\]]+)(?:\[([^\[\]]+)\])?")


class ProblemKind(enum.Enum):
    """What is wrong with a fixture."""

    UNUSABLE = "unusable"
    OTHER_KIND = "other-kind"
    UNKNOWN_NAME = "unknown-name"
    UNPAIRED = "unpaired"


class FixtureProblem(Record):
    """One fault of one fixture, with the place in that fixture."""

    kind: ProblemKind
    span: Span
    message: str
    hint: str | None = None
    related: tuple[Related, ...] = ()


class Expectation(Record):
    """What a person expects of a scenario. ``data`` follows the schema of expectations."""

    file: str
    data: Mapping[str, Any]
    content: DataReading

    @property
    def status(self) -> str:
        """The one status the workload is in."""
        return str(self.data["status"])

    @property
    def components(self) -> Mapping[str, Mapping[str, Any]]:
        """By ``name`` or ``name[instance]``: what each instance of a component has."""
        components: Mapping[str, Mapping[str, Any]] = self.data.get("components") or {}
        return components

    @property
    def describes_components(self) -> bool:
        """Whether it says which components there are."""
        return "components" in self.data

    def instances(self, component: str) -> Mapping[str, Mapping[str, Any]]:
        """What is expected of each instance of ``component``, by instance id ('' for the only one)."""
        found = {}
        for key, expected in self.components.items():
            name, instance = split_instance(key)
            if name == component:
                found[instance] = expected
        return found

    def span(self, path: DocumentPath = ()) -> Span:
        """The key at ``path`` in the file."""
        return self.content.reading.documents[0].key_span(path)


def split_instance(key: str) -> tuple[str, str]:
    """``name[instance]`` as name and instance; the instance of ``name`` alone is ''."""
    match = _INSTANCE.fullmatch(key)
    return (key, "") if match is None else (match[1], match[2] or "")


def instance_key(component: str, instance: str) -> str:
    """The inverse of :func:`split_instance`."""
    return f"{component}[{instance}]" if instance else component


class Scenario(Record):
    """One file of objects.

    ``name`` is the file's, ``canonical`` what of it comes before the first dash. ``documents`` are all
    objects of the file: ``workload`` first, then ``pods`` and ``others``. ``journey`` is the folder of a frame.
    """

    name: str
    canonical: str
    file: str
    workload: Mapping[str, Any]
    documents: tuple[Mapping[str, Any], ...]
    expectation: Expectation | None = None
    journey: str | None = None
    content: DataReading | None = extra(default=None, kw_only=True)

    @property
    def label(self) -> str:
        """The scenario as messages name it: ``running``, or ``resize/02-running`` for a frame."""
        return self.name if self.journey is None else f"{self.journey}/{Path(self.file).stem}"

    @property
    def pods(self) -> tuple[Mapping[str, Any], ...]:
        """The pods among the objects: those beside the workload, and the workload where it is a pod itself."""
        return tuple(document for document in self.documents if is_pod(document))

    @property
    def others(self) -> tuple[Mapping[str, Any], ...]:
        """The objects between the workload and its pods."""
        return tuple(document for document in self.documents[1:] if not is_pod(document))

    def span(self, path: DocumentPath = ()) -> Span:
        """The key at ``path`` of the workload in the file."""
        assert self.content is not None
        return self.content.reading.documents[0].key_span(path)


def is_pod(document: Mapping[str, Any]) -> bool:
    """Whether an object is a pod."""
    return document.get("kind") == "Pod" and document.get("apiVersion") == "v1"


class Corpus(Record):
    """All fixtures of one definition: what is usable, and what is wrong with the rest."""

    scenarios: tuple[Scenario, ...] = ()
    problems: tuple[FixtureProblem, ...] = ()
    folder: Path | None = None


EMPTY = Corpus()


def fixtures_folder(file: Path, name: str | None, fixtures: Path | None = None) -> Path | None:
    """The folder with the fixtures of the definition called ``name`` in ``file``, if there is one.

    It is called as the file, else as the definition, and lies in ``fixtures`` where that is given; otherwise in
    the folder ``fixtures`` beside the file, or beside the file's folder when that is a ``catalog``.
    """
    if fixtures is None:
        folder = file.parent
        fixtures = (folder / ".." if not folder.name else folder.parent) if _is_catalog(folder) else folder
        fixtures /= "fixtures"
    for candidate in (file.name.removesuffix(file.suffix), name or ""):
        # The name comes from the definition: it must not lead elsewhere.
        if candidate == Path(candidate).name and candidate not in ("", "..") and (fixtures / candidate).is_dir():
            return fixtures / candidate
    return None


def _is_catalog(folder: Path) -> bool:
    return folder.absolute().name == "catalog"


def load_corpus(folder: Path | None, kind: GroupVersionKind | None = None) -> Corpus:
    """The fixtures in ``folder``; nothing, and nothing wrong, without a folder.

    ``kind`` is what the workloads have to be. Files are taken in order of their names, journeys after the
    scenarios that stand alone.
    """
    if folder is None:
        return EMPTY
    loader = _Loader(kind)
    loader.load(folder)
    return Corpus(tuple(loader.scenarios), tuple(loader.problems), folder)


class _Files(Record):
    """The files of one folder by the name of the scenario."""

    scenarios: Mapping[str, Path]
    expectations: Mapping[str, Path]


class _Loader:
    def __init__(self, kind: GroupVersionKind | None) -> None:
        self.kind = kind
        self.scenarios: list[Scenario] = []
        self.problems: list[FixtureProblem] = []
        self.known: KnownDocuments = {}

    def problem(self, kind: ProblemKind, span: Span, message: str, hint: str | None = None) -> None:
        self.problems.append(FixtureProblem(kind, span, message, hint))

    def load(self, folder: Path) -> None:
        """Read the scenarios of ``folder`` and the journeys below it."""
        entries = self.entries(folder)
        self.load_folder([path for path in entries if not path.is_dir()], None)
        for journey in entries:
            if journey.is_dir():
                self.load_folder(self.entries(journey), journey.name)

    def entries(self, folder: Path) -> list[Path]:
        try:
            entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self.problem(ProblemKind.UNUSABLE, Span.whole(str(folder)), f"The fixtures cannot be listed: {reason}.")
            return []
        if len(entries) > MOST_FILES:
            self.problem(
                ProblemKind.UNUSABLE,
                Span.whole(str(folder)),
                f"The folder has {len(entries):,} files, of which the first {MOST_FILES:,} are read.",
                "Leave out what shows nothing new.",
            )
        return entries[:MOST_FILES]

    def load_folder(self, paths: Iterable[Path], journey: str | None) -> None:
        files = _sorted_out(paths)
        for name, path in files.scenarios.items():
            expectation = None
            if name in files.expectations:
                expectation = self.expectation(files.expectations[name])
            elif journey is None:
                self.problem(
                    ProblemKind.UNPAIRED,
                    Span.whole(str(path)),
                    f"Nobody has written what is expected of `{name}`, so a wrong reading of it shows nowhere.",
                    f"Write `{name}{_EXPECTED}.yaml` beside it, with `provenance` and `status`.",
                )
            self.scenario(name, path, expectation, journey)
        for name, path in files.expectations.items():
            if name not in files.scenarios:
                close = nearest(name, files.scenarios) if len(self.problems) < _MOST_HINTS else ()
                self.problem(
                    ProblemKind.UNPAIRED,
                    Span.whole(str(path)),
                    f"There is no scenario `{name}.yaml` beside this expectation, so nothing is checked by it.",
                    f"Did you mean `{close[0]}{_EXPECTED}.yaml`?"
                    if close
                    else "Add the scenario, or remove this file.",
                )

    def scenario(self, file_name: str, path: Path, expectation: Expectation | None, journey: str | None) -> None:
        name = file_name
        if journey is not None:
            match = _FRAME.fullmatch(file_name)
            if match is None:
                self.problem(
                    ProblemKind.UNKNOWN_NAME,
                    Span.whole(str(path)),
                    f"`{path.name}` is no frame of the journey `{journey}`: its name does not say which one.",
                    f"Name it by its position: `01-{path.name}`.",
                )
                return
            name = match[1]
        canonical = name.partition("-")[0]
        if canonical not in CANONICAL:
            close = nearest(canonical, CANONICAL)
            names = ", ".join(CANONICAL)
            self.problem(
                ProblemKind.UNKNOWN_NAME,
                Span.whole(str(path)),
                f"`{canonical}` is no canonical scenario, so `{name}` does not count as one of the states that "
                "every framework shows.",
                f"Did you mean `{close[0]}`?" if close else f"Begin the name with one of {names}.",
            )
        content = read_data_file(path, known=self.known)
        if self.reported(content) or not (documents := self.objects(content)):
            return
        if not self.is_of_the_kind(content, documents[0]):
            return
        self.scenarios.append(
            Scenario(name, canonical, content.file, documents[0], documents, expectation, journey, content=content)
        )

    def reported(self, content: DataReading) -> bool:
        """Report what is wrong with a file, once a file; whether it cannot be used."""
        if not content.problems:
            return False
        first, *others = content.problems
        more = f" (and {len(others)} more)" if others else ""
        self.problem(ProblemKind.UNUSABLE, first.span, f"{first.message}{more}", first.hint)
        return True

    def objects(self, content: DataReading) -> tuple[Mapping[str, Any], ...]:
        """The objects of a scenario, nothing when there is one that is no object."""
        if not content.documents:
            self.problem(
                ProblemKind.UNUSABLE,
                Span.whole(content.file),
                "The scenario is empty.",
                "Put the workload in, as `kubectl get -o yaml` shows it.",
            )
            return ()
        for position, document in enumerate(content.documents):
            if not _is_object(document):
                self.problem(
                    ProblemKind.UNUSABLE,
                    content.reading.documents[position].key_span(()),
                    "This document is no Kubernetes object: it has no `apiVersion` and `kind`, so the scenario "
                    "is left out.",
                    "Write every object as `kubectl get -o yaml` shows it.",
                )
                return ()
        return content.documents

    def is_of_the_kind(self, content: DataReading, workload: Mapping[str, Any]) -> bool:
        if self.kind is None or not self.kind.kind:
            return True
        group = str(workload["apiVersion"]).rpartition("/")[0]
        found = (group, workload["kind"])
        if found == (self.kind.group, self.kind.kind):
            return True
        wrong = "kind" if found[1] != self.kind.kind else "apiVersion"
        self.problem(
            ProblemKind.OTHER_KIND,
            content.reading.documents[0].span((wrong,)),
            f"The first document is {workload['apiVersion']} {workload['kind']}, and the definition is about "
            f"{self.kind}, so the scenario is left out.",
            "Put the workload first; its pods and what is between follow.",
        )
        return False

    def expectation(self, path: Path) -> Expectation | None:
        content = read_data_file(path)
        if self.reported(content):
            return None
        data = content.documents[0] if content.documents else None
        if not isinstance(data, dict):
            self.problem(
                ProblemKind.UNUSABLE,
                Span.whole(content.file),
                "The expectation says nothing.",
                "Write `provenance` and `status`.",
            )
            return None
        found = problems(EXPECTATION, data)
        if not found:
            return Expectation(content.file, data, content)
        first, *others = found
        document = content.reading.documents[0]
        more = f" ({len(others)} more in this file)" if others else ""
        message, hint = worded(first, "an expectation")
        unknown = first.kind is SchemaProblemKind.UNKNOWN_FIELD
        span = document.key_span(first.path) if unknown else document.span(first.path)
        if first.kind is SchemaProblemKind.MISSING_FIELD or isinstance(first.value, dict | list):
            span = document.key_span(first.path)
        self.problem(ProblemKind.UNUSABLE, span, f"{message}, so the expectation is not used{more}.", hint)
        return None


def _is_object(document: object) -> bool:
    return all(isinstance(lookup(document, (key,)), str) for key in ("apiVersion", "kind"))


def _sorted_out(paths: Iterable[Path]) -> _Files:
    scenarios: dict[str, Path] = {}
    expectations: dict[str, Path] = {}
    for path in paths:
        if path.suffix in _YAML and path.name not in _IGNORED:
            if path.stem.endswith(_EXPECTED):
                expectations.setdefault(path.stem.removesuffix(_EXPECTED), path)
            else:
                scenarios.setdefault(path.stem, path)
    return _Files(scenarios, expectations)
