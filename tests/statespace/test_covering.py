"""A sample holds every pair of choices that some state has."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from wmap_lint.paths import ABSENT
from wmap_lint.statespace.covering import pairwise
from wmap_lint.statespace.space import Choice, Dimension, Space, Vector


def dimension(name: str, *values: Any) -> Dimension:
    return Dimension(name, (tuple(name.lstrip(".").split(".")),), tuple(map(Choice, values)))


def pairs(space: Space, vectors: list[Vector]) -> set[tuple[int, int, int, int]]:
    """The pairs of choices of dimensions that vary."""
    return {
        (one, vector[one], other, vector[other])
        for vector in vectors
        for one, other in combinations(range(len(vector)), 2)
        if not space.is_closed(one, vector) and not space.is_closed(other, vector)
    }


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    dimensions = []
    for name in draw(st.lists(st.sampled_from([".a", ".a.b", ".a.b.c", ".d", ".e", ".f"]), unique=True, min_size=2)):
        values: list[Any] = draw(st.lists(st.sampled_from([1, 2, 3, {}, {"x": 1}]), unique_by=repr, min_size=1))
        dimensions.append(dimension(name, *values, *([ABSENT] if draw(st.booleans()) else [])))
    return Space({"a": {"b": {}}}, dimensions)


@settings(max_examples=60, deadline=None)
@given(spaces(), st.integers(0, 9))
def test_every_pair_is_covered(space: Space, seed: int) -> None:
    everything = [space.vector(number) for number in range(space.size)]
    sample = pairwise(space, seed, 0, space.size)
    assert len(set(sample)) == len(sample)
    assert set(sample) <= set(everything)
    assert pairs(space, sample) == pairs(space, everything)
    assert pairwise(space, seed, 0, space.size) == sample


def test_a_sample_is_small() -> None:
    space = Space({}, [dimension(f".f{number}", 0, 1, 2) for number in range(12)])
    sample = pairwise(space, 1, 0, 20_000)
    assert space.size == 531_441
    assert len(sample) < 40
    assert len(pairwise(space, 1, 500, 20_000)) == 500
    assert pairwise(space, 1, 500, 20_000) != pairwise(space, 2, 500, 20_000)


def test_no_more_than_is_asked_for() -> None:
    space = Space({}, [dimension(f".f{number}", *range(20)) for number in range(3)])
    assert len(pairwise(space, 1, 0, 50)) == 50
