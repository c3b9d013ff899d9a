"""`wmap-lint check` from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import ROOT, run

WIDGET = """\
apiVersion: run.ai/v1alpha1
kind: WorkloadMap
metadata: {name: example-com-widget-v1}
spec:
  structureDefinition:
    rootComponent:
      name: widget
      kind: {group: example.com, version: v1, kind: Widget}
      statusDefinition:
        statusMappings: {}
"""
MISSPELT = WIDGET.replace("statusMappings: {}", "statusMappings: {}\n        statusMapings: {}")
CATALOG = sorted((ROOT / "catalog").glob("*.yaml"))


def write(folder: Path, text: str, name: str = "example-com-widget-v1.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_clean_definition_is_clean_and_counted(tmp_path: Path) -> None:
    done = run("check", write(tmp_path, WIDGET), "--select", "WM0,WM1")
    out = done.stdout.decode()
    assert done.returncode == 0, out
    assert out.startswith("checked 1 definition (no CRD) · ")
    assert out.endswith(": no findings\n")
    assert done.stderr == b""


def test_a_finding_is_shown_where_it_is(tmp_path: Path) -> None:
    done = run("check", write(tmp_path, MISSPELT), "--select", "WM101")
    out = done.stdout.decode()
    assert done.returncode == 1
    assert out.startswith("error[WM101]: ")
    assert "example-com-widget-v1.yaml:11:9\n" in out
    assert "11 │         statusMapings: {}\n   │         ^^^^^^^^^^^^^" in out
    assert out.endswith(": 1 error\n")


@pytest.mark.parametrize("flags", [["--ignore", "WM101"], ["--select", "WM2"], ["--fail-on", "never"]])
def test_a_finding_can_be_left_out(tmp_path: Path, flags: list[str]) -> None:
    path = write(tmp_path, MISSPELT)
    assert run("check", path, *flags).returncode == 0
    assert run("check", path).returncode == 1


def test_findings_for_programs(tmp_path: Path) -> None:
    done = run("check", write(tmp_path, MISSPELT), "--select", "WM101", "--format", "json")
    report = json.loads(done.stdout)
    assert report["summary"]["definitions"] == report["summary"]["errors"] == 1
    (found,) = report["findings"]
    assert (found["rule"], found["name"], found["severity"]) == ("WM101", "unknown-field", "error")
    assert found["start"] == {"line": 11, "column": 9}


def test_standard_input_has_the_name_it_is_given() -> None:
    flags = ["--stdin-filename", "catalog/example-com-widget-v1.yaml", "--format", "concise", "--select", "WM101"]
    done = run("check", "-", *flags, stdin=MISSPELT.encode())
    assert done.returncode == 1
    assert done.stdout.decode().startswith("catalog/example-com-widget-v1.yaml:11:9: WM101 error: ")


def test_what_is_not_yaml_is_a_finding(tmp_path: Path) -> None:
    done = run("check", write(tmp_path, "kind: [WorkloadMap\n"))
    assert done.returncode == 1
    assert "error[WM001]" in done.stdout.decode()
    assert "nothing was checked" in done.stdout.decode()


def test_no_definition_is_said_plainly(tmp_path: Path) -> None:
    done = run("check", write(tmp_path, "apiVersion: v1\nkind: Pod\n"))
    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[-1].startswith("nothing was checked: no definition found in ")


@pytest.mark.parametrize(
    "arguments",
    [["no-such-file.yaml"], ["{folder}"], ["{file}", "--select", "WM9999"], ["{file}", "--ignore", "nonsense"]],
)
def test_trouble_is_no_finding(tmp_path: Path, arguments: list[str]) -> None:
    path = write(tmp_path, WIDGET)
    empty = tmp_path / "empty"
    empty.mkdir()
    done = run("check", *(argument.format(file=path, folder=empty) for argument in arguments))
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_hostile_file_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    done = run("check", write(tmp_path, MISSPELT, "a\n\x1b[2J.yaml"))
    assert done.returncode == 1
    assert b"\x1b" not in done.stdout
    assert "a␊␛[2J.yaml:11:9" in done.stdout.decode()


def test_only_ascii_for_an_ascii_terminal(tmp_path: Path) -> None:
    done = run("check", write(tmp_path, MISSPELT), PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert done.stdout.isascii()
    assert b"11 |         statusMapings: {}\n   |         ^^^^^^^^^^^^^" in done.stdout


def test_the_catalog_is_clean_and_all_that_operators_write_is_looked_at() -> None:
    some = CATALOG[::4]  # `make check` looks at all of them
    done = run("check", *some, "--format", "json")
    quick = json.loads(done.stdout)
    assert done.returncode == 0, quick["findings"]
    assert quick["summary"]["definitions"] == len(some) > 0
    assert quick["summary"]["fixtures"] > 0
    assert quick["summary"]["all_states"] is True
    assert [space["complete"] for space in quick["spaces"]] == [True] * len(some)
    assert quick["summary"]["states"] == sum(space["states"] for space in quick["spaces"])
    assert all(matcher["states"] and matcher["fixtures"] for space in quick["spaces"] for matcher in space["matchers"])


def test_nothing_of_the_states_is_looked_at() -> None:
    off = json.loads(run("check", CATALOG[0], "--fuzz", "off", "--format", "json").stdout)
    assert off["spaces"] == []
    assert off["summary"]["all_states"] is False
    assert run("check", CATALOG[0], "--fuzz", "much").returncode == 2


def test_the_catalog_is_what_is_checked_without_paths(tmp_path: Path) -> None:
    shipped = run("check", "--select", "WM1", "--fixtures", tmp_path, "--format", "json", cwd=tmp_path)
    assert shipped.returncode == 0
    assert json.loads(shipped.stdout)["summary"]["definitions"] == len(CATALOG)
    (tmp_path / "catalog").mkdir()
    write(tmp_path / "catalog", WIDGET)
    own = run("check", "--format", "json", cwd=tmp_path)
    assert json.loads(own.stdout)["summary"]["definitions"] == 1
