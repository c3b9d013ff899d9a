"""The same story told by every framework.

A *family* is a workload without its framework: how many pods each role has, and what happened to them. Each framework
writes it down in its own way; what comes of it has to read the same. The objects are made of the recorded ones of a
framework, resized, as nobody but its operator knows what else stands in a status.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wmap_lint.record import Record
from wmap_lint.statespace.scenarios import SCENARIOS

MOST_GROUPS = 4
MOST_PODS = 6


class Story(enum.Enum):
    """What happened, and as which scenario fixtures have it."""

    ACCEPTED = "created"
    """Accepted, and the operator has written nothing."""
    ACCEPTED_SUSPENDED = "created-suspended"
    UP = "running"
    """Every pod is up."""
    ONE_FAILED = "failed"
    """One pod has failed for good."""
    SUSPENDED = "suspended"
    """Suspended, and nothing runs."""

    @property
    def status(self) -> str:
        """How it reads, in every framework."""
        return SCENARIOS[self.value].status


class Family(Record):
    """A workload: ``leader`` says whether one pod leads, ``groups`` how many pods each group of others has.

    ``says_so``: the switch that suspends is written also where it is off. ``backwards``: lists in the status are in
    the opposite order, which is never that of the spec.
    """

    story: Story
    leader: bool
    groups: tuple[int, ...]
    says_so: bool = False
    backwards: bool = False

    @property
    def pods(self) -> int:
        """How many pods there are in all."""
        return int(self.leader) + sum(self.groups)

    @property
    def is_suspended(self) -> bool:
        """Whether the user has suspended it."""
        return self.story in (Story.SUSPENDED, Story.ACCEPTED_SUSPENDED)


def families() -> SearchStrategy[Family]:
    """Workloads with at least one pod; they shrink to one that is accepted and has a leader alone."""

    def sized(leader: bool) -> SearchStrategy[tuple[bool, tuple[int, ...]]]:
        sizes = st.lists(st.integers(1, MOST_PODS), min_size=int(not leader), max_size=MOST_GROUPS)
        return sizes.map(lambda groups: (leader, tuple(groups)))

    shapes = st.sampled_from([True, False]).flatmap(sized)
    return st.builds(
        lambda story, shape, says_so, backwards: Family(story, shape[0], shape[1], says_so, backwards),
        st.sampled_from(list(Story)),
        shapes,
        st.booleans(),
        st.booleans(),
    )


Recorded = Mapping[str, Mapping[str, Any]]
"""The workloads of the fixtures of one framework, by the name of the scenario."""

Builder = Callable[[Family, Mapping[str, Any]], dict[str, Any] | None]


def build(family: Family, kind: tuple[str, str], recorded: Recorded) -> Mapping[str, Any] | None:
    """The family as a framework writes it; None where its operator cannot reach that, or has no such shape.

    ``kind`` is group and kind. KeyError for a framework that is not known here, or without a fixture of the story.
    """
    if family.story in NEVER.get(kind, ()):
        return None
    return BUILDERS[kind](family, recorded[family.story.value])


def _switched(spec: dict[str, Any], family: Family) -> dict[str, Any]:
    """``spec`` with its switch as the family has it."""
    spec.pop("suspend", None)
    if family.is_suspended or family.says_so:
        spec["suspend"] = family.is_suspended
    return spec


def _ordered(entries: Sequence[Any], family: Family) -> list[Any]:
    return list(reversed(entries)) if family.backwards else list(entries)


def _with(workload: Mapping[str, Any], spec: Any, status: Any) -> dict[str, Any]:
    made = {**workload, "spec": spec}
    made.pop("status", None)
    return made if status is None else {**made, "status": status}


def _jobset(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Every group is a replicated job of as many Jobs with one pod each; counters are Jobs, joined by name."""
    (template, *_) = recorded["spec"]["replicatedJobs"]
    template = {key: value for key, value in template.items() if key != "dependsOn"}
    sizes = {**({"leader": 1} if family.leader else {}), **{f"group-{at}": n for at, n in enumerate(family.groups)}}
    jobs = [{**template, "name": name, "replicas": size} for name, size in sizes.items()]
    spec = _switched({**recorded["spec"], "replicatedJobs": jobs}, family)
    status = recorded.get("status")
    if status is not None:
        none = {"active": 0, "failed": 0, "ready": 0, "succeeded": 0, "suspended": 0}
        counters: list[dict[str, Any]] = []
        for position, (name, size) in enumerate(sizes.items()):
            match family.story:
                case Story.UP:
                    own = {"active": size, "ready": size}
                case Story.SUSPENDED:
                    own = {"suspended": size}
                case _:
                    # Those that were left are deleted as soon as the JobSet has failed.
                    own = {"failed": 1} if position == 0 else {}
            counters.append({"name": name, **none, **own})
        status = {**status, "replicatedJobsStatus": _ordered(counters, family)}
    return _with(recorded, spec, status)


def _pytorchjob(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """The leader is the Master, all others are Workers; counters are pods, and those of zero are left out."""
    roles = recorded["spec"]["pytorchReplicaSpecs"]
    template = next(iter(roles.values()))
    sizes = {name: size for name, size in (("Master", int(family.leader)), ("Worker", sum(family.groups))) if size}
    spec = dict(recorded["spec"])
    spec["pytorchReplicaSpecs"] = {name: {**roles.get(name, template), "replicas": n} for name, n in sizes.items()}
    policy = _switched(dict(spec.pop("runPolicy", {})), family)
    if policy:
        spec["runPolicy"] = policy
    status = recorded.get("status")
    if status is not None:
        counters: dict[str, Any] = {}
        for position, (name, size) in enumerate(sizes.items()):
            left = size - int(position == 0)
            match family.story:
                case Story.UP:
                    counters[name] = {"active": size}
                case Story.SUSPENDED:
                    counters[name] = {}
                case _:
                    counters[name] = {**({"active": left} if left else {}), **({"failed": 1} if position == 0 else {})}
        conditions = _ordered(status.get("conditions", ()), family)
        status = {**status, "replicaStatuses": counters, "conditions": conditions}
    return _with(recorded, spec, status)


def _mpijob(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """The leader is the Launcher, all others are Workers; counters are pods, and those of zero are left out.

    There is no job without a Launcher, and none of its pods but the Launcher's can fail it.
    """
    if not family.leader:
        return None
    workers = sum(family.groups)
    roles = recorded["spec"]["mpiReplicaSpecs"]
    spec = {**recorded["spec"], "mpiReplicaSpecs": {"Launcher": roles["Launcher"]}}
    if workers:
        spec["mpiReplicaSpecs"]["Worker"] = {**roles["Worker"], "replicas": workers}
    policy = _switched(dict(spec.pop("runPolicy", {})), family)
    if policy:
        spec["runPolicy"] = policy
    status = recorded.get("status")
    if status is not None:
        counters: dict[str, Any] = {"Launcher": status["replicaStatuses"]["Launcher"], "Worker": {}}
        if workers and family.story is Story.UP:
            counters["Worker"] = {"active": workers}
        conditions = _ordered(status.get("conditions", ()), family)
        status = {**status, "replicaStatuses": counters, "conditions": conditions}
    return _with(recorded, spec, status)


def _raycluster(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """The head is the leader, every group a worker group; counters are pods of all groups together.

    There is no cluster without a head.
    """
    if not family.leader:
        return None
    spec = _switched(_cluster_spec(family, recorded["spec"]), family)
    status = recorded.get("status")
    return _with(recorded, spec, None if status is None else _cluster_status(family, status))


def _rayjob(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """As the cluster made for it, whose status is copied; the operator submits, so that there is no other pod."""
    if not family.leader:
        return None
    spec = {**recorded["spec"], "submissionMode": "HTTPMode", "shutdownAfterJobFinishes": True}
    spec["rayClusterSpec"] = _cluster_spec(family, spec["rayClusterSpec"])
    status = recorded.get("status")
    if status is not None and "conditions" in status["rayClusterStatus"]:
        status = {**status, "rayClusterStatus": _cluster_status(family, status["rayClusterStatus"])}
    return _with(recorded, _switched(spec, family), status)


def _rayservice(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """As its cluster, the active one when it is up."""
    if not family.leader:
        return None
    spec = {**recorded["spec"], "rayClusterConfig": _cluster_spec(family, recorded["spec"]["rayClusterConfig"])}
    status = recorded.get("status")
    if status is not None:
        status = {**status, "conditions": _ordered(status["conditions"], family)}
        if family.story is Story.UP:
            active = status["activeServiceStatus"]
            cluster = _cluster_status(family, active["rayClusterStatus"])
            status["activeServiceStatus"] = {**active, "rayClusterStatus": cluster}
            status["numServeEndpoints"] = family.pods
    return _with(recorded, _switched(spec, family), status)


def _cluster_spec(family: Family, spec: Mapping[str, Any]) -> dict[str, Any]:
    (template, *_) = spec["workerGroupSpecs"]
    groups = [
        {**template, "groupName": f"group-{at}", "replicas": n, "minReplicas": 0, "maxReplicas": n, "numOfHosts": 1}
        for at, n in enumerate(family.groups)
    ]
    return {**spec, "workerGroupSpecs": groups}


def _cluster_status(family: Family, status: Mapping[str, Any]) -> dict[str, Any]:
    workers = sum(family.groups)
    counters = {"desiredWorkerReplicas": workers, "maxWorkerReplicas": workers}
    if family.story is Story.UP:
        counters |= {"readyWorkerReplicas": workers, "availableWorkerReplicas": workers}
    # Zeroes are left out.
    made = {key: value for key, value in status.items() if not key.endswith("WorkerReplicas")}
    made |= {key: value for key, value in counters.items() if value}
    made["conditions"] = _ordered(status.get("conditions", ()), family)
    return made


def _leaderworkerset(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """All pods are one group with the leader; counters are groups.

    There is no group without a leader, and no switch to suspend one.
    """
    if not family.leader:
        return None
    spec = {**recorded["spec"], "replicas": 1}
    spec["leaderWorkerTemplate"] = {**spec["leaderWorkerTemplate"], "size": family.pods}
    status = recorded.get("status")
    if status is not None:
        counters = dict.fromkeys(("replicas", "readyReplicas", "updatedReplicas"), 1)
        status = {**status, **counters, "conditions": _ordered(status["conditions"], family)}
    return _with(recorded, spec, status)


def _dynamographdeployment(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """Every role is a component, of v1alpha1 a service, with a replica for each pod.

    There is no switch to suspend it.
    """
    key = "components" if "components" in recorded["spec"] else "services"
    sizes = {**({"leader": 1} if family.leader else {}), **{f"group-{at}": n for at, n in enumerate(family.groups)}}
    named = recorded["spec"][key]
    template = next(each for each in (named if key == "components" else named.values()) if "multinode" not in each)
    roles = {name: {**template, "replicas": size} for name, size in sizes.items()}
    list_or_map = [{**role, "name": name} for name, role in roles.items()] if key == "components" else roles
    spec = {**recorded["spec"], key: list_or_map}
    status = recorded.get("status")
    if status is not None and status.get(key):
        child = next(each for each in status[key].values() if "readyReplicas" in each)
        counters = ("replicas", "updatedReplicas", "readyReplicas", "scheduledReplicas")
        counted = {name: {**child, **dict.fromkeys(counters, size)} for name, size in sizes.items()}
        status = {**status, key: counted, "conditions": _ordered(status["conditions"], family)}
    return _with(recorded, spec, status)


def _daemonset(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One role: a leader alone, or one group, each on a node of its own. There is no switch to suspend it."""
    if int(family.leader) + len(family.groups) != 1:
        return None
    status = recorded["status"]
    if "observedGeneration" in status:
        nodes = ("desired", "current", "updated")
        counters = (*(f"{name}NumberScheduled" for name in nodes), "numberReady", "numberAvailable")
        status = {**status, **dict.fromkeys(counters, family.pods)}
    return _with(recorded, recorded["spec"], status)


def _deployment(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One role: a leader alone, or one group, all up. There is no switch to suspend it."""
    if int(family.leader) + len(family.groups) != 1:
        return None
    spec = {**recorded["spec"], "replicas": family.pods}
    status = recorded.get("status")
    if status:
        counters = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
        conditions = _ordered(status["conditions"], family)
        status = {**status, **dict.fromkeys(counters, family.pods), "conditions": conditions}
    return _with(recorded, spec, status)


def _statefulset(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One role: a leader alone, or one group, all up. There is no switch to suspend it."""
    if int(family.leader) + len(family.groups) != 1:
        return None
    spec = {**recorded["spec"], "replicas": family.pods}
    status = recorded["status"]
    if "observedGeneration" in status:
        counters = ("replicas", "currentReplicas", "updatedReplicas", "readyReplicas", "availableReplicas")
        status = {**status, **dict.fromkeys(counters, family.pods)}
    return _with(recorded, spec, status)


def _job(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One role: a leader alone, or one group. Every pod has an index, and all are made at once; zeroes are left out."""
    if int(family.leader) + len(family.groups) != 1:
        return None
    size = family.pods
    spec = _switched({**recorded["spec"], "parallelism": size, "completions": size}, family)
    status = recorded.get("status")
    if status:
        match family.story:
            case Story.UP:
                counters = {"active": size, "ready": size}
            case Story.SUSPENDED:
                counters = {"ready": 0}
            case _:
                # Those that were left are deleted before the Job is said to have failed.
                counters = {"ready": 0, "failed": size}
        status = {key: value for key, value in status.items() if key not in ("active", "failed")} | counters
        status["conditions"] = _ordered(status.get("conditions", ()), family)
    return _with(recorded, spec, status)


def _pod(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One pod, held back by a gate where it is suspended; once it has started there is no way back."""
    return dict(recorded) if family.pods == 1 else None


def _cronjob(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One role, as in a Job: its status says that there is a run, and nothing of the pods."""
    if int(family.leader) + len(family.groups) != 1:
        return None
    template = recorded["spec"]["jobTemplate"]
    job = {**template["spec"], "parallelism": family.pods, "completions": family.pods}
    spec = _switched({**recorded["spec"], "jobTemplate": {**template, "spec": job}}, family)
    return _with(recorded, spec, recorded.get("status"))


def _inferenceservice(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One role, the predictor, with the pods as its minimum; the switch is an annotation."""
    if int(family.leader) + len(family.groups) != 1:
        return None
    metadata = recorded["metadata"]
    annotations = {**metadata["annotations"]}
    annotations.pop("serving.kserve.io/stop", None)
    if family.is_suspended or family.says_so:
        annotations["serving.kserve.io/stop"] = "true" if family.is_suspended else "false"
    spec = {"predictor": {**recorded["spec"]["predictor"], "minReplicas": family.pods}}
    status = recorded.get("status")
    if status is not None:
        status = {**status, "conditions": _ordered(status["conditions"], family)}
    return _with({**recorded, "metadata": {**metadata, "annotations": annotations}}, spec, status)


def _nimcache(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One pod. There is no switch to suspend it, and the operator tries on when it has failed."""
    if family.pods != 1:
        return None
    status = recorded.get("status")
    if status is not None:
        status = {**status, "conditions": _ordered(status["conditions"], family)}
    return _with(recorded, recorded["spec"], status)


def _nimservice(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One role, as a Deployment, or with a leader all pods as one group; the status says nothing of pods.

    There is no switch to suspend it.
    """
    multi_node = family.leader and bool(family.groups)
    if not multi_node and int(family.leader) + len(family.groups) != 1:
        return None
    spec = {**recorded["spec"], "replicas": 1 if multi_node else family.pods}
    if multi_node:
        spec["multiNode"] = {"backendType": "lws", "parallelism": {"pipeline": family.pods}}
    status = recorded.get("status")
    if status is not None:
        status = {**status, "conditions": _ordered(status["conditions"], family)}
    return _with(recorded, spec, status)


def _knative(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One role, with the pods as the minimum: the status says nothing of pods."""
    if int(family.leader) + len(family.groups) != 1:
        return None
    template = recorded["spec"]["template"]
    metadata = {**template["metadata"], "annotations": {"autoscaling.knative.dev/min-scale": str(family.pods)}}
    spec = {**recorded["spec"], "template": {**template, "metadata": metadata}}
    status = recorded.get("status")
    if status is not None:
        status = {**status, "conditions": _ordered(status["conditions"], family)}
    return _with(recorded, spec, status)


def _milvus(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any] | None:
    """One role, standalone, whose pods are 0 where it is suspended."""
    if int(family.leader) + len(family.groups) != 1:
        return None
    components = recorded["spec"]["components"]
    standalone = {**components["standalone"], "replicas": 0 if family.is_suspended else family.pods}
    spec = {**recorded["spec"], "components": {**components, "standalone": standalone}}
    status = recorded.get("status")
    if status is not None:
        status = {**status, "conditions": _ordered(status["conditions"], family)}
    return _with(recorded, spec, status)


def _podcliqueset(family: Family, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Every group is a clique of one copy, and the leader is another; counters are copies. There is no switch."""
    (first, *_) = recorded["spec"]["template"]["cliques"]
    sizes = {**({"leader": 1} if family.leader else {}), **{f"group-{at}": n for at, n in enumerate(family.groups)}}
    cliques = [
        {**first, "name": name, "spec": {**first["spec"], "roleName": name, "replicas": size, "minAvailable": size}}
        for name, size in sizes.items()
    ]
    template = {**recorded["spec"]["template"], "cliques": _ordered(cliques, family)}
    template.pop("podCliqueScalingGroups", None)
    return _with(recorded, {**recorded["spec"], "template": template}, recorded.get("status"))


BUILDERS: Mapping[tuple[str, str], Builder] = MappingProxyType(
    {
        ("", "Pod"): _pod,
        ("apps", "DaemonSet"): _daemonset,
        ("apps", "Deployment"): _deployment,
        ("apps", "StatefulSet"): _statefulset,
        ("apps.nvidia.com", "NIMCache"): _nimcache,
        ("apps.nvidia.com", "NIMService"): _nimservice,
        ("batch", "CronJob"): _cronjob,
        ("batch", "Job"): _job,
        ("grove.io", "PodCliqueSet"): _podcliqueset,
        ("jobset.x-k8s.io", "JobSet"): _jobset,
        ("kubeflow.org", "PyTorchJob"): _pytorchjob,
        ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): _leaderworkerset,
        ("kubeflow.org", "MPIJob"): _mpijob,
        ("nvidia.com", "DynamoGraphDeployment"): _dynamographdeployment,
        ("milvus.io", "Milvus"): _milvus,
        ("ray.io", "RayCluster"): _raycluster,
        ("ray.io", "RayJob"): _rayjob,
        ("serving.knative.dev", "Service"): _knative,
        ("ray.io", "RayService"): _rayservice,
        ("serving.kserve.io", "InferenceService"): _inferenceservice,
    }
)
"""How each framework writes a family, by group and kind."""

NEVER: Mapping[tuple[str, str], frozenset[Story]] = MappingProxyType(
    {
        ("apps", "DaemonSet"): frozenset({Story.ONE_FAILED, Story.SUSPENDED, Story.ACCEPTED_SUSPENDED}),
        ("apps", "Deployment"): frozenset({Story.ONE_FAILED, Story.SUSPENDED, Story.ACCEPTED_SUSPENDED}),
        ("apps", "StatefulSet"): frozenset({Story.ONE_FAILED, Story.SUSPENDED, Story.ACCEPTED_SUSPENDED}),
        ("apps.nvidia.com", "NIMCache"): frozenset({Story.ONE_FAILED, Story.SUSPENDED, Story.ACCEPTED_SUSPENDED}),
        ("apps.nvidia.com", "NIMService"): frozenset({Story.ONE_FAILED, Story.SUSPENDED, Story.ACCEPTED_SUSPENDED}),
        ("batch", "CronJob"): frozenset({Story.ONE_FAILED}),
        ("grove.io", "PodCliqueSet"): frozenset({Story.ONE_FAILED, Story.SUSPENDED, Story.ACCEPTED_SUSPENDED}),
        ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): frozenset(
            {Story.ONE_FAILED, Story.SUSPENDED, Story.ACCEPTED_SUSPENDED}
        ),
        ("nvidia.com", "DynamoGraphDeployment"): frozenset(
            {Story.ONE_FAILED, Story.SUSPENDED, Story.ACCEPTED_SUSPENDED}
        ),
        ("milvus.io", "Milvus"): frozenset({Story.ONE_FAILED}),
        ("ray.io", "RayCluster"): frozenset({Story.ONE_FAILED}),
        ("serving.knative.dev", "Service"): frozenset({Story.ONE_FAILED, Story.SUSPENDED, Story.ACCEPTED_SUSPENDED}),
        ("ray.io", "RayService"): frozenset({Story.ONE_FAILED}),
        ("serving.kserve.io", "InferenceService"): frozenset({Story.ONE_FAILED}),
    }
)
"""What cannot happen: what serves, or comes back, never fails for good, and some have no switch to suspend them."""

__all__ = ["BUILDERS", "NEVER", "Family", "Recorded", "Story", "build", "families"]
