"""From an object that shows something to the smallest one that still does, and that in words (floor 3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wmap_lint.paths import written
from wmap_lint.resolve.writes import Place
from wmap_lint.statespace.space import ConditionNames, json_words, without
from wmap_lint.wording import joined

Shows = Callable[[Any], bool]
"""Whether an object still shows what it is kept for."""

_MOST_NAMED = 6


def smallest(workload: Any, shows: Shows, names: ConditionNames) -> Any:
    """``workload`` without all that it can do without: each field and item of the result is needed.

    A condition keeps its type and its status, as a condition without is none.
    """
    again = True
    while again:
        again = False
        for place in _removable(workload, names):
            smaller = without(workload, place)
            if smaller is not workload and smaller != workload and shows(smaller):
                workload = smaller
                again = True
                break
    return workload


def removable(workload: Any, names: ConditionNames) -> list[Place]:
    """The fields and items that may be taken away, what holds others first."""
    return list(_removable(workload, names))


def _removable(workload: Any, names: ConditionNames) -> Iterator[Place]:
    level: list[tuple[Place, Any]] = [((), workload)]
    while level:
        below: list[tuple[Place, Any]] = []
        for place, value in level:
            entry = names.place is not None and place[:-1] == names.place and isinstance(place[-1], int)
            steps: list[Any] = []
            if isinstance(value, dict):
                steps = [key for key in value if not entry or key not in (names.type, names.status)]
            elif isinstance(value, list):
                steps = list(range(len(value) - 1, -1, -1))
            for step in steps:
                yield (*place, step)
                below.append(((*place, step), value[step]))
        level = below


def in_words(workload: Any, names: ConditionNames) -> str:
    """What an object has, as the end of a sentence: ``with `spec.suspend: true` and the condition Failed=True``."""
    fields: list[str] = []
    conditions: list[str] = []
    for place, value in _leaves(workload, (), names):
        if names.place is not None and place[:-1] == names.place and isinstance(value, Mapping):
            reason = value.get(names.reason)
            said = f"{value.get(names.type)}={value.get(names.status)}"
            conditions.append(f"{said} ({reason})" if reason else said)
        else:
            fields.append(f"`{written(place)}: {json_words(value)}`")
    parts = fields
    if len(parts) > _MOST_NAMED:
        parts = [*parts[: _MOST_NAMED - 1], f"{len(parts) - _MOST_NAMED + 1} more fields"]
    if conditions:
        noun = "condition" if len(conditions) == 1 else "conditions"
        parts = [*parts, f"the {noun} {joined(conditions)}"]
    return f"with {joined(parts)}" if parts else "with nothing in it"


def _leaves(value: Any, place: Place, names: ConditionNames) -> Iterator[tuple[Place, Any]]:
    if names.place is not None and place == names.place and isinstance(value, list):
        for position, entry in enumerate(value):
            if isinstance(entry, dict):
                yield (*place, position), entry
            else:
                yield (*place, position), json.dumps(entry)
    elif isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*place, key), names)
    elif isinstance(value, list) and value:
        for position, inner in enumerate(value):
            yield from _leaves(inner, (*place, position), names)
    elif place:
        yield place, value


__all__ = ["Shows", "in_words", "removable", "smallest"]
