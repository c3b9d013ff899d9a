"""What is the same in every framework: canonical scenarios, the status each has, and what it shows (floor 3).

A kind has those scenarios that its operator can reach. Whatever the framework, the same scenario reads the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wmap_lint.fixtures import CANONICAL
from wmap_lint.record import Record


class CanonicalScenario(Record):
    """One frame of a workload's life: its status, and the frame in words."""

    status: str
    frame: str


_FRAMES = {
    "created": "accepted by the API server, the operator has written nothing",
    "created-suspended": "accepted with the switch on, nothing written",
    "starting": "looked at, pods pending or not ready",
    "running": "all desired pods up",
    "degraded": "at work with a fault that the operator reports and can clear",
    "completed": "finished successfully",
    "failed": "will not go on without a change of the specification",
    "suspending": "suspension asked for, pods still there",
    "suspended": "suspended, nothing running",
    "resuming": "suspension lifted, the operator has not caught up",
    "scaled": "running at another size than first applied",
}
_MORE = {"created-suspended": "Suspended"}

SCENARIOS: Mapping[str, CanonicalScenario] = MappingProxyType(
    {name: CanonicalScenario({**CANONICAL, **_MORE}[name], frame) for name, frame in _FRAMES.items()}
)
"""By name, as fixtures are called; more specific ones are told by the whole name."""


def canonical(name: str) -> CanonicalScenario | None:
    """The canonical scenario that a fixture called ``name`` shows: the longest that its name begins with."""
    words = name.split("-")
    for length in range(len(words), 0, -1):
        found = SCENARIOS.get("-".join(words[:length]))
        if found is not None:
            return found
    return None


__all__ = ["SCENARIOS", "CanonicalScenario", "canonical"]
