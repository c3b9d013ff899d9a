"""Looking for objects that a definition reads wrongly (floor 3): drawn by Hypothesis, judged, made small.

One test case of Hypothesis is a *burst*: states from all over the space, plain and with the same distortions in turn,
as a test case costs several times what an object does. A fault is looked for again in the one object of the burst that
showed it. What Hypothesis has shrunk is shrunk further field by field, until each field of it is needed.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import os
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from wmap_lint.definition import Definition
from wmap_lint.fixtures import load_corpus
from wmap_lint.jq.dependence import dependence
from wmap_lint.jq.engine import Engine
from wmap_lint.jq.flow import Path
from wmap_lint.record import Record
from wmap_lint.statespace.derived import derive
from wmap_lint.statespace.exploration import MOST_COMBINATIONS
from wmap_lint.statespace.judging import Fault, FaultKind, Judge, fits, values_at
from wmap_lint.statespace.model import ModelProblem, ModelReading, StatusModel, condition_names, load_model
from wmap_lint.statespace.shrink import smallest
from wmap_lint.statespace.space import Space, Vector
from wmap_lint.statespace.strategies import Distortion, Example, Kind, examples
from wmap_lint.statespace.table import Evaluate, Table

if TYPE_CHECKING:
    from hypothesis.database import ExampleDatabase

MOST_EXAMPLES = 5_000
"""Objects that are drawn for one definition, when nothing else is asked for."""

MOST_FAULTS = 10
"""With so many faults of one definition the search ends: they are hardly all different."""

LARGEST_SEED = 2**32

_BURST = 8
_BURST_FOR_THE_ENGINE = 16
_KEPT = frozenset({"apiVersion", "kind"})
_SHOWN_EVERY = 0.1
# Seconds in which one fault is made small: at most, when time has run out, and when somebody has interrupted.
_PATIENCE_AT_ALL = 20.0
_PATIENCE = 5.0
_PATIENCE_INTERRUPTED = 1.0


class Stop(enum.StrEnum):
    """Why a search ended before it was through."""

    BUDGET = "budget"
    INTERRUPTED = "interrupted"
    FAULTS = "faults"


class Subject(Record):
    """A definition to search, the file it is in, and the folder of its fixtures."""

    file: str
    definition: Definition
    folder: File | None = None


class UnusableModelError(Exception):
    """There is a status model, and it cannot be used. ``problem`` is the first thing that is wrong with it."""

    def __init__(self, problem: ModelProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Found(Record):
    """One fault, with the smallest object that shows it.

    ``notes`` say what about the object is not as the model, or the fixtures, have it.
    """

    fault: Fault
    workload: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    shrunk: bool = True


class Search(Record):
    """What came of one definition.

    ``examples`` counts objects that were judged, ``distorted`` those of them that no model has. ``model`` is None where
    the space is a guess, ``space`` where there is nothing to vary. ``drawing`` is the part of the ``seconds`` in which
    objects were drawn and judged, without what it took to shrink. ``sample`` are objects for other engines to read.
    """

    subject: Subject
    space: Space | None
    model: StatusModel | None = None
    found: tuple[Found, ...] = ()
    examples: int = 0
    distorted: int = 0
    seconds: float = 0.0
    drawing: float = 0.0
    stopped: Stop | None = None
    sample: tuple[Any, ...] = ()


class Stopped(KeyboardInterrupt):
    """A search has to end. Hypothesis takes every other exception for a failure."""

    def __init__(self, why: Stop) -> None:
        super().__init__()
        self.why = why


class _ImpatientError(Exception):
    """There is no time to make anything smaller."""


class Watch:
    """Ends a search in time, and tells how far it is.

    ``deadline`` is a time of :func:`time.monotonic`. ``progress`` is called now and then with the objects judged and
    the faults found so far. ``interrupted`` may be set by a signal handler.
    """

    def __init__(self, deadline: float | None = None, progress: Callable[[int, int], None] | None = None) -> None:
        self.deadline = deadline
        self.progress = progress
        self.interrupted = False
        self._shown = 0.0

    def look(self, examples: int, found: int) -> None:
        """Go on, or raise."""
        if self.interrupted:
            raise Stopped(Stop.INTERRUPTED)
        now = time.monotonic()
        if self.deadline is not None and now >= self.deadline:
            raise Stopped(Stop.BUDGET)
        if self.progress is not None and now >= self._shown + _SHOWN_EVERY:
            self._shown = now
            self.progress(examples, found)


def search(
    subject: Subject,
    engine: Engine,
    seed: int,
    most_examples: int = MOST_EXAMPLES,
    watch: Watch | None = None,
    database: File | None = None,
    replay: bool = False,
    sample: int = 0,
    most_faults: int = MOST_FAULTS,
) -> Search:
    """Search one definition for objects that it reads wrongly.

    The same ``seed`` finds the same, as long as time does not run out. ``database`` is the folder that keeps what
    failed; ``replay`` tries what it holds first. ``sample`` is how many of the objects are handed back.
    With ``most_faults`` found the search ends.
    Raises :class:`UnusableModelError`.
    """
    import hypothesis  # noqa: F401 - it takes long, and is no part of what is measured

    began = time.monotonic()
    root = subject.definition.root
    status = None if root is None else root.status_definition
    if status is None:
        return Search(subject, None)
    reading = load_model(subject.folder, condition_names(status), subject.definition.gvk)
    if reading.problems:
        raise UnusableModelError(reading.problems[0])
    space = space_of(subject, reading)
    if space is None:
        return Search(subject, None)
    judge = Judge(status, space, reading.model, engine)
    run = _Run(judge, seed ^ zlib.crc32(str(subject.definition.gvk).encode()), most_examples, watch or Watch(), sample)
    run.most_faults = most_faults
    run.possible = possible_states(space, reading.model, judge.outcomes)
    if database is not None:
        run.database = database
        run.replay = replay
        run.content = f"{subject.definition.document.source.text}\0{reading.content and reading.content.file}"
    found = run.run()
    return Search(
        subject,
        space,
        reading.model,
        tuple(found),
        run.judged,
        run.distorted,
        time.monotonic() - began,
        run.drawing,
        run.stopped,
        tuple(run.sample.values()),
    )


def space_of(subject: Subject, reading: ModelReading) -> Space | None:
    """The space of the model, else one derived from the definition and its fixtures."""
    if reading.model is not None:
        return reading.model.space
    corpus = load_corpus(subject.folder, subject.definition.gvk)
    return derive(subject.definition, [scenario.workload for scenario in corpus.scenarios])


def possible_states(space: Space, model: StatusModel | None, evaluate: Evaluate) -> Sequence[int] | None:
    """The numbers of the states that ``model`` does not call impossible; None when none is, or there are too many."""
    if model is None or not model.impossible or space.size > MOST_COMBINATIONS:
        return None
    table = Table(space, evaluate)
    states = table.everything
    for rule in model.impossible:
        states &= ~table.verdict(rule.when.text, "true").true
    return list(table.members(states)) or None


class _Run:
    """The search of one definition."""

    def __init__(self, judge: Judge, seed: int, most_examples: int, watch: Watch, sample: int) -> None:
        self.judge = judge
        self.space = judge.space
        self.seed = seed
        self.most_examples = most_examples
        self.watch = watch
        self.most_sampled = sample
        self.most_faults = MOST_FAULTS
        self.possible: Sequence[int] | None = None
        place = self.space.names.place
        orders = (
            [()] if place is None else [(), (Distortion(Kind.ORDER, place, 0),), (Distortion(Kind.ORDER, place, 1),)]
        )
        self.orders = [Example((), each) for each in orders]
        self.database: File | None = None
        self.replay = False
        self.content = ""
        self.judged = 0
        self.distorted = 0
        self.burst_size = _BURST_FOR_THE_ENGINE if judge.needs_the_engine else _BURST
        self.drawing = 0.0
        self.stopped: Stop | None = None
        self.sample: dict[int, Any] = {}
        self.patience = float("inf")
        self.seen_at = 0.0
        self.reported: set[tuple[object, ...]] = set()
        self.shown: dict[tuple[object, ...], tuple[Fault, Example]] = {}
        self.wanted: tuple[tuple[object, ...], int] | None = None

    def run(self) -> list[Found]:
        """All faults, each with the smallest object."""
        first = True
        try:
            while self.judged < self.most_examples and len(self.shown) < self.most_faults:
                before = self.judged
                self.round(first)
                first = False
                if self.wanted is None and self.judged == before:
                    break
                if self.wanted is None:
                    break  # all that was asked for, or all there is
                self.reported.update(self.shown)
            if len(self.shown) >= self.most_faults:
                self.stopped = Stop.FAULTS
        except Stopped as stopped:
            self.stopped = stopped.why
        return list(self.smallest())

    def round(self, first: bool) -> None:
        """Draw until there is a fault that is not known yet, and have Hypothesis shrink it."""
        from hypothesis import HealthCheck, Phase, Verbosity, given, settings
        from hypothesis import seed as seeded

        self.wanted = None
        began = time.monotonic()
        phases = [*([Phase.reuse] if first and self.replay else []), Phase.generate, Phase.shrink]
        number = (self.seed + len(self.shown) * 1_000_003 + self.judged) % LARGEST_SEED

        def test(example: Example) -> None:
            self.burst(example)

        wrapped = settings(
            max_examples=max(1, -(-(self.most_examples - self.judged) // self.burst_size)),
            database=self.kept_in(),
            phases=phases,
            deadline=None,
            derandomize=False,
            report_multiple_bugs=False,
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )(seeded(number)(given(examples(self.space, self.possible))(test)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                with contextlib.suppress(Exception):  # a failure, or one that did not come again
                    wrapped()
            finally:
                self.drawing += (time.monotonic() if self.wanted is None else self.seen_at) - began

    def burst(self, example: Example) -> None:
        """Judge the states of one burst; raises for a fault that is to be shrunk."""
        if self.wanted is not None:
            key, position = self.wanted
            self.judge_one(self.member(example, position), {key})
            return
        members = [self.member(example, position) for position in range(self.burst_size)]
        self.watch.look(self.judged, len(self.shown))
        workloads = [each.build(self.space) for each in members]
        if self.judge.needs_the_engine:
            self.judge.prepare(workloads, [each.is_of_the_model for each in members])
        for position, member in enumerate(members):
            for key in self.judge_one(member, None):
                self.wanted = (key, position)
                self.seen_at = time.monotonic()
                raise _failure(key)

    def member(self, example: Example, position: int) -> Example:
        """One state of the burst that begins with ``example``; the states are from all over the space.

        Every other is a plain one, with its conditions in one of three orders.
        """
        if not position:
            return example
        # Mixed rather than counted on: Hypothesis draws some numbers again and again.
        origin = f"{position} {self.space.number(example.vector)}"
        if position % 2:
            mixed = zlib.crc32(f"{origin} {example.distortions}".encode())
            return self.orders[position // 2 % len(self.orders)].on(self.state(mixed), self.space)
        return example.on(self.state(zlib.crc32(origin.encode())), self.space)

    def state(self, number: int) -> Vector:
        """One of the possible states, for any number."""
        if self.possible is None:
            return self.space.vector(number % self.space.size)
        return self.space.vector(self.possible[number % len(self.possible)])

    def judge_one(self, example: Example, only: set[tuple[object, ...]] | None) -> list[tuple[object, ...]]:
        """The faults of one object that are new; raises when it is one of ``only``."""
        self.watch.look(self.judged, len(self.shown))
        workload = example.build(self.space)
        faults = self.judge.faults(workload, in_model=example.is_of_the_model)
        if only is None:
            self.judged += 1
            self.distorted += not example.is_of_the_model
            if len(self.sample) < self.most_sampled:
                self.sample.setdefault(hash(str(workload)), workload)
        new = []
        for fault in faults:
            key = fault.key
            if key in self.reported or (only is None and key in self.shown):
                continue
            new.append(key)
            if only is None or key in only:
                self.shown[key] = (fault, example)
            if only is not None and key in only:
                raise _failure(key)
        return new

    def kept_in(self) -> ExampleDatabase | None:
        """What Hypothesis keeps failing examples in; those of other content are others."""
        from hypothesis.database import DirectoryBasedExampleDatabase

        folder = self.database
        if folder is None or not _is_writable(folder):
            return None
        return _of_content(DirectoryBasedExampleDatabase(folder), self.content)

    # -- made small -------------------------------------------------------------------------------------------

    def smallest(self) -> Iterator[Found]:
        """What was found, each shrunk as far as it goes; less far when there is no time."""
        for fault, example in self.shown.values():
            simple, shrunk = example, True
            self.patience = time.monotonic() + _PATIENCE_AT_ALL
            workload = example.build(self.space)
            try:
                simple = self.simpler(fault, example)
                workload = simple.build(self.space)
                workload = self.fields(fault, simple)
            except _ImpatientError:
                shrunk = False
            if self.watch.interrupted:
                self.stopped = Stop.INTERRUPTED
            names = self.space.names
            notes = tuple(each.words(names) for each in simple.distortions if each.is_seen(workload, names))
            yield Found(self.of(fault, workload, simple), workload, tuple(dict.fromkeys(notes)), shrunk)

    def look(self) -> None:
        """Go on making smaller, unless somebody waits: then for a moment only."""
        now = time.monotonic()
        if self.watch.interrupted:
            self.patience = min(self.patience, now + _PATIENCE_INTERRUPTED)
        elif self.watch.deadline is not None:
            self.patience = min(self.patience, max(now, self.watch.deadline) + _PATIENCE)
        if now >= self.patience:
            raise _ImpatientError

    def of(self, fault: Fault, workload: Any, example: Example) -> Fault:
        """The fault as it is in the object that is shown: the cause of an error may name a value."""
        faults = self.judge.faults(workload, in_model=example.is_of_the_model)
        return next((each for each in faults if each.key == fault.key), fault)

    def shows(self, fault: Fault, example: Example) -> bool:
        """Whether an example has the fault."""
        self.look()
        faults = self.judge.faults(example.build(self.space), in_model=example.is_of_the_model)
        return any(each.key == fault.key for each in faults)

    def simpler(self, fault: Fault, example: Example) -> Example:
        """``example`` with as few distortions as will do, and with absent what can be."""
        for alone in example.distortions if len(example.distortions) > 1 else ():
            if self.shows(fault, single := Example(example.vector, (alone,))):
                example = single
                break
        before = None
        while example != before:
            before = example
            for at in reversed(range(len(example.distortions))):
                kept = (*example.distortions[:at], *example.distortions[at + 1 :])
                if self.shows(fault, fewer := Example(example.vector, kept)):
                    example = fewer
            for number, dimension in enumerate(self.space.dimensions):
                absent = next((at for at, value in enumerate(dimension.choices) if value.is_absent), None)
                if absent is not None and example.vector[number] != absent:
                    vector = (*example.vector[:number], absent, *example.vector[number + 1 :])
                    without = Example(self.space.canonical(vector), example.distortions)
                    if without != example and self.shows(fault, without):
                        example = without
        return example

    def fields(self, fault: Fault, example: Example) -> Any:
        """The object of ``example`` without the fields that it can do without."""
        workload = example.build(self.space)
        in_model = example.is_of_the_model
        # Two statuses of less are two statuses still. That none holds, or the wrong one, or that one cannot be read
        # is true of many objects that no operator writes: there the object has to stay one that it does, or one that
        # nobody can tell from it.
        stays = fault.kind not in (FaultKind.AMBIGUOUS, FaultKind.TERMINAL)
        held = [(path, whole, _seen(workload, path, whole)) for path, whole in self.of_the_user()] if stays else []
        modelled = stays and in_model and self.judge.model is not None

        def shows(smaller: Any) -> bool:
            self.look()
            if any(key in workload and key not in smaller for key in _KEPT):
                return False
            return any(each.key == fault.key for each in self.judge.faults(smaller, in_model))

        def is_written(smaller: Any) -> bool:
            return (
                shows(smaller)
                and all(_seen(smaller, path, whole) == seen for path, whole, seen in held)
                and (not modelled or fits(self.space, smaller))
            )

        if not stays:
            return smallest(workload, shows, self.space.names)
        written = smallest(workload, is_written, self.space.names)
        answers = self.judge.answers(written)
        return smallest(
            written, lambda smaller: shows(smaller) and self.judge.answers(smaller) == answers, self.space.names
        )

    def of_the_user(self) -> list[tuple[Path, bool]]:
        """What users write, is read and is not optional; and whether it is looked at as a whole."""
        optional = {
            place
            for dimension in self.space.dimensions
            if any(choice.is_absent for choice in dimension.choices)
            for place in dimension.places
        }
        found: set[tuple[Path, bool]] = set()
        for expression in self.judge.expressions:
            on = dependence(expression.text)
            found.update((path, True) for path in on.looked_at)
            found.update((path, False) for path in on.tested | on.iterated)
        return [each for each in found if each[0][:1] == ("spec",) and each[0] not in optional]


def _seen(workload: Any, path: Path, whole: bool) -> list[Any]:
    """What a program that reads ``path`` sees there; of what it only goes through, the members."""
    values = list(values_at(workload, path))
    if whole:
        return values
    return [
        sorted(each) if isinstance(each, dict) else len(each) if isinstance(each, list) else each for each in values
    ]


def _failure(key: tuple[object, ...]) -> Exception:
    """An exception of a class of its own, as Hypothesis tells failures apart by that."""
    name = f"Fault{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"
    failure: Exception = type(name, (AssertionError,), {})()
    return failure


def _is_writable(folder: File) -> bool:
    """Whether there is, or can be, such a folder: without it nothing is kept, which is no trouble."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    return place.is_dir() and os.access(place, os.W_OK)


def _of_content(database: ExampleDatabase, content: str) -> ExampleDatabase:
    """``database``, with keys that are those of ``content`` only."""
    from hypothesis.database import ExampleDatabase

    prefix = hashlib.sha256(content.encode()).digest()[:16]

    class OfContent(ExampleDatabase):
        def save(self, key: bytes, value: bytes) -> None:
            database.save(prefix + key, value)

        def fetch(self, key: bytes) -> Any:
            return database.fetch(prefix + key)

        def delete(self, key: bytes, value: bytes) -> None:
            database.delete(prefix + key, value)

    return OfContent()


__all__ = [
    "LARGEST_SEED",
    "MOST_EXAMPLES",
    "MOST_FAULTS",
    "Found",
    "Search",
    "Stop",
    "Stopped",
    "Subject",
    "UnusableModelError",
    "Watch",
    "possible_states",
    "search",
    "space_of",
]
