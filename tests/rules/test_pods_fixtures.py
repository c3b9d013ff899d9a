"""Recorded pods held against the selectors, and when nothing is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.fixture_files import DEFINITION, FIXTURES, check_files, pointed_at
from wmap_lint.diagnostic import Diagnostic
from wmap_lint.jq.engine import Engine

TEMPLATE = "{spec: {containers: [{name: main, image: app}]}}"
ROOT = """\
apiVersion: run.ai/v1alpha1
kind: WorkloadMap
metadata: {name: example-com-widget-v1}
spec:
  structureDefinition:
    rootComponent:
      name: widget
      kind: {group: example.com, version: v1, kind: Widget}
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        statusMappings:
          running:
          - {byPhase: Up}
    childComponents:
"""
HEAD = """\
    - name: head
      ownerRef: widget
      specDefinition: {podTemplateSpecPath: .spec.head}
      podSelector:
        componentTypeSelector: {keyPath: .metadata.labels.role, value: head}
"""
GROUPS = """\
    - name: worker
      ownerRef: widget
      specDefinition: {podTemplateSpecPath: '.spec.groups[]?.template'}
      instanceIdPath: .spec.groups[]?.name
      podSelector:
        componentTypeSelector: {keyPath: .metadata.labels.role, value: worker}
        componentInstanceSelector: {idPath: .metadata.labels.group}
        replicaSelector: {keyPath: .metadata.labels.index}
"""
WORKLOAD = f"""\
apiVersion: example.com/v1
kind: Widget
metadata: {{name: demo, uid: 1-1}}
spec:
  head: {TEMPLATE}
  groups:
  - {{name: a, template: {TEMPLATE}}}
  - {{name: b, template: {TEMPLATE}}}
status: {{phase: Up}}
"""


def pod(name: str, labels: str, owner: str = "{apiVersion: example.com/v1, kind: Widget, name: demo, uid: 1-1}") -> str:
    reference = owner.replace("{", "{controller: true, ", 1) if owner else ""
    return (
        f"---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  labels: {labels}\n"
        f"  ownerReferences: [{reference}]\nspec: {{containers: [{{name: main, image: app}}]}}\n"
    )


PODS = (
    pod("head", "{role: head}")
    + pod("a-0", '{role: worker, group: a, index: "0"}')
    + pod("b-0", '{role: worker, group: b, index: "0"}')
)


def found(
    folder: Path, engine: Engine, definition: str, *scenarios: str, expected: str = "components: {}"
) -> list[Diagnostic]:
    files = {DEFINITION: definition}
    for position, text in enumerate(scenarios):
        name = f"running-{position}"
        files[f"{FIXTURES}/{name}.yaml"] = text
        files[f"{FIXTURES}/{name}.expected.yaml"] = (
            "provenance: {source: recorded, operator: widget-operator, version: v1.0.0}\nstatus: Running\n"
        ) + ("" if expected == "components: {}" else expected)
    return check_files(folder, files, engine)


def test_all_is_well(tmp_path: Path, engine: Engine) -> None:
    assert found(tmp_path, engine, ROOT + HEAD + GROUPS, WORKLOAD + PODS) == []


NOT_JSON = '.metadata.labels.role // "" | fromjson'


@pytest.mark.parametrize(
    ("before", "after", "code", "at", "said"),
    [
        ("value: worker", "value: wroker", "WM601", "wroker", "`worker`"),
        ("value: worker", "value: Worker", "WM601", "Worker", "`worker`"),
        (", value: worker", "", "WM602", ".metadata.labels.role", "`head` and `worker`"),
        ("labels.group", "labels.index", "WM603", ".metadata.labels.index", "instance `0`"),
        ("labels.group", "labels.groups", "WM604", ".groups", "gives nothing on 4 pods"),
        ("labels.index", "labels.idx", "WM604", ".idx", "replicas of `worker`"),
        (
            "{keyPath: .metadata.labels.role, value: worker}",
            "{matchLabels: {rolle: worker}}",
            "WM604",
            "rolle",
            "the label `rolle`",
        ),
        ("{keyPath: .metadata.labels.role, value: worker}", "{matchLabels: {role: w}}", "WM601", "w", "`worker`"),
        (
            "keyPath: .metadata.labels.role, value: worker",
            f"keyPath: '{NOT_JSON}', value: worker",
            "WM607",
            f"'{NOT_JSON}'",
            "Invalid numeric literal",
        ),
    ],
)
def test_one_fault_one_finding(
    tmp_path: Path, engine: Engine, before: str, after: str, code: str, at: str, said: str
) -> None:
    assert before in GROUPS
    definition = ROOT + HEAD + GROUPS.replace(before, after)
    (diagnostic,) = found(tmp_path, engine, definition, WORKLOAD + PODS, WORKLOAD + PODS)
    assert (diagnostic.rule, pointed_at(diagnostic, definition)) == (code, at)
    assert said in diagnostic.message + (diagnostic.hint or "")
    assert diagnostic.hint
    assert len(diagnostic.related) == 2


def test_the_case_of_an_id_is_told_as_such(tmp_path: Path, engine: Engine) -> None:
    definition = ROOT + HEAD + GROUPS
    upper = WORKLOAD.replace("name: a,", "name: A,")
    (ids,) = found(tmp_path, engine, definition, upper + PODS)
    assert (ids.rule, pointed_at(ids, definition)) == ("WM603", ".spec.groups[]?.name")
    assert "with regard to case" in ids.message
    assert "ascii_downcase" in str(ids.hint)
    (key,) = found(tmp_path, engine, definition, WORKLOAD + PODS.replace("group: a", "group: A"))
    assert (key.rule, pointed_at(key, definition)) == ("WM603", ".metadata.labels.group")
    assert "with regard to case" in key.message


def test_one_pod_without_its_instance(tmp_path: Path, engine: Engine) -> None:
    pods = PODS.replace("group: b, ", "")
    (diagnostic,) = found(tmp_path, engine, ROOT + HEAD + GROUPS, WORKLOAD + pods)
    assert diagnostic.rule == "WM603"
    assert "`b-0` of `running-0` does not say of which instance" in diagnostic.message


def test_a_workload_that_is_a_pod_is_its_own_pod(tmp_path: Path, engine: Engine) -> None:
    """Also a manifest, which has no uid, beside a pod that it owns."""
    definition = (
        ROOT.replace("{group: example.com, version: v1, kind: Widget}", '{group: "", version: v1, kind: Pod}')
        .replace("    childComponents:\n", "")
        .replace("      statusDefinition:", "      specDefinition: {podSpecPath: .spec}\n      statusDefinition:")
    )
    alone = pod("demo", "{}", "").removeprefix("---\n") + "status: {phase: Up}\n"
    helper = pod("helper", "{}", "{apiVersion: v1, kind: Pod, name: demo, uid: 1-1}")
    for pods, text in ((1, alone), (2, alone + helper)):
        expected = f"components:\n  widget: {{replicas: 1, pods: {pods}}}\ntotals: {{pods: {pods}}}\n"
        assert found(tmp_path, engine, definition, text, expected=expected) == []
        (wrong,) = found(
            tmp_path, engine, definition, text, expected=expected.replace("totals: {pods:", "totals: {pods: 1")
        )
        assert wrong.rule == "WM409"


def test_a_role_that_no_component_models(tmp_path: Path, engine: Engine) -> None:
    definition = ROOT + HEAD + GROUPS
    (diagnostic,) = found(tmp_path, engine, definition, WORKLOAD + PODS + pod("eval", "{role: evaluator}"))
    assert (diagnostic.rule, pointed_at(diagnostic, definition)) == ("WM601", "childComponents")


def test_a_role_without_pods_is_no_fault(tmp_path: Path, engine: Engine) -> None:
    assert found(tmp_path, engine, ROOT + HEAD + GROUPS, WORKLOAD + pod("head", "{role: head}")) == []


def test_the_component_that_takes_too_many_is_to_blame(tmp_path: Path, engine: Engine) -> None:
    definition = ROOT + HEAD.replace("keyPath: .metadata.labels.role, value: head", "matchLabels: {app: demo}") + GROUPS
    pods = PODS.replace("{role", "{app: demo, role")
    expected = "components:\n  head: {pods: 1}\n  worker[a]: {pods: 1}\n  worker[b]: {pods: 1}\n"
    (diagnostic,) = found(tmp_path, engine, definition, WORKLOAD + pods, expected=expected)
    assert (diagnostic.rule, pointed_at(diagnostic, definition)) == ("WM602", "matchLabels")


@pytest.mark.parametrize(
    ("owner", "severity", "said"),
    [
        ("", "error", "it has no controller"),
        ("{apiVersion: example.com/v1, kind: Widget, name: demo, uid: 2-2}", "warning", "Widget demo, is not in"),
        ("{apiVersion: batch/v1, kind: Job, name: demo-a, uid: 3-3}", "warning", "Job demo-a, is not in"),
    ],
)
def test_pods_of_somebody_else(tmp_path: Path, engine: Engine, owner: str, severity: str, said: str) -> None:
    pods = PODS + pod("stray", "{role: stray}", owner)
    unowned = [each for each in found(tmp_path, engine, ROOT + HEAD + GROUPS, WORKLOAD + pods) if each.rule == "WM606"]
    assert [each.severity.label for each in unowned] == [severity]
    assert said in unowned[0].message
    assert Path(unowned[0].span.file).name == "running-0.yaml"


def test_an_owner_in_between(tmp_path: Path, engine: Engine) -> None:
    job = (
        "---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: demo-a\n  uid: 3-3\n  ownerReferences:\n"
        "  - {controller: true, apiVersion: example.com/v1, kind: Widget, name: demo, uid: 1-1}\n"
    )
    pods = pod(
        "a-0", '{role: worker, group: a, index: "0"}', "{apiVersion: batch/v1, kind: Job, name: demo-a, uid: 3-3}"
    )
    assert found(tmp_path, engine, ROOT + HEAD + GROUPS, WORKLOAD + job + pods) == []


def test_a_pod_as_owner_in_between(tmp_path: Path, engine: Engine) -> None:
    head = pod("head", "{role: head}").replace("  name: head\n", "  name: head\n  uid: 4-4\n")
    worker = pod("a-0", '{role: worker, group: a, index: "0"}', "{apiVersion: v1, kind: Pod, name: head, uid: 4-4}")
    assert found(tmp_path, engine, ROOT + HEAD + GROUPS, WORKLOAD + head + worker) == []


def test_a_key_that_fails_on_pods_of_its_component_only(tmp_path: Path, engine: Engine) -> None:
    definition = ROOT + HEAD + GROUPS.replace(".metadata.labels.index", '.metadata.labels.index // "" | fromjson.x')
    (diagnostic,) = found(tmp_path, engine, definition, WORKLOAD + PODS)
    assert (diagnostic.rule, pointed_at(diagnostic, definition)) == (
        "WM607",
        '.metadata.labels.index // "" | fromjson.x',
    )
    assert "and on 1 more" in diagnostic.message


def test_a_replica_selector_is_inherited(tmp_path: Path, engine: Engine) -> None:
    below = GROUPS.replace("name: worker", "name: helper", 1).replace("ownerRef: widget", "ownerRef: worker")
    definition = ROOT + HEAD + GROUPS + below.replace("value: worker", "value: helper")
    repeated = [each for each in found(tmp_path, engine, definition) if each.rule == "WM605"]
    assert [each.span.line for each in repeated] == [definition.split("\n").index(GROUPS.split("\n")[-2]) + 1 + 8]
    other = definition[::-1].replace("xedni", "redro", 1)[::-1]
    assert [each for each in found(tmp_path, engine, other) if each.rule == "WM605"] == []
