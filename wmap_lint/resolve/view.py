"""The uniform view of a workload: a tree of roles with counts, pods, resources and gangs (floor 2).

Counts multiply along the tree: a level with three replicas over a role with two makes six pods. A role that the
object does not have (its template path gives null) is left out and reported, where consumers would show it with
one replica.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING
from itertools import pairwise
from operator import itemgetter
from typing import Any

from wmap_lint.definition import Component, Definition
from wmap_lint.jq.engine import normalise
from wmap_lint.record import Record
from wmap_lint.resolve import Outcomes
from wmap_lint.resolve.evaluation import Programs
from wmap_lint.resolve.gang import Gang, GangReading, pod_group_objects, read_gangs
from wmap_lint.resolve.pods import Attribution, Ownership, attribute, by_uid, is_ready, is_same, ownership, pod_name
from wmap_lint.resolve.quantity import Quantity
from wmap_lint.resolve.resources import PodResources, add, gpus, pod_resources, times
from wmap_lint.resolve.status import UNDEFINED, Condition, read_status
from wmap_lint.resolve.structure import Extraction, Instance, Scale, extract
from wmap_lint.wording import shortened

VIEW_VERSION = 1
"""Version of the JSON shape of :meth:`WorkloadView.to_dict`; ``schema/view.schema.json`` describes it."""

_NOTHING = Instance()
"""What is known of an instance that is not there."""

Amounts = Mapping[str, Quantity]


class Problem(Record):
    """Something consumers fail on, or show wrongly. ``kind`` is stable, ``message`` a whole sentence."""

    kind: str
    message: str
    component: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return _without_none({"kind": self.kind, "message": self.message, "component": self.component})


class PodView(Record):
    """One pod. ``replica`` holds the replica keys by component, outermost first; requests are effective ones."""

    name: str
    phase: str
    ready: bool
    node: str | None
    reason: str | None
    replica: tuple[tuple[str, str], ...]
    requests: Amounts
    claims: int

    @property
    def is_healthy(self) -> bool:
        """Whether there is nothing to look at: it is ready, or has done its work."""
        return self.ready or self.phase == "Succeeded"

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return _without_none(
            {
                "name": self.name,
                "phase": self.phase,
                "ready": self.ready,
                "node": self.node,
                "reason": self.reason,
                "replica": dict(self.replica) or None,
                "requests": _texts(self.requests),
                "resourceClaims": self.claims or None,
            }
        )


class ComponentView(Record):
    """A role, one instance of it, or a level.

    ``replicas``, ``min_replicas`` and ``max_replicas`` are as extracted (None: not said). ``desired`` is the number
    of pods this node stands for, all levels above it multiplied; for a level it is that of everything below.
    ``requests`` and ``limits`` are those of one pod, ``total`` the requests of all desired pods.
    """

    name: str
    kind: str | None
    instance: str | None
    pod_bearing: bool
    replicas: int | None
    min_replicas: int | None
    max_replicas: int | None
    desired: int
    ready: int
    pods: tuple[PodView, ...]
    requests: Amounts
    limits: Amounts
    claims: int
    total: Amounts
    total_claims: int
    nodes: tuple[str, ...]
    scheduler: str | None
    priority_class: str | None
    images: tuple[str, ...]
    children: tuple[ComponentView, ...]

    def walk(self) -> Iterator[ComponentView]:
        """This node and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def all_pods(self) -> tuple[PodView, ...]:
        """The pods of this node and of all below it."""
        return tuple(pod for node in self.walk() for pod in node.pods)

    def to_dict(self, pods: bool = True) -> dict[str, Any]:
        """As JSON; without ``pods`` they are counted and not listed."""
        scale = _without_none(
            {"replicas": self.replicas, "minReplicas": self.min_replicas, "maxReplicas": self.max_replicas}
        )
        return _without_none(
            {
                "name": self.name,
                "kind": self.kind,
                "instance": self.instance,
                "scale": scale or None,
                "pods": {"desired": self.desired, "present": len(self.all_pods), "ready": self.ready},
                "podList": ([pod.to_dict() for pod in self.pods] or None) if pods else None,
                "requests": _without_none(
                    {"perPod": _texts(self.requests) if self.pod_bearing else None, "total": _texts(self.total)}
                ),
                "limits": {"perPod": _texts(self.limits)} if self.limits else None,
                "resourceClaims": {"perPod": self.claims, "total": self.total_claims}
                if self.claims or self.total_claims
                else None,
                "gpus": _whole(gpus(self.total)),
                "nodes": list(self.nodes) or None,
                "schedulerName": self.scheduler,
                "priorityClassName": self.priority_class,
                "images": list(self.images) or None,
                "children": [child.to_dict(pods) for child in self.children] or None,
            }
        )


class Totals(Record):
    """The sums over all components: pods desired, present and ready; requests of the desired pods; GPUs; claims."""

    desired: int
    present: int
    ready: int
    requests: Amounts
    gpus: Quantity
    claims: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "pods": {"desired": self.desired, "present": self.present, "ready": self.ready},
            "requests": _texts(self.requests),
            "gpus": _whole(self.gpus),
            "resourceClaims": self.claims,
        }


class WorkloadView(Record):
    """What a definition makes of one object.

    ``status`` is the first that matches, in consumers' order ("Undefined" when none does, and when the status is an
    error, which is then among ``problems``); ``matched`` are all. ``note`` says when the definition is for another
    served version of the kind. ``conditions`` go by type. ``unplaced`` are the workload's pods that are in no
    component, or in no instance of theirs; they are in no total.
    """

    api_version: str
    kind: str
    name: str
    namespace: str | None
    definition: str
    note: str | None
    status: str
    matched: tuple[str, ...]
    phase: str | None
    conditions: tuple[Condition, ...]
    components: tuple[ComponentView, ...]
    totals: Totals
    gangs: tuple[Gang, ...]
    pod_groups: tuple[Mapping[str, Any], ...]
    unplaced: tuple[PodView, ...]
    problems: tuple[Problem, ...]

    def walk(self) -> Iterator[ComponentView]:
        """Every node of the tree."""
        for component in self.components:
            yield from component.walk()

    def to_dict(self, pods: bool = True) -> dict[str, Any]:
        """As JSON, described by ``schema/view.schema.json``; keys that say nothing are left out.

        Without ``pods`` those in components are counted and not listed.
        """
        return _without_none(
            {
                "version": VIEW_VERSION,
                "workload": _without_none(
                    {
                        "apiVersion": self.api_version,
                        "kind": self.kind,
                        "name": self.name,
                        "namespace": self.namespace,
                    }
                ),
                "definition": _without_none({"name": self.definition, "note": self.note}),
                "status": self.status,
                "matched": list(self.matched),
                "phase": self.phase,
                "conditions": [
                    _without_none(
                        {"type": each.type, "status": each.status, "reason": each.reason, "message": each.message}
                    )
                    for each in self.conditions
                ],
                "components": [component.to_dict(pods) for component in self.components],
                "totals": self.totals.to_dict(),
                "gangs": [_gang(gang) for gang in self.gangs],
                "unplacedPods": [pod.to_dict() for pod in self.unplaced] or None,
                "problems": [problem.to_dict() for problem in self.problems],
            }
        )


def _gang(gang: Gang) -> dict[str, Any]:
    return _without_none(
        {
            "name": gang.name,
            "podGroup": gang.pod_group,
            "minMember": gang.min_member,
            "minSubGroup": gang.min_sub_group,
            "subGroups": [
                _without_none(
                    {
                        "name": group.name,
                        "minMember": group.min_member,
                        "pods": list(group.pods),
                        "topology": dict(group.topology) if group.topology else None,
                    }
                )
                for group in gang.sub_groups
            ]
            or None,
            "pods": list(gang.pods),
            "topology": dict(gang.topology) if gang.topology else None,
            "keys": list(gang.keys) or None,
        }
    )


def _without_none(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}


def _texts(amounts: Amounts) -> dict[str, str]:
    return {name: str(amounts[name]) for name in sorted(amounts)}


def _whole(quantity: Quantity) -> int:
    """A count; a fraction of a device, which Kubernetes refuses, counts as a whole one."""
    return int(quantity.value.to_integral_value(ROUND_CEILING))


# -- building -----------------------------------------------------------------------------------------


def build_view(
    definition: Definition,
    workload: Any,
    outcomes: Outcomes,
    pods: Sequence[tuple[Any, Programs]] = (),
    owners: Iterable[Any] = (),
    note: str | None = None,
) -> WorkloadView:
    """The view of ``workload``, given the outcomes of the definition's programs on it and on each pod."""
    return _Builder(definition, workload, outcomes).build(pods, owners, note)


class _Builder:
    def __init__(self, definition: Definition, workload: Any, outcomes: Outcomes) -> None:
        self.definition = definition
        self.workload = _mapping(workload)
        self.outcomes = outcomes
        self.problems: dict[Problem, None] = {}
        self.extractions: dict[str, Extraction] = {}
        self.pods: dict[str, list[tuple[Attribution, PodView]]] = {}
        self.everybody: list[PodView] = []
        if not isinstance(workload, dict):
            self.problem("object", "The workload is no object.")

    def problem(self, kind: str, message: str, component: str | None = None) -> None:
        self.problems[Problem(kind, message, component)] = None

    def build(self, pods: Sequence[tuple[Any, Programs]], owners: Iterable[Any], note: str | None) -> WorkloadView:
        definition = self.definition
        metadata = _mapping(self.workload.get("metadata"))
        for component in definition.components:
            self.extractions[component.name] = self.extract(component)
        own = self.own_pods(pods, owners)
        self.attribute(own)
        status, matched, phase, conditions = self.status()
        root = definition.root
        components = () if root is None else self.root(root)
        gangs = self.gangs(own)
        placed = {id(pod) for component in components for pod in component.all_pods}
        return WorkloadView(
            _text(self.workload.get("apiVersion")),
            _text(self.workload.get("kind")),
            _text(metadata.get("name")),
            _text_or_none(metadata.get("namespace")),
            definition.name or "",
            note,
            status,
            matched,
            phase,
            tuple(sorted(conditions, key=lambda condition: condition.type)),
            components,
            self.totals(components),
            gangs.gangs,
            tuple(pod_group_objects(gangs, self.workload)),
            tuple(pod for pod in self.everybody if id(pod) not in placed),
            tuple(self.problems),
        )

    # -- the object ------------------------------------------------------------------------------------

    def extract(self, component: Component) -> Extraction:
        extraction = extract(component, self.outcomes)
        problem = extraction.problem
        if problem is not None:
            paths = ", ".join(f"{each.slot.label} `{shortened(each.text)}`" for each in problem.expressions)
            where = f" ({paths})" if paths else ""
            self.problem(
                problem.kind.value,
                f"Component {component.name!r} cannot be extracted{where}: {problem.message}.",
                component.name,
            )
        for instance in extraction.duplicates:
            self.problem(
                "duplicate-instance",
                f"Instance id {instance!r} of component {component.name!r} is given more than once: consumers keep "
                "only the last.",
                component.name,
            )
        return extraction

    def status(self) -> tuple[str, tuple[str, ...], str | None, tuple[Condition, ...]]:
        root = self.definition.root
        if root is None or root.status_definition is None:
            return UNDEFINED, (), None, ()
        reading = read_status(root.status_definition, self.outcomes)
        if reading.error is not None:
            expression = reading.error.expression
            which = f" `{shortened(expression.text)}`" if expression is not None else ""
            self.problem(
                "status", f"The status is an error: the expression{which} fails: {reading.error.cause.message}."
            )
            return UNDEFINED, (), None, ()
        if len(reading.matched) > 1:
            self.problem(
                "several-statuses",
                f"{' and '.join(reading.matched)} match at once; consumers list them and each picks its own.",
            )
        return reading.matched[0], reading.matched, reading.phase, reading.conditions

    # -- pods ------------------------------------------------------------------------------------------

    def own_pods(self, pods: Sequence[tuple[Any, Programs]], owners: Iterable[Any]) -> list[tuple[Any, Programs]]:
        pods = _sorted(pods)
        chain = by_uid([*(pod for pod, _ in pods), *owners])
        root = self.definition.root
        is_pod = root is not None and root.kind is not None and root.kind.key[0] == "" and root.kind.kind == "Pod"
        own: list[tuple[Any, Programs]] = []
        for pod, programs in pods:
            if not isinstance(pod, dict):
                self.problem("pod", "One of the pods is no object.")
                continue
            if is_pod and is_same(pod, self.workload):
                own.append((pod, programs))
                continue
            owned, last = ownership(pod, self.workload, chain)
            if owned is Ownership.FOREIGN:
                why = f"its owner is {last}" if last else "it has no controller"
                self.problem("foreign-pod", f"Pod {pod_name(pod)!r} is not this workload's: {why}.")
                continue
            own.append((pod, programs))
        return own

    def attribute(self, pods: Sequence[tuple[Any, Programs]]) -> None:
        instances = {
            name: extraction.ids for name, extraction in self.extractions.items() if extraction.problem is None
        }
        for pod, programs in pods:
            attribution = attribute(self.definition, pod, programs, instances)
            for message in attribution.problems:
                self.problem("pod", message, attribution.component)
            view = _pod_view(pod, attribution)
            self.everybody.append(view)
            if attribution.component is not None:
                self.pods.setdefault(attribution.component, []).append((attribution, view))

    # -- the tree --------------------------------------------------------------------------------------

    def root(self, root: Component) -> tuple[ComponentView, ...]:
        """The root is the workload itself: it is shown as a node only when it has pods of its own.

        Of several instances of it consumers show what is below the first, by name; of none they show nothing.
        """
        extraction = self.extractions[root.name]
        own = self.level(root, 1, (), frozenset(), alone=True) if root.is_pod_bearing else ()
        if extraction.problem is None and not extraction.instances:
            return own
        first = extraction.instances.get(min(extraction.instances, default=""), _NOTHING)
        return (*own, *self.children(root, _count(first.scale), (), frozenset({root.name})))

    def level(
        self,
        component: Component,
        above: int,
        levels: tuple[tuple[str, str], ...],
        seen: frozenset[str],
        alone: bool = False,
    ) -> tuple[ComponentView, ...]:
        """The nodes of ``component``, one an instance; without what is below them if they are shown ``alone``.

        A component that cannot be extracted is one node, for the pods there are.
        """
        if component.name in seen:
            return ()
        seen = seen | {component.name}
        extraction = self.extractions[component.name]
        is_single = component.instance_id_path is None or extraction.problem is not None
        nodes: list[ComponentView] = []
        for key in extraction.instances if extraction.problem is None else ("",):
            instance = extraction.instances.get(key, _NOTHING)
            inside = levels if is_single else (*levels, (component.name, key))
            children = () if alone else self.children(component, above * _count(instance.scale), inside, seen)
            pods = [
                view
                for attribution, view in self.pods.get(component.name, ())
                if (is_single or attribution.instance == key) and all(each in attribution.levels for each in levels)
            ]
            node = self.node(component, extraction, key, above, pods, children)
            if node is not None:
                nodes.append(node)
        return tuple(nodes)

    def children(
        self, component: Component, above: int, levels: tuple[tuple[str, str], ...], seen: frozenset[str]
    ) -> tuple[ComponentView, ...]:
        return tuple(
            node
            for child in self.definition.children_of(component.name)
            for node in self.level(child, above, levels, seen)
        )

    def node(
        self,
        component: Component,
        extraction: Extraction,
        key: str,
        above: int,
        pods: list[PodView],
        children: tuple[ComponentView, ...],
    ) -> ComponentView | None:
        instance = extraction.instances.get(key, _NOTHING)
        if component.is_pod_bearing and _is_absent(component, instance) and not pods and not children:
            if extraction.problem is None and not component.is_root:
                self.problem(
                    "absent-role",
                    f"The object has no role {component.name!r}: its pod template is empty. Consumers show it all the "
                    "same, with one replica.",
                    component.name,
                )
            return None
        # A level is what is below it. One without anything below it counts if it says how much.
        counts = component.is_pod_bearing or (
            not self.definition.children_of(component.name) and instance.scale not in (None, Scale())
        )
        if not counts and not children:
            return None
        scale = instance.scale or Scale()
        spec = _pod_spec(instance)
        resources = pod_resources(spec) if component.is_pod_bearing else PodResources({}, {}, 0)
        for message in resources.problems:
            self.problem("resources", f"In the pod spec of component {component.name!r}: {message}.", component.name)
        own = above * _count(instance.scale) if counts and extraction.problem is None else 0
        desired = own + sum(child.desired for child in children)
        total: Amounts = {name: amount for name, amount in times(resources.requests, own).items() if amount}
        claims = resources.claims * own
        for child in children:
            total, claims = add(total, child.total), claims + child.total_claims
        everybody = [*pods, *(pod for child in children for pod in child.all_pods)]
        return ComponentView(
            component.name,
            None if component.kind is None else component.kind.kind,
            key or None,
            component.is_pod_bearing,
            scale.replicas,
            scale.min_replicas,
            scale.max_replicas,
            desired,
            sum(pod.ready for pod in everybody),
            tuple(pods),
            resources.requests,
            resources.limits,
            resources.claims,
            total,
            claims,
            tuple(sorted({pod.node for pod in everybody if pod.node})),
            _text_or_none(spec.get("schedulerName")),
            _text_or_none(spec.get("priorityClassName")),
            _images(spec),
            children,
        )

    def totals(self, components: Sequence[ComponentView]) -> Totals:
        requests: Amounts = {}
        claims = 0
        for component in components:
            requests, claims = add(requests, component.total), claims + component.total_claims
        return Totals(
            sum(component.desired for component in components),
            sum(len(component.all_pods) for component in components),
            sum(component.ready for component in components),
            requests,
            gpus(requests),
            claims,
        )

    def gangs(self, pods: Sequence[tuple[Any, Programs]]) -> GangReading:
        reading = read_gangs(self.definition, self.workload, self.extractions, pods)
        for message in reading.problems:
            self.problem("gang", message)
        return reading


def _sorted(pods: Sequence[tuple[Any, Programs]]) -> list[tuple[Any, Programs]]:
    """By name, and otherwise in an order that depends on nothing but the pods."""

    def key(entry: tuple[Any, Programs]) -> tuple[str, str]:
        return pod_name(entry[0]), _text(_mapping(_get(entry[0], "metadata")).get("uid"))

    if len(pods) < 2:
        return list(pods)
    found = sorted(((key(entry), entry) for entry in pods), key=itemgetter(0))
    if any(one == other for (one, _), (other, _) in pairwise(found)):
        found.sort(key=lambda each: (each[0], _fingerprint(each[1][0])))
    return [entry for _, entry in found]


def _fingerprint(value: Any) -> str:
    """A text that two values share only when they are the same JSON."""
    try:
        return json.dumps(normalise(value), separators=(",", ":"))
    except (ValueError, RecursionError):
        return ""


def _count(scale: Scale | None) -> int:
    """The pods (or groups) of one instance: its replicas, else its minimum, else one."""
    if scale is None:
        return 1
    count = scale.replicas if scale.replicas is not None else scale.min_replicas
    return 1 if count is None else max(0, count)


def _is_absent(component: Component, instance: Instance) -> bool:
    if component.instance_id_path is not None:
        return False
    scale = instance.scale
    if scale is not None and any(
        count is not None for count in (scale.replicas, scale.min_replicas, scale.max_replicas)
    ):
        return False
    return not instance.pod_template_spec and not instance.pod_spec and not any((instance.fragments or {}).values())


def _pod_spec(instance: Instance) -> Mapping[str, Any]:
    """The pod spec of an instance, whatever it was extracted from; a fragmented one is put together."""
    if instance.pod_template_spec is not None:
        spec = instance.pod_template_spec.get("spec")
        return _mapping(spec)
    if instance.pod_spec is not None:
        return instance.pod_spec
    if not instance.fragments:
        return {}
    fragments = instance.fragments
    containers = list(fragments.get("containers") or [])
    if fragments.get("container"):
        containers.append(fragments["container"])
    declared = any(_mapping(each).get("resources") for each in containers)
    if not declared and fragments.get("resources"):
        containers = [{"resources": fragments["resources"]}, *({**each, "resources": None} for each in containers)]
    if fragments.get("image") and not containers:
        containers = [{"image": fragments["image"]}]
    elif fragments.get("image"):
        containers[0] = {"image": fragments["image"], **containers[0]}
    return {
        "containers": containers,
        "schedulerName": fragments.get("schedulerName"),
        "priorityClassName": fragments.get("priorityClassName"),
        "resourceClaims": fragments.get("resourceClaims"),
    }


def _pod_view(pod: Mapping[str, Any], attribution: Attribution) -> PodView:
    spec, status = _mapping(pod.get("spec")), _mapping(pod.get("status"))
    resources = pod_resources(spec)
    ready = is_ready(pod)
    is_leaving = _mapping(pod.get("metadata")).get("deletionTimestamp") is not None
    return PodView(
        pod_name(pod),
        _text(status.get("phase")) or "Unknown",
        ready,
        _text_or_none(spec.get("nodeName")),
        "Terminating" if is_leaving else None if ready else _reason(status),
        attribution.replica,
        resources.requests,
        resources.claims,
    )


def _reason(status: Mapping[str, Any]) -> str | None:
    """Why a pod is not running, as `kubectl get` would say it: a waiting or terminated container's reason."""
    if isinstance(status.get("reason"), str):
        return str(status["reason"])
    statuses = [*_list(status.get("initContainerStatuses")), *_list(status.get("containerStatuses"))]
    for each in statuses:
        state = _mapping(_mapping(each).get("state"))
        for phase in ("waiting", "terminated"):
            reason = _mapping(state.get(phase)).get("reason")
            if isinstance(reason, str) and reason != "Completed":
                return reason
    for condition in _list(status.get("conditions")):
        if _get(condition, "type") == "PodScheduled" and _get(condition, "status") == "False":
            return _text_or_none(_get(condition, "reason"))
    return None


def _images(spec: Mapping[str, Any]) -> tuple[str, ...]:
    found = [_get(each, "image") for field in ("initContainers", "containers") for each in _list(spec.get(field))]
    return tuple(dict.fromkeys(image for image in found if isinstance(image, str)))


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
