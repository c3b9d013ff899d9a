"""Family WM7: gang scheduling, as KAI's pod grouper reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wmap_lint.definition import Definition, GangScheduling, GroupVersionKind, Located, Topology
from wmap_lint.diagnostic import Edit, Fix, Severity
from wmap_lint.resolve.gang import DNS_LABEL, DNS_SUBDOMAIN
from wmap_lint.rules.context import Context
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.rules.structure import yaml_text
from wmap_lint.spelling import nearest
from wmap_lint.wording import listed

_ANY = None
_NATIVE: dict[str, dict[str, frozenset[str] | None]] = {
    "": {"Pod": _ANY},
    "apps": {"Deployment": _ANY, "StatefulSet": _ANY, "ReplicaSet": _ANY},
    "batch": {"Job": _ANY, "CronJob": _ANY},
    "kubeflow.org": {
        "TFJob": _ANY,
        "PyTorchJob": _ANY,
        "XGBoostJob": _ANY,
        "JAXJob": _ANY,
        "MPIJob": frozenset({"v1", "v2beta1"}),
        "Notebook": _ANY,
        "ScheduledWorkflow": _ANY,
    },
    "trainer.kubeflow.org": {"TrainJob": _ANY},
    "ray.io": {
        "RayCluster": frozenset({"v1", "v1alpha1"}),
        "RayJob": frozenset({"v1", "v1alpha1"}),
        "RayService": frozenset({"v1", "v1alpha1"}),
    },
    "jobset.x-k8s.io": {"JobSet": frozenset({"v1alpha2"})},
    "leaderworkerset.x-k8s.io": {"LeaderWorkerSet": frozenset({"v1"})},
    "grove.io": {"PodGangSet": _ANY, "PodCliqueSet": _ANY},
    "nvidia.com": {"DynamoGraphDeployment": _ANY},
    "serving.knative.dev": {"Service": _ANY},
    "argoproj.io": {"Workflow": _ANY},
}


def has_native_grouping(kind: GroupVersionKind) -> bool:
    """Whether KAI groups ``kind`` by code of its own, never reading the gang section of a definition."""
    kinds = _NATIVE.get(kind.group, {})
    if kind.kind not in kinds:
        return False
    versions = kinds[kind.kind]
    return versions is None or kind.version in versions


def _references(gang: GangScheduling) -> Iterator[tuple[Located, str, str]]:
    """Every place of the gang section that names a component: the place, the name, what it is called."""
    for sub_group in gang.pod_group.sub_groups if gang.pod_group else ():
        if sub_group.component_name:
            yield sub_group, sub_group.component_name, "subgroup"
    for group in gang.pod_groups:
        for member in group.members:
            if member.component_name:
                yield member, member.component_name, "member"


@rule("WM701", "gang-unknown-component", Severity.ERROR, "A gang names a component that does not exist.")
def gang_unknown_component(context: Context) -> Iterable[Finding]:
    """Members and subgroups whose component is not defined; for subgroups no validator notices."""
    definition = context.definition
    if definition.gang is None:
        return
    names = list(dict.fromkeys(component.name for component in definition.components if component.name))
    for located, name, what in _references(definition.gang):
        if name in names:
            continue
        consequence = (
            "no validator notices, and then the grouping of every pod of the workload fails"
            if what == "subgroup"
            else "every validator refuses the definition"
        )
        span = located.span("componentName")
        close = nearest(name, names)
        yield Finding(
            span,
            f"This {what} names {name!r}, which no component is called: {consequence}.",
            f"Did you mean {close[0]!r}?" if len(close) == 1 else f"Components: {listed(names)}." if names else None,
            fix=Fix(f"Change componentName to {close[0]}", (Edit(span, yaml_text(close[0])),))
            if len(close) == 1
            else None,
        )


# "pg-", the uid of the workload (36 characters) and a dash stand before the name.
_LONGEST_GROUP_NAME = 253 - len("pg-") - 36 - 1
_LONGEST_LABEL = 63


@rule(
    "WM702",
    "gang-name-not-dns",
    Severity.ERROR,
    "A gang or subgroup name that the API server refuses in a PodGroup.",
)
def gang_name_not_dns(context: Context) -> Iterable[Finding]:
    """Names become names of Kubernetes objects and values of labels."""
    definition = context.definition
    group = definition.gang.pod_group if definition.gang else None
    if group is None:
        return
    if group.name and (len(group.name) > _LONGEST_GROUP_NAME or not DNS_SUBDOMAIN.match(group.name)):
        yield Finding(
            group.span("name"),
            f"The PodGroup is called `pg-<uid>-{group.name}`, which is no name for a Kubernetes object: the "
            "API server refuses it and no pod of the workload is grouped.",
            f"Use lower-case letters, digits and dashes, {_LONGEST_GROUP_NAME} at most.",
        )
    for sub_group in group.sub_groups:
        name = sub_group.component_name
        if not name or definition.component(name) is None:
            continue
        if len(name) > _LONGEST_LABEL or not DNS_LABEL.match(name):
            yield Finding(
                sub_group.span("componentName"),
                "The component's name becomes the name of a subgroup and the value of a label, and "
                f"{name!r} cannot be: the API server refuses the PodGroup and no pod of the workload is "
                "grouped.",
                f"Rename the component: lower-case letters, digits and dashes, {_LONGEST_LABEL} at most.",
            )


@rule(
    "WM703",
    "topology-without-level",
    Severity.ERROR,
    "A topology with neither a preferred nor a required level.",
)
def topology_without_level(context: Context) -> Iterable[Finding]:
    """The API server accepts two empty levels, the pod grouper does not."""
    group = context.definition.gang.pod_group if context.definition.gang else None
    if group is None:
        return
    for topology in (group.topology, *(sub_group.topology for sub_group in group.sub_groups)):
        if topology is not None and _has_no_level(topology):
            yield Finding(
                topology.key_span(),
                "Both levels of this topology are empty: the API server accepts that, and then the grouping "
                "of every pod of the workload fails.",
                "Set `preferredTopologyLevel` or `requiredTopologyLevel`, or remove the topology.",
            )


def _has_no_level(topology: Topology) -> bool:
    return topology.preferred_topology_level == "" and topology.required_topology_level == ""


@rule("WM704", "deprecated-pod-groups", Severity.NOTE, "podGroups is used where podGroup, which replaces it, would do.")
def deprecated_pod_groups(context: Context) -> Iterable[Finding]:
    """The alpha form of gang scheduling, where nothing keeps the author from the newer one."""
    gang = context.definition.gang
    if gang is None or not gang.pod_groups:
        return
    members = [member for group in gang.pod_groups for member in group.members]
    if any(member.present("groupByKeyPaths") or member.present("filters") for member in members):
        return  # one group for each value of a key is what only this form can say
    ignored = " Beside `podGroup` it is not read at all by consumers that know both." if gang.pod_group else ""
    yield Finding(
        gang.key_span("podGroups"),
        f"`podGroups` is deprecated: `podGroup` replaces it where one group for each workload is enough.{ignored}",
        "Write `podGroup` with `subGroups`.",
    )


def _any_scale(definition: Definition) -> bool:
    """Whether counts come from scale definitions; one anywhere is enough, even an empty one."""
    return any(component.present("scaleDefinition") for component in definition.components)


@rule(
    "WM705",
    "gang-instance-without-scale",
    Severity.ERROR,
    "A pod group's member has instances but no scaleDefinition, while other components have one.",
)
def gang_instance_without_scale(context: Context) -> Iterable[Finding]:
    """The size of a member's gang is looked up by instance id in its scale, which has none."""
    definition = context.definition
    if definition.gang is None or not _any_scale(definition):
        return
    for group in definition.gang.pod_groups:
        for member in group.members:
            component = definition.component(member.component_name or "")
            if (
                component is not None
                and component.is_pod_bearing
                and component.present("instanceIdPath")
                and component.present("podSelector")
                and not component.present("scaleDefinition")
                and not context.is_doubtful((*component.path, "scaleDefinition"))
                and not context.is_doubtful((*component.path, "instanceIdPath"))
            ):
                yield Finding(
                    member.span("componentName"),
                    f"{component.name!r} has instances but no `scaleDefinition`, while another component "
                    "has one: the size of a pod's gang is looked up by its instance id, which is not found, "
                    "so its pods are never grouped.",
                    f"Add a `scaleDefinition` to component {component.name!r}.",
                )


@rule(
    "WM706",
    "subgroup-without-scale",
    Severity.ERROR,
    "Neither a subgroup's component nor a descendant gives a count, so the workload is never grouped.",
)
def subgroup_without_scale(context: Context) -> Iterable[Finding]:
    """The size of a subgroup is its component's count times its descendants'; zero is refused."""
    definition = context.definition
    group = definition.gang.pod_group if definition.gang else None
    if group is None:
        return
    for sub_group in group.sub_groups:
        parts = definition.subtree_of(sub_group.component_name or "")
        if not parts or any(context.is_doubtful((*part.path, "scaleDefinition")) for part in parts):
            continue
        if _any_scale(definition):
            fails = not any(part.present("scaleDefinition") for part in parts)
            reason = "has no `scaleDefinition`, while another component has one"
        else:
            fails = not any(part.is_pod_bearing for part in parts)
            reason = "describes no pods"
        if fails:
            whose = "Component" if len(parts) == 1 else "Neither component"
            subject = f"{whose} {sub_group.component_name!r}" + ("" if len(parts) == 1 else " nor a descendant")
            verb = reason if len(parts) == 1 else reason.replace("has no", "has a").replace("describes no", "describes")
            yield Finding(
                sub_group.span("componentName"),
                f"{subject} {verb}: the subgroup's size is zero, which is refused, so no pod of the "
                "workload is grouped.",
                "Add a `scaleDefinition` with `replicasPath` (for a fixed count, a constant such as `1`), "
                "or leave the subgroup out.",
            )
