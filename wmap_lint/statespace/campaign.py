"""Definition after definition searched within one budget, other engines asked, findings saved (floor 3)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from wmap_lint.jq.engine import Engine
from wmap_lint.record import Record
from wmap_lint.statespace.engines import Disagreement, OtherEngine, disagreements
from wmap_lint.statespace.fuzzing import LARGEST_SEED, MOST_EXAMPLES, Search, Stop, Stopped, Subject, Watch, search
from wmap_lint.statespace.saving import save

DATABASE = Path(".hypothesis") / "examples"
"""Where Hypothesis keeps what failed, to try it first the next time."""

MOST_COMPARED = 2_000
"""Objects of one definition that other engines read as well."""


class Options(Record):
    """How to search.

    ``seed`` None is a random one, with which what failed before is tried first. ``budget`` is the wall clock in seconds
    for everything, shared evenly; None is no limit. ``save`` is the folder of fixtures that findings are written to.
    """

    most_examples: int = MOST_EXAMPLES
    seed: int | None = None
    budget: float | None = None
    save: Path | None = None
    engines: tuple[OtherEngine, ...] = ()
    database: Path | None = DATABASE


class Outcome(Record):
    """What came of one definition. ``saved`` has, for each of what was found, its files: none for one saved before."""

    search: Search
    disagreements: tuple[Disagreement, ...] = ()
    compared: int = 0
    saved: tuple[tuple[Path, ...], ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not self.search.found and not self.disagreements


class Campaign(Record):
    """What came of all. ``stopped`` says what ended it early; ``unsaved`` why something could not be written."""

    outcomes: tuple[Outcome, ...]
    seed: int
    seconds: float
    engines: tuple[str, ...] = ()
    stopped: Stop | None = None
    budget: float | None = None
    unsaved: str | None = None

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return all(each.is_clean for each in self.outcomes)

    @property
    def examples(self) -> int:
        """Objects judged."""
        return sum(each.search.examples for each in self.outcomes)


Progress = Callable[[Subject, int, int], None]
"""Called with the definition at hand, and the objects judged and faults found of it so far."""


class _Saver:
    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.trouble: str | None = None

    def __call__(self, found: Search) -> tuple[tuple[Path, ...], ...]:
        if self.folder is None or self.trouble is not None:
            return ()
        try:
            return tuple(save(found.subject, each, self.folder) for each in found.found)
        except OSError as error:
            self.trouble = f"{error.filename or self.folder}: {error.strerror or error}"
            return ()


def run(
    subjects: Sequence[Subject],
    options: Options,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> Campaign:
    """Search all ``subjects``, as far as ``watch`` lets it.

    Raises :class:`~wmap_lint.statespace.fuzzing.UnusableModelError` and
    :class:`~wmap_lint.statespace.engines.EngineTroubleError`.
    """
    began = time.monotonic()
    end = None if options.budget is None else began + options.budget
    seed = random.SystemRandom().randrange(LARGEST_SEED) if options.seed is None else options.seed
    watch = watch or Watch()
    saver = _Saver(options.save)
    outcomes: list[Outcome] = []
    stopped: Stop | None = None
    with Engine() as engine:
        for position, subject in enumerate(subjects):
            now = time.monotonic()
            # What one definition leaves of its share is there for the others.
            watch.deadline = None if end is None else now + max(end - now, 0) / (len(subjects) - position)
            watch.progress = _for(progress, subject)
            found = search(
                subject,
                engine,
                seed,
                options.most_examples,
                watch,
                options.database,
                replay=options.seed is None,
                sample=MOST_COMPARED if options.engines else 0,
            )
            differing: list[Disagreement] = []
            compared = 0
            if options.engines and found.sample and found.stopped is not Stop.INTERRUPTED:
                watch.deadline = None if end is None else max(end, watch.deadline or end)
                try:
                    differing = _compared(found, engine, options.engines, watch)
                    compared = len(found.sample)
                except Stopped as early:
                    stopped = early.why
            outcomes.append(Outcome(found, tuple(differing), compared, saver(found)))
            if found.stopped in (Stop.BUDGET, Stop.INTERRUPTED):
                stopped = found.stopped
            if stopped is Stop.INTERRUPTED:
                break
    return Campaign(
        tuple(outcomes),
        seed,
        time.monotonic() - began,
        tuple(each.name for each in options.engines),
        stopped,
        options.budget,
        saver.trouble,
    )


def _for(progress: Progress | None, subject: Subject) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda examples, found: progress(subject, examples, found)


def _compared(found: Search, engine: Engine, engines: Sequence[OtherEngine], watch: Watch) -> list[Disagreement]:
    root = found.subject.definition.root
    assert root is not None
    assert root.status_definition is not None
    assert found.space is not None
    return disagreements(
        root.status_definition,
        found.space.names,
        found.sample,
        engine,
        engines,
        lambda: watch.look(found.examples, len(found.found)),
    )


def totals(campaign: Campaign) -> Mapping[str, int]:
    """The numbers that the last line gives."""
    searched = [each.search for each in campaign.outcomes if each.search.space is not None]
    return {
        "definitions": len(searched),
        "examples": sum(each.examples for each in searched),
        "distorted": sum(each.distorted for each in searched),
        "faults": sum(len(each.found) for each in searched),
        "disagreements": sum(len(each.disagreements) for each in campaign.outcomes),
        "compared": sum(each.compared for each in campaign.outcomes),
    }


__all__ = ["DATABASE", "Campaign", "Options", "Outcome", "Progress", "run", "totals"]
