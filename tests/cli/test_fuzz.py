"""``wmap-lint fuzz`` as a user runs it."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.running import ROOT, environment, run
from tests.statespace.planted import PLANTED, Planted
from wmap_lint.cli import main

EARLY = next(each for each in PLANTED if each.name == "terminal" and each.definition.startswith("ray"))
ENGINES = next(each for each in PLANTED if each.definition.startswith("jobset"))._replace(edits=())
SWAPPED = next(each for each in PLANTED if each.name == "swapped" and each.definition.startswith("ray"))
Here = Callable[..., tuple[int, str, str]]
CATALOG = sorted((ROOT / "catalog").glob("*.yaml"))
FILE = f"catalog/{SWAPPED.definition}.yaml"
SUMMARY = re.compile(
    r"fuzzed 1 definition · ([\d,]+) objects \(.*? beyond the models\) · [\d.]+ s · [\d,]+ objects a second"
)


def write(project: Path, fault: Planted) -> Path:
    """Put a definition with its fixtures into a project; its path in there."""
    file = project / "catalog" / f"{fault.definition}.yaml"
    file.write_text(fault.text, encoding="utf-8")
    fixtures = project / "fixtures" / fault.definition
    shutil.copytree(ROOT / "fixtures" / fault.definition, fixtures, dirs_exist_ok=True)
    return file.relative_to(project)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a definition that has a fault in it."""
    (tmp_path / "catalog").mkdir()
    write(tmp_path, SWAPPED)
    return tmp_path


def fuzz(*arguments: str | Path, cwd: Path, **environment: str) -> tuple[int, str, str]:
    done = run("fuzz", *arguments, cwd=cwd, **environment)
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def here(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """Runs the command in this process, in the project: starting another one takes longer than what it does."""
    monkeypatch.chdir(project)

    def ran(*arguments: str | Path) -> tuple[int, str, str]:
        code = main(["fuzz", *map(str, arguments)])
        return (code, *capsys.readouterr())

    return ran


def test_nothing_is_found_in_the_catalog(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    for path in CATALOG[:3]:
        shutil.copy(path, tmp_path / "catalog")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    code, out, err = fuzz("--max-examples", "80", "--seed", "3", tmp_path / "catalog", cwd=tmp_path)
    assert (code, err) == (0, "")
    assert re.fullmatch(r"fuzzed 3 definitions · \d+ objects \(.*\) · .* · seed 3: no faults\n", out)
    assert (tmp_path / ".hypothesis").is_dir()


def test_a_fault_is_found_shown_and_saved(project: Path) -> None:
    file = write(project, EARLY)
    code, out, err = fuzz("--seed", "1", "--max-examples", "200", "--save", "fixtures", file, cwd=project)
    assert (code, err) == (1, "")
    head, _, rest = out.partition("\n\n")
    assert re.fullmatch(rf"found\[two-statuses\]: {file}: Running and \w+ both match\.", head)
    pasted, _, places = rest.partition("\n\n")
    workload = yaml.safe_load(pasted)
    assert (workload["apiVersion"], workload["kind"]) == ("ray.io/v1", "RayCluster")
    # Both matchers, with place and text.
    lines = (project / file).read_text().splitlines()
    shown = re.findall(rf"^  (\w+) +{file}:(\d+):(\d+)\n  │ (.*)$", places, re.M)
    assert len(shown) == 2
    for status, line, column, text in shown:
        assert status in head
        begin = "\n".join(lines[int(line) - 1 :])[int(column) - 1 :]
        assert text.removeprefix("byConditions: ").split("=")[0] in begin
    assert SUMMARY.search(out)
    # What was saved is that object, with something left to say for a person.
    (saved,) = re.findall(r"= saved: (\S+)", out)
    assert yaml.safe_load((project / saved).read_text()) == workload
    expectation = project / saved.replace(".yaml", ".expected.yaml")
    unfinished = run("check", file, cwd=project)
    assert unfinished.returncode == 1
    assert expectation.name in unfinished.stdout.decode()
    (right,) = {status for status, *_ in shown} - {"Running"}
    expectation.write_text(
        f"provenance: {{source: recorded, operator: kuberay, version: v1.7.0}}\nstatus: {right}\n", encoding="utf-8"
    )
    checked = run("check", "--select", "WM502", file, cwd=project)
    assert checked.returncode == 1
    said = " ".join(checked.stdout.decode().split())
    assert f"`{Path(saved).stem}`" in said
    assert "read Running as well as" in said
    # The same again is no new scenario.
    _, again, _ = fuzz("--seed", "1", "--max-examples", "200", "--save", "fixtures", file, cwd=project)
    assert "This object was saved before." in again


def without_times(text: str) -> str:
    return re.sub(r"[\d.]+ s · [\d,]+ objects a second", "…", text)


def test_the_same_seed_gives_the_same_report(project: Path, here: Here) -> None:
    one, other = (here("--seed", "9", "--max-examples", "200", FILE) for _ in range(2))
    assert one[0] == 1
    assert without_times(one[1]) == without_times(other[1])


def test_the_seed_is_told_and_what_failed_is_tried_again(project: Path, here: Here) -> None:
    code, out, _ = here("--max-examples", "200", FILE)
    assert code == 1
    assert re.search(r"seed \d+: \d faults?$", out, re.M)
    code, out, _ = here("--max-examples", "8", FILE)
    assert code == 1, "so few objects hardly show it by chance"


def test_as_json(project: Path, here: Here) -> None:
    code, out, err = here("--seed", "1", "--max-examples", "200", "--format", "json", FILE)
    assert (code, err) == (1, "")
    answer = json.loads(out)
    assert out.isascii()
    assert (answer["version"], answer["seed"], answer["stopped"], answer["engines"]) == (1, 1, None, [])
    (definition,) = answer["definitions"]
    assert definition["file"] == FILE
    assert definition["space"] == "model"
    assert definition["examples"] >= 200
    finding = definition["findings"][0]
    assert finding["kind"] == "another-status"
    assert finding["object"]["kind"] == "RayCluster"
    assert finding["places"][0]["label"] in finding["message"]
    assert finding["places"][0]["start"]["line"] > 1
    assert finding["shrunk"] is True


def test_a_budget_that_runs_out_is_no_failure(tmp_path: Path) -> None:
    code, out, err = fuzz(
        "--budget", "600ms", "--max-examples", "1000000", "--seed", "1", ROOT / "catalog", cwd=tmp_path
    )
    assert (code, err) == (0, "")
    assert "the budget of 0.6 s ran out: no faults" in out
    assert out.startswith(f"fuzzed {len(CATALOG)} definitions · ")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60s", 60), ("1m30s", 90), ("1h", 3600), ("45", 45), ("250ms", 0.25), ("1.5s", 1.5), ("0", 0)],
)
def test_times(text: str, seconds: float) -> None:
    from wmap_lint.cli.fuzz import _seconds

    assert _seconds(text) == seconds


def test_an_interruption_shows_what_there_is(project: Path) -> None:
    command = [sys.executable, "-m", "wmap_lint", "fuzz", "--max-examples", "10000000", "--budget", "0", "--seed", "1"]
    process = subprocess.Popen(
        [*command, FILE],
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        # It has found something as soon as Hypothesis has something to keep.
        kept = project / ".hypothesis" / "examples"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not any(each.is_file() for each in kept.rglob("*")):
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.decode() == "wmap-lint: interrupted\n"
    assert out.decode().startswith("found[")
    assert re.search(r"seed 1; interrupted: \d faults?\n$", out.decode())


def test_progress_is_for_terminals(project: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "wmap_lint", "fuzz", "--seed", "1", "--max-examples", "200", str(ROOT / FILE)],
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    out, _ = process.communicate(timeout=60)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.returncode == 0
    assert re.search(rb"\r\x1b\[Kray[\w-]+: [\d,]+ objects, 0 found, \d+ s", shown)
    assert shown.endswith(b"\r\x1b[K"), "nothing of it stays"
    assert b"\r" not in out


def test_without_a_model_it_is_said(project: Path, here: Here) -> None:
    (project / "fixtures" / SWAPPED.definition / "status-model.yaml").unlink()
    code, out, _ = here("--seed", "1", "--max-examples", "100", FILE)
    assert code == 0
    assert "has no status model, so what its operator writes is a guess" in out


def test_a_model_that_cannot_be_used(project: Path, here: Here) -> None:
    model = project / "fixtures" / SWAPPED.definition / "status-model.yaml"
    model.write_text(model.read_text().replace("base: running.yaml", "base: runing.yaml"), encoding="utf-8")
    code, out, err = here(FILE)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"wmap-lint: \S+status-model.yaml:\d+:\d+: There is no scenario `runing.yaml`.*\n", err)


def test_engines(here: Here) -> None:
    file = ROOT / "catalog" / f"{SWAPPED.definition}.yaml"
    code, out, err = here("--engines", "jq,jaq", "--seed", "1", "--max-examples", "100", file)
    assert (code, err) == (0, "")
    assert re.search(r" · \d+ compared with jaq · ", out)


def test_an_engine_that_differs(project: Path, here: Here) -> None:
    file = write(project, ENGINES)
    text = (project / file).read_text()
    wrong = text.replace(".status.restarts != null", '(.status.restarts / 1 | tostring) == "1"')
    (project / file).write_text(wrong, encoding="utf-8")
    code, out, _ = here("--engines", "jaq", "--seed", "1", "--max-examples", "200", file)
    assert code == 1
    assert "jaq reads this expression otherwise: it gives false, and jq gives true." in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.yaml"], "there is no file or folder 'none.yaml'"),
        (["--budget", "soon"], "--budget 'soon' is no time"),
        (["--engines", "sed"], "there is no engine 'sed'"),
        (["--engines", "gojq"], "gojq is not installed"),
        (["--max-examples", "0"], "0 is not in the range"),
        (["--seed", "-1"], "-1 is not in the range"),
        (["fixtures/ray-io-raycluster-v1/running.yaml"], "there is no WorkloadMap or Karta in"),
        (["fixtures"], "there is no WorkloadMap or Karta in fixtures"),
        (["broken.yaml"], "broken.yaml:1: "),
    ],
)
def test_trouble_is_one_line(
    arguments: list[str], said: str, project: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "broken.yaml").write_text("a: [1, 2\n")
    monkeypatch.setenv("PATH", str(project))  # where no engine is
    monkeypatch.setattr(sys, "executable", str(project / "python"))
    code, out, err = here(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("wmap-lint: ")
    assert err.count("\n") == 1
    assert said in err


def test_what_cannot_be_saved_is_told(project: Path, here: Here) -> None:
    (project / "full").write_text("a file, no folder\n")
    code, out, err = here("--seed", "1", "--max-examples", "200", "--save", "full/fixtures", FILE)
    assert code == 2
    assert "found[" in out, "what was found is shown all the same"
    assert "not everything could be saved" in out
    assert err == ""
