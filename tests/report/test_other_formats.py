from __future__ import annotations

import json

import pytest

from tests.report.results import (
    BUILT_IN,
    TYPED,
    FakeCoverage,
    FakeResult,
    FakeSpace,
    FakeSummary,
    at,
    finding,
)
from wmap_lint.diagnostic import Diagnostic, Edit, Fix, Related, Severity, Span
from wmap_lint.report import FORMATS, render
from wmap_lint.source import Source

SOURCE = Source("a.yaml", "kind: WorkloadMap\nname: é\n")


def test_concise_is_one_line_a_finding() -> None:
    result = FakeResult(
        (finding(at(SOURCE, "é"), "Not ASCII."), finding(Span.whole("b.yaml"), "Empty.", Severity.NOTE))
    )
    assert render(result, "concise").splitlines()[:-1] == [
        "a.yaml:2:7: WM999 error: Not ASCII.",
        "b.yaml:1:1: WM999 note: Empty.",
    ]


def test_json_has_everything() -> None:
    diagnostic = Diagnostic(
        "WM101",
        Severity.WARNING,
        "Nön-ASCII.",
        at(SOURCE, "é"),
        hint=None,
        related=(Related(at(SOURCE, "kind"), "here"),),
        fix=Fix("Replace it", (Edit(at(SOURCE, "é"), "e"),)),
    )
    space = FakeSpace(matchers=(FakeCoverage("Running", at(SOURCE, "é"), 12, ("running",)),))
    summary = FakeSummary(files=2, skipped_documents=3, typed=(TYPED, BUILT_IN))
    result = FakeResult((diagnostic, finding(Span.whole("b.yaml"))), summary, spaces=(space,))
    shown = render(result, "json", color=True, rule_names={"WM101": "unknown-field"})
    place = {"file": "a.yaml", "start": {"line": 2, "column": 7}, "end": {"line": 2, "column": 8}}
    assert shown.isascii()
    assert json.loads(shown) == {
        "version": 1,
        "summary": {
            "files": 2,
            "definitions": 1,
            "skipped_documents": 3,
            "fixtures": 5,
            "frames": 0,
            "expressions": 12,
            "states": 5,
            "matchers": 0,
            "covered": 0,
            "rules": 61,
            "all_states": False,
            "errors": 1,
            "warnings": 1,
            "notes": 0,
            "typed": [
                {
                    "definition": "catalog/widget.yaml",
                    "kind": "example.com/v1 Widget",
                    "crd": "widgets.example.com",
                    "crd_file": "crds/widgets.yaml",
                },
                {"definition": "catalog/job.yaml", "kind": "batch/v1 Job", "crd": None, "crd_file": None},
            ],
        },
        "spaces": [
            {
                "definition": "widget",
                "by_model": True,
                "complete": True,
                "combinations": 2916,
                "states": 1944,
                "seed": 7,
                "matchers": [{"status": "Running", **place, "states": 12, "fixtures": ["running"]}],
            }
        ],
        "findings": [
            {
                "rule": "WM101",
                "name": "unknown-field",
                "severity": "warning",
                "message": "Nön-ASCII.",
                "hint": None,
                **place,
                "related": [
                    {
                        "message": "here",
                        "file": "a.yaml",
                        "start": {"line": 1, "column": 1},
                        "end": {"line": 1, "column": 5},
                    }
                ],
                "fix": {"description": "Replace it", "edits": [{**place, "text": "e"}]},
            },
            {
                "rule": "WM999",
                "severity": "error",
                "message": "This is wrong.",
                "hint": None,
                "file": "b.yaml",
                "start": {"line": 1, "column": 1},
                "end": {"line": 1, "column": 1},
                "related": [],
                "fix": None,
            },
        ],
    }


@pytest.mark.parametrize("layout", FORMATS)
def test_every_format_ends_its_last_line(layout: str) -> None:
    assert render(FakeResult(), layout).endswith("\n")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown format 'xml'"):
        render(FakeResult(), "xml")
