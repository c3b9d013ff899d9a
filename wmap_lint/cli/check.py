"""``wmap-lint check``."""

from __future__ import annotations

import enum
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wmap_lint.cli.codes import complete_code, split_codes
from wmap_lint.cli.terminal import (
    CLEAN,
    FINDINGS,
    TROUBLE,
    ColorChoice,
    complain,
    takes_unicode,
    wants_color,
    width,
    write,
)
from wmap_lint.diagnostic import Severity

if TYPE_CHECKING:
    from wmap_lint.checker import Options
    from wmap_lint.report.result import Result

STDIN = Path("-")


class Threshold(enum.StrEnum):
    """The least severity that makes the exit code 1."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    NEVER = "never"


class Format(enum.StrEnum):
    """How findings are written."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"


class Fuzz(enum.StrEnum):
    """How much of what operators can write is looked at."""

    QUICK = "quick"
    OFF = "off"
    DEEP = "deep"


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATHS",
            help="Files and folders; - is standard input. Default: the catalog of this folder, else the shipped one.",
            show_default=False,
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODES",
            help="Only these rules, by code or its beginning: WM203,WM5. May be repeated.",
            autocompletion=complete_code,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="Not these rules. May be repeated.", autocompletion=complete_code),
    ] = None,
    fail_on: Annotated[
        Threshold, typer.Option(help="The least severity that makes the exit code 1.")
    ] = Threshold.ERROR,
    format: Annotated[Format, typer.Option(help="How findings are written.")] = Format.TEXT,  # noqa: A002
    fixtures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="The folder of recorded objects, one subfolder a definition. Default: beside the definitions.",
        ),
    ] = None,
    crds: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="Files and folders with CustomResourceDefinitions to type expressions against. May be repeated.",
        ),
    ] = None,
    fuzz: Annotated[
        Fuzz,
        typer.Option(
            help="How much of what operators can write is looked at: all states of a status model or a sample of many, "
            "nothing, or ten times as many."
        ),
    ] = Fuzz.QUICK,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            metavar="N",
            help="How many files are checked at a time. Default: as many as there are processors.",
            show_default=False,
        ),
    ] = None,
    stdin_filename: Annotated[
        str | None, typer.Option(metavar="NAME", help="What to call standard input in findings.")
    ] = None,
    update_expected: Annotated[
        bool,
        typer.Option(
            "--update-expected",
            help="First rewrite the computed parts of the golden files: components, totals, gangs; never the status.",
        ),
    ] = False,
    color: Annotated[ColorChoice, typer.Option(help="When to colour.")] = ColorChoice.AUTO,
) -> int:
    """Check definitions and what they read from their fixtures.

    The exit code is 0 when nothing is found, 1 when something is found that is at least as severe as --fail-on
    says, 2 when nothing could be checked.
    """
    from wmap_lint import checker
    from wmap_lint.configuration import ConfigurationError, configured

    # A check makes many small objects, and hardly any that refer to each other in a circle.
    gc.set_threshold(_MANY_OBJECTS, 10, 10)
    paths = paths or []
    from_stdin = STDIN in paths
    if from_stdin and len(paths) > 1:
        return complain("- (standard input) cannot be combined with other paths")
    if stdin_filename is not None and not from_stdin:
        return complain("--stdin-filename names standard input, which is read only when the path is -")
    try:
        options = checker.Options(
            select=split_codes(select),
            ignore=split_codes(ignore),
            fixtures=fixtures,
            depth=fuzz.value,
            crds=tuple(crds or configured().crds),
            processes=jobs or processors(),
        )
    except ConfigurationError as error:
        return complain(str(error))
    if update_expected and from_stdin:
        return complain("--update-expected rewrites files beside the definition, so it needs a file, not -")
    if update_expected and not paths and not Path("catalog").is_dir():
        return complain("--update-expected rewrites files: name the definitions whose golden files are meant")
    try:
        if update_expected:
            update(paths or list(checker.default_paths()), options)
        if from_stdin:
            result = checker.check_text(read_stdin(), stdin_filename or "<stdin>", options)
        else:
            result = checker.check_paths(paths or checker.default_paths(), options)
    except checker.UsageError as error:
        return complain(str(error))
    except _NotWrittenError as error:
        return complain(f"a golden file cannot be written: {error}")
    write(rendered(result, format, color))
    return exit_code(result, fail_on)


_MANY_OBJECTS = 1_000_000
_MOST_PROCESSES = 8


def processors() -> int:
    """How many processes may run at a time: the processors that are ours to use, but not all of a large machine."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(count or 1, _MOST_PROCESSES)


class _NotWrittenError(Exception):
    """A golden file that cannot be written; the message says which, and why."""


def update(paths: list[Path], options: Options) -> None:
    """Bring golden files up to date, and say on standard error which have changed: standard output is the report's."""
    from wmap_lint.update import update_expected

    try:
        done = update_expected(paths, options)
    except OSError as error:
        raise _NotWrittenError(f"{error.filename}: {error.strerror}") from error
    for path in done.changed:
        complain(f"updated {path}")
    for path in done.created:
        complain(f"created {path}: fill in its provenance and status")
    for message in done.left:
        complain(message)
    if not (done.changed or done.created or done.left):
        complain("all golden files are up to date")


def read_stdin() -> bytes:
    """Standard input, and no more of it than it takes to see that it is too large."""
    from wmap_lint.source import ReadLimits

    return sys.stdin.buffer.read(ReadLimits().max_bytes + 1)


def rendered(result: Result, format: Format, color: ColorChoice) -> str:  # noqa: A002
    """The report."""
    from wmap_lint.report import render

    names: dict[str, str] = {}
    if format is Format.JSON:
        from wmap_lint.rules import all_rules

        names = {rule.code: rule.name for rule in all_rules()}
    return render(
        result, format.value, wants_color(color), width(), unicode=takes_unicode(sys.stdout), rule_names=names
    )


def exit_code(result: Result, threshold: Threshold) -> int:
    """0, 1, or 2 when there was no file to look at: a wrong folder must not pass for a clean one."""
    if result.summary.files == 0:
        return TROUBLE
    if threshold is Threshold.NEVER:
        return CLEAN
    least = Severity[threshold.name]
    return FINDINGS if any(diagnostic.severity >= least for diagnostic in result.diagnostics) else CLEAN
