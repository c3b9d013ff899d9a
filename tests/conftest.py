from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from wmap_lint.jq.engine import Engine


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache of the tests' own, for this process and those it starts."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running
