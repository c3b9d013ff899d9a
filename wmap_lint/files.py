"""Files that are written whole or not at all (floor 0)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Put ``content`` in place of a file at once, so that nobody ever reads half of it; a link stays one."""
    target = Path(os.path.realpath(path))
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_mask()
    _put(target, content, mode, os.replace)


def write_new(path: Path, content: bytes) -> None:
    """Write a file at once, unless there is one: then FileExistsError."""
    _put(path, content, 0o666 & ~_mask(), os.link)


def _put(target: Path, content: bytes, mode: int, into_place: Callable[[str, Path], None]) -> None:
    import tempfile

    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        os.chmod(name, mode)
        into_place(name, target)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)  # nothing, where it has been moved


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
