"""What `check` makes of its flags, with a checker that finds what the test says."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import wmap_lint
from tests.report.results import FakeResult, FakeSummary, at, finding
from wmap_lint.cli import main
from wmap_lint.diagnostic import Severity
from wmap_lint.source import ReadLimits, Source

SOURCE = Source("a.yaml", "kind: WorkloadMap\n")


@dataclass(frozen=True)
class Options:
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fixtures: Path | None = None
    crds: tuple[Path, ...] = ()
    depth: str = "quick"
    processes: int = 1


class UsageError(Exception):
    pass


@dataclass
class Checker:
    """Stands in for the module; remembers what it was asked."""

    result: FakeResult = field(default_factory=FakeResult)
    raises: BaseException | None = None
    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def check_paths(self, *arguments: Any) -> FakeResult:
        self.calls.append(arguments)
        if self.raises is not None:
            raise self.raises
        return self.result

    check_text = check_paths

    def find(self, *severities: Severity) -> None:
        findings = tuple(finding(at(SOURCE, "WorkloadMap"), severity=severity) for severity in severities)
        self.result = FakeResult(findings, FakeSummary(), {SOURCE.file: SOURCE})


@pytest.fixture
def checker(monkeypatch: pytest.MonkeyPatch) -> Checker:
    fake = Checker()
    module = SimpleNamespace(
        Options=Options,
        UsageError=UsageError,
        check_paths=fake.check_paths,
        check_text=fake.check_text,
        default_paths=lambda: (Path("the-catalog"),),
    )
    monkeypatch.setattr("wmap_lint.cli.check.processors", lambda: 2)
    monkeypatch.setitem(sys.modules, "wmap_lint.checker", module)
    monkeypatch.setattr(wmap_lint, "checker", module, raising=False)
    return fake


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=data))
    return data


@pytest.mark.parametrize(
    ("severity", "threshold", "code"),
    [
        (None, "note", 0),
        (Severity.NOTE, None, 0),
        (Severity.NOTE, "warning", 0),
        (Severity.NOTE, "note", 1),
        (Severity.WARNING, None, 0),
        (Severity.WARNING, "warning", 1),
        (Severity.ERROR, None, 1),
        (Severity.ERROR, "error", 1),
        (Severity.ERROR, "note", 1),
        (Severity.ERROR, "never", 0),
    ],
)
def test_the_exit_code_follows_the_threshold(
    checker: Checker, severity: Severity | None, threshold: str | None, code: int
) -> None:
    if severity is not None:
        checker.find(severity)
    assert main(["check", "a.yaml", *(["--fail-on", threshold] if threshold else [])]) == code


def test_one_bad_finding_among_many_counts(checker: Checker) -> None:
    checker.find(Severity.NOTE, Severity.ERROR, Severity.WARNING)
    assert main(["check", "a.yaml"]) == 1


def test_a_folder_without_files_does_not_pass_for_a_clean_one(
    checker: Checker, capsys: pytest.CaptureFixture[str]
) -> None:
    checker.result = FakeResult(summary=FakeSummary(files=0, definitions=0))
    assert main(["check", "empty", "--fail-on", "never"]) == 2
    assert capsys.readouterr().out == "nothing was checked: no definition found\n"


def test_flags_become_options(checker: Checker, tmp_path: Path) -> None:
    flags = ["--select", "wm1,WM203", "--select", "WM5 wm6", "--ignore", "WM101,", "--fixtures", str(tmp_path), "-j3"]
    main(["check", "one", "two", *flags])
    options = Options(select=("WM1", "WM203", "WM5", "WM6"), ignore=("WM101",), fixtures=tmp_path, processes=3)
    assert [(list(paths), given) for paths, given in checker.calls] == [([Path("one"), Path("two")], options)]


def test_without_paths_the_catalog_is_checked(checker: Checker) -> None:
    main(["check"])
    assert [(list(paths), given) for paths, given in checker.calls] == [([Path("the-catalog")], Options(processes=2))]


@pytest.mark.parametrize(("flags", "name"), [([], "<stdin>"), (["--stdin-filename", "b.yaml"], "b.yaml")])
def test_standard_input_is_checked(checker: Checker, stdin: io.BytesIO, flags: list[str], name: str) -> None:
    stdin.write(b"kind: WorkloadMap\n\xff")
    stdin.seek(0)
    assert main(["check", "-", *flags]) == 0
    assert checker.calls == [(b"kind: WorkloadMap\n\xff", name, Options(processes=2))]


def test_no_more_of_standard_input_is_read_than_needed(checker: Checker, stdin: io.BytesIO) -> None:
    limit = ReadLimits().max_bytes
    stdin.write(b"#" * (limit + 100))
    stdin.seek(0)
    main(["check", "-"])
    assert len(checker.calls[0][0]) == limit + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "a.yaml"], "cannot be combined"),
        (["a.yaml", "--stdin-filename", "b.yaml"], "only when the path is -"),
        (["--stdin-filename", "b.yaml"], "only when the path is -"),
    ],
)
def test_standard_input_stands_alone(
    checker: Checker, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert checker.calls == []


def test_trouble_with_the_paths_is_one_line(checker: Checker, capsys: pytest.CaptureFixture[str]) -> None:
    checker.raises = UsageError("no such file: a\n\x1b.yaml")
    assert main(["check", "a"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("wmap-lint: no such file: a")
    assert err.count("\n") == 1
    assert "\x1b" not in err


def test_the_unexpected_is_one_line_that_says_what_to_do(
    checker: Checker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WMAP_LINT_TRACEBACK", raising=False)
    checker.raises = KeyError("spec")
    assert main(["check", "a"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "KeyError: 'spec'" in err
    assert "Please report it" in err
    assert "WMAP_LINT_TRACEBACK=1" in err


def test_a_traceback_is_there_for_those_who_ask(
    checker: Checker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WMAP_LINT_TRACEBACK", "1")
    checker.raises = KeyError("spec")
    assert main(["check", "a"]) == 2
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_an_interrupt_is_one_line(checker: Checker, capsys: pytest.CaptureFixture[str]) -> None:
    checker.raises = KeyboardInterrupt()
    assert main(["check", "a"]) == 130
    assert capsys.readouterr() == ("", "wmap-lint: interrupted\n")


def test_formats(checker: Checker, capsys: pytest.CaptureFixture[str]) -> None:
    checker.find(Severity.ERROR)
    main(["check", "a", "--format", "concise"])
    assert capsys.readouterr().out.startswith("a.yaml:1:7: WM999 error: This is wrong.\nchecked 1 definition")
    main(["check", "a", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["summary"]["errors"] == 1
    main(["check", "a", "--color", "always"])
    assert "\x1b[1;31merror[WM999]\x1b[0m" in capsys.readouterr().out
    main(["check", "a"])
    assert "\x1b" not in capsys.readouterr().out
