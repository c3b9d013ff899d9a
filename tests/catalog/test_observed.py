"""Every state that real operators were seen to write reads as exactly one status, where the recordings are at hand."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wmap_lint.catalog import Catalog, Resolver
from wmap_lint.source import ReadLimits, read_file

ROOT = Path(__file__).parents[2]
OBSERVED = ROOT.parent / "shared" / "observed"
CATALOG = Catalog.load(ROOT / "catalog")
RECORDINGS = sorted(OBSERVED.glob("*/*.yaml")) if OBSERVED.is_dir() else []

pytestmark = pytest.mark.skipif(not RECORDINGS, reason="the recordings are not part of this checkout")


@pytest.fixture(scope="module")
def resolver() -> Iterator[Resolver]:
    with Resolver() as running:
        yield running


def merged(target: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def states(recording: Any) -> Iterator[tuple[int, Any]]:
    """The objects of a recording's states, each with its number."""
    for number, frame in enumerate(recording["frames"], 1):
        if frame.get("kind") != "STATE":
            continue
        workload = copy.deepcopy(recording["base"])
        for part in ("spec", "metadata"):
            if part in frame:
                workload[part] = merged(workload.get(part), frame[part])
        if frame.get("generation") is not None:
            workload.setdefault("metadata", {})["generation"] = frame["generation"]
        if frame.get("status") is not None:
            workload["status"] = frame["status"]
        yield number, workload


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_every_state_reads_as_one_status(path: Path, resolver: Resolver) -> None:
    recording: Any = read_file(path, limits=ReadLimits(max_bytes=32 * 1024 * 1024)).documents[0].data
    match = CATALOG.find(recording["base"])
    if match is None:
        pytest.skip("the catalog has no definition for this kind yet")
    for number, workload in states(recording):
        view = resolver.resolve(match.definition, workload)
        assert len(view.matched) == 1, (number, view.matched, view.problems)
        assert view.status != "Undefined", number


def test_some_recordings_are_covered() -> None:
    covered = [path for path in RECORDINGS if path.parent.name in ("jobset", "kubeflow", "kuberay", "lws")]
    assert len(covered) > 15
