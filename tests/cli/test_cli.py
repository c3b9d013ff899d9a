"""The command line as far as it needs no definition."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ROOT, environment, run
from wmap_lint import __version__
from wmap_lint.cli import main
from wmap_lint.rules import all_rules


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, f"wmap-lint {__version__}\n", b"")


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["check", "--help"], ["rules", "-h"], ["explain", "--help"]])
def test_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("Usage: wmap-lint")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say what to do: check, inspect, fuzz, crd, rules or explain. Try 'wmap-lint --help'."),
        (["chek"], "No such command 'chek'."),
        (["check", "--nope"], "No such option"),
        (["check", "--format", "xml"], "Invalid value for '--format': 'xml' is not one of 'text', 'concise', 'json'."),
        (["check", "--fail-on", "panic"], "Invalid value for '--fail-on'"),
        (["check", "--fixtures", "no-such-folder"], "Invalid value for '--fixtures'"),
        (["explain"], "Missing argument 'CODE'."),
        (["explain", "wm101", "wm998"], "there is no rule 'wm998'"),
        (["explain", "WM10"], "did you mean WM101?"),
        (["explain", "unknwon-field"], "did you mean unknown-field?"),
        (["explain", "\x1b[2J"], "\\x1b[2J"),
    ],
)
def test_bad_usage_is_one_clear_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("wmap-lint: ")
    assert message in err
    assert err.count("\n") == 1


def test_rules_are_listed_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(all_rules()) > 0
    for line, rule in zip(lines, all_rules(), strict=True):
        assert line.split(maxsplit=3) == [rule.code, rule.severity.label, rule.name, rule.summary]


def test_rules_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["version"] == 1
    assert [entry["code"] for entry in listed["rules"]] == [rule.code for rule in all_rules()]
    assert set(listed["rules"][0]) == {"code", "name", "severity", "summary"}


@pytest.mark.parametrize("rule", all_rules()[::4], ids=lambda rule: rule.code)
def test_a_rule_is_explained(rule: object, capsys: pytest.CaptureFixture[str]) -> None:
    code, name = getattr(rule, "code", ""), getattr(rule, "name", "")
    assert main(["explain", code.lower()]) == 0
    by_code = capsys.readouterr().out
    assert by_code.startswith(f"# {code} {name}\n")


def test_a_rule_is_explained_by_its_name_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "WM207"]) == 0
    by_code = capsys.readouterr().out
    assert main(["explain", by_code.split()[2]]) == 0
    assert capsys.readouterr().out == by_code


def test_several_rules_are_explained_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "WM002", "wm001"]) == 0
    out = capsys.readouterr().out
    assert 0 == out.index("# WM002") < out.index("\n\n# WM001")


def test_what_an_encoding_lacks_is_escaped() -> None:
    done = run("explain", "nö", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert b"'n\\xf6'" in done.stderr


def test_a_reader_that_has_gone_is_no_trouble() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "wmap_lint", "rules"]
        done = subprocess.run(
            command, stdout=writing, stderr=subprocess.PIPE, cwd=ROOT, env=environment(), timeout=60, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_output_that_cannot_be_written_is_trouble() -> None:
    command = [sys.executable, "-m", "wmap_lint", "rules"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, env=environment(), timeout=60, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"wmap-lint: the output could not be written: ")
    assert done.stderr.count(b"\n") == 1


def on_a_terminal(*arguments: str, **changes: str) -> str:
    """What a terminal of 90 columns is sent."""
    main_end, process_end = pty.openpty()
    command = [sys.executable, "-m", "wmap_lint", *arguments]
    settings = environment(**{"TERM": "xterm", "COLUMNS": "90", **changes})
    process = subprocess.Popen(command, stdin=process_end, stdout=process_end, cwd=ROOT, env=settings)
    os.close(process_end)
    received = b""
    try:
        while chunk := os.read(main_end, 4096):
            received += chunk
    except OSError:  # the way Linux says that the other end is closed
        pass
    finally:
        os.close(main_end)
    assert process.wait(timeout=60) == 0
    return received.decode()


def test_a_page_is_laid_out_on_a_terminal() -> None:
    shown = on_a_terminal("explain", "WM101")
    assert "\x1b[" in shown
    assert "```" not in shown
    assert "WM101 unknown-field" in shown


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_nobody_is_coloured_against_their_will(changes: dict[str, str]) -> None:
    shown = on_a_terminal("rules", **changes)
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 90
    assert "\x1b[1m" in on_a_terminal("rules")


def test_starting_imports_nothing_heavy() -> None:
    program = (
        "import sys; from wmap_lint.cli import main; main(['--version']); "
        "print(*sorted({'rich', 'yaml', 'jsonschema', 'hypothesis', 'kubernetes', 'jq'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=ROOT, env=environment(), timeout=60, check=True
    )
    assert done.stdout.decode().splitlines()[1:] == [""]


def test_the_shell_completes_codes() -> None:
    done = run(_WMAP_LINT_COMPLETE="complete_bash", COMP_WORDS="wmap-lint explain WM00", COMP_CWORD="2")
    assert done.stdout.decode().split() == [rule.code for rule in all_rules() if rule.code.startswith("WM00")]
