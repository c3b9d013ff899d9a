"""The command line (floor 7): read flags, call one function, render.

Nothing heavy is imported here or at the top of a command's module: starting takes longer than checking one
definition.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from wmap_lint.cli.terminal import INTERRUPTED, TROUBLE, OutputError, complain, prepare

TRACEBACK = "WMAP_LINT_TRACEBACK"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code.

    0 is clean, 1 is findings, 2 is trouble with the usage, the configuration or the program itself. There is
    never a traceback, unless ``WMAP_LINT_TRACEBACK=1`` asks for it.
    """
    try:
        prepare()
        code = _run(arguments)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OutputError as error:
        return complain(f"the output could not be written: {error}")
    except Exception as error:
        return _explain(error)
    if code == INTERRUPTED:
        complain("interrupted")
    return code


def _run(arguments: Sequence[str] | None) -> int:
    from wmap_lint.cli.app import command

    code = command().main(args=arguments, prog_name="wmap-lint", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _explain(error: Exception) -> int:
    """One line about ``error``."""
    if type(error).__name__ == "Abort":  # how some versions of Typer hand on Ctrl-C
        complain("interrupted")
        return INTERRUPTED
    # Typer has two families of usage errors, its own and those of Click, depending on its version.
    format_message = getattr(error, "format_message", None)
    if format_message is not None:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "wmap-lint"
        message = " ".join(format_message().split()).replace("Value error, ", "")
        stop = "" if message.endswith((".", "?")) else "."
        return complain(f"{message}{stop} Try '{path} --help'.")
    if os.environ.get(TRACEBACK, "") not in {"", "0"}:
        import traceback

        traceback.print_exc()
        return TROUBLE
    kind = type(error).__name__
    return complain(
        f"this should not have happened: {kind}: {error}. "
        f"Please report it with the command and its input; {TRACEBACK}=1 shows where it happened."
    )
