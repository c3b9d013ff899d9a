"""Paths into plain data: how they are looked up, ordered and written (floor 0)."""

from __future__ import annotations

from wmap_lint.source import DocumentPath


class _Absent:
    """The value of a path that leads nowhere; None is a value of its own."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


def lookup(data: object, path: DocumentPath) -> object:
    """The value at ``path`` of ``data``, or :data:`ABSENT`; never raises."""
    for step in path:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step, ABSENT)
        elif isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
            data = data[step]
        else:
            return ABSENT
    return data


class DocumentOrder:
    """Sorts paths of one document as a reader meets them: a mapping before what is in it, keys as written."""

    def __init__(self, data: object) -> None:
        self._data = data
        self._positions: dict[int, dict[object, int]] = {}

    def key(self, path: DocumentPath) -> tuple[int, ...]:
        """Sort key of ``path``; what is absent comes after what is there."""
        data = self._data
        result: list[int] = []
        for step in path:
            if isinstance(data, dict):
                # A wide mapping is asked about once for each of its keys: count its keys only once.
                positions = self._positions.setdefault(id(data), {}) or self._count(data)
                result.append(positions.get(step, len(data)))
                data = data.get(step)
            elif isinstance(data, list) and isinstance(step, int):
                result.append(step)
                data = data[step] if 0 <= step < len(data) else None
            else:
                result.append(0)
                data = None
        return tuple(result)

    def _count(self, data: dict[object, object]) -> dict[object, int]:
        positions = {key: position for position, key in enumerate(data)}
        self._positions[id(data)] = positions
        return positions


def written(path: DocumentPath) -> str:
    """``path`` as people write it, ``spec.childComponents[0].name``, unusual keys in quotes."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("_", "a").replace("-", "a").isalnum():
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


__all__ = ["ABSENT", "DocumentOrder", "DocumentPath", "lookup", "written"]
