"""The computed parts of an expectation: what a view says of components, totals and gangs (floor 3).

`check` compares a golden file with these, and `check --update-expected` writes them: both by the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wmap_lint.definition import Definition
from wmap_lint.fixtures import instance_key
from wmap_lint.record import Record
from wmap_lint.resolve.gang import Gang
from wmap_lint.resolve.quantity import Quantity, QuantityError
from wmap_lint.resolve.resources import add, times
from wmap_lint.resolve.view import ComponentView, WorkloadView

Part = dict[str, Any]

BOUNDS = ("minReplicas", "maxReplicas")
"""Fields of a component that are there only when the definition reads them on the object."""


class Computed(Record):
    """What an expectation of this workload would say.

    ``components`` go by ``name`` or ``name[instance]``, those with pods and the levels; ``with_pods`` are the keys of
    the former, which is what an expectation has to list. ``gangs`` is None where pods are needed to tell, and there
    are none.
    """

    components: Mapping[str, Part]
    with_pods: frozenset[str]
    totals: Part
    gangs: tuple[Part, ...] | None


def computed(definition: Definition, view: WorkloadView) -> Computed:
    """The computed parts for ``view``, a view by ``definition``."""
    components: dict[str, Part] = {}
    requests: dict[str, dict[str, Quantity]] = {}
    with_pods = set()
    for node in view.walk():
        key = instance_key(node.name, node.instance or "")
        if not node.pod_bearing:
            # How many groups one instance of the level above has; at a level below instances these are alike.
            components.setdefault(key, {"replicas": _groups(node), **_bounds(node)})
            continue
        with_pods.add(key)
        own = node.desired - sum(child.desired for child in node.children)
        part = components.setdefault(key, {"replicas": 0, **_bounds(node), "pods": 0, "requests": {}})
        part["replicas"] += own
        part["pods"] += len(node.pods)
        requests[key] = add(requests.get(key, {}), times(node.requests, own))
    for key, amounts in requests.items():
        components[key]["requests"] = amounts_as_text(amounts)
    totals = {"pods": view.totals.present, "requests": amounts_as_text(view.totals.requests)}
    return Computed(components, frozenset(with_pods), totals, _gangs(definition, view))


def _groups(level: ComponentView) -> int:
    count = level.replicas if level.replicas is not None else level.min_replicas
    return 1 if count is None else max(0, count)


def _bounds(node: ComponentView) -> dict[str, int]:
    """The least and the most replicas, where the definition reads any: of this level, none above multiplied."""
    bounds = zip(BOUNDS, (node.min_replicas, node.max_replicas), strict=True)
    return {field: count for field, count in bounds if count is not None}


def amounts_as_text(amounts: Mapping[str, Quantity]) -> dict[str, str]:
    """Amounts that are not zero, in their canonical form, by name."""
    return {name: str(amounts[name]) for name in sorted(amounts) if amounts[name]}


def _gangs(definition: Definition, view: WorkloadView) -> tuple[Part, ...] | None:
    gang = definition.gang
    if gang is not None and gang.pod_group is None and gang.pod_groups and not view.totals.present:
        return None
    found = [_gang(each) for each in view.gangs if each.min_member != 0]
    return tuple(sorted(found, key=_order))


def _gang(gang: Gang) -> Part:
    part: Part = {"name": gang.name}
    if gang.min_member is not None:
        part["minMember"] = gang.min_member
    else:
        part["subGroups"] = [
            {"name": each.name, "minMember": each.min_member, **({"pods": list(each.pods)} if each.pods else {})}
            for each in gang.sub_groups
        ]
    if gang.pods and "subGroups" not in part:
        part["pods"] = list(gang.pods)
    return part


def _order(part: Mapping[str, Any]) -> tuple[str, list[str]]:
    return str(part.get("name")), list(part.get("pods") or ())


class Difference(Record):
    """Something that is not as expected: the keys that lead to it in the expectation, and both values."""

    path: tuple[str | int, ...]
    expected: Any
    found: Any


def differences(expected: Mapping[str, Any], found: Computed) -> Iterator[Difference]:
    """What an expectation states of components, totals and gangs that is otherwise; what it does not state is free.

    Which instances there are is not compared here.
    """
    for key, part in (expected.get("components") or {}).items():
        if key in found.components:
            yield from _of_part(part, found.components[key], ("components", key))
    yield from _of_part(expected.get("totals") or {}, found.totals, ("totals",))
    if "gangs" in expected and found.gangs is not None:
        yield from _of_gangs(expected["gangs"] or (), found.gangs)


def _of_part(
    expected: Mapping[str, Any], found: Mapping[str, Any], path: tuple[str | int, ...]
) -> Iterator[Difference]:
    for field, value in expected.items():
        if (field in found or field in BOUNDS) and not same(field, value, found.get(field)):
            yield Difference((*path, field), value, found.get(field))


def same(field: str, expected: Any, found: Any) -> bool:
    """Whether two values of a field say the same: amounts may be spelled otherwise, and nothing may be left out."""
    if field != "requests" or not isinstance(expected, Mapping):
        return bool(expected == found)
    return _amounts(expected) == _amounts(found)


def _amounts(texts: Mapping[str, str]) -> dict[str, Quantity] | None:
    try:
        amounts = {name: Quantity.parse(text) for name, text in texts.items()}
    except QuantityError:
        return None
    return {name: amount for name, amount in amounts.items() if amount}


def _of_gangs(expected: Iterable[Mapping[str, Any]], found: Iterable[Mapping[str, Any]]) -> Iterator[Difference]:
    left = list(found)
    for position, gang in enumerate(expected):
        match = next((each for each in left if _states(gang, each)), None)
        if match is None:
            match = next((each for each in left if each["name"] == gang.get("name")), None)
        if match is None:
            yield Difference(("gangs", position), gang, None)
            continue
        left.remove(match)
        for field, value in gang.items():
            if not _states({field: value}, match):
                yield Difference(("gangs", position, field), value, match.get(field))
    for each in left:
        yield Difference(("gangs",), None, each)


def _states(gang: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether ``found`` is as ``gang`` states; subgroups may leave out their pods."""
    for field, value in gang.items():
        if field == "subGroups":
            others = found.get("subGroups") or ()
            if len(value) != len(others) or not all(
                _states(one, other) for one, other in zip(value, others, strict=True)
            ):
                return False
        elif field == "pods" and "subGroups" in found:
            inside = [name for group in found["subGroups"] for name in group.get("pods") or ()]
            if sorted(value) != sorted(inside):
                return False
        elif found.get(field, [] if field == "pods" else None) != value:
            return False
    return True


__all__ = ["Computed", "Difference", "amounts_as_text", "computed", "differences", "same"]
