"""Standard output and error: what they can show, and how to write to them."""

from __future__ import annotations

import enum
import os
import sys
from contextlib import suppress

from wmap_lint.report.characters import printable

CLEAN = 0
FINDINGS = 1
TROUBLE = 2
NO_DEFINITION = 3
INTERRUPTED = 130

GLYPHS = "│…·␛├└─×"
WIDTH_OF_A_PIPE = 100


class ColorChoice(enum.StrEnum):
    """When to colour."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class OutputError(Exception):
    """Standard output cannot be written to."""


def prepare() -> None:
    """Let both streams take any character: what their encoding lacks is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Write ``text`` to standard output at once.

    A reader that has gone (``| head``) is no trouble: the exit code still tells what was found.

    :raises OutputError: it cannot be written, for want of space for instance.
    """
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard()
    except OSError as error:
        _discard()
        raise OutputError(error.strerror or str(error)) from error


def _discard() -> None:
    """Send what is still buffered nowhere; the interpreter would try to write it when it ends, and complain."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def complain(message: str) -> int:
    """Print one line on standard error; the exit code for trouble."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"wmap-lint: {printable(message, unicode=takes_unicode(sys.stderr))}\n")
        sys.stderr.flush()
    return TROUBLE


def takes_unicode(stream: object) -> bool:
    """Whether the encoding of ``stream`` has the glyphs of our reports."""
    try:
        GLYPHS.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def is_terminal() -> bool:
    """Whether a person reads standard output."""
    try:
        return sys.stdout.isatty()
    except (AttributeError, ValueError):
        return False


def wants_color(choice: ColorChoice = ColorChoice.AUTO) -> bool:
    """Whether to colour standard output; https://no-color.org and a dumb terminal are heard."""
    if choice is not ColorChoice.AUTO:
        return choice is ColorChoice.ALWAYS
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns of the terminal, or of ``COLUMNS``."""
    import shutil

    return shutil.get_terminal_size((WIDTH_OF_A_PIPE, 24)).columns
