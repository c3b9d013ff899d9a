from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.crds import TEXT, WIDGET, crd, write_crds
from wmap_lint.crd import CrdIndex
from wmap_lint.definition import Definition, load
from wmap_lint.drift import Drift, described, drift
from wmap_lint.source import read

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
        phaseDefinition: {path: .status.phase}
        statusMappings:
          running:
          - {byPhase: Ready}
          - byExpression: {expression: .status.ready == .spec.replicas, expectedResult: "true"}
    childComponents:
    - name: worker
      ownerRef: widget
      specDefinition: {podTemplateSpecPath: .spec.template}
"""


# ruff: noqa: E501 - messages are lines


@pytest.fixture
def definition() -> Definition:
    (document,) = read(DEFINITION, "catalog/example-com-widget-v1.yaml").documents
    return load(document)


def compared(tmp_path: Path, definition: Definition, change: Callable[[Any], None], **new: Any) -> list[Drift]:
    schema = copy.deepcopy(WIDGET)
    change(schema["properties"])
    old = CrdIndex.of([write_crds(tmp_path / "old.yaml", crd())])
    return list(drift([definition], old, CrdIndex.of([write_crds(tmp_path / "new.yaml", crd(schema, **new))])))


def words(found: list[Drift]) -> tuple[list[str], list[str]]:
    return (
        [f"{each.rule} {each.message}" for one in found for each in one.breaks],
        [described(each) for one in found for each in one.changes],
    )


def test_nothing_changes(tmp_path: Path, definition: Definition) -> None:
    (found,) = compared(tmp_path, definition, lambda fields: fields["spec"]["properties"].pop("free"))
    assert (found.breaks, found.changes) == ((), ())


@pytest.mark.parametrize(
    ("change", "breaks", "changes"),
    [
        (
            lambda fields: fields["status"]["properties"].pop("ready"),
            ["WM301 Widget v1 has no field `ready` in `.status`: this is null in every object."],
            [],
        ),
        (
            lambda fields: fields["status"]["properties"].__setitem__("ready", TEXT),
            ["WM303 `.status.ready == .spec.replicas` compares a text with a number: they are never equal, so this is "
             "always false."],
            [],
        ),
        (
            lambda fields: fields["status"]["properties"].__setitem__("ready", {"x-kubernetes-int-or-string": True}),
            [],
            ["`.status.ready`: integer, now integer or string"],
        ),
        (
            lambda fields: fields["status"]["properties"]["phase"].__setitem__("enum", ["Pending", "Running"]),
            ["WM305 `.status.phase` is matched with `Ready`, which it never is: the schema allows `Pending`, `Running`."],
            ["`.status.phase`: no longer Ready, Failed, now also Running"],
        ),
        (
            lambda fields: fields["status"]["properties"]["phase"].__setitem__("enum", ["Pending", "Ready", "Failed", "X"]),
            [],
            ["`.status.phase`: now also X"],
        ),
        (lambda fields: fields["status"]["properties"]["phase"].pop("enum"), [], ["`.status.phase`: now any string"]),
        (
            lambda fields: fields["spec"]["properties"]["template"]["properties"].pop("spec"),
            ["WM304 `podTemplateSpecPath` takes a PodTemplateSpec, and `.spec.template` of Widget v1 is an object: "
             "consumers read it without an error, and find nothing in it."],
            [],
        ),
    ],
)  # fmt: skip
def test_what_breaks_and_what_changes(
    tmp_path: Path, definition: Definition, change: Callable[[Any], None], breaks: list[str], changes: list[str]
) -> None:
    assert words(compared(tmp_path, definition, change)) == (breaks, changes)


def test_a_version_that_goes(tmp_path: Path, definition: Definition) -> None:
    versions = ({"name": "v1", "served": False, "storage": False}, {"name": "v2"})
    breaks, _ = words(compared(tmp_path, definition, lambda fields: None, versions=versions))
    assert breaks == ["WM310 `widgets.example.com` does not serve version `v1` any more; it serves `v2`."]


def test_a_kind_that_goes(tmp_path: Path, definition: Definition) -> None:
    breaks, _ = words(compared(tmp_path, definition, lambda fields: None, kind="Gadget"))
    assert breaks == ["WM310 The new CRDs do not define Widget of `example.com`."]


def test_what_was_wrong_before_is_no_drift(tmp_path: Path) -> None:
    (document,) = read(DEFINITION.replace(".spec.template", ".spec.tmplate"), "a.yaml").documents
    assert words(compared(tmp_path, load(document), lambda fields: None)) == ([], [])


def test_other_kinds_are_left_out(tmp_path: Path) -> None:
    (document,) = read(DEFINITION.replace("kind: Widget}", "kind: Gadget}"), "a.yaml").documents
    assert compared(tmp_path, load(document), lambda fields: None) == []
