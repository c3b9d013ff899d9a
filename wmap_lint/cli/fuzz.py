"""``wmap-lint fuzz``."""

from __future__ import annotations

import enum
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wmap_lint.cli.terminal import (
    CLEAN,
    FINDINGS,
    INTERRUPTED,
    TROUBLE,
    ColorChoice,
    complain,
    takes_unicode,
    wants_color,
    width,
    write,
)

if TYPE_CHECKING:
    from wmap_lint.statespace.campaign import Campaign, Progress
    from wmap_lint.statespace.fuzzing import Subject, Watch

_LARGEST_SEED = 2**32 - 1
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")


class Format(enum.StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSON = "json"


def fuzz(
    definitions: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DEFINITIONS",
            help="Files and folders. Default: the catalog of this folder, else the shipped one.",
            show_default=False,
        ),
    ] = None,
    max_examples: Annotated[
        int, typer.Option(metavar="N", min=1, help="Objects that are drawn for each definition, at most.")
    ] = 5000,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="S",
            min=0,
            max=_LARGEST_SEED,
            help="Draw the same objects again. Default: a new seed, after what failed before.",
            show_default=False,
        ),
    ] = None,
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="Time for everything: 60s, 5m, 1h30m; 0 is no limit.")
    ] = "60s",
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            file_okay=False,
            help="Write what is found as scenarios into this folder of fixtures, one subfolder a definition.",
        ),
    ] = None,
    fixtures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="The folder of recorded objects and status models. Default: beside the definitions.",
        ),
    ] = None,
    engines: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Have other engines read the same objects: gojq,jaq. They have to be installed."
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="How findings are written.")] = Format.TEXT,  # noqa: A002
    color: Annotated[ColorChoice, typer.Option(help="When to colour.")] = ColorChoice.AUTO,
) -> int:
    """Search for objects that definitions read wrongly: two statuses, none, a wrong one, or an error.

    The exit code is 0 when nothing is found, also where the time has run out, 1 when something is found, 2 when nothing
    could be searched, 130 when it was interrupted: then what was found until then is shown.
    """
    from wmap_lint.checker import UsageError
    from wmap_lint.jq.engine import EngineUnavailable
    from wmap_lint.statespace.campaign import Options, run
    from wmap_lint.statespace.engines import EngineTroubleError, wanted
    from wmap_lint.statespace.fuzzing import UnusableModelError

    seconds = _seconds(budget)
    if seconds is None:
        return complain(f"--budget {budget!r} is no time: write 60s, 5m or 1h30m, or 0 for no limit")
    try:
        others = wanted([each.strip() for each in (engines or "").split(",") if each.strip()])
        subjects = _subjects(definitions or [], fixtures)
        options = Options(max_examples, seed, seconds or None, save, others)
        with _watched() as watch, _shown(format) as progress:
            campaign = run(subjects, options, watch, progress)
    except (UsageError, EngineUnavailable, EngineTroubleError) as error:
        return complain(str(error))
    except UnusableModelError as error:
        span = error.problem.span
        return complain(f"{span.file}:{span.line}:{span.column}: {error.problem.message}")
    write(_rendered(campaign, format, color))
    return _exit_code(campaign)


def _seconds(text: str) -> float | None:
    """``1m30s`` and ``90`` as seconds; None for anything else."""
    text = text.strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _subjects(paths: Sequence[Path], fixtures: Path | None) -> list[Subject]:
    """The definitions to search. Raises :class:`~wmap_lint.checker.UsageError` where there is none."""
    from wmap_lint.checker import default_paths, definitions_in
    from wmap_lint.fixtures import fixtures_folder
    from wmap_lint.statespace.fuzzing import Subject

    return [
        Subject(str(path), definition, fixtures_folder(path, definition.name, fixtures))
        for path, definition in definitions_in(paths or default_paths())
    ]


@contextmanager
def _watched() -> Iterator[Watch]:
    """Ctrl-C ends the search between two objects; a second one ends it at once."""
    from wmap_lint.statespace.fuzzing import Watch

    watch = Watch()

    def interrupt(number: int, frame: Any) -> None:
        if watch.interrupted:
            raise KeyboardInterrupt
        watch.interrupted = True

    if threading.current_thread() is not threading.main_thread():
        yield watch  # nobody else is told of signals
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield watch
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _shown(format: Format) -> Iterator[Progress | None]:  # noqa: A002
    """A line on standard error that says how far it is, when a person looks at it."""
    try:
        looks = sys.stderr.isatty()
    except (AttributeError, ValueError):
        looks = False
    if not looks:
        yield None
        return
    began = time.monotonic()

    def progress(subject: Subject, examples: int, found: int) -> None:
        what = f"{Path(subject.file).stem}: {examples:,} objects, {found} found, {time.monotonic() - began:.0f} s"
        with suppress(OSError, ValueError):
            sys.stderr.write(f"\r\x1b[K{what[: width() - 1]}")
            sys.stderr.flush()

    try:
        yield progress
    finally:
        with suppress(OSError, ValueError):
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _rendered(campaign: Campaign, format: Format, color: ColorChoice) -> str:  # noqa: A002
    from wmap_lint.report.fuzz import render_fuzz_json, render_fuzz_text
    from wmap_lint.report.style import Style

    if format is Format.JSON:
        return render_fuzz_json(campaign)
    return render_fuzz_text(campaign, Style(wants_color(color), width(), takes_unicode(sys.stdout)))


def _exit_code(campaign: Campaign) -> int:
    from wmap_lint.statespace.fuzzing import Stop

    if campaign.stopped is Stop.INTERRUPTED:
        return INTERRUPTED
    if campaign.unsaved is not None or all(each.search.space is None for each in campaign.outcomes):
        return TROUBLE
    return CLEAN if campaign.is_clean else FINDINGS
