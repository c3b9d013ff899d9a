"""Which known name a misspelt one is meant to be (floor 0)."""

from __future__ import annotations

from collections.abc import Iterable


def edit_distance(left: str, right: str) -> int:
    """How many letters to insert, delete, replace or swap with a neighbour to get from one to the other."""
    before_last: list[int] = []
    last = list(range(len(right) + 1))
    for row, letter in enumerate(left, 1):
        current = [row]
        for column, other in enumerate(right, 1):
            cost = min(
                last[column] + 1,
                current[column - 1] + 1,
                last[column - 1] + (letter != other),
            )
            if row > 1 and column > 1 and letter == right[column - 2] and left[row - 2] == other:
                cost = min(cost, before_last[column - 2] + 1)
            current.append(cost)
        before_last, last = last, current
    return last[-1]


def nearest(name: str, candidates: Iterable[str], at_most: int | None = None) -> tuple[str, ...]:
    """The candidates with the fewest letters different from ``name``, case aside.

    Nothing that differs in more than ``at_most`` letters (a third of the name, if not given).
    """
    # Of a name of two letters nothing is left when one is wrong; only its case may be.
    limit = len(name) // 3 if at_most is None else at_most
    # A name much longer than every field is no misspelling, and comparing it is not free.
    distances = {
        candidate: edit_distance(name.lower(), candidate.lower())
        for candidate in candidates
        if abs(len(candidate) - len(name)) <= limit
    }
    best = min(distances.values(), default=limit + 1)
    return tuple(candidate for candidate, distance in distances.items() if distance == best <= limit)
