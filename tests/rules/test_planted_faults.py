"""One fault planted in a definition of the catalog: one finding, on the characters that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.rules.fixture_files import check_text, pointed_at
from wmap_lint.jq.engine import Engine

PROJECT = Path(__file__).parents[2]
JOBSET = "jobset-x-k8s-io-jobset-v1alpha2"
PYTORCHJOB = "kubeflow-org-pytorchjob-v1"
RAYCLUSTER = "ray-io-raycluster-v1"


class Fault(NamedTuple):
    """``before`` is replaced by ``after``; ``code`` has to be found at the characters ``at``."""

    definition: str
    before: str
    after: str
    code: str
    at: str


WORKERS = """\
        componentTypeSelector:
          keyPath: .metadata.labels["ray.io/node-type"]
          value: worker
"""
WORKER_GROUP = "        - componentName: worker\n"
BOTH = "        name: raycluster\n        subGroups:\n        - componentName: head\n" + WORKER_GROUP
SCALED_DOWN = """\
        suspendActions:
        - {path: ".spec.replicatedJobs[]?.replicas", value: "0"}
"""
DEGRADED = """\
                .spec.suspend != true
                and .status.state != "suspended"
                and (any(.status.conditions[]?; .status == "True" and .type == ("RayClusterSuspending", "RayClusterSuspended")) | not)
"""  # noqa: E501
RUNNING = """\
                | .spec.runPolicy.suspend != true
                and (any(.status.replicaStatuses[]?; (.failed // 0) > 0) | not)
                and (.spec.elasticPolicy
"""[:-1]

FAULTS = [
    # paths
    Fault(JOBSET, ".replicatedJobs[]?.template", ".replicatedJbos[]?.template", "WM401", ".replicatedJbos"),
    Fault(JOBSET, "IdPath: .spec.replicatedJobs[]?", "IdPath: .spec.replicatedJbos[]?", "WM401", ".replicatedJbos"),
    Fault(JOBSET, ".spec.replicatedJobs[]?.name", ".spec.replicatedJobs[]?.nmae", "WM401", ".nmae"),
    Fault(JOBSET, "path: .status.conditions", "path: .status.condtions", "WM401", ".condtions"),
    Fault(JOBSET, "typeFieldName: type", "typeFieldName: tpye", "WM401", "tpye"),
    Fault(JOBSET, "statusFieldName: status", "statusFieldName: state", "WM401", "state"),
    Fault(
        PYTORCHJOB,
        ".pytorchReplicaSpecs[]?.template",
        ".pytorchReplicaSpec[]?.template",
        "WM401",
        ".pytorchReplicaSpec",
    ),
    Fault(RAYCLUSTER, "path: .status.state", "path: .status.phase", "WM401", ".phase"),
    Fault(RAYCLUSTER, ".spec.headGroupSpec.template", ".spec.headGroup.template", "WM401", ".headGroup"),
    Fault(RAYCLUSTER, "[]?.groupName", "[]?.groupname", "WM401", ".groupname"),
    # types
    Fault(
        PYTORCHJOB,
        "replicasPath: .spec.pytorchReplicaSpecs[]? | .replicas // 1",
        "replicasPath: .spec.pytorchReplicaSpecs[]? | .template",
        "WM402",
        ".spec.pytorchReplicaSpecs[]? | .template",
    ),
    Fault(RAYCLUSTER, "[]?.groupName", "[]?.numOfHosts", "WM402", ".spec.workerGroupSpecs[]?.numOfHosts"),
    # instances and counts
    Fault(JOBSET, "IdPath: .spec.replicatedJobs[]?.name", "IdPath: .metadata.name", "WM403", ".metadata.name"),
    Fault(PYTORCHJOB, "| .replicas // 1\n", "| .replica // 1\n", "WM404", ".replica"),
    Fault(PYTORCHJOB, "keys[] | ascii_downcase", "keys[]", "WM404", ".spec.pytorchReplicaSpecs // {} | keys[]"),
    Fault(RAYCLUSTER, 'replicasPath: "1"', 'replicasPath: "2"', "WM404", '"2"'),
    Fault(RAYCLUSTER, "2147483647] | min) * (.numOfHosts // 1) end", "2147483647] | min) end", "WM404", "|"),
    Fault(RAYCLUSTER, "(.minReplicas // 0) * (.numOfHosts // 1) end", "(.minReplicas // 0) end", "WM404", "|"),
    Fault(PYTORCHJOB, "then $elastic.maxReplicas // $elastic.minReplicas", "then null", "WM404", "|"),
    Fault(RAYCLUSTER, "- name: worker\n", "- name: workers\n", "WM404", "workers"),
    Fault(
        PYTORCHJOB,
        "podTemplateSpecPath: .spec.pytorchReplicaSpecs[]?.template",
        "podTemplateSpecPath: .spec.pytorchReplicaSpecs[]?",
        "WM407",
        ".spec.pytorchReplicaSpecs[]?",
    ),
    Fault(
        JOBSET,
        "IdPath: .spec.replicatedJobs[]?.name",
        "IdPath: .spec.replicatedJobs[]?.template.spec.template.spec.restartPolicy",
        "WM408",
        ".spec.replicatedJobs[]?.template.spec.template.spec.restartPolicy",
    ),
    # statuses
    Fault(JOBSET, '{type: Completed, status: "True"}', '{type: Completed, status: "False"}', "WM503", '"False"'),
    Fault(JOBSET, "{type: Completed,", "{type: Complete,", "WM503", "Complete"),
    Fault(JOBSET, "{type: Suspended,", "{type: Suspnded,", "WM503", "Suspnded"),
    Fault(JOBSET, '.type == "RestartingJobSet")\n', '.type == "RestartingJobset")\n', "WM503", '"RestartingJobset"'),
    Fault(
        JOBSET,
        ".status.restarts != null\n                and $",
        ".status.restart != null\n                and $",
        "WM503",
        ".restart",
    ),
    Fault(PYTORCHJOB, '{type: Running, status: "True"}', '{type: Running, status: "true"}', "WM503", '"true"'),
    Fault(PYTORCHJOB, '{type: Failed, status: "True"}', '{type: Failed, status: "False"}', "WM503", '"False"'),
    Fault(RAYCLUSTER, "byPhase: ready", "byPhase: Ready", "WM503", "Ready"),
    Fault(RAYCLUSTER, "// 0) >= $asked", "// 0) > $asked", "WM503", "|"),
    Fault(RAYCLUSTER, "and (.status.readyWorkerReplicas // 0) >= $asked", "and true", "WM502", "byPhase: ready"),
    Fault(
        RAYCLUSTER, "path: .status.state", "path: .status.readyWorkerReplicas", "WM504", ".status.readyWorkerReplicas"
    ),
    # pods
    Fault(
        JOBSET,
        'idPath: .metadata.labels["jobset.sigs.k8s.io/replicatedjob-name"]',
        'idPath: .metadata.labels["jobset.sigs.k8s.io/replicated-job"]',
        "WM604",
        '"jobset.sigs.k8s.io/replicated-job"',
    ),
    Fault(
        PYTORCHJOB,
        'keyPath: .metadata.labels["training.kubeflow.org/replica-type"]',
        'keyPath: .metadata.labels["training.kubeflow.org/replicaType"]',
        "WM604",
        '"training.kubeflow.org/replicaType"',
    ),
    Fault(RAYCLUSTER, "value: worker\n", "value: workers\n", "WM601", "workers"),
    Fault(RAYCLUSTER, "value: head\n", "value: Head\n", "WM601", "Head"),
    Fault(RAYCLUSTER, "          value: worker\n", "", "WM602", '.metadata.labels["ray.io/node-type"]'),
    Fault(RAYCLUSTER, WORKERS, "", "WM610", "name"),
    Fault(
        RAYCLUSTER,
        'idPath: .metadata.labels["ray.io/group"]',
        'idPath: .metadata.labels["ray.io/node-type"]',
        "WM603",
        '.metadata.labels["ray.io/node-type"]',
    ),
    # gangs
    Fault(RAYCLUSTER, "        name: raycluster\n", BOTH, "WM707", "worker"),
    Fault(RAYCLUSTER, "        name: raycluster\n", BOTH.replace(WORKER_GROUP, ""), "WM707", "subGroups"),
    Fault(JOBSET, "        name: jobset\n", "        name: job-set\n", "WM710", "job-set"),
    # writes
    Fault(JOBSET, "- {path: .spec.suspend, value", "- {path: .spec.suspnd, value", "WM812", ".suspnd"),
    Fault(
        PYTORCHJOB, "- {path: .spec.runPolicy.suspend, value", "- {path: .spec.suspend, value", "WM812", ".spec.suspend"
    ),
    Fault(RAYCLUSTER, 'suspend, value: "false"', 'suspend, value: "true"', "WM812", '"true"'),
    Fault(JOBSET, "        suspendActions:\n", SCALED_DOWN, "WM811", '".spec.replicatedJobs[]?.replicas"'),
    Fault(
        JOBSET,
        "- {path: .spec.suspend, value",
        "- {path: '.spec.jobs[]?.suspend', value",
        "WM813",
        "'.spec.jobs[]?.suspend'",
    ),
    Fault(RAYCLUSTER, DEGRADED, DEGRADED.replace(".spec.suspend != true\n                and ", ""), "WM812", "|"),
    Fault(
        PYTORCHJOB,
        RUNNING,
        RUNNING.replace(".spec.runPolicy.suspend != true\n                and ", ""),
        "WM502",
        "byConditions:",
    ),
]


def text_of(definition: str) -> str:
    return (PROJECT / "catalog" / f"{definition}.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("definition", [JOBSET, PYTORCHJOB, RAYCLUSTER])
def test_without_a_fault_nothing_is_found(definition: str, engine: Engine) -> None:
    assert check_text(text_of(definition), PROJECT / "catalog" / f"{definition}.yaml", engine) == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.definition[:6]}: {fault.after}")
def test_one_fault_one_finding(fault: Fault, engine: Engine) -> None:
    text = text_of(fault.definition)
    assert fault.before in text
    planted = text.replace(fault.before, fault.after, 1)
    # All states take long, and only what is about the status can show in them.
    depth = "quick" if fault.code.startswith(("WM5", "WM8")) else "off"
    found = check_text(planted, PROJECT / "catalog" / f"{fault.definition}.yaml", engine, depth=depth)
    assert [(each.rule, pointed_at(each, planted)) for each in found] == [(fault.code, fault.at)], found
    assert found[0].hint


@pytest.mark.parametrize(
    "fault",
    [
        fault
        for fault in FAULTS
        if fault.code in ("WM401", "WM404", "WM503") and fault.at.startswith(".") and " " not in fault.at
    ],
    ids=lambda fault: f"{fault.definition[:6]}: {fault.after}",
)
def test_a_misspelling_can_be_fixed(fault: Fault, engine: Engine) -> None:
    planted = text_of(fault.definition).replace(fault.before, fault.after, 1)
    (found,) = check_text(planted, PROJECT / "catalog" / f"{fault.definition}.yaml", engine, depth="off")
    if found.fix is None:
        assert fault.at in (".phase", ".headGroup")  # nothing there is spelled like it
        return
    (edit,) = found.fix.edits
    lines = planted.split("\n")
    line = lines[edit.span.line - 1]
    lines[edit.span.line - 1] = line[: edit.span.column - 1] + edit.text + line[edit.span.end_column - 1 :]
    assert "\n".join(lines) == text_of(fault.definition)


def test_a_dropped_guard_is_two_statuses_at_once(engine: Engine) -> None:
    text = text_of(JOBSET)
    guard = (
        '                and (any(.status.conditions[]?; .status == "True" and .type == ("Completed", "Failed", '
        '"Suspended", "RestartingJobSet")) | not)\n'
        "                and (any(.status.replicatedJobsStatus[]?; (.failed // 0) > 0) | not)\n"
        "                and .status.restarts != null\n"
    )
    assert guard in text
    planted = text.replace(guard, "                and .status.restarts != null\n", 1)
    (found,) = check_text(planted, PROJECT / "catalog" / f"{JOBSET}.yaml", engine, depth="off")
    assert found.rule == "WM502"
    assert "`completed` and `to-the-end/05-completed` read Running as well as Completed" in found.message
    assert [Path(related.span.file).name for related in found.related] == [
        "completed.expected.yaml",
        "05-completed.expected.yaml",
    ]
