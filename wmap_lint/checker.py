"""The pipeline: discover → read → classify → run the rules → sort and filter → result (floor 5)."""

from __future__ import annotations

import difflib
import os
import signal
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wmap_lint.crd import CrdError, CrdIndex
from wmap_lint.definition import Definition, load
from wmap_lint.diagnostic import Diagnostic, Span
from wmap_lint.fixtures import fixtures_folder, load_corpus
from wmap_lint.jq.engine import Engine
from wmap_lint.record import Record
from wmap_lint.rules import Rule, all_rules
from wmap_lint.rules.consequences import without_consequences
from wmap_lint.rules.context import Context
from wmap_lint.rules.registry import Finding
from wmap_lint.rules.source_rules import (
    NO_DEFINITION,
    SEVERAL_DEFINITIONS,
    UNKNOWN_KIND,
    Relation,
    classify,
    several_definitions,
)
from wmap_lint.rules.status_space import SPACE_RULES, SpaceReport, space_report
from wmap_lint.shipped import shipped
from wmap_lint.source import Document, Reading, Source, read, read_file

if TYPE_CHECKING:
    import multiprocessing.context

#: What a file has to contain somewhere for a folder's search to look into it; a file that is named is always read.
_MARKERS = (b"WorkloadMap", b"Karta", b"run.ai/", b"structureDefinition", b"ResourceInterface")
_MARKER_BYTES = 4 * 1024 * 1024
#: Definitions that are evaluated while the rules run over an earlier one.
_LOOK_AHEAD = 2
_SHOWN_BYTES = 1024 * 1024
#: Files for which it pays to start a process that checks part of them.
_FILES_A_PROCESS = 2
_SUFFIXES = (".yaml", ".yml")
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})


class UsageError(Exception):
    """Something the caller asked for that cannot be done: one clear line."""


class Options(Record):
    """How to check.

    ``select`` and ``ignore`` hold rule codes or beginnings of them (``WM2``); an empty ``select`` means all.
    ``fixtures`` is the folder that holds a folder of scenarios for each definition, where it is not the usual one.
    ``crds`` are files and folders with the CustomResourceDefinitions that expressions are typed against.
    ``depth`` says how much of what an operator can write is looked at: ``off``, ``quick`` or ``deep``.
    ``processes`` is how many may check files at a time, besides those that evaluate jq; the answers are the same.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fixtures: Path | None = None
    crds: tuple[Path, ...] = ()
    depth: str = "quick"
    processes: int = 1


class TypedDefinition(Record):
    """A definition that was typed: its file, the kind, and the CRD that was used and its file.

    Both are None for a kind of Kubernetes' own.
    """

    definition: str
    kind: str
    crd: str | None
    crd_file: str | None


class Summary(Record):
    """What was looked at, so that "nothing found" is never mistaken for "nothing checked".

    ``typed`` says by which schemas; the other definitions were not typed, as no CRD was given for their kind.
    ``states`` counts those of status models; of a definition without one, its fixtures. ``all_states`` says that these
    are all that the operators can write, by the models. ``matchers`` are those that were held to a model, ``covered``
    those of them that fire in a fixture too. ``frames`` are the fixtures that are part of a journey.
    """

    files: int = 0
    definitions: int = 0
    skipped_documents: int = 0
    expressions: int = 0
    fixtures: int = 0
    frames: int = 0
    states: int = 0
    all_states: bool = False
    matchers: int = 0
    covered: int = 0
    rules: int = 0
    typed: tuple[TypedDefinition, ...] = ()


class CheckResult(Record):
    """What came of a check.

    The findings, sorted; the summary; the text of every file that was read, by its name in the findings; and what of
    each definition's states was looked at.
    """

    diagnostics: tuple[Diagnostic, ...]
    summary: Summary
    sources: Mapping[str, Source]
    spaces: tuple[SpaceReport, ...] = ()


def default_paths() -> tuple[Path, ...]:
    """What is checked when nothing is named: the project's ``catalog``, else the shipped one."""
    own = Path("catalog")
    return (own if own.is_dir() else shipped("catalog"),)


def check_paths(paths: Sequence[Path], options: Options | None = None) -> CheckResult:
    """Check files, and the YAML files in folders.

    Raises :class:`UsageError` for a path that does not exist and for an unknown rule. A file that cannot be read
    is a finding.
    """
    options = options or Options()
    files = [(path, named) for path, named in discover(paths) if named or concerns_us(path)]
    processes = min(options.processes, len(files) // _FILES_A_PROCESS)
    with _Run(options) as run:
        if processes > 1:
            for gathered in _gathered_by_several(files, run, processes):
                run.gathered.add(gathered)
        else:
            for path, named in files:
                run.file(path, named)
        return run.result()


def check_text(data: bytes | str, file: str, options: Options | None = None) -> CheckResult:
    """Check the text of one file; ``file`` is its name in the findings, and says where its fixtures are."""
    with _Run(options or Options()) as run:
        run.engine.start()
        text = data if isinstance(data, str) else data.decode("utf-8-sig", "replace")
        run.gathered.sources[file] = Source(file, text.removeprefix("\ufeff"))
        run.reading(read(data, file), Path(file), named=True)
        return run.result()


def discover(paths: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Every file to look at, once, with whether it was named; folders are searched in alphabetical order."""
    seen: set[str] = set()
    for path in paths:
        if path.is_dir():
            found: Iterable[tuple[Path, bool]] = ((file, False) for file in _search(path))
        elif os.path.lexists(path):
            found = ((path, True),)
        else:
            raise UsageError(f"there is no file or folder {str(path)!r}")
        for file, named in found:
            identity = os.path.realpath(file)
            if identity not in seen:
                seen.add(identity)
                yield file, named


def definitions_in(paths: Sequence[Path]) -> list[tuple[Path, Definition]]:
    """The definitions in files and folders, each with its file.

    Raises :class:`UsageError` where there is none, and for a file that is named and holds none or cannot be read.
    """
    found: list[tuple[Path, Definition]] = []
    for path, named in discover(paths):
        if not named and not concerns_us(path):
            continue
        reading = read_file(path, str(path))
        ours = [each for each in reading.documents if classify(each).relation is Relation.OURS]
        if not ours and reading.problems:
            first = reading.problems[0]
            raise UsageError(f"{first.span.file}:{first.span.line}: {first.message}")
        if not ours and named:
            raise UsageError(f"there is no WorkloadMap or Karta in {path}")
        found += [(path, load(document)) for document in ours]
    if not found:
        raise UsageError(f"there is no WorkloadMap or Karta in {', '.join(map(str, paths))}")
    return found


def _search(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        for name in sorted(files):
            if name.endswith(_SUFFIXES):
                yield Path(root, name)


def concerns_us(path: Path) -> bool:
    """Whether a file met on a search may hold a definition; one that cannot be read may."""
    try:
        with path.open("rb") as file:
            data = file.read(_MARKER_BYTES)
    except OSError:
        return True
    return any(marker in data for marker in _MARKERS) or data[:2] in (b"\xff\xfe", b"\xfe\xff")


def active_rules(options: Options) -> tuple[Rule, ...]:
    """The rules that ``options`` leave; raises :class:`UsageError` for a code that no rule has."""
    rules = all_rules()
    codes = [rule.code for rule in rules]
    for wanted in (*options.select, *options.ignore):
        if wanted != wanted.upper() or not any(code.startswith(wanted) for code in codes):
            close = difflib.get_close_matches(wanted.upper(), codes, 1)
            meant = f"; did you mean {close[0]}?" if close else "; `wmap-lint rules` lists them"
            raise UsageError(f"there is no rule {wanted!r}{meant}")
    return tuple(
        rule
        for rule in rules
        if (not options.select or rule.code.startswith(options.select)) and not rule.code.startswith(options.ignore)
    )


@dataclass
class _Gathered:
    """What is known after some files."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    typed: list[TypedDefinition] = field(default_factory=list)
    spaces: list[SpaceReport] = field(default_factory=list)
    files: int = 0
    definitions: int = 0
    skipped_documents: int = 0
    expressions: int = 0
    fixtures: int = 0
    frames: int = 0
    states: int = 0
    matchers: int = 0
    covered: int = 0
    all_states: bool = True

    def add(self, other: _Gathered) -> None:
        """Take in what is known of the files after these."""
        self.diagnostics += other.diagnostics
        self.sources |= other.sources
        self.typed += other.typed
        self.spaces += other.spaces
        self.files += other.files
        self.definitions += other.definitions
        self.skipped_documents += other.skipped_documents
        self.expressions += other.expressions
        self.fixtures += other.fixtures
        self.frames += other.frames
        self.states += other.states
        self.matchers += other.matchers
        self.covered += other.covered
        self.all_states = self.all_states and other.all_states


@dataclass
class _Run:
    """One run of the pipeline, gathering as it goes."""

    options: Options
    rules: tuple[Rule, ...] = ()
    engine: Engine = field(default_factory=Engine)
    crds: CrdIndex = field(default_factory=CrdIndex)
    gathered: _Gathered = field(default_factory=_Gathered)
    begun: deque[Context] = field(default_factory=deque)

    def __enter__(self) -> _Run:
        self.rules = active_rules(self.options)
        try:
            self.crds = CrdIndex.of(self.options.crds)
        except CrdError as error:
            raise UsageError(str(error)) from error
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.close()

    def file(self, path: Path, named: bool) -> None:
        """Read and check one file."""
        self.engine.start()  # it takes as long to start as a file to read
        self.reading(read_file(path, str(path)), path, named)

    def reading(self, reading: Reading, path: Path, named: bool) -> None:
        """Check what was read of one file."""
        self.gathered.files += 1
        self.gathered.diagnostics.extend(reading.problems)
        ours: list[Document] = []
        nearly = False
        for document in reading.documents:
            self.gathered.sources[document.source.file] = document.source
            classification = classify(document)
            if classification.finding is not None:
                nearly = True
                self.gathered.diagnostics.append(UNKNOWN_KIND.diagnostic(classification.finding))
            elif classification.relation is Relation.OURS:
                ours.append(document)
            else:
                self.gathered.skipped_documents += 1
        several = several_definitions(ours)
        self.gathered.diagnostics.extend(SEVERAL_DEFINITIONS.diagnostic(finding) for finding in several)
        for document in ours:
            self.definition(document, path)
        if named and not (ours or nearly or reading.problems):
            self.gathered.diagnostics.append(NO_DEFINITION.diagnostic(_nothing_here(reading, str(path))))

    def definition(self, document: Document, path: Path) -> None:
        """Begin to examine one definition."""
        definition = load(document)
        corpus = load_corpus(fixtures_folder(path, definition.name, self.options.fixtures), definition.gvk)
        context = Context(document, definition, corpus, self.engine, self.crds, depth=self.options.depth)
        context.begin()
        self.gathered.definitions += 1
        self.types(context)
        self.gathered.expressions += len(definition.expressions)
        self.gathered.fixtures += len(corpus.scenarios)
        self.gathered.frames += sum(1 for scenario in corpus.scenarios if scenario.journey is not None)
        self.begun.append(context)
        if len(self.begun) > _LOOK_AHEAD:
            self.finish(self.begun.popleft())

    def types(self, context: Context) -> None:
        """Find the schema of the kind that a definition is about."""
        try:
            schema = context.typing.workload
        except CrdError as error:
            raise UsageError(str(error)) from error
        if schema is not None:
            name = None if schema.crd is None else schema.crd.name
            kind = f"{schema.group}/{schema.version} {schema.kind}".removeprefix("/")
            self.gathered.typed.append(TypedDefinition(context.document.source.file, kind, name, schema.file))

    def finish(self, context: Context) -> None:
        """Run the rules over one definition; the worker is busy with the next ones meanwhile."""
        try:
            found = [each for rule in self.rules if rule.check is not None for each in context.diagnostics(rule)]
        except CrdError as error:
            raise UsageError(str(error)) from error
        self.gathered.diagnostics.extend(without_consequences(context.definition, found))
        self.space(context)
        if context.engine_fault is not None:
            raise UsageError(context.engine_fault)

    def space(self, context: Context) -> None:
        """Count the states of one definition."""
        root = context.definition.root
        if root is None or root.status_definition is None:
            return
        report = space_report(context) if any(rule.check in SPACE_RULES for rule in self.rules) else None
        if report is not None:
            self.gathered.spaces.append(report)
        if report is not None and report.by_model:
            self.gathered.states += report.states
            self.gathered.matchers += len(report.matchers)
            self.gathered.covered += sum(1 for each in report.matchers if each.states and each.fixtures)
            self.gathered.all_states = self.gathered.all_states and report.complete
        else:
            self.gathered.states += len(context.corpus.scenarios)
            self.gathered.all_states = False

    def source_of(self, file: str) -> None:
        """Have the text of ``file`` at hand, so that a finding in it can be shown; a fixture, or broken YAML."""
        if file not in self.gathered.sources:
            try:
                with Path(file).open("rb") as stream:
                    data = stream.read(_SHOWN_BYTES)
            except OSError:
                return
            self.gathered.sources[file] = Source(file, data.decode("utf-8-sig", "replace"))

    def rest(self) -> _Gathered:
        """What was gathered, once all that was begun is done."""
        while self.begun:
            self.finish(self.begun.popleft())
        return self.gathered

    def result(self) -> CheckResult:
        """What was found; findings of rules that are not active are left out, wherever they came from."""
        gathered = self.rest()
        codes = {rule.code for rule in self.rules}
        wanted = {diagnostic for diagnostic in gathered.diagnostics if diagnostic.rule in codes}
        for diagnostic in wanted:
            for span in (diagnostic.span, *(related.span for related in diagnostic.related)):
                self.source_of(span.file)
        return CheckResult(
            tuple(sorted(wanted, key=lambda diagnostic: diagnostic.sort_key)),
            Summary(
                files=gathered.files,
                definitions=gathered.definitions,
                skipped_documents=gathered.skipped_documents,
                expressions=gathered.expressions,
                fixtures=gathered.fixtures,
                frames=gathered.frames,
                states=gathered.states,
                all_states=gathered.all_states and bool(gathered.matchers),
                matchers=gathered.matchers,
                covered=gathered.covered,
                rules=len(self.rules),
                typed=tuple(gathered.typed),
            ),
            gathered.sources,
            tuple(gathered.spaces),
        )


def _gathered_by_several(files: Sequence[tuple[Path, bool]], run: _Run, processes: int) -> Iterator[_Gathered]:
    """What each file gives, in order, each checked by one of ``processes``, in the way of ``run``.

    Raises :class:`UsageError` as one process does, and where one of them is ended from outside.
    """
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    _SHARE.append(run)  # a process that is a copy of this one need not make its own
    pool = ProcessPoolExecutor(processes, _start_method(), _begin_share, (run.options,))
    try:
        largest_first = sorted(range(len(files)), key=lambda index: -_size(files[index][0]))
        begun = {index: pool.submit(_check_share, *files[index]) for index in largest_first}
        for index in range(len(files)):
            yield begun[index].result()
    except BrokenProcessPool as error:
        raise UsageError("a process that checked part of the files was ended; --jobs 1 checks in one") from error
    finally:
        pool.shutdown(cancel_futures=True)
        _SHARE.clear()


def _start_method() -> multiprocessing.context.BaseContext:
    """How to start processes: a copy of this one where that is safe, which is on Linux; else a fresh interpreter."""
    import multiprocessing

    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


#: In a process that checks a share of the files: the run it does it with.
_SHARE: list[_Run] = []


def _begin_share(options: Options) -> None:
    """Make a process ready to check files; an interruption ends it without a word, as the first one speaks."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if not _SHARE:
        _SHARE.append(_Run(options).__enter__())


def _check_share(path: Path, named: bool) -> _Gathered:
    """Check one file in such a process."""
    (run,) = _SHARE
    run.gathered = _Gathered()
    run.begun.clear()
    run.file(path, named)
    return run.rest()


def _nothing_here(reading: Reading, file: str) -> Finding:
    count = len(reading.documents)
    what = "is empty" if not count else f"has {count} {'document' if count == 1 else 'documents'} of other kinds"
    return Finding(
        Span.whole(file),
        f"There is no definition here: the file {what}, so nothing in it was checked.",
        "A definition has `apiVersion: run.ai/v1alpha1` and `kind: WorkloadMap` (or the older name, `Karta`).",
    )
