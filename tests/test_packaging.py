"""What a user gets who installs the package."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.cli.running import ROOT, environment
from wmap_lint import __version__

SHIPPED = ("catalog", "schema", "fixtures")
needs_backend = pytest.mark.skipif(
    importlib.util.find_spec("hatchling") is None,
    reason="hatchling, which builds the package, is not installed here, and tests use no network",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a clean copy of the project."""
    folder = tmp_path_factory.mktemp("wheel")
    project = folder / "project"
    project.mkdir()
    for name in ("wmap_lint", *SHIPPED):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, project)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run(
        [*command, "--wheel-dir", str(folder), str(project)],
        check=True,
        capture_output=True,
        env=environment(PIP_DISABLE_PIP_VERSION_CHECK="1"),
        timeout=120,
    )
    (built,) = folder.glob("*.whl")
    return built


@needs_backend
def test_everything_that_is_needed_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in SHIPPED:
        files = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.*") if path.is_file()}
        assert files
        assert {f"wmap_lint/data/{name}" for name in files} <= names
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "wmap_lint/rules/docs").glob("*.md")}
    assert pages
    assert pages <= names
    assert "wmap_lint/py.typed" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]


@needs_backend
def test_the_wheel_works_away_from_the_project(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    done = subprocess.run(
        [sys.executable, "-m", "wmap_lint", "check", "--fuzz", "off", "--format", "concise"],
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(tmp_path / "site")),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"checked ")


@needs_backend
def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    info = f"wmap_lint-{__version__}.dist-info"
    assert archive.read(f"{info}/entry_points.txt").decode().split() == [
        "[console_scripts]",
        "wmap-lint",
        "=",
        "wmap_lint.cli:main",
    ]
    assert f"\nVersion: {__version__}\n" in archive.read(f"{info}/METADATA").decode()


def test_the_hook_runs_what_the_package_installs() -> None:
    import yaml

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, command = hook["entry"].split()
    assert program in project["scripts"]
    assert (ROOT / "wmap_lint/cli" / f"{command}.py").exists()
    assert (hook["id"], hook["language"], hook["types"], hook["require_serial"]) == (
        "wmap-lint",
        "python",
        ["yaml"],
        True,
    )


def test_our_own_hooks_ask_for_what_the_project_asks_for() -> None:
    import yaml

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {*project["dependencies"], *project["optional-dependencies"]["dev"]}
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    for hook in repository["hooks"]:
        assert set(hook.get("additional_dependencies", [])) <= wanted, hook["id"]


def test_the_gate_can_be_run_and_calls_only_targets_there_are() -> None:
    gate = ROOT / ".ci/run"
    assert gate.stat().st_mode & 0o111
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    called = re.findall(r"^make (\S+)$", gate.read_text(encoding="utf-8"), re.M)
    assert {"test", "check"} <= set(called) <= targets
