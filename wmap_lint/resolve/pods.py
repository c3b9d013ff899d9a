"""Which pods are the workload's, and which component, instance and replica each belongs to (floor 2; SEMANTICS 5)."""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from wmap_lint.definition import Component, ComponentTypeSelector, Definition, Expression
from wmap_lint.jq.engine import Failure, Values
from wmap_lint.record import Record
from wmap_lint.resolve.evaluation import Programs, selector_program
from wmap_lint.resolve.quantity import Quantity, QuantityError

#: How many owner references are followed from a pod upwards.
MAX_OWNERS = 6


class Ownership(enum.Enum):
    """What the owner references of a pod say of a workload."""

    OWNED = "it leads to the workload"
    FOREIGN = "it leads elsewhere"
    UNKNOWN = "an owner on the way is not at hand"


def ownership(pod: Any, workload: Any, owners: Mapping[str, Any]) -> tuple[Ownership, str]:
    """Whether ``pod`` is the workload's by its chain of owners, and the owner at which the chain ends ('' for none).

    ``owners`` are the objects in between (:func:`by_uid`). At each level any reference to the workload settles it;
    otherwise the controller's reference is followed. A workload without a uid (a manifest) is recognised by kind
    and name.
    """
    current = pod
    last = ""
    for _ in range(MAX_OWNERS):
        references = _references(current)
        if any(_refers_to(reference, workload) for reference in references):
            return Ownership.OWNED, ""
        controller = next((each for each in references if each.get("controller") is True), None)
        if controller is None:
            return Ownership.FOREIGN, last
        last = f"{controller.get('kind')} {controller.get('name')}"
        above = owners.get(str(controller.get("uid")))
        if above is None:
            return Ownership.UNKNOWN, last
        current = above
    return Ownership.FOREIGN, last


def by_uid(objects: Iterable[Any]) -> dict[str, Any]:
    """The objects that can stand on a chain of owners, for :func:`ownership`.

    Pods are among them: the leader of a LeaderWorkerSet's group owns the StatefulSet of the workers.
    """
    found = {}
    for each in objects:
        metadata = each.get("metadata") if isinstance(each, dict) else None
        uid = metadata.get("uid") if isinstance(metadata, dict) else None
        if isinstance(uid, str) and uid:
            found[uid] = each
    return found


def possible_owners(objects: Iterable[Any]) -> list[Any]:
    """Those of ``objects`` to which one of them refers, by uid or by name: no other owns any, see :func:`ownership`."""
    objects = list(objects)
    named: set[str] = set()
    for each in objects:
        for reference in _references(each):
            named.update((str(reference.get("uid")), f"{reference.get('kind')} {reference.get('name')}"))
    return [each for each in objects if not named.isdisjoint(_names(each))]


def _names(item: Any) -> tuple[str, ...]:
    metadata = item.get("metadata") if isinstance(item, dict) else None
    if not isinstance(metadata, dict):
        return ()
    return str(metadata.get("uid")), f"{item.get('kind')} {metadata.get('name')}"


def _references(item: Any) -> list[Mapping[str, Any]]:
    metadata = item.get("metadata") if isinstance(item, dict) else None
    references = metadata.get("ownerReferences") if isinstance(metadata, dict) else None
    return [each for each in references if isinstance(each, dict)] if isinstance(references, list) else []


def _refers_to(reference: Mapping[str, Any], workload: Any) -> bool:
    metadata = workload.get("metadata") if isinstance(workload, dict) else None
    if not isinstance(metadata, dict):
        return False
    uid = metadata.get("uid")
    if isinstance(uid, str) and uid:
        return reference.get("uid") == uid
    group = str(workload.get("apiVersion", "")).rpartition("/")[0]
    return (
        isinstance(metadata.get("name"), str)
        and reference.get("kind") == workload.get("kind")
        and reference.get("name") == metadata.get("name")
        and str(reference.get("apiVersion", "")).rpartition("/")[0] == group
    )


_MAPS = frozenset({"labels", "annotations", "nodeSelector", "overhead", "limits", "requests"})
_LONGEST_QUANTITY = 64
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")


def typed(pod: Any) -> Any:
    """``pod`` as consumers hand it to jq, who decode pods into Kubernetes' type first (SEMANTICS 2.1).

    Quantities become canonical texts, empty lists and maps go, ``status`` and the ``resources`` of a container are
    always there. A pod that was read from a cluster is so already; one written by hand need not be. Unlike theirs,
    ours keeps fields that the type does not know.
    """
    if not isinstance(pod, dict):
        return pod
    found = {**pod, "status": pod.get("status") or {}}
    if isinstance(metadata := pod.get("metadata"), dict):
        found["metadata"] = _without_empty(metadata)
    if isinstance(spec := pod.get("spec"), dict):
        found["spec"] = spec = _without_empty(spec, keep="containers")
        for field in _CONTAINERS:
            if isinstance(spec.get(field), list):
                spec[field] = [_typed_container(container) for container in spec[field]]
        if "overhead" in spec:
            spec["overhead"] = _canonical(spec["overhead"])
        if isinstance(spec.get("resources"), dict):
            spec["resources"] = _typed_resources(spec["resources"])
    return found


def _without_empty(fields: Mapping[str, Any], keep: str = "") -> dict[str, Any]:
    return {
        key: value
        for key, value in fields.items()
        if value or key == keep or not (value is None or isinstance(value, list) or key in _MAPS)
    }


def _typed_container(container: Any) -> Any:
    if not isinstance(container, dict):
        return container
    found = {"resources": {}, **_without_empty(container)}
    if isinstance(found["resources"], dict):
        found["resources"] = _typed_resources(found["resources"])
    return found


def _typed_resources(resources: Mapping[str, Any]) -> dict[str, Any]:
    found = _without_empty(resources)
    for field in ("limits", "requests"):
        if field in found:
            found[field] = _canonical(found[field])
    return found


def _canonical(amounts: Any) -> Any:
    if not isinstance(amounts, dict):
        return amounts
    return {
        name: _canonical_text(amount)
        if isinstance(amount, int | float) or (isinstance(amount, str) and len(amount) <= _LONGEST_QUANTITY)
        else amount
        for name, amount in amounts.items()
    }


@functools.lru_cache(maxsize=1024, typed=True)
def _canonical_text(amount: str | int | float) -> str | int | float:
    # The same few amounts are asked for by every pod.
    try:
        return str(Quantity.parse(amount))
    except QuantityError:
        return amount


class Match(Record):
    """What a selector says of a pod: it plays the role, it does not, or the question itself failed."""

    holds: bool
    failure: str | None = None


_YES, _NO = Match(True), Match(False)


def type_matches(selector: ComponentTypeSelector | None, pod: Any, programs: Programs) -> Match:
    """Whether ``pod`` plays the role of ``selector``; a role without a selector is played by none."""
    if selector is None:
        return _NO
    if selector.match_labels:
        labels = _labels(pod)
        if any(labels.get(key) != value for key, value in selector.match_labels.items()):
            return _NO
    program = selector_program(selector)
    if program is None:
        return _YES if selector.match_labels else _NO
    outcome = programs(program)
    if isinstance(outcome, Failure):
        return Match(False, outcome.message)
    if selector.value is None:
        return _YES if any(value is not None for value in outcome.values) else _NO
    return _YES if any(value is True for value in outcome.values) else _NO


def _labels(pod: Any) -> Mapping[str, Any]:
    metadata = pod.get("metadata") if isinstance(pod, dict) else None
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return labels if isinstance(labels, dict) else {}


class Key(Record):
    """A value read off a pod as text; ``failure`` says why there is none."""

    text: str
    failure: str | None = None


def key_of(expression: Expression, programs: Programs) -> Key:
    """The one value that an instance id, replica or group key gives on a pod."""
    outcome = programs(expression.text)
    if isinstance(outcome, Failure):
        return Key("", outcome.message)
    if len(outcome.values) != 1:
        return Key("", f"it gives {len(outcome.values)} results, not one")
    value = outcome.values[0]
    if value is None or value == "":
        return Key("", "it gives nothing" if value is None else "it gives an empty text")
    return Key(go_text(value))


def go_text(value: Any) -> str:
    """A key as consumers print it: texts as they are, numbers and the rest as Go's ``%v`` does."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _go_number(float(value))
    if isinstance(value, list):
        return "[" + " ".join(go_text(item) for item in value) + "]"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{go_text(value[key])}" for key in sorted(value)) + "]"
    return "<nil>"


def _go_number(number: float) -> str:
    """The shortest digits that are the same float64; with an exponent from seven before the point on."""
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    assert isinstance(exponent, int)  # JSON has no infinity
    power = len(digits) + exponent - 1
    if number == 0 or -4 <= power < 6:
        return f"{Decimal(repr(number)).normalize():f}"
    mantissa = str(digits[0]) + ("." + "".join(map(str, digits[1:])) if len(digits) > 1 else "")
    return f"{'-' if sign else ''}{mantissa}e{'-' if power < 0 else '+'}{abs(power):02}"


class Attribution(Record):
    """Where one pod belongs.

    ``component`` is None when nothing claims it; ``also`` names further components that do. ``levels`` holds the
    instance of each multi-instance level above, ``replica`` the replica keys by the component that defines them,
    both outermost first. ``problems`` are whole sentences.
    """

    component: str | None
    instance: str
    levels: tuple[tuple[str, str], ...]
    also: tuple[str, ...]
    replica: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]


def attribute(
    definition: Definition, pod: Any, programs: Programs, instances: Mapping[str, Sequence[str]]
) -> Attribution:
    """Find the component, the instance and the replica of ``pod``.

    ``instances`` holds the instance ids of every component that could be extracted. A component that is the only one
    with pods and has no selector gets every pod.
    """
    name = pod_name(pod)
    bearing = definition.pod_bearing
    problems: list[str] = []
    claims: list[Component] = []
    for component in bearing:
        selector = component.pod_selector.type_selector if component.pod_selector else None
        if selector is None and len(bearing) == 1:
            claims.append(component)
            continue
        match = type_matches(selector, pod, programs)
        if match.failure is not None:
            problems.append(f"The type selector of {component.name!r} fails on pod {name!r}: {match.failure}.")
        elif match.holds:
            claims.append(component)
    if not claims:
        if not problems and bearing:
            roles = ", ".join(repr(component.name) for component in bearing)
            problems.append(f"Pod {name!r} matches no component: the type selectors of {roles} all say no.")
        return Attribution(None, "", (), (), (), tuple(problems))
    component = claims[0]
    if len(claims) > 1:
        roles = " and ".join(repr(each.name) for each in claims)
        problems.append(f"Pod {name!r} matches {roles}; it is counted under {component.name!r}, the first.")
    instance = _instance(component, name, programs, instances, problems)
    levels = [
        (level.name, _instance(level, name, programs, instances, problems))
        for level in reversed(ancestry(definition, component)[1:])
        if level.instance_id_path is not None
    ]
    return Attribution(
        component.name,
        instance,
        tuple(levels),
        tuple(each.name for each in claims[1:]),
        tuple(_replica(definition, component, programs)),
        tuple(problems),
    )


def _instance(
    component: Component,
    pod: str,
    programs: Programs,
    instances: Mapping[str, Sequence[str]],
    problems: list[str],
) -> str:
    """The id of the instance that a pod is of, '' when the component has one only, or when it cannot be told."""
    id_path = component.pod_selector.instance_id_path if component.pod_selector else None
    if component.instance_id_path is None or id_path is None:
        return ""
    key = key_of(id_path, programs)
    ids = instances.get(component.name)
    if key.failure is not None:
        problems.append(f"The instance of pod {pod!r} in component {component.name!r} is unknown: {key.failure}.")
        return ""
    if ids is not None and key.text not in ids:
        problems.append(
            f"Pod {pod!r} says it is of instance {key.text!r} of component {component.name!r}, "
            f"which has {_listed(ids)}."
        )
        return ""
    return key.text


def _listed(ids: Iterable[str]) -> str:
    names = [repr(each) for each in ids]
    return ("the instances " if len(names) > 1 else "the instance ") + ", ".join(names) if names else "no instances"


def _replica(definition: Definition, component: Component, programs: Programs) -> list[tuple[str, str]]:
    """The replica keys that apply to a pod of ``component``: its own level's and those it inherits."""
    chain: list[tuple[str, str]] = []
    for level in ancestry(definition, component):
        path = level.pod_selector.replica_key_path if level.pod_selector else None
        if path is not None:
            key = key_of(path, programs)
            if key.failure is None:
                chain.append((level.name, key.text))
    chain.reverse()
    return chain


def ancestry(definition: Definition, component: Component) -> list[Component]:
    """``component`` and the levels above it, upwards; a cycle ends it."""
    chain = [component]
    while (owner := chain[-1].owner_ref) and (above := definition.component(owner)) is not None:
        if any(above is level for level in chain):
            break
        chain.append(above)
    return chain


def is_same(pod: Any, workload: Any) -> bool:
    """Whether a pod is the workload itself."""
    one, other = (each.get("metadata") if isinstance(each, dict) else None for each in (pod, workload))
    if not isinstance(one, dict) or not isinstance(other, dict):
        return False
    if one.get("uid") and other.get("uid"):
        return bool(one["uid"] == other["uid"])
    return all(one.get(key) == other.get(key) for key in ("name", "namespace"))


def pod_name(pod: Any) -> str:
    """``metadata.name``, or ''."""
    metadata = pod.get("metadata") if isinstance(pod, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def is_ready(pod: Any) -> bool:
    """Whether the pod's condition Ready is True."""
    status = pod.get("status") if isinstance(pod, dict) else None
    conditions = status.get("conditions") if isinstance(status, dict) else None
    return isinstance(conditions, list) and any(
        isinstance(each, dict) and each.get("type") == "Ready" and each.get("status") == "True" for each in conditions
    )


__all__ = [
    "Attribution",
    "Key",
    "Match",
    "Ownership",
    "Values",
    "ancestry",
    "attribute",
    "go_text",
    "is_ready",
    "is_same",
    "key_of",
    "ownership",
    "pod_name",
    "possible_owners",
    "type_matches",
    "typed",
]
