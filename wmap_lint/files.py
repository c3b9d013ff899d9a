"""Files that are written whole or not at all (floor 0)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Put ``content`` in place of a file at once, so that nobody ever reads half of it; a link stays one."""
    import tempfile

    target = Path(os.path.realpath(path))
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_mask()
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
