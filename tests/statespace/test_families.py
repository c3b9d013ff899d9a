"""The same story reads the same in every framework."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from hypothesis import HealthCheck, given, settings

from tests.statespace.catalog import DEFINITIONS, corpus_of, definition_of
from tests.statespace.families import BUILDERS, Family, Story, build, families
from wmap_lint.jq.engine import Engine
from wmap_lint.resolve.evaluation import by_expression, evaluate
from wmap_lint.resolve.status import read_status


def kind_of(name: str) -> tuple[str, str]:
    gvk = definition_of(name).gvk
    assert gvk is not None
    return (gvk.group, gvk.kind)


@cache
def recorded() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """The workloads of the scenarios of each framework, by their names."""
    return {
        name: {each.name: each.workload for each in corpus_of(name).scenarios if each.journey is None}
        for name in DEFINITIONS
        if kind_of(name) in BUILDERS
    }


def readings(family: Family, engine: Engine) -> dict[str, tuple[str, ...]]:
    """What every framework that can tell the story makes of it."""
    found = {}
    for name, workloads in recorded().items():
        definition = definition_of(name)
        workload = build(family, kind_of(name), workloads)
        if workload is None:
            continue
        assert definition.root is not None
        status = definition.root.status_definition
        assert status is not None
        asked = [each.text for each in definition.expressions if each.path[: len(status.path)] == status.path]
        (programs,) = evaluate(engine, asked, [workload])
        found[name] = read_status(status, by_expression(programs)).matched
    return found


def test_every_framework_of_the_catalog_is_there() -> None:
    assert set(map(kind_of, DEFINITIONS)) >= set(BUILDERS)
    assert len(recorded()) >= 3


def test_a_story_reads_the_same_everywhere(engine: Engine) -> None:
    told: dict[Story, set[str]] = {}

    # That every story is told is asked below, so the same ones are told each time.
    @settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(families())
    def look(family: Family) -> None:
        found = readings(family, engine)
        told.setdefault(family.story, set()).update(found)
        assert set(found.values()) == {(family.story.status,)}, found

    look()
    assert set(told) == set(Story)
    for story, names in told.items():
        assert len(names) >= (2 if story is Story.ONE_FAILED else 3)
