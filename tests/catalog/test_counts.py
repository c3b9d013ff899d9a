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
        "metadata": {"name": "counted", "namespace": "default"},
        "spec": spec,
    }


def mpijob(**roles: Any) -> dict[str, Any]:
    """Slots are processes in a pod, and minAvailable is about the operator's own PodGroup: neither makes pods."""
    return workload(
        "kubeflow.org/v2beta1",
        "MPIJob",
        {"mpiReplicaSpecs": roles, "slotsPerWorker": 11, "runPolicy": {"schedulingPolicy": {"minAvailable": 3}}},
    )


def counted(components: Iterable[ComponentView]) -> Iterator[tuple[str, int]]:
    """How many pods each component instance that has pods says it has."""
    for each in components:
        if each.pod_bearing:
            yield instance_key(each.name, each.instance or ""), each.desired
        yield from counted(each.children)


COUNTED: list[tuple[str, Mapping[str, Any], Mapping[str, int]]] = [
    (
        "mpijob",
        mpijob(Launcher={"template": template()}, Worker={"replicas": 7, "template": template()}),
        {"replica[launcher]": 1, "replica[worker]": 7},
    ),
    (
        "mpijob with other keys, which its operator does not read",
        mpijob(
            Launcher={"replicas": 1, "template": template()},
            Worker={"replicas": 7, "template": template()},
            worker={"replicas": 13, "template": template()},
        ),
        {"replica[launcher]": 1, "replica[worker]": 7},
    ),
    ("mpijob without Workers", mpijob(Launcher={"template": template()}), {"replica[launcher]": 1}),
    (
        "mpijob with Workers that say no number, so there are none",
        mpijob(Launcher={"template": template()}, Worker={"template": template()}),
        {"replica[launcher]": 1, "replica[worker]": 0},
    ),
]


@pytest.mark.parametrize(("manifest", "pods"), [case[1:] for case in COUNTED], ids=[case[0] for case in COUNTED])
def test_the_pods_of_a_workload(manifest: Mapping[str, Any], pods: Mapping[str, int], resolver: Resolver) -> None:
    match = CATALOG.find(manifest)
    assert match is not None
    view = resolver.resolve(match.definition, manifest)
    assert not view.problems
    assert dict(counted(view.components)) == pods
    assert view.totals.desired == sum(pods.values())
