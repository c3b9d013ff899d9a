"""One fault in a shipped definition gives one finding, whatever else is computed from the broken part."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wmap_lint.checker import Options, check_text
from wmap_lint.definition import load
from wmap_lint.diagnostic import Diagnostic, Severity, Span
from wmap_lint.rules.consequences import without_consequences
from wmap_lint.source import read

CATALOG = Path(__file__).parents[2] / "catalog"
JOBSET = CATALOG / "jobset-x-k8s-io-jobset-v1alpha2.yaml"
RAY = CATALOG / "ray-io-raycluster-v1.yaml"

FAULTS = [
    # file, what is written, what is written instead, the rule
    (JOBSET, "structureDefinition:", "sturctureDefinition:", "WM101"),
    (JOBSET, "rootComponent:", "rotoComponent:", "WM101"),
    (JOBSET, "childComponents:", "chlidComponents:", "WM101"),
    (JOBSET, "kind: JobSet}", "kind: JobSte}", "WM409"),
    (JOBSET, "{group: jobset.x-k8s.io, ", "{gruop: jobset.x-k8s.io, ", "WM101"),
    (JOBSET, "conditionsDefinition:", "codnitionsDefinition:", "WM101"),
    (JOBSET, "ownerRef: jobset", "ownerRef: josbet", "WM106"),
    (JOBSET, "specDefinition:", "spceDefinition:", "WM101"),
    (JOBSET, "scaleDefinition:", "sclaeDefinition:", "WM101"),
    (JOBSET, "replicasPath:", "relpicasPath:", "WM101"),
    (JOBSET, "instanceIdPath:", "intsanceIdPath:", "WM101"),
    (JOBSET, "podGroup:", "poGdroup:", "WM101"),
    (JOBSET, "suspended:", "supsended:", "WM101"),
    (RAY, "phaseDefinition:", "phsaeDefinition:", "WM101"),
    (RAY, "name: raycluster\n", "name: racyluster\n", "WM106"),
    (RAY, "specDefinition:", "spceDefinition:", "WM101"),
    (RAY, "podTemplateSpecPath:", "poTdemplateSpecPath:", "WM101"),
    (RAY, ".spec.headGroupSpec.template", ".spec.headGruopSpec.template", "WM401"),
    (RAY, "value: worker", "value: wroker", "WM601"),
]


@pytest.mark.parametrize(("file", "written", "instead", "code"), FAULTS, ids=[fault[2].strip() for fault in FAULTS])
def test_one_fault_is_one_finding(file: Path, written: str, instead: str, code: str) -> None:
    text = file.read_text("utf-8")
    assert re.search(re.escape(written), text)
    found = check_text(text.replace(written, instead, 1), str(file), Options(depth="off")).diagnostics
    assert [each.rule for each in found] == [code], [each.message for each in found]


TEXT = """\
apiVersion: run.ai/v1alpha1
kind: WorkloadMap
metadata: {name: example-com-widget-v1}
spec:
  structureDefinition:
    rootComponent:
      name: widget
      statusDefinition:
        statusMappings: {}
    childComponents:
    - name: a
      ownerRef: widget
    - name: b
      ownerRef: widget
"""
DEFINITION = load(read(TEXT, "f.yaml").documents[0])


def at(rule: str, line: int, file: str = "f.yaml", severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic(rule, severity, "", Span(file, line, 9, line, 10))


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ([at("WM404", 1, "golden.yaml")], ["WM404"]),
        ([at("WM404", 1, "golden.yaml"), at("WM401", 11)], ["WM401"]),
        ([at("WM404", 1, "golden.yaml"), at("WM501", 9)], ["WM404", "WM501"]),
        ([at("WM404", 11), at("WM401", 12)], ["WM401"]),
        ([at("WM404", 11), at("WM401", 14)], ["WM404", "WM401"]),
        ([at("WM710", 13), at("WM401", 11)], ["WM401"]),
        ([at("WM812", 9), at("WM401", 11)], ["WM812", "WM401"]),
        ([at("WM812", 9), at("WM501", 9)], ["WM501"]),
        ([at("WM710", 13), at("WM704", 11, severity=Severity.NOTE)], ["WM710", "WM704"]),
        ([at("WM601", 1, "pods.yaml"), at("WM101", 12)], ["WM101"]),
        ([at("WM601", 1, "pods.yaml"), at("WM401", 12)], ["WM601", "WM401"]),
    ],
)
def test_what_is_a_consequence_of_what(found: list[Diagnostic], kept: list[str]) -> None:
    assert [each.rule for each in without_consequences(DEFINITION, found)] == kept
