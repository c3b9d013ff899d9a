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
    found = check_text(planted, PROJECT / "catalog" / f"{fault.definition}.yaml", engine)
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
    (found,) = check_text(planted, PROJECT / "catalog" / f"{fault.definition}.yaml", engine)
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
    (found,) = check_text(planted, PROJECT / "catalog" / f"{JOBSET}.yaml", engine)
    assert found.rule == "WM502"
    assert "`completed` reads Running as well as Completed" in found.message
    assert [Path(related.span.file).name for related in found.related] == ["completed.expected.yaml"]
