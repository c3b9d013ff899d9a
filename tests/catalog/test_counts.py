"""As many pods as the operator makes.

Every count of a manifest is a prime of its own, so that no wrong formula gives the right number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wmap_lint.catalog import Catalog, Resolver
from wmap_lint.record import Record
from wmap_lint.resolve.view import WorkloadView

ROOT = Path(__file__).parents[2]
CATALOG = Catalog.load(ROOT / "catalog")
TEMPLATE: dict[str, Any] = {"spec": {"containers": [{"name": "main", "image": "registry.example.com/main:1"}]}}


class Case(Record):
    """A manifest, the ``pods`` that are made of it by role, and how many of them a gang needs, where that is known."""

    name: str
    api_version: str
    kind: str
    spec: dict[str, Any]
    pods: dict[str, int]
    together: int | None = None
    status: dict[str, Any] | None = None
    annotations: dict[str, str] | None = None


def daemonset(name: str, pods: int, status: dict[str, Any]) -> Case:
    """Nodes that match, however many of them have a pod; the pods on others are on their way out."""
    spec = {"template": TEMPLATE, "revisionHistoryLimit": 11}
    return Case(f"DaemonSet: {name}", "apps/v1", "DaemonSet", spec, {"daemonset": pods}, status=status)


def deployment(name: str, pods: int, **spec: Any) -> Case:
    """While its template changes there may be more or fewer, which the limits say."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 5}}
    spec = {"template": TEMPLATE, "strategy": strategy, "revisionHistoryLimit": 11, **spec}
    return Case(f"Deployment: {name}", "apps/v1", "Deployment", spec, {"deployment": pods})


def statefulset(name: str, pods: int, **spec: Any) -> Case:
    """The partition and the first number are of pods, and make none."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 3}}
    limits = {"ordinals": {"start": 5}, "revisionHistoryLimit": 11}
    spec = {"template": TEMPLATE, "updateStrategy": strategy, **limits, **spec}
    return Case(f"StatefulSet: {name}", "apps/v1", "StatefulSet", spec, {"statefulset": pods})


def dynamo(version: str, name: str, pods: int, together: int, *components: dict[str, Any]) -> Case:
    """A graph of components that have a name and a template besides what is given."""
    if version == "v1beta1":
        spec: dict[str, Any] = {
            "components": [
                {"name": f"role-{at}", "podTemplate": TEMPLATE, **each} for at, each in enumerate(components)
            ]
        }
    else:
        main = {"extraPodSpec": {"mainContainer": TEMPLATE["spec"]["containers"][0]}}
        spec = {"services": {f"role-{at}": {**main, **each} for at, each in enumerate(components)}}
    kind = "DynamoGraphDeployment"
    return Case(f"{kind} {version}: {name}", f"nvidia.com/{version}", kind, spec, {"component": pods}, together)


def dynamo_cases(version: str, apart: dict[str, Any], shadows: dict[str, Any]) -> list[Case]:
    """``apart`` has the memory service of the GPUs in pods of its own, ``shadows`` one shadow of each engine too."""
    several: dict[str, Any] = {"multinode": {"nodeCount": 7}}
    return [
        # Grove starts the first replica of each together, or as many as minAvailable says.
        dynamo(version, "one node and several", 3 + 5 * 7, 1 + 7, {"replicas": 3}, {"replicas": 5, **several}),
        dynamo(
            version,
            "a minimum",
            11 + 5 * 7,
            3 + 2 * 7,
            {"replicas": 11, "minAvailable": 3},
            {"replicas": 5, "minAvailable": 2, **several},
        ),
        dynamo(
            version,
            "a minimum of a component without replicas",
            3,
            1,
            {"replicas": 3},
            {"replicas": 0, "minAvailable": 2, **several},
        ),
        dynamo(version, "no replicas", 0, 0, {"replicas": 0}, {"replicas": 0, **several}),
        dynamo(version, "nothing said", 1, 1, {}),
        dynamo(version, "a number of nodes that is not said", 5 * 2, 2, {"replicas": 5, "multinode": {}}),
        dynamo(version, "a memory service", 5 * 7 * 2, 7 * 2, {"replicas": 5, **several, **apart}),
        dynamo(version, "a memory service and shadows", 5 * 7 * 3, 7 * 3, {"replicas": 5, **several, **shadows}),
    ]


def groups(name: str, leaders: int, workers: int, together: int, replicas: int | None, **template: Any) -> Case:
    spec = {"leaderWorkerTemplate": {"workerTemplate": TEMPLATE, **template}}
    if replicas is not None:
        spec["replicas"] = replicas
    pods = {"leader": leaders, "worker": workers}
    return Case(f"LeaderWorkerSet: {name}", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec, pods, together)


def job(name: str, pods: int, **spec: Any) -> Case:
    return Case(f"Job: {name}", "batch/v1", "Job", {"template": TEMPLATE, **spec}, {"job": pods})


def clique(name: str, replicas: int, least: int | None = None, **spec: Any) -> dict[str, Any]:
    minimum = {} if least is None else {"minAvailable": least}
    return {"name": name, "spec": {"podSpec": TEMPLATE["spec"], "replicas": replicas, **minimum, **spec}}


def scaling(name: str, cliques: list[str], replicas: int | None = None, **group: Any) -> dict[str, Any]:
    return {"name": name, "cliqueNames": cliques, **group} | ({} if replicas is None else {"replicas": replicas})


def podcliqueset(name: str, pods: int, together: int, copies: int | None, *cliques: Any, **template: Any) -> Case:
    """A copy is a gang; the bounds of autoscalers are not yet counts."""
    spec = {"template": {"cliques": list(cliques), **template}} | ({} if copies is None else {"replicas": copies})
    return Case(f"PodCliqueSet: {name}", "grove.io/v1alpha1", "PodCliqueSet", spec, {"podclique": pods}, together)


def milvus(name: str, pods: int, status: dict[str, Any] | None = None, **components: Any) -> Case:
    """A cluster, unless ``mode`` says otherwise; the operator names the roles that a user does not."""
    spec = {"mode": components.pop("mode", "cluster"), "components": components}
    return Case(f"Milvus: {name}", "milvus.io/v1beta1", "Milvus", spec, {"component": pods}, status=status)


def counted(replicas: int | None, *groups: int) -> dict[str, Any]:
    made = {} if replicas is None else {"replicas": replicas}
    return {**made, "groups": [{"name": f"group-{each}", "replicas": each} for each in groups]} if groups else made


def runs(name: str, count: int, pods: int, **spec: Any) -> Case:
    """A CronJob with so many runs at this moment, and limits of what is kept, which make no pods."""
    template = {"spec": {"template": TEMPLATE, **spec}}
    kept = {"successfulJobsHistoryLimit": 13, "failedJobsHistoryLimit": 17}
    active = [{"apiVersion": "batch/v1", "kind": "Job", "name": f"counted-{number}"} for number in range(count)]
    return Case(
        f"CronJob: {name}",
        "batch/v1",
        "CronJob",
        {"schedule": "0 * * * *", **kept, "jobTemplate": template},
        {"pod": pods},
        status={"active": active} if active else {},
    )


def pod(name: str, **spec: Any) -> Case:
    """However many containers it has."""
    containers = [{"name": f"container-{number}", "image": "registry.example.com/main:1"} for number in range(3)]
    return Case(f"Pod: {name}", "v1", "Pod", {"containers": containers, **spec}, {"pod": 1})


def mpijob(name: str, pods: int, **roles: Any) -> Case:
    """Slots are processes in a pod, and minAvailable is about the operator's own PodGroup: neither makes pods."""
    policy = {"schedulingPolicy": {"minAvailable": 3}}
    spec = {"mpiReplicaSpecs": roles, "slotsPerWorker": 11, "runPolicy": policy}
    return Case(f"MPIJob: {name}", "kubeflow.org/v2beta1", "MPIJob", spec, {"replica": pods})


def knative(name: str, pods: int, revisions: int = 0, **annotations: int) -> Case:
    """A Service with so many revisions in its traffic, the first of which has a tag as well; none was ready without."""
    scales = {f"autoscaling.knative.dev/{key.replace('_', '-')}": str(value) for key, value in annotations.items()}
    names = [f"counted-{number:05}" for number in range(revisions)]
    traffic = [{"revisionName": revision, "percent": 0} for revision in (*names, *names[:1])]
    return Case(
        f"Knative Service: {name}",
        "serving.knative.dev/v1",
        "Service",
        {"template": {"metadata": {"annotations": scales}, **TEMPLATE}},
        {"pod": pods},
        status={"latestReadyRevisionName": names[-1], "traffic": traffic} if names else {},
    )


def inference(name: str, predictor: dict[str, Any], pods: int, workers: int | None = None, **more: Any) -> Case:
    """``mode`` is Standard or Knative, ``autoscaler`` the class of it, ``traffic`` the revisions of the predictor."""
    prefix = "serving.kserve.io/"
    mode, autoscaler = more.pop("mode", "Standard"), more.pop("autoscaler", None)
    annotations = {f"{prefix}deploymentMode": mode} | ({f"{prefix}autoscalerClass": autoscaler} if autoscaler else {})
    traffic = [{"revisionName": f"counted-{each}"} for each in range(more.pop("traffic", 0))]
    return Case(
        f"InferenceService: {name}",
        "serving.kserve.io/v1beta1",
        "InferenceService",
        {"predictor": {**TEMPLATE["spec"], **predictor}, **more},
        {"component": pods} | ({} if workers is None else {"worker": workers}),
        status={"components": {"predictor": {"traffic": traffic}}},
        annotations=annotations,
    )


def nodes(gpus: Any, **sizes: int) -> dict[str, Any]:
    """Workers that request so many GPUs each, or do not say."""
    resources = {} if gpus is None else {"requests": {"nvidia.com/gpu": gpus}, "limits": {"nvidia.com/gpu": 13}}
    return {"workerSpec": {"containers": [{**TEMPLATE["spec"]["containers"][0], "resources": resources}], **sizes}}


def nimcache(name: str, source: str, **given: Any) -> Case:
    """However much it downloads, and however often it tries."""
    spec = {
        "source": {source: {"modelPuller": "registry.example.com/main:1", **given}},
        "storage": {"pvc": {"create": True}},
    }
    return Case(f"NIMCache: {name}", "apps.nvidia.com/v1alpha1", "NIMCache", spec, {"nimcache": 1})


def nimservice(name: str, pods: dict[str, int], **spec: Any) -> Case:
    """Tensor parallelism is GPUs of a pod. Without autoscaling the operator fills in bounds that mean nothing."""
    image = {"repository": "registry.example.com/main", "tag": "1"}
    autoscaling = {"scale": {"hpa": {"minReplicas": 1, "maxReplicas": 0}}}
    return Case(
        f"NIMService: {name}",
        "apps.nvidia.com/v1alpha1",
        "NIMService",
        {"authSecret": "key", "image": image, **autoscaling, **spec},
        pods,
    )


def nodes_of(pipeline: int) -> dict[str, Any]:
    return {"backendType": "lws", "parallelism": {"pipeline": pipeline, "tensor": 13}}


def canary(name: str, percent: int, **predictor: Any) -> dict[str, Any]:
    return {"trafficPercent": percent, "predictor": {"name": name, **predictor}}


def role(replicas: int | None = None) -> dict[str, Any]:
    return {"template": TEMPLATE} if replicas is None else {"replicas": replicas, "template": TEMPLATE}


def jobs(replicas: int, **spec: int) -> dict[str, Any]:
    return {"name": f"role-{replicas}", "replicas": replicas, "template": {"spec": {"template": TEMPLATE, **spec}}}


def workers(name: str, replicas: int, hosts: int) -> dict[str, Any]:
    return {"groupName": name, "replicas": replicas, "maxReplicas": 97, "numOfHosts": hosts, "template": TEMPLATE}


def rayjob(name: str, pods: dict[str, int], **spec: Any) -> Case:
    """The retries of a job and of its submitter make other pods in turn, not more."""
    return Case(
        f"RayJob: {name}",
        "ray.io/v1",
        "RayJob",
        {"backoffLimit": 11, "submitterConfig": {"backoffLimit": 13}, **spec},
        pods,
    )


def rayservice(name: str, clusters: int, **status: Any) -> Case:
    """A cluster, or two while one takes over. One is a gang, with the least that its groups may have."""
    small = [{**group, "minReplicas": least} for group, least in zip(CLUSTER["workerGroupSpecs"], (1, 3), strict=True)]
    return Case(
        f"RayService: {name}",
        "ray.io/v1",
        "RayService",
        {"rayClusterConfig": {**CLUSTER, "workerGroupSpecs": small}},
        {"head": clusters, "worker": clusters * (2 * 3 + 7 * 5)},
        1 + 1 * 3 + 3 * 5,
        status,
    )


CLUSTER: dict[str, Any] = {
    "headGroupSpec": {"template": TEMPLATE},
    "workerGroupSpecs": [workers("a", 2, 3), workers("b", 7, 5)],
}

ROLES: dict[str, Any] = {
    "mixCoord": counted(2),
    "dataNode": counted(3),
    "queryNode": counted(5),
    "proxy": counted(7),
    "streamingNode": counted(11),
    "standalone": counted(13),
    "cdc": counted(17),
}
BEFORE: dict[str, Any] = {key: value for key, value in ROLES.items() if key != "streamingNode"} | {
    "indexNode": counted(19)
}
COORDINATORS: dict[str, Any] = {
    "rootCoord": counted(23),
    "dataCoord": counted(29),
    "queryCoord": counted(31),
    "indexCoord": counted(37),
}
DEPLOYED: dict[str, Any] = {
    "proxy": {"generation": 1, "image": "milvus:v2.6.11", "status": {"replicas": 3}},
    "datanode": {"generation": 1, "image": "milvus:v2.6.11", "status": {}},
}

CASES = [
    daemonset("nodes", 7, {"desiredNumberScheduled": 7, "currentNumberScheduled": 5, "numberMisscheduled": 3}),
    daemonset("no node", 0, {"desiredNumberScheduled": 0, "currentNumberScheduled": 0, "numberMisscheduled": 3}),
    daemonset("before the nodes are counted", 0, {}),
    deployment("replicas", 7, replicas=7),
    deployment("a number of replicas that is not said", 1),
    deployment("no replica", 0, replicas=0),
    statefulset("replicas", 7, replicas=7),
    statefulset("a number of replicas that is not said", 1),
    statefulset("no replica", 0, replicas=0),
    *dynamo_cases(
        "v1alpha1",
        {
            "gpuMemoryService": {"enabled": True, "mode": "interPod"},
            "failover": {"enabled": False, "mode": "interPod", "numShadows": 1},
        },
        {
            "gpuMemoryService": {"enabled": True, "mode": "interPod"},
            "failover": {"enabled": True, "mode": "interPod", "numShadows": 1},
        },
    ),
    dynamo(
        "v1alpha1",
        "a memory service in the pod, one that is off, and bounds that are not looked at",
        3 + 5,
        2,
        {"replicas": 3, "gpuMemoryService": {"enabled": True, "mode": "intraPod"}},
        {
            "replicas": 5,
            "gpuMemoryService": {"enabled": False, "mode": "interPod"},
            "autoscaling": {"enabled": True, "minReplicas": 7, "maxReplicas": 11},
        },
    ),
    *dynamo_cases(
        "v1beta1",
        {"experimental": {"gpuMemoryService": {"mode": "InterPod"}}},
        {"experimental": {"gpuMemoryService": {"mode": "InterPod"}, "failover": {"mode": "InterPod", "numShadows": 1}}},
    ),
    dynamo(
        "v1beta1",
        "a memory service in the pod",
        3,
        1,
        {"replicas": 3, "experimental": {"gpuMemoryService": {}, "failover": {"numShadows": 1}}},
    ),
    Case(
        "JobSet: two roles",
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        # A Job never has more pods than it has to complete.
        {"replicatedJobs": [jobs(2, parallelism=3, completions=5), jobs(7, parallelism=13, completions=11)]},
        {"replicatedjob": 2 * 3 + 7 * 11},
        2 * 3 + 7 * 11,
    ),
    Case(
        "PyTorchJob: both roles",
        "kubeflow.org/v1",
        "PyTorchJob",
        {"pytorchReplicaSpecs": {"Master": role(), "Worker": role(7)}},
        {"replica": 1 + 7},
        1 + 7,
    ),
    Case(
        "RayCluster: two groups",
        "ray.io/v1",
        "RayCluster",
        CLUSTER,
        {"head": 1, "worker": 2 * 3 + 7 * 5},
    ),
    rayjob("two groups", {"head": 1, "worker": 2 * 3 + 7 * 5, "submitter": 1}, rayClusterSpec=CLUSTER),
    rayjob(
        "two groups and no submitter",
        {"head": 1, "worker": 2 * 3 + 7 * 5},
        rayClusterSpec=CLUSTER,
        submissionMode="HTTPMode",
    ),
    rayjob("a cluster that is there already", {"submitter": 1}, clusterSelector={"ray.io/cluster": "shared"}),
    rayservice("no cluster yet", 1),
    rayservice("one cluster", 1, activeServiceStatus={"rayClusterName": "counted-a"}),
    rayservice("the first cluster", 1, pendingServiceStatus={"rayClusterName": "counted-a"}),
    rayservice(
        "one cluster takes over",
        2,
        activeServiceStatus={"rayClusterName": "counted-a"},
        pendingServiceStatus={"rayClusterName": "counted-b"},
    ),
    mpijob("both roles", 1 + 7, Launcher=role(), Worker=role(7)),
    mpijob("other keys, which its operator does not read", 1 + 7, Launcher=role(1), Worker=role(7), worker=role(13)),
    mpijob("no Workers", 1, Launcher=role()),
    mpijob("Workers that say no number, so there are none", 1, Launcher=role(), Worker=role()),
    pod("three containers"),
    pod("held back", schedulingGates=[{"name": "example.com/one"}, {"name": "example.com/two"}]),
    job("more to do than at once", 7, parallelism=7, completions=11),
    job("less to do than at once", 5, parallelism=13, completions=5),
    job("a queue of work", 7, parallelism=7),
    job("one after the other", 1, completions=11),
    job("nothing said", 1),
    job("held at none", 0, parallelism=0, completions=11),
    job("nothing to do", 0, parallelism=7, completions=0),
    runs("runs that have more to do", 3, 3 * 7, parallelism=7, completions=11),
    runs("runs that have less to do", 2, 2 * 5, parallelism=7, completions=5),
    runs("runs that say nothing", 3, 3),
    runs("between two runs", 0, 0, parallelism=7),
    milvus("standalone", 7, mode="standalone", standalone=counted(7), proxy=counted(11)),
    milvus(
        "standalone, no number said, and a role of any mode", 1 + 3, mode="standalone", standalone={}, cdc=counted(3)
    ),
    milvus("a cluster, no number said", 5, **{name: {} for name in ROLES if name != "cdc"}),
    milvus("a cluster", 2 + 3 + 5 + 7 + 11 + 13 + 17, image="milvus:v2.6.11", **ROLES),
    milvus("a cluster, of a version that none is said of", 2 + 3 + 5 + 7 + 11 + 13 + 17, **ROLES),
    milvus("a cluster, of a build", 2 + 3 + 5 + 7 + 11 + 13 + 17, image="milvus:master-20260301", **ROLES),
    milvus(
        "a cluster, upgraded",
        2 + 3 + 5 + 7 + 11 + 13 + 17,
        image="milvus:v2.10.0",
        **ROLES | COORDINATORS | {"indexNode": counted(19)},
    ),
    milvus("a version that the image does not have", 2 + 3 + 5 + 7 + 13 + 17 + 19, version="2.5.1", **BEFORE),
    milvus("before 2.6", 2 + 3 + 5 + 7 + 13 + 17 + 19, image="host:5000/milvus:v2.5.20", **BEFORE),
    milvus("before 2.6, with streaming", 2 + 3 + 5 + 7 + 11 + 13 + 17 + 19, image="milvus:v2.5.20", **BEFORE | ROLES),
    milvus(
        "before 2.6, with streaming switched off",
        2 + 3 + 5 + 7 + 13 + 17 + 19,
        image="milvus:v2.5.20",
        streamingMode=False,
        **BEFORE | ROLES,
    ),
    milvus(
        "four coordinators",
        (23 + 29 + 31 + 37) + 3 + 5 + 7 + 13 + 17 + 19,
        image="milvus:v2.5.20",
        **{key: value for key, value in BEFORE.items() if key != "mixCoord"} | COORDINATORS,
    ),
    milvus("groups", 2 + 3 + 5 + (23 + 29) + 11 + 13 + 17, **ROLES | {"proxy": counted(31, 23, 29)}),
    milvus("an autoscaler that has made some", 3, {"componentsDeployStatus": DEPLOYED}, proxy=counted(-1)),
    milvus("an autoscaler that has made none yet", 1, proxy=counted(-1)),
    milvus(
        "manual mode",
        3 + 0 + 1,
        {"componentsDeployStatus": DEPLOYED},
        enableManualMode=True,
        proxy=counted(7),
        dataNode=counted(11),
        queryNode=counted(13),
    ),
    podcliqueset("cliques", 5 * (3 + 7), 2 + 7, 5, clique("a", 3, 2), clique("b", 7)),
    podcliqueset(
        "two groups and a clique in none",
        5 * (2 + 7 * (11 + 13) + 17 * 19),
        2 + 3 * (11 + 5) + 1 * 19,
        5,
        clique("a", 2, autoScalingConfig={"minReplicas": 23, "maxReplicas": 29}),
        clique("b", 11),
        clique("c", 13, 5),
        clique("d", 19),
        podCliqueScalingGroups=[
            scaling("bc", ["c", "b"], 7, minAvailable=3, scaleConfig={"minReplicas": 31, "maxReplicas": 37}),
            scaling("d", ["d"], 17),
        ],
    ),
    podcliqueset(
        "a group that says no number", 5 * 7, 7, 5, clique("a", 7), podCliqueScalingGroups=[scaling("g", ["a"])]
    ),
    podcliqueset("a number of copies that is not said, so there are none", 0, 7, None, clique("a", 7)),
    # Five groups of seven pods each, one of which leads; a group is a gang.
    groups("groups", 5, 5 * 6, 7, 5, size=7, leaderTemplate=TEMPLATE),
    groups("leaders without a template of their own", 5, 5 * 6, 7, 5, size=7),
    groups("leaders alone", 5, 0, 1, 5, size=1),
    groups("a size that is not said", 5, 0, 1, 5),
    groups("a number of groups that is not said", 1, 6, 7, None, size=7),
    groups("no group", 0, 0, 7, 0, size=7),
    nimcache("profiles", "ngc", authSecret="key", model={"profiles": ["a", "b", "c"]}),
    nimcache("nothing said", "ngc", authSecret="key"),
    nimcache("another source", "hf", authSecret="key", modelName="model"),
    nimservice("replicas", {"server": 7}, replicas=7),
    nimservice("a number of replicas that is not said", {"server": 1}),
    nimservice("no replica", {"server": 0}, replicas=0),
    nimservice("an autoscaler", {"server": 3}, scale={"enabled": True, "hpa": {"minReplicas": 3, "maxReplicas": 11}}),
    nimservice(
        "an autoscaler that is off",
        {"server": 5},
        replicas=5,
        scale={"enabled": False, "hpa": {"minReplicas": 3, "maxReplicas": 11}},
    ),
    nimservice("several nodes", {"server": 5, "worker": 5 * 6}, replicas=5, multiNode=nodes_of(7)),
    nimservice("several nodes, of which one is enough", {"server": 5}, replicas=5, multiNode=nodes_of(1)),
    nimservice(
        "several nodes and a router",
        {"server": 5, "worker": 5 * 6, "router": 1},
        replicas=5,
        multiNode=nodes_of(7),
        expose={
            "router": {"eppConfig": {"containerSpec": {"name": "epp", "image": {"repository": "epp", "tag": "1"}}}}
        },
    ),
    nimservice(
        "Knative, which is not told of replicas",
        {"server": 1},
        replicas=5,
        inferencePlatform="kserve",
        annotations={"serving.kserve.io/deploymentMode": "Knative"},
    ),
    nimservice(
        "KServe without Knative",
        {"server": 5},
        replicas=5,
        inferencePlatform="kserve",
        annotations={"serving.kserve.io/deploymentMode": "Standard"},
    ),
    inference(
        "all components",
        {"minReplicas": 3, "maxReplicas": 13},
        3 + 5 + 7,
        transformer={"minReplicas": 5},
        explainer={"minReplicas": 7},
    ),
    inference("nothing said", {}, 1 + 1 + 1, transformer={}, explainer={}),
    inference("none, of which the autoscaler makes one", {"minReplicas": 0}, 1 + 1, transformer={"minReplicas": 0}),
    inference("none, by the mode's older name", {"minReplicas": 0}, 1, mode="RawDeployment"),
    inference("none, with another autoscaler", {"minReplicas": 0}, 0, autoscaler="keda"),
    inference("none, with Knative", {"minReplicas": 0}, 0 + 0, mode="Knative", transformer={"minReplicas": 0}),
    inference(
        "two revisions", {"minReplicas": 5}, 2 * 5 + 3, mode="Knative", traffic=2, transformer={"minReplicas": 3}
    ),
    # A canary that says no number takes its share of the traffic of the pods, rounded up.
    inference(
        "canaries", {"minReplicas": 17}, 17, canary=[canary("a", 11), canary("b", 50, minReplicas=5)], autoscaler="none"
    ),
    inference("a canary that leaves one", {"minReplicas": 1}, 1 + 1, canary=[canary("a", 10)], autoscaler="none"),
    # 5 × 7 GPUs at 3 a node are 12 nodes.
    inference("several nodes", nodes("3", tensorParallelSize=5, pipelineParallelSize=7), 1, 11, autoscaler="none"),
    inference("several nodes of one GPU", nodes(None, tensorParallelSize=5, pipelineParallelSize=7), 1, 34),
    inference("several nodes without GPUs", nodes("0", tensorParallelSize=5, pipelineParallelSize=7), 1, 34),
    inference("several nodes, nothing said", nodes(None), 1, 1),
    # Each revision has its own minimum; the first one of all begins with more.
    knative("a split of the traffic", 3 * 5, 3, min_scale=5, max_scale=11, initial_scale=7, activation_scale=13),
    knative("no minimum", 0, 3, max_scale=11, initial_scale=7),
    knative("older names", 3 * 5, 3, minScale=5, maxScale=11, initialScale=7),
    knative("no revision was ready", 7, min_scale=5, max_scale=11, initial_scale=7, activation_scale=13),
    knative("no revision was ready, with older names", 7, minScale=5, initialScale=7),
    knative("no revision was ready, and a minimum above its first scale", 7, min_scale=7, initial_scale=5),
    knative("nothing said", 1),
]


@pytest.fixture(scope="module")
def resolver() -> Iterator[Resolver]:
    with Resolver() as running:
        yield running


def workload_of(case: Case) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "name": "counted",
        "namespace": "research",
        "uid": "5e7c0f6e-0d7e-4d4e-9a55-2f1d3a0f6b11",
    }
    if case.annotations is not None:
        metadata |= {"annotations": case.annotations}
    made = {"apiVersion": case.api_version, "kind": case.kind, "metadata": metadata, "spec": case.spec}
    return made if case.status is None else {**made, "status": case.status}


def view_of(case: Case, resolver: Resolver) -> WorkloadView:
    workload = workload_of(case)
    match = CATALOG.find(workload)
    assert match is not None
    view = resolver.resolve(match.definition, workload)
    assert view.problems == ()
    return view


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_pods_are_those_that_the_operator_makes(case: Case, resolver: Resolver) -> None:
    view = view_of(case, resolver)
    pods: Counter[str] = Counter()
    for node in view.walk():
        if node.pod_bearing:
            pods[node.name] += node.desired or 0
    assert dict(pods) == case.pods
    assert view.totals.desired == sum(case.pods.values())
    if case.together is not None:
        assert [gang.min_member for gang in view.gangs] == [case.together]


@pytest.mark.parametrize(
    ("spec", "together"),
    [
        ({"parallelism": 7, "completions": 7, "completionMode": "Indexed"}, 7),
        ({"parallelism": 7, "completions": 11, "completionMode": "Indexed"}, 1),
        ({"parallelism": 7, "completions": 7, "completionMode": "Indexed", "backoffLimitPerIndex": 3}, 1),
        ({"parallelism": 7, "completions": 7, "completionMode": "NonIndexed"}, 1),
        ({"parallelism": 7}, 1),
        ({"completions": 7}, 1),
        ({}, 1),
        ({"parallelism": 0}, 0),
    ],
)
def test_only_the_pods_of_a_job_that_need_each_other_start_together(
    spec: dict[str, Any], together: int, resolver: Resolver
) -> None:
    """Also in the runs of a CronJob, however many there are: each is a gang of its own."""
    for case in (job("a gang", 0, **spec), runs("gangs", 3, 0, **spec)):
        assert [gang.min_member for gang in view_of(case, resolver).gangs] == [together]
