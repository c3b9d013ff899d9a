"""What a project says about how it is to be checked (floor 1).

``[tool.wmap-lint]`` in the nearest ``pyproject.toml`` that has one, or ``wmap-lint.toml``, which has the same keys at
its top. Paths are relative to the file::

    [tool.wmap-lint]
    crds = ["crds", "vendor/jobset.yaml"]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wmap_lint.record import Record
from wmap_lint.spelling import nearest

_KEYS = ("crds",)
_TABLE = "wmap-lint"


class ConfigurationError(Exception):
    """A configuration that cannot be used: one clear line."""


class Configuration(Record):
    """What is configured. ``file`` is where (None: nowhere)."""

    file: Path | None = None
    crds: tuple[Path, ...] = ()


def configured(folder: Path | None = None) -> Configuration:
    """The configuration that holds in ``folder`` (the current one), from there upwards; raises ConfigurationError."""
    start = (folder or Path()).resolve()
    for parent in (start, *start.parents):
        for name in ("wmap-lint.toml", "pyproject.toml"):
            file = parent / name
            if file.is_file() and (table := _table(file)) is not None:
                return _configuration(file, table)
    return Configuration()


def _table(file: Path) -> dict[str, Any] | None:
    """Our part of a file; None when it has none."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        if file.name == "pyproject.toml":
            return None  # somebody else's business
        raise ConfigurationError(f"{file}: cannot be read: {error}") from error
    if file.name == "pyproject.toml" and _TABLE not in text:
        return None
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{file}: this is not TOML: {error}") from error
    if file.name != "pyproject.toml":
        return data
    tools = data.get("tool")
    found = tools.get(_TABLE) if isinstance(tools, dict) else None
    if found is not None and not isinstance(found, dict):
        raise ConfigurationError(f"{file}: tool.{_TABLE} has to be a table")
    return found


def _configuration(file: Path, table: dict[str, Any]) -> Configuration:
    for key in table:
        if key not in _KEYS:
            close = nearest(key, _KEYS)
            meant = f"; did you mean {close[0]}?" if close else f"; there is only {', '.join(_KEYS)}"
            raise ConfigurationError(f"{file}: there is no setting {key!r}{meant}")
    crds = table.get("crds", [])
    if not isinstance(crds, list) or not all(isinstance(path, str) for path in crds):
        raise ConfigurationError(f'{file}: crds has to be a list of paths, as in crds = ["crds"]')
    return Configuration(file, tuple(file.parent / path for path in crds))
