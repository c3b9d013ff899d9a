"""CRDs on the command line, as a user meets them."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.crds import WIDGET, crd, write_crds

DEFINITION = """\
apiVersion: run.ai/v1alpha1
kind: WorkloadMap
metadata: {name: example-com-widget-v1}
spec:
  structureDefinition:
    rootComponent:
      name: widget
      kind: {group: example.com, version: v1, kind: Widget}
      statusDefinition:
        statusMappings:
          running:
          - byExpression: {expression: .status.ready == 1, expectedResult: "true"}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_crds(tmp_path / "crds" / "widgets.yaml", crd())
    changed = copy.deepcopy(WIDGET)
    changed["properties"]["status"]["properties"]["readyReplicas"] = changed["properties"]["status"]["properties"].pop(
        "ready"
    )
    write_crds(tmp_path / "new" / "widgets.yaml", crd(changed))
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "example-com-widget-v1.yaml").write_text(DEFINITION, encoding="utf-8")
    return tmp_path


def test_check_types_against_crds(project: Path) -> None:
    clean = run("check", "--crds", "crds", cwd=project)
    assert clean.returncode == 0
    assert clean.stdout.decode().startswith("checked 1 definition · ")
    broken = run("check", "--crds", "new", cwd=project)
    assert broken.returncode == 1
    out = broken.stdout.decode()
    assert "error[WM301]: Widget v1 has no field `ready` in `.status`" in out
    assert "\ntypes of example.com/v1 Widget are those of new/widgets.yaml\nchecked 1 definition" in out
    untyped = run("check", cwd=project)
    assert untyped.stdout.decode().startswith("checked 1 definition (no CRD) · ")


def test_the_report_says_which_crd_was_used(project: Path) -> None:
    done = run("check", "--crds", "crds", "--format", "json", cwd=project)
    assert json.loads(done.stdout)["summary"]["typed"] == [
        {
            "definition": "catalog/example-com-widget-v1.yaml",
            "kind": "example.com/v1 Widget",
            "crd": "widgets.example.com",
            "crd_file": "crds/widgets.yaml",
        }
    ]


def test_crds_can_be_configured(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.wmap-lint]\ncrds = ["new"]\n', encoding="utf-8")
    assert run("check", "../catalog", cwd=project / "crds").returncode == 1
    assert run("check", "--crds", "crds", cwd=project).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "--crds", "nowhere"], "there is no file or folder 'nowhere' to read CRDs from"),
        (["check", "--crds", "catalog"], "there is no CustomResourceDefinition in 'catalog'"),
        (["crd", "show", "widget", "--crds", "nowhere"], "there is no file or folder 'nowhere'"),
        (["crd", "show", "gizmo", "--crds", "crds"], "none of the CRDs given defines 'gizmo'"),
        (["crd", "show", "widget"], "--crds"),
        (["crd", "show", "widget", ".spec.group", "--crds", "crds"], "did you mean groups?"),
        (["crd", "diff", "crds", "nowhere"], "there is no file or folder 'nowhere'"),
        (["crd", "diff", "crds", "new", "--definitions", "nowhere"], "there is no file or folder 'nowhere'"),
        (["crd", "diff", "crds", "new", "--definitions", "crds"], "there is no WorkloadMap or Karta in crds"),
        (["crd"], "say what to do: show or diff"),
    ],
)
def test_trouble_is_one_line(project: Path, arguments: list[str], said: str) -> None:
    done = run(*arguments, cwd=project)
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    assert said in line


def test_a_configuration_with_a_mistake_is_one_line(project: Path) -> None:
    (project / "wmap-lint.toml").write_text("crdss = []\n", encoding="utf-8")
    for arguments in (["check"], ["crd", "show", "pod"]):
        done = run(*arguments, cwd=project)
        assert done.returncode == 2
        assert "did you mean crds?" in done.stderr.decode()


def test_show(project: Path) -> None:
    done = run("crd", "show", "wi", ".spec.groups", "--crds", "crds", cwd=project)
    assert done.returncode == 0
    assert (
        done.stdout.decode()
        == """\
Widget v1 · widgets.example.com · crds/widgets.yaml
.spec.groups  list of objects
├─ name *    string
├─ size      integer
└─ template  object, a PodTemplateSpec (2 fields…)

pod templates:
  .spec.groups[].template
"""
    )


def test_show_as_json(project: Path) -> None:
    done = run("crd", "show", "Widget", ".status", "--crds", "crds", "--format", "json", cwd=project)
    answer = json.loads(done.stdout)
    assert (answer["crd"], answer["file"], answer["path"]) == ("widgets.example.com", "crds/widgets.yaml", ".status")
    fields = {field["path"]: field for field in answer["fields"]}
    assert fields[".status.phase"]["enum"] == ["Pending", "Ready", "Failed"]
    assert fields[".status.conditions"]["type"] == "array"
    assert fields[".status.conditions[].type"]["type"] == "string"


def test_show_a_kind_of_kubernetes() -> None:
    done = run("crd", "show", "pod", ".metadata.ownerReferences", "--color", "always")
    assert done.returncode == 0
    assert "Kubernetes' own" in done.stdout.decode()
    assert "\x1b[" in done.stdout.decode()


def test_diff(project: Path) -> None:
    done = run("crd", "diff", "crds", "new", cwd=project)
    assert done.returncode == 1
    out = done.stdout.decode()
    assert out.startswith("catalog/example-com-widget-v1.yaml: Widget v1\n  breaks   Widget v1 has no field `ready`")
    assert out.endswith("compared 1 definition: 1 broken\n")
    same = run("crd", "diff", "crds", "crds", "--definitions", "catalog", cwd=project)
    assert (same.returncode, same.stdout.decode()) == (0, "compared 1 definition: nothing changes\n")


def test_diff_as_json(project: Path) -> None:
    done = run("crd", "diff", "crds", "new", "--format", "json", cwd=project)
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert answer["definitions"] == 1
    (drift,) = answer["drift"]
    assert [each["rule"] for each in drift["breaks"]] == ["WM301"]
