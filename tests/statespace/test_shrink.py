"""The smallest object, and what is said of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wmap_lint.paths import ABSENT, lookup
from wmap_lint.statespace.shrink import in_words, removable, smallest
from wmap_lint.statespace.space import ConditionNames, without

NAMES = ConditionNames()
WORKLOAD: dict[str, Any] = {
    "kind": "Widget",
    "spec": {"suspend": True, "roles": [{"name": "a", "replicas": 1}, {"name": "b"}]},
    "status": {
        "phase": "Up",
        "conditions": [
            {"type": "Ready", "status": "True", "reason": "AllUp"},
            {"type": "Failed", "status": "False", "message": ""},
        ],
    },
}


def test_what_is_not_needed_is_left_out() -> None:
    assert smallest(WORKLOAD, lambda each: lookup(each, ("spec", "suspend")) is True, NAMES) == {
        "spec": {"suspend": True}
    }
    found = smallest(
        WORKLOAD,
        lambda each: any(entry["type"] == "Failed" for entry in each.get("status", {}).get("conditions", [])),
        NAMES,
    )
    # A condition keeps its status.
    assert found == {"status": {"conditions": [{"type": "Failed", "status": "False"}]}}


LEAVES = st.sampled_from([("spec", "suspend"), ("status", "phase"), ("spec", "roles", 0, "replicas"), ("kind",)])


@given(st.sets(LEAVES, min_size=1))
def test_everything_that_is_left_is_needed(needed: set[tuple[str | int, ...]]) -> None:
    def shows(workload: Any) -> bool:
        return all(lookup(workload, place) is not ABSENT for place in needed)

    found = smallest(WORKLOAD, shows, NAMES)
    assert shows(found)
    assert not any(shows(without(found, place)) for place in removable(found, NAMES))


def test_words() -> None:
    assert in_words({}, NAMES) == "with nothing in it"
    assert in_words({"spec": {"suspend": True}}, NAMES) == "with `spec.suspend: true`"
    assert in_words({"spec": {}}, NAMES) == "with `spec: {}`"
    assert (
        in_words({"spec": WORKLOAD["spec"], "status": WORKLOAD["status"]}, NAMES)
        == 'with `spec.suspend: true`, `spec.roles[0].name: "a"`, `spec.roles[0].replicas: 1`, '
        '`spec.roles[1].name: "b"`, `status.phase: "Up"` and the conditions Ready=True (AllUp) and Failed=False'
    )
    many = {"spec": {f"f{number}": number for number in range(9)}}
    assert in_words(many, NAMES).endswith("`spec.f4: 4` and 4 more fields")
