"""Run the command line as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment(**changes: str) -> dict[str, str]:
    """The environment without what changes the output, and with the package on the path."""
    unwanted = {"NO_COLOR", "COLUMNS", "TERM", "PYTHONIOENCODING", "WMAP_LINT_TRACEBACK", "LC_ALL", "LANG"}
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **changes}


def run(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path = ROOT, **changes: str
) -> subprocess.CompletedProcess[bytes]:
    """``wmap-lint`` with ``arguments``, in a process of its own."""
    command = [sys.executable, "-m", "wmap_lint", *map(str, arguments)]
    return subprocess.run(
        command, input=stdin, capture_output=True, cwd=cwd, env=environment(**changes), timeout=120, check=False
    )
