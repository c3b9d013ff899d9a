"""As many pods as the operator makes: with a prime for every count, no wrong formula gives the right number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from wmap_lint.catalog import Catalog, Resolver
from wmap_lint.fixtures import instance_key
from wmap_lint.resolve.view import ComponentView

ROOT = Path(__file__).parents[2]
CATALOG = Catalog.load(ROOT / "catalog")


@pytest.fixture(scope="module")
def resolver() -> Iterator[Resolver]:
    with Resolver() as running:
        yield running


def template(**containers: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "main", "image": "registry.example.com/main:1", **containers}]}}


def workload(api_version: str, kind: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "counted", "namespace": "default", "uid": "5e7c0f6e-0d7e-4d4e-9a55-2f1d3a0f6b11"},
        "spec": spec,
    }


def job(**spec: Any) -> dict[str, Any]:
    return workload("batch/v1", "Job", {"template": template(), **spec})


def cronjob(runs: int, **spec: Any) -> dict[str, Any]:
    """With that many runs at this moment, and limits of what is kept, which make no pods."""
    made = workload(
        "batch/v1",
        "CronJob",
        {
            "schedule": "0 * * * *",
            "successfulJobsHistoryLimit": 13,
            "failedJobsHistoryLimit": 17,
            "jobTemplate": {"spec": {"template": template(), **spec}},
        },
    )
    active = [{"apiVersion": "batch/v1", "kind": "Job", "name": f"counted-{number}"} for number in range(runs)]
    return {**made, "status": {"active": active} if active else {}}


def counted(components: Iterable[ComponentView]) -> Iterator[tuple[str, int]]:
    """How many pods each component instance that has pods says it has."""
    for each in components:
        if each.pod_bearing:
            yield instance_key(each.name, each.instance or ""), each.desired
        yield from counted(each.children)


COUNTED: list[tuple[str, Mapping[str, Any], Mapping[str, int]]] = [
    ("job with more to do than at once", job(parallelism=7, completions=11), {"job": 7}),
    ("job with less to do than at once", job(parallelism=13, completions=5), {"job": 5}),
    ("job with a queue of work", job(parallelism=7), {"job": 7}),
    ("job that does one after the other", job(completions=11), {"job": 1}),
    ("job that says nothing", job(), {"job": 1}),
    ("job that is held at none", job(parallelism=0, completions=11), {"job": 0}),
    ("job with nothing to do", job(parallelism=7, completions=0), {"job": 0}),
    ("cronjob with runs that have more to do", cronjob(3, parallelism=7, completions=11), {"pod": 3 * 7}),
    ("cronjob with runs that have less to do", cronjob(2, parallelism=7, completions=5), {"pod": 2 * 5}),
    ("cronjob with runs that say nothing", cronjob(3), {"pod": 3}),
    ("cronjob between two runs", cronjob(0, parallelism=7), {"pod": 0}),
]


@pytest.mark.parametrize(("manifest", "pods"), [case[1:] for case in COUNTED], ids=[case[0] for case in COUNTED])
def test_the_pods_of_a_workload(manifest: Mapping[str, Any], pods: Mapping[str, int], resolver: Resolver) -> None:
    match = CATALOG.find(manifest)
    assert match is not None
    view = resolver.resolve(match.definition, manifest)
    assert not view.problems
    assert dict(counted(view.components)) == pods
    assert view.totals.desired == sum(pods.values())


@pytest.mark.parametrize(
    ("spec", "pods"),
    [
        ({"parallelism": 7, "completions": 7, "completionMode": "Indexed"}, 7),
        ({"parallelism": 7, "completions": 11, "completionMode": "Indexed"}, 1),
        ({"parallelism": 7, "completions": 7, "completionMode": "Indexed", "backoffLimitPerIndex": 3}, 1),
        ({"parallelism": 7, "completions": 7, "completionMode": "NonIndexed"}, 1),
        ({"parallelism": 7}, 1),
        ({"completions": 7}, 1),
        ({}, 1),
        ({"parallelism": 0}, 0),
    ],
)
def test_only_the_pods_of_a_job_that_need_each_other_start_together(
    spec: Mapping[str, Any], pods: int, resolver: Resolver
) -> None:
    """Also in the runs of a CronJob, however many there are: each is a gang of its own."""
    manifest = job(**spec)
    match = CATALOG.find(manifest)
    assert match is not None
    (gang,) = resolver.resolve(match.definition, manifest).gangs
    assert gang.min_member == pods

    scheduled = cronjob(3, **spec)
    match = CATALOG.find(scheduled)
    assert match is not None
    (gang,) = resolver.resolve(match.definition, scheduled).gangs
    assert gang.min_member == pods
