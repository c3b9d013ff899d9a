from __future__ import annotations

from collections.abc import Iterator

import pytest

from wmap_lint.jq.engine import Engine


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running
