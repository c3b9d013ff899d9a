"""``wmap-lint inspect`` as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.cli.running import ROOT, run
from wmap_lint.schema import load_schema

DEMO = ROOT / "fixtures/jobset-x-k8s-io-jobset-v1alpha2/running.yaml"
GROUPS = ROOT / "fixtures/leaderworkerset-x-k8s-io-leaderworkerset-v1/running-rollout-surge.yaml"
JOBSET = ROOT / "catalog/jobset-x-k8s-io-jobset-v1alpha2.yaml"
RAY = ROOT / "fixtures/ray-io-raycluster-v1/running.yaml"
TREE = """\
JobSet demo  ·  ns research  ·  Running  ·  3 pods  ·  12 GPU  ·  gang of 3
├─ replicatedjob leader           1/1 ready   4 GPU
│  └─ demo-leader-0-0-tx4h5 [0]   Running     4 GPU   gpu-node-1
└─ replicatedjob worker           2/2 ready   8 GPU
   ├─ demo-worker-0-0-zbrrr [0]   Running     4 GPU   gpu-node-2
   └─ demo-worker-1-0-qk9sl [1]   Running     4 GPU   gpu-node-3
"""


def documents(path: Path = DEMO) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def inspect(*arguments: str | Path, stdin: str = "", **environment: str) -> tuple[int, str, str]:
    done = run("inspect", *arguments, stdin=stdin.encode(), **environment)
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_workload_with_its_pods() -> None:
    assert inspect("-f", DEMO) == (0, TREE, "")


def test_a_level_that_is_no_object() -> None:
    code, text, error = inspect("-f", GROUPS)
    assert (code, error) == (0, "")
    assert (
        text
        == """\
LeaderWorkerSet serve  ·  ns research  ·  Running  ·  6/4 pods  ·  32 GPU  ·  3 gangs
└─ group                 4/4 ready   32 GPU   64 CPU  512Gi
   ├─ leader             2/2 ready   16 GPU   32 CPU  256Gi
   │  ├─ serve-0 [0]     Running     8 GPU    gpu-node-1
   │  ├─ serve-1 [1]     Running     8 GPU    gpu-node-3
   │  └─ serve-2 [2]     Pending     8 GPU    gpu-node-5 · ContainerCreating
   └─ worker             2/2 ready   16 GPU   32 CPU  256Gi
      ├─ serve-0-1 [0]   Running     8 GPU    gpu-node-2
      ├─ serve-1-1 [1]   Running     8 GPU    gpu-node-4
      └─ serve-2-1 [2]   Pending     8 GPU    gpu-node-6 · ContainerCreating
"""
    )


@pytest.mark.parametrize("form", ["yaml", "json", "list"])
def test_standard_input_in_every_form(form: str) -> None:
    objects = documents()
    listed = {"apiVersion": "v1", "kind": "List", "items": objects[::-1]}
    text = {
        "yaml": yaml.safe_dump_all(objects[::-1]),
        "json": json.dumps(listed),
        "list": yaml.safe_dump({**listed, "kind": "SomeList"}),
    }[form]
    assert inspect("-f", "-", stdin=text) == (0, TREE, "")


def test_the_manifest_alone() -> None:
    workload = documents()[0]
    del workload["status"], workload["metadata"]["uid"]
    code, shown, _ = inspect("-f", "-", stdin=json.dumps(workload))
    assert code == 0
    assert (
        shown
        == """\
JobSet demo  ·  ns research  ·  Initializing  ·  3 pods  ·  12 GPU  ·  gang of 3
├─ replicatedjob leader   1 pod    4 GPU
└─ replicatedjob worker   2 pods   8 GPU
"""
    )


@pytest.mark.parametrize("output", ["json", "yaml"])
def test_programs_get_the_view(output: str) -> None:
    code, text, _ = inspect("-f", DEMO, "-o", output)
    shown = yaml.safe_load(text)
    Draft202012Validator(load_schema("view")).validate(shown)
    assert code == 0
    assert shown["totals"]["gpus"] == 12
    assert shown["totals"]["pods"] == {"desired": 3, "present": 3, "ready": 3}
    assert shown["gangs"][0]["minMember"] == 3
    assert [len(each["podList"]) for each in shown["components"]] == [1, 2]
    _, text, _ = inspect("-f", DEMO, "-o", output, "--no-pods")
    assert [each.get("podList") for each in yaml.safe_load(text)["components"]] == [None, None]


def test_several_workloads(tmp_path: Path) -> None:
    both = tmp_path / "both.yaml"
    both.write_text(f"{DEMO.read_text(encoding='utf-8')}---\n{RAY.read_text(encoding='utf-8')}", encoding="utf-8")
    code, text, error = inspect("-f", both)
    assert (code, error) == (0, "")
    first, second = text.split("\n\n")
    assert first + "\n" == TREE
    assert second.startswith("RayCluster ray  ·  ns research  ·  Running  ·  3 pods")
    _, text, _ = inspect("-f", both, "-o", "json")
    assert [each["workload"]["kind"] for each in json.loads(text)] == ["JobSet", "RayCluster"]
    _, text, _ = inspect("-f", both, "-o", "yaml")
    assert len(list(yaml.safe_load_all(text))) == 2


JOB = """\
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: job}
spec:
  structureDefinition:
    rootComponent:
      name: job
      kind: {group: batch, version: v1, kind: Job}
      specDefinition: {podTemplateSpecPath: .spec.template}
      statusDefinition: {statusMappings: {}}
"""


POD = JOB.replace("group: batch, version: v1, kind: Job", 'group: "", version: v1, kind: Pod').replace(
    "podTemplateSpecPath: .spec.template", "podSpecPath: .spec"
)


@pytest.fixture
def with_pods(tmp_path: Path) -> Path:
    """A folder with the definitions of JobSet and Pod."""
    folder = tmp_path / "with-pods"
    folder.mkdir()
    (folder / "pod.yaml").write_text(POD, encoding="utf-8")
    (folder / "jobset.yaml").write_text(JOBSET.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def test_what_another_workload_owns_is_none(tmp_path: Path) -> None:
    catalog = tmp_path / "catalog"
    catalog.mkdir()
    (catalog / "job.yaml").write_text(JOB, encoding="utf-8")
    (catalog / "jobset.yaml").write_text(JOBSET.read_text(encoding="utf-8"), encoding="utf-8")
    assert inspect("-f", DEMO, "--definition", catalog) == (0, TREE, "")
    # By the definition of Jobs alone they are workloads of their own.
    code, text, error = inspect("-f", DEMO, "--definition", catalog / "job.yaml")
    assert (code, error) == (0, "")
    assert [line.split("  ·  ")[0] for line in text.splitlines() if "·" in line] == [
        "Job demo-leader-0",
        "Job demo-worker-0",
        "Job demo-worker-1",
    ]
    assert "! " not in text


def test_a_pod_may_be_the_workload(tmp_path: Path) -> None:
    definition = tmp_path / "pod.yaml"
    definition.write_text(POD, encoding="utf-8")
    pod = next(each for each in documents() if each["kind"] == "Pod")
    code, text, _ = inspect("-f", "-", "--definition", definition, "-o", "json", stdin=json.dumps(pod))
    shown = json.loads(text)
    assert code == 0
    assert shown["totals"]["pods"] == {"desired": 1, "present": 1, "ready": 1}
    assert shown["problems"] == []


def test_pods_of_something_else_and_of_owners_that_are_not_there() -> None:
    workload, *rest = documents()
    pods = [each for each in rest if each["kind"] == "Pod"]
    pods[0]["metadata"]["ownerReferences"] = []
    code, text, error = inspect("-f", "-", "--definition", JOBSET, stdin=yaml.safe_dump_all([workload, *pods]))
    assert code == 0
    assert f"! Pod '{pods[0]['metadata']['name']}' is not this workload's: it has no controller." in text
    assert "2/3 pods" in text
    assert error == (
        "wmap-lint: 2 pods whose owners are not in the file (Job demo-worker-0, Job demo-worker-1) are taken for those "
        "of the workload.\n"
    )


def test_pods_that_a_pod_owns() -> None:
    workload, *rest = documents()
    one, other, last = (each for each in rest if each["kind"] == "Pod")
    owner = {"apiVersion": "v1", "kind": "Pod", "name": one["metadata"]["name"], "uid": one["metadata"]["uid"]}
    other["metadata"]["ownerReferences"] = last["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
    code, text, error = inspect("-f", "-", "--definition", JOBSET, stdin=yaml.safe_dump_all([workload, *rest]))
    assert (code, error) == (0, "")
    assert "3 pods" in text.splitlines()[0]
    one["metadata"]["ownerReferences"] = []
    code, text, error = inspect("-f", "-", "--definition", JOBSET, stdin=yaml.safe_dump_all([workload, *rest]))
    assert (code, error) == (0, "")
    assert text.count("is not this workload's") == 3


def test_a_pod_that_nothing_controls_is_a_workload(with_pods: Path) -> None:
    workload, *rest = documents()
    bare, other, _ = (each for each in rest if each["kind"] == "Pod")
    bare["metadata"]["ownerReferences"] = []
    arguments = ("-f", "-", "--definition", with_pods)
    code, text, error = inspect(*arguments, stdin=yaml.safe_dump_all([workload, *rest]))
    assert (code, error) == (0, "")
    first, second = text.split("\n\n")
    assert first.startswith("JobSet demo")
    assert "2/3 pods" in first
    assert second.startswith("Pod demo-leader-0-0-tx4h5  ·  ns research  ·  Undefined  ·  1 pod  ·  4 GPU")
    # Those whose owner is not at hand still are the JobSet's, of which there is but one.
    rest = [each for each in rest if each["kind"] != "Job"]
    code, text, error = inspect(*arguments, stdin=yaml.safe_dump_all([workload, *rest]))
    assert code == 0
    assert "2 pods whose owners are not in the file (Job demo-worker-0, Job demo-worker-1) are taken" in error
    assert text.split("\n\n")[0] == first
    # And a pod that the bare one owns is the bare one's.
    owner = {"apiVersion": "v1", "kind": "Pod", "name": bare["metadata"]["name"], "uid": bare["metadata"]["uid"]}
    other["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
    _, text, _ = inspect(*arguments, stdin=yaml.safe_dump_all([workload, *rest]))
    assert re.findall(r"\d/\d pods?", text) == ["1/3 pods", "2/1 pod"]


def test_pods_alone_are_workloads_whoever_controls_them(with_pods: Path) -> None:
    pods = [each for each in documents() if each["kind"] == "Pod"]
    code, text, error = inspect("-f", "-", "--definition", with_pods, stdin=yaml.safe_dump_all(pods))
    assert (code, error) == (0, "")
    assert [line.split()[0] for line in text.splitlines() if "·" in line] == ["Pod"] * 3


def test_pods_of_what_no_definition_covers_are_none(with_pods: Path) -> None:
    workload, *rest = documents()
    workload["kind"] = "Foo"
    pods = [each for each in rest if each["kind"] == "Pod"]
    for each in pods:
        each["metadata"]["ownerReferences"][0] |= {"kind": "Foo", "uid": workload["metadata"]["uid"]}
    code, text, error = inspect("-f", "-", "--definition", with_pods, stdin=yaml.safe_dump_all([workload, *pods]))
    assert (code, text) == (3, "")
    assert "no definition covers Foo jobset.x-k8s.io/v1alpha2" in error


def test_a_limit_of_pods() -> None:
    _, text, _ = inspect("-f", DEMO, "--pod-limit", "1")
    assert text.splitlines()[-1] == "   └─ … and 1 more, all ready"
    _, text, _ = inspect("-f", DEMO, "--pod-limit", "0")
    assert text == TREE


@pytest.mark.parametrize("output", ["tree", "json"])
def test_the_pod_groups(output: str) -> None:
    code, text, error = inspect("-f", DEMO, "--gangs", "-o", output)
    group = json.loads(text) if output == "json" else yaml.safe_load(text)
    assert (code, error) == (0, "")
    uid = documents()[0]["metadata"]["uid"]
    assert group["apiVersion"] == "scheduling.run.ai/v2alpha2"
    assert group["metadata"]["name"] == f"pg-{uid}-jobset"
    assert group["spec"] == {"minMember": 3}


def test_no_pod_groups() -> None:
    workload = documents()[0]
    workload["spec"]["replicatedJobs"][0]["replicas"] = "four"
    code, text, error = inspect("-f", "-", "--gangs", stdin=json.dumps(workload))
    assert (code, text) == (0, "")
    assert "JobSet demo has no pod group" in error
    assert "KAI refuses to group the workload" in error


def test_problems_do_not_change_the_exit_code() -> None:
    code, text, _ = inspect("-f", "-", stdin='{"apiVersion": "ray.io/v1", "kind": "RayCluster", "status": 3}')
    assert code == 0
    assert "! The status is an error" in text


def test_another_version_of_the_kind_is_said() -> None:
    workload = {**documents()[0], "apiVersion": "jobset.x-k8s.io/v1"}
    _, text, _ = inspect("-f", "-", stdin=json.dumps(workload))
    assert "note: JobSet jobset.x-k8s.io/v1 is read by the definition of version v1alpha2\n" in text


FOO = "apiVersion: example.com/v1\nkind: Foo\n"


def test_no_definition() -> None:
    code, text, error = inspect("-f", "-", stdin=FOO)
    assert (code, text) == (3, "")
    assert error.startswith("wmap-lint: no definition covers Foo example.com/v1; ")
    assert error.count("\n") == 1


@pytest.mark.parametrize("output", ["json", "yaml"])
def test_no_definition_for_programs(output: str) -> None:
    code, text, _ = inspect("-f", "-", "-o", output, stdin=FOO)
    answer = yaml.safe_load(text)
    assert code == 3
    assert list(answer) == ["error", "apiVersion", "kind", "message", "hint"]
    assert (answer["error"], answer["apiVersion"], answer["kind"]) == ("no_definition", "example.com/v1", "Foo")


def test_a_definition_of_another_kind() -> None:
    definition = ROOT / "catalog/ray-io-raycluster-v1.yaml"
    code, _, error = inspect("-f", DEMO, "--definition", definition)
    assert code == 3
    assert "no definition covers JobSet jobset.x-k8s.io/v1alpha2" in error
    assert "without --definition" in error


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["-f", "nowhere.yaml"], "", "nowhere.yaml cannot be read: No such file"),
        (["-f", "."], "", ". cannot be read: Is a directory"),
        (["-f", "-"], "a: [\n", "<stdin>:1:4: "),
        (["-f", "-"], '{"a": \n', "<stdin>:"),
        (["-f", "-"], "", "<stdin> holds no object"),
        (["-f", "-"], "- 1\n- 2\n", "<stdin> holds no object"),
        (["-f", DEMO, "--definition", "README.md"], "", "README.md"),
        (["-f", DEMO, "--definition", "pyproject.toml"], "", "pyproject.toml"),
        (["-f", DEMO, "--pod-limit", "-1"], "", "--pod-limit"),
        (["-f", DEMO, "-o", "xml"], "", "xml"),
        ([], "", "Missing option"),
    ],
)
def test_trouble_is_one_line(arguments: list[str | Path], stdin: str, message: str) -> None:
    code, text, error = inspect(*arguments, stdin=stdin)
    assert (code, text) == (2, "")
    assert message in error
    assert error.count("\n") == 1


def test_colour_and_characters() -> None:
    assert "\x1b[32mRunning" in inspect("-f", DEMO, "--color", "always")[1]
    assert "\x1b" not in inspect("-f", DEMO, "--color", "never")[1]
    ascii_only = inspect("-f", DEMO, PYTHONIOENCODING="ascii", PYTHONUTF8="0")[1]
    assert ascii_only.isascii()
    assert "`- demo-worker-1-0-qk9sl [1]   Running" in ascii_only
