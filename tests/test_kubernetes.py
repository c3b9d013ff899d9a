from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from wmap_lint import kubernetes
from wmap_lint.crd_types import fits, reach
from wmap_lint.definition import ResultType
from wmap_lint.shape import Shape

ROOT = Path(__file__).parents[1]


def at(shape: Shape, *names: str) -> Shape:
    found = reach(shape, names)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "kind",
    [
        ("", "v1", "Pod"),
        ("batch", "v1", "Job"),
        ("batch", "v1", "CronJob"),
        ("apps", "v1", "Deployment"),
        ("apps", "v1", "StatefulSet"),
        ("apps", "v1", "DaemonSet"),
    ],
)
def test_the_kinds_that_run_pods(kind: tuple[str, str, str]) -> None:
    shape = kubernetes.kinds()[kind]
    assert {"apiVersion", "kind", "metadata", "spec", "status"} <= set(shape.names)
    assert not shape.open


def test_a_pod() -> None:
    pod = kubernetes.pod()
    assert at(pod, "metadata", "labels").describe() == "map of strings"
    assert at(pod, "status", "phase").kind == "string"
    assert at(pod, "status", "startTime").format == "date-time"
    containers = at(pod, "spec", "containers")
    assert containers.items is not None
    # Quantities may be written as numbers.
    assert at(containers.items, "resources", "limits").members.kind == "int-or-string"  # type: ignore[union-attr]
    assert at(containers.items, "image").kind == "string"
    assert reach(pod, ["spec", "contianers"]) is None


def test_pod_templates() -> None:
    assert fits(ResultType.POD_TEMPLATE_SPEC, kubernetes.pod_template())
    assert fits(ResultType.OBJECT_META, kubernetes.object_meta())
    job = kubernetes.kinds()["batch", "v1", "Job"]
    assert at(job, "spec", "template") is kubernetes.pod_template()


def test_all_kinds_have_names() -> None:
    groups = kubernetes.groups()
    assert "Service" in groups[""]["v1"]
    assert "Role" in groups["rbac.authorization.k8s.io"]["v1"]
    assert "PodList" not in groups[""]["v1"]
    assert kubernetes.release().startswith("v1.")
    assert "sts" in kubernetes.names("StatefulSet")


@pytest.mark.skipif(
    importlib.util.find_spec("kubernetes_validate") is None, reason="the package the file is made of is not installed"
)
def test_the_file_is_what_the_script_makes() -> None:
    from tools.kubernetes_kinds import OUTPUT, text

    assert OUTPUT == ROOT / "schema" / "kubernetes.json"
    assert OUTPUT.read_text("utf-8") == text(None)
    assert json.loads(OUTPUT.read_text("utf-8"))["release"] == kubernetes.release()
