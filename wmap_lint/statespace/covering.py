"""A sample of a space that is too large: every pair of choices is in some state (floor 3).

Greedy: each new state is put together so that it covers as many new pairs as can be, over dimensions in an order that
a generator seeded by the caller mixes. With the same seed the same space gives the same sample.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from wmap_lint.statespace.space import Space, Vector

_MOST_PAIRS = 50_000


def pairwise(space: Space, seed: int, least: int, most: int) -> list[Vector]:
    """States of ``space``: those that cover all pairs of choices, more by chance up to ``least``; ``most`` at most.

    Each is there once, as its canonical vector.
    """
    generator = random.Random(seed)
    found: dict[Vector, None] = {}
    for vector in _covering(space, generator, most):
        found.setdefault(space.canonical(vector))
        if len(found) >= most:
            break
    tries = 0
    while len(found) < min(least, most, space.size) and tries < 20 * least:
        found.setdefault(space.vector(generator.randrange(space.size)))
        tries += 1
    return list(found)


def _covering(space: Space, generator: random.Random, most: int) -> Iterator[Vector]:
    widths = [len(dimension.choices) for dimension in space.dimensions]
    count = len(widths)
    if count < 2:
        yield from ((choice,) for choice in range(widths[0]) if widths)
        return
    left = {
        (one, first, other, second)
        for one in range(count)
        for other in range(one + 1, count)
        for first in range(widths[one])
        for second in range(widths[other])
        if _can_vary(space, one, first, other, second)
    }
    if len(left) > _MOST_PAIRS:
        return
    order = sorted(left)
    position = 0
    while left and position < len(order):
        seed_pair = order[position]
        if seed_pair not in left:
            position += 1
            continue
        one, first, other, second = seed_pair
        chosen: dict[int, int] = {one: first, other: second}
        for dimension in (one, other):
            for gate in space.gates(dimension):
                chosen.setdefault(gate, _opening(space, gate))
        rest = [each for each in range(count) if each not in chosen]
        generator.shuffle(rest)
        for dimension in rest:
            chosen[dimension] = max(
                range(widths[dimension]),
                key=lambda choice: (_new(left, dimension, choice, chosen), generator.random()),
            )
        vector = tuple(chosen[each] for each in range(count))
        covered = {
            (a, vector[a], b, vector[b])
            for a in range(count)
            for b in range(a + 1, count)
            if not space.is_closed(a, vector) and not space.is_closed(b, vector)
        }
        left -= covered
        left.discard(seed_pair)
        yield vector


def _can_vary(space: Space, one: int, first: int, other: int, second: int) -> bool:
    """Whether there is a state that has both choices."""
    return not any(
        gate == upper and not space.dimensions[upper].choices[choice].is_open
        for lower, upper, choice in ((one, other, second), (other, one, first))
        for gate in space.gates(lower)
    )


def _opening(space: Space, gate: int) -> int:
    return next((each for each, choice in enumerate(space.dimensions[gate].choices) if choice.is_open), 0)


def _new(left: set[tuple[int, int, int, int]], dimension: int, choice: int, chosen: dict[int, int]) -> int:
    return sum(
        (dimension, choice, other, value) in left if dimension < other else (other, value, dimension, choice) in left
        for other, value in chosen.items()
    )


__all__ = ["pairwise"]
