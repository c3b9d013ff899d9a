"""The scenarios of the catalog's fixtures, each with what a person expects of it."""

from __future__ import annotations

import copy
import functools
from typing import Any

import yaml

from tests.cli.running import ROOT
from wmap_lint.catalog import Catalog, Request
from wmap_lint.inspection import read_objects, select

FIXTURES = ROOT / "fixtures"


@functools.cache
def builtin() -> Catalog:
    return Catalog.builtin()


_OTHER_FILES = (".expected.yaml", "status-model.yaml")


@functools.cache
def names() -> tuple[str, ...]:
    files = sorted(FIXTURES.glob("*/*.yaml"))
    return tuple(f"{file.parent.name}/{file.stem}" for file in files if not file.name.endswith(_OTHER_FILES))


@functools.cache
def _objects(name: str) -> list[Any]:
    return list(read_objects((FIXTURES / f"{name}.yaml").read_bytes(), name))


def objects(name: str) -> list[Any]:
    """The objects of a scenario, to change at will."""
    return copy.deepcopy(_objects(name))


def request(name: str) -> Request:
    """The scenario as a request, with its pods."""
    (found,) = select(objects(name), builtin()).requests
    return found


@functools.cache
def expected(name: str) -> dict[str, Any]:
    text = (FIXTURES / f"{name}.expected.yaml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


def bench_requests(count: int) -> list[Request]:
    """So many workloads of mixed kinds, no two with one name."""
    found = []
    for index in range(count):
        name = names()[index % len(names())]
        found.append(request(name))
        found[-1].workload["metadata"]["name"] += f"-{index}"
    return found
