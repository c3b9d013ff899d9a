"""What KAI makes of a gang definition (floor 2; SEMANTICS 7): pod groups, their minimum, and every refusal.

The form ``podGroup`` gives one group a workload. The deprecated ``podGroups`` give a group for each combination of
grouping keys that the pods have; without pods their keys are unknown.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence
from typing import Any

from wmap_lint.definition import (
    Component,
    Definition,
    Expression,
    KeyedPodGroup,
    Located,
    PodGroup,
    PodGroupMember,
    Topology,
)
from wmap_lint.jq.engine import Failure
from wmap_lint.record import Record
from wmap_lint.resolve.evaluation import Programs
from wmap_lint.resolve.pods import ancestry, key_of, pod_name, type_matches
from wmap_lint.resolve.structure import Extraction, Scale
from wmap_lint.resolve.values import INT32

DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
DNS_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")


class SubGroupView(Record):
    """One role of a gang: ``min_member`` of its pods start together, ``pods`` are those there are."""

    name: str
    min_member: int
    pods: tuple[str, ...]
    topology: Mapping[str, str] | None


class Gang(Record):
    """One PodGroup.

    ``name`` is the definition's, ``pod_group`` that of the object. Either ``min_member`` pods or all
    ``min_sub_group`` sub groups start together; the other is None. ``keys`` are the values of the grouping keys.
    """

    name: str
    pod_group: str
    min_member: int | None
    min_sub_group: int | None
    sub_groups: tuple[SubGroupView, ...]
    pods: tuple[str, ...]
    topology: Mapping[str, str] | None
    keys: tuple[str, ...]


class Cause(enum.Enum):
    """Why a workload, or one pod of it, is not grouped."""

    NAME = "name"
    TOPOLOGY = "topology"
    NO_COMPONENT = "no-component"
    NOT_EXTRACTED = "not-extracted"
    NO_SCALE = "no-scale"
    NO_PODS = "no-pods"
    OVERFLOW = "overflow"
    NO_SUBGROUP = "no-subgroup"
    NO_MEMBER = "no-member"
    UNPLACED = "unplaced"
    """The pod's component or instance cannot be told."""
    KEY = "key"
    FILTER = "filter"
    FLIP = "flip"
    MERGED = "merged"


class Refusal(Record):
    """One refusal of KAI or of the API server. ``message`` is a whole sentence.

    ``place`` is the part of the definition it is about, ``pod`` the pod that shows it, where there is one.
    """

    message: str
    cause: Cause
    place: Located | Expression | None = None
    pod: str | None = None


class GangReading(Record):
    """The gangs of a workload, and why some of its pods, or all, are not grouped."""

    gangs: tuple[Gang, ...]
    refusals: tuple[Refusal, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """The refusals as sentences, each once."""
        return tuple(dict.fromkeys(refusal.message for refusal in self.refusals))


class _RefusedError(Exception):
    """KAI would not group the workload (or the pod); the message says why."""

    def __init__(self, message: str, cause: Cause, place: Located | Expression | None = None) -> None:
        super().__init__(message)
        self.cause = cause
        self.place = place

    def within(self, before: str, place: Located | None = None, pod: str | None = None) -> Refusal:
        """The refusal as a sentence that begins with ``before``."""
        return Refusal(f"{before}: {self}.", self.cause, self.place or place, pod)


def read_gangs(
    definition: Definition,
    workload: Mapping[str, Any],
    extractions: Mapping[str, Extraction],
    pods: Sequence[tuple[Any, Programs]],
) -> GangReading:
    """The gangs of ``workload``; ``pods`` are its own, each with the outcomes of the programs that read it."""
    gang = definition.gang
    if gang is None:
        return GangReading((), ())
    scales = SubtreeScale(definition, extractions)
    owner = _uid(workload)
    if gang.pod_group is not None:
        return _pod_group(definition, gang.pod_group, owner, scales, pods)
    return _keyed(definition, gang.pod_groups, owner, scales, pods)


def _uid(workload: Mapping[str, Any]) -> str:
    metadata = workload.get("metadata")
    uid = metadata.get("uid") if isinstance(metadata, dict) else None
    return uid if isinstance(uid, str) and uid else "<uid>"


class SubtreeScale:
    """How many pods a component stands for with everything below it, by the counts that say what must be there.

    The minimum counts if it is above zero, else the replicas if above zero; zero reads as "not said". A level
    multiplies what is below it.
    """

    def __init__(self, definition: Definition, extractions: Mapping[str, Extraction]) -> None:
        self.definition = definition
        self.extractions = extractions
        self.any_scale = any(component.scale_definition is not None for component in definition.components)

    def of(self, component: Component, instance: str | None = None) -> int:
        """The subtree of ``component``, or of one of its instances; raises for what KAI refuses."""
        if self.any_scale:
            return self._by_scale(component, instance, frozenset())
        return self._by_leaves(component, instance, frozenset())

    def _extraction(self, component: Component) -> Extraction:
        extraction = self.extractions[component.name]
        if extraction.problem is not None:
            raise _RefusedError(
                f"component {component.name!r} cannot be extracted: {extraction.problem.message}", Cause.NOT_EXTRACTED
            )
        return extraction

    def _ids(self, component: Component) -> tuple[str, ...]:
        # What else cannot be extracted does not matter here.
        return self.extractions[component.name].ids or self._extraction(component).ids

    def _scales(self, component: Component) -> Mapping[str, Scale]:
        scales = self.extractions[component.name].scales
        return self._extraction(component).scales or {} if scales is None else scales

    def _by_scale(self, component: Component, instance: str | None, above: frozenset[str]) -> int:
        scales = {} if component.scale_definition is None else self._scales(component)
        if instance is None:
            own = sum(_floor(scale) for scale in scales.values())
        elif instance in scales:
            own = _floor(scales[instance])
        else:
            raise _RefusedError(f"instance {instance!r} of component {component.name!r} has no scale", Cause.NO_SCALE)
        children = [
            child
            for child in self.definition.children_of(component.name)
            if child.name != component.name and child.name not in above
        ]
        below = sum(self._by_scale(child, None, above | {component.name}) for child in children)
        count = own * below if own and below else own or below
        if count not in INT32:
            raise _RefusedError(
                f"component {component.name!r} comes to {count} pods, more than 32 bits hold", Cause.OVERFLOW, component
            )
        return count

    def _by_leaves(self, component: Component, instance: str | None, above: frozenset[str]) -> int:
        if component.is_pod_bearing:
            if component.instance_id_path is None:
                return 1
            ids = self._ids(component)
            if instance is None:
                return len(ids)
            if instance not in ids:
                raise _RefusedError(f"component {component.name!r} has no instance {instance!r}", Cause.UNPLACED)
            return 1
        return sum(
            self._by_leaves(child, None, above | {component.name})
            for child in self.definition.children_of(component.name)
            if child.name not in above
        )


def _floor(scale: Scale) -> int:
    for count in (scale.min_replicas, scale.replicas):
        if count is not None and count > 0:
            return count
    return 0


def _topology(topology: Topology | None, where: str, refusals: list[Refusal]) -> Mapping[str, str] | None:
    if topology is None:
        return None
    if not topology.topology_name or not (topology.preferred_topology_level or topology.required_topology_level):
        message = f"The topology of {where} has no name or no level: KAI refuses to group the workload."
        refusals.append(Refusal(message, Cause.TOPOLOGY, topology))
        return None
    found = {
        "topology": topology.topology_name,
        "preferredTopologyLevel": topology.preferred_topology_level or "",
        "requiredTopologyLevel": topology.required_topology_level or "",
    }
    return {name: value for name, value in found.items() if value}


def _pod_group(
    definition: Definition,
    pod_group: PodGroup,
    owner: str,
    scales: SubtreeScale,
    pods: Sequence[tuple[Any, Programs]],
) -> GangReading:
    # A gang that is refused is none; what else there is against it is told all the same.
    refusals: list[Refusal] = []
    name = pod_group.name or ""
    resource = f"pg-{owner}-{name}"
    if not _is_name(resource, owner):
        message = f"The API server refuses a PodGroup called {resource!r}: that is no DNS name."
        refusals.append(Refusal(message, Cause.NAME, pod_group))
    topology = _topology(pod_group.topology, f"pod group {name!r}", refusals)
    everybody = tuple(sorted(pod_name(pod) for pod, _ in pods))
    root = definition.root
    if not pod_group.sub_groups:
        minimum = 0
        try:
            minimum = scales.of(root) if root is not None else 0
        except _RefusedError as refused:
            refusals.append(refused.within(_ALL_REFUSED, pod_group))
        gang = Gang(name, resource, minimum, None, (), everybody, topology, ())
        return GangReading(() if refusals else (gang,), tuple(refusals))
    groups: list[SubGroupView] = []
    left = dict.fromkeys(range(len(pods)))
    ungrouped: dict[str, Refusal] = {}
    for sub_group in pod_group.sub_groups:
        wanted = sub_group.component_name or ""
        component = definition.component(wanted)
        if component is None:
            message = f"Subgroup {wanted!r} is no component: {_ALL_REFUSED}."
            refusals.append(Refusal(message, Cause.NO_COMPONENT, sub_group))
            continue
        if not DNS_LABEL.match(wanted):
            message = f"The API server refuses a subgroup called {wanted!r}: that is no DNS label."
            refusals.append(Refusal(message, Cause.NAME, sub_group))
        minimum = 0
        try:
            minimum = scales.of(component)
        except _RefusedError as refused:
            refusals.append(refused.within(_ALL_REFUSED, sub_group))
        else:
            if minimum == 0:
                message = (
                    f'Subgroup {wanted!r} comes to no pods: {_ALL_REFUSED} ("must expose a replica scale definition").'
                )
                refusals.append(Refusal(message, Cause.NO_PODS, sub_group))
        claimed = []
        for index in tuple(left):
            try:
                claims = _claims(definition, component, *pods[index])
            except _RefusedError as refused:
                del left[index]
                pod = pod_name(pods[index][0])
                ungrouped[pod] = refused.within(f"KAI does not group pod {pod!r}", pod=pod)
                continue
            if claims:
                del left[index]
                claimed.append(index)
        members = tuple(sorted(pod_name(pods[index][0]) for index in claimed))
        groups.append(
            SubGroupView(wanted, minimum, members, _topology(sub_group.topology, f"subgroup {wanted!r}", refusals))
        )
    alone = []
    for index in left:
        pod = pod_name(pods[index][0])
        message = (
            f"Pod {pod!r} is in no subgroup: the scheduler looks for one called 'default' and leaves the pod "
            "unschedulable."
        )
        alone.append(Refusal(message, Cause.NO_SUBGROUP, pod_group, pod))
    grouped = tuple(pod for pod in everybody if pod not in ungrouped)
    gang = Gang(name, resource, None, len(pod_group.sub_groups), tuple(groups), grouped, topology, ())
    return GangReading(() if refusals else (gang,), (*refusals, *ungrouped.values(), *alone))


_ALL_REFUSED = "KAI refuses to group the workload"


def _is_name(resource: str, owner: str) -> bool:
    return DNS_SUBDOMAIN.match(resource.replace(owner, "uid", 1)) is not None and len(resource) <= 253


def _claims(definition: Definition, component: Component, pod: Any, programs: Programs) -> bool:
    """Whether the type selector of the component, or of one below it, matches; raises where one fails before."""
    for each in definition.subtree_of(component.name):
        if each.pod_selector is None:
            continue
        match = type_matches(each.pod_selector.type_selector, pod, programs)
        if match.failure is not None:
            raise _RefusedError(f"the type selector of component {each.name!r} fails: {match.failure}", Cause.UNPLACED)
        if match.holds:
            return True
    return False


# -- the deprecated form ------------------------------------------------------------------------------


def _keyed(
    definition: Definition,
    groups: Sequence[KeyedPodGroup],
    owner: str,
    scales: SubtreeScale,
    pods: Sequence[tuple[Any, Programs]],
) -> GangReading:
    if not pods:
        return _keyed_without_pods(definition, groups, owner, scales)
    refusals: list[Refusal] = []
    found: dict[str, Gang] = {}
    for pod, programs in sorted(pods, key=lambda each: pod_name(each[0])):
        name = pod_name(pod)
        try:
            gang, member = _gang_of(definition, groups, owner, scales, pod, programs)
        except _RefusedError as refused:
            refusals.append(refused.within(f"KAI does not group pod {name!r}", None, name))
            continue
        known = found.get(gang.pod_group)
        if known is None:
            found[gang.pod_group] = gang
            continue
        if known.name != gang.name:
            message = (
                f"Pod groups {known.name!r} and {gang.name!r} are one for KAI, {gang.pod_group!r}: their names are no "
                "part of it, and they have no keys that differ."
            )
            refusals.append(Refusal(message, Cause.MERGED, member, name))
        if known.min_member != gang.min_member:
            message = (
                f"The minimum of pod group {gang.pod_group!r} flips between {known.min_member} and {gang.min_member}: "
                f"pod {name!r} writes another one than those before it."
            )
            refusals.append(Refusal(message, Cause.FLIP, member, name))
        found[gang.pod_group] = _with_pod(known, name)
    return GangReading(tuple(found.values()), tuple(refusals))


def _with_pod(gang: Gang, name: str) -> Gang:
    return Gang(
        gang.name,
        gang.pod_group,
        gang.min_member,
        None,
        (),
        tuple(sorted((*gang.pods, name))),
        None,
        gang.keys,
    )


def _keyed_without_pods(
    definition: Definition, groups: Sequence[KeyedPodGroup], owner: str, scales: SubtreeScale
) -> GangReading:
    refusals: list[Refusal] = []
    gangs: list[Gang] = []
    for group in groups:
        for member in group.members:
            component = definition.component(member.component_name or "")
            if component is None:
                message = f"Pod group {group.name!r} names {member.component_name!r}, which is no component."
                refusals.append(Refusal(message, Cause.NO_COMPONENT, member))
                continue
            ids: Sequence[str | None] = [None]
            extraction = scales.extractions.get(component.name)
            if member.group_by_key_paths and component.instance_id_path is not None and extraction is not None:
                ids = extraction.ids
            for instance in ids:
                try:
                    minimum = scales.of(component, instance)
                except _RefusedError as refused:
                    refusals.append(refused.within(f"KAI refuses to group the pods of {component.name!r}", member))
                    continue
                keys = tuple(f"<{path.text}>" for path in member.group_by_key_paths)
                resource = "-".join(("pg", owner, *keys))
                gangs.append(Gang(group.name or "", resource, minimum, None, (), (), None, keys))
    return GangReading(tuple(gangs), tuple(refusals))


def _gang_of(
    definition: Definition,
    groups: Sequence[KeyedPodGroup],
    owner: str,
    scales: SubtreeScale,
    pod: Any,
    programs: Programs,
) -> tuple[Gang, PodGroupMember]:
    component = infer_component(definition, pod, programs)
    group, member = _effective(definition, groups, component, programs)
    instance: str | None = None
    if member.component_name == component.name:
        instance = _infer_instance(scales, component, programs)
    keys: list[str] = []
    for path in member.group_by_key_paths:
        key = key_of(path, programs)
        if key.failure is not None:
            raise _RefusedError(f"the grouping key `{path.text}` fails: {key.failure}", Cause.KEY, path)
        keys.append(key.text)
    resource = "-".join(("pg", owner, *keys))
    if not _is_name(resource, owner):
        bad = next((at for at, text in enumerate(keys) if not DNS_SUBDOMAIN.match(text)), None)
        place = member if bad is None else member.group_by_key_paths[bad]
        raise _RefusedError(f"{resource!r} is no DNS name", Cause.NAME, place)
    target = definition.component(member.component_name or "")
    assert target is not None  # it is a level above the pod's component
    minimum = scales.of(target, instance)
    gang = Gang(group.name or "", resource, minimum, None, (), (pod_name(pod),), None, tuple(keys))
    return gang, member


def infer_component(definition: Definition, pod: Any, programs: Programs) -> Component:
    """The component that consumers' library takes a pod to be of (SEMANTICS 5.2); raises when there is none."""
    bearing = definition.pod_bearing
    if len(bearing) == 1:
        return bearing[0]
    for component in bearing:
        if component.pod_selector is None:
            continue
        match = type_matches(component.pod_selector.type_selector, pod, programs)
        if match.failure is not None:
            raise _RefusedError(
                f"the type selector of component {component.name!r} fails: {match.failure}", Cause.UNPLACED
            )
        if match.holds:
            return component
    raise _RefusedError("no component is found for it", Cause.UNPLACED)


def _infer_instance(scales: SubtreeScale, component: Component, programs: Programs) -> str | None:
    extraction = scales.extractions.get(component.name)
    ids = extraction.ids if extraction is not None else ()
    path = component.pod_selector.instance_id_path if component.pod_selector else None
    if not ids or not ids[0] or path is None:
        return None
    key = key_of(path, programs)
    if key.failure is not None:
        raise _RefusedError(f"its instance of component {component.name!r} is unknown: {key.failure}", Cause.UNPLACED)
    if key.text not in ids:
        raise _RefusedError(f"could not match instance id {key.text!r} of component {component.name!r}", Cause.UNPLACED)
    return key.text


def _effective(
    definition: Definition, groups: Sequence[KeyedPodGroup], component: Component, programs: Programs
) -> tuple[KeyedPodGroup, PodGroupMember]:
    """The nearest member, upwards from the component, whose filters all say yes."""
    for level in ancestry(definition, component):
        for group in groups:
            for member in group.members:
                if member.component_name == level.name and _passes(member, programs):
                    return group, member
    raise _RefusedError("it does not match any Karta pod group member definition", Cause.NO_MEMBER, component)


def _passes(member: PodGroupMember, programs: Programs) -> bool:
    for path in member.filters:
        outcome = programs(path.text)
        if isinstance(outcome, Failure):
            raise _RefusedError(f"the filter `{path.text}` fails: {outcome.message}", Cause.FILTER, path)
        if len(outcome.values) != 1 or outcome.values[0] in (None, ""):
            raise _RefusedError(f"the filter `{path.text}` does not give exactly one value", Cause.FILTER, path)
        if outcome.values[0] is not True:
            return False
    return True


def pod_group_objects(reading: GangReading, workload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The PodGroup objects (scheduling.run.ai/v2alpha2) that KAI would create."""
    metadata = workload.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    objects = []
    for gang in reading.gangs:
        spec: dict[str, Any] = {}
        if gang.min_member is not None:
            spec["minMember"] = gang.min_member
        if gang.min_sub_group is not None:
            spec["minSubGroup"] = gang.min_sub_group
            spec["subGroups"] = [
                {
                    "name": group.name,
                    "minMember": group.min_member,
                    **({"topologyConstraint": dict(group.topology)} if group.topology else {}),
                }
                for group in gang.sub_groups
            ]
        if gang.topology:
            spec["topologyConstraint"] = dict(gang.topology)
        objects.append(
            {
                "apiVersion": "scheduling.run.ai/v2alpha2",
                "kind": "PodGroup",
                "metadata": {
                    "name": gang.pod_group,
                    **({"namespace": namespace} if isinstance(namespace, str) else {}),
                    "ownerReferences": [_owner_reference(workload)],
                },
                "spec": spec,
            }
        )
    return objects


def _owner_reference(workload: Mapping[str, Any]) -> dict[str, Any]:
    metadata = workload.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return {
        "apiVersion": workload.get("apiVersion"),
        "kind": workload.get("kind"),
        "name": name,
        "uid": _uid(workload),
    }
