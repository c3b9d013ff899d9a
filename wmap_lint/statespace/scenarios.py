"""What is the same in every framework: canonical scenarios, the status each has, and what it shows (floor 3).

A kind has those scenarios that its operator can reach. Whatever the framework, the same scenario reads the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wmap_lint.record import Record


class CanonicalScenario(Record):
    """One frame of a workload's life: its status, and the frame in words."""

    status: str
    frame: str


SCENARIOS: Mapping[str, CanonicalScenario] = MappingProxyType(
    {
        "created": CanonicalScenario("Initializing", "accepted by the API server, the operator has written nothing"),
        "created-suspended": CanonicalScenario("Suspended", "accepted with the switch on, nothing written"),
        "starting": CanonicalScenario("Initializing", "looked at, pods pending or not ready"),
        "running": CanonicalScenario("Running", "all desired pods up"),
        "degraded": CanonicalScenario("Degraded", "at work with a fault that the operator reports and can clear"),
        "completed": CanonicalScenario("Completed", "finished successfully"),
        "failed": CanonicalScenario("Failed", "will not go on without a change of the specification"),
        "suspending": CanonicalScenario("Suspending", "suspension asked for, pods still there"),
        "suspended": CanonicalScenario("Suspended", "suspended, nothing running"),
        "resuming": CanonicalScenario("Resuming", "suspension lifted, the operator has not caught up"),
        "scaled": CanonicalScenario("Running", "running at another size than first applied"),
    }
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
