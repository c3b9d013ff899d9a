"""What the README shows is what happens."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.cli.running import ROOT, run
from tests.statespace.planted import PLANTED
from wmap_lint.rules import all_rules

README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.compile(
    r"```yaml (?P<name>\S+)\n(?P<text>.*?)```\n\n```console\n\$ wmap-lint (?P<flags>.*?)\n(?P<output>.*?)```", re.S
)
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md", "docs/library.md"]


def test_the_example_finds_what_is_shown(tmp_path: Path) -> None:
    shown = SHOWN.search(README)
    assert shown is not None
    (tmp_path / shown["name"]).write_text(shown["text"], encoding="utf-8")
    done = run(*shown["flags"].split(), cwd=tmp_path)
    findings, _, closing = shown["output"].strip().rpartition("\n\n")
    assert findings in done.stdout.decode()
    # The number of rules grows; what else the line says holds.
    assert without_numbers(done.stdout.decode().splitlines()[-1]) == without_numbers(closing)
    assert done.returncode == 1


def test_the_tree_is_what_is_shown() -> None:
    shown = re.search(r"```console\n\$ wmap-lint (inspect .*?)\n(.*?)```", README, re.S)
    assert shown is not None
    done = run(*shown[1].split())
    assert done.stdout.decode() == shown[2]


def test_the_search_finds_what_is_shown(tmp_path: Path) -> None:
    shown = re.search(r"```console\n\$ wmap-lint (fuzz .*?)\n(.*?)```", README, re.S)
    assert shown is not None
    fault = next(each for each in PLANTED if each.name == "terminal" and each.definition.startswith("jobset"))
    (tmp_path / "catalog").mkdir()
    (tmp_path / f"catalog/{fault.definition}.yaml").write_text(fault.text, encoding="utf-8")
    shutil.copytree(ROOT / "fixtures" / fault.definition, tmp_path / "fixtures" / fault.definition)
    done = run(*shown[1].split(), cwd=tmp_path)
    finding, _, closing = shown[2].strip().rpartition("\n\n")
    assert finding in done.stdout.decode()
    digits = re.compile(r"[\d.,]+")
    assert digits.sub("…", done.stdout.decode().splitlines()[-1]) == digits.sub("…", closing)
    assert done.returncode == 1


def without_numbers(line: str) -> str:
    return re.sub(r"\d+ rules", "… rules", line)


def test_every_family_of_rules_is_in_the_table() -> None:
    families = set(re.findall(r"^\| (WM\d) \|", README, re.M))
    assert families == {rule.code[:3] for rule in all_rules()}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    path = ROOT / name
    targets = re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (path.parent / target).exists()] == []


def test_the_architecture_names_every_module() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    package = ROOT / "wmap_lint"
    modules = {path.stem for folder in (package, package / "jq") for path in folder.glob("[!_]*.py")}
    folders = {f"{path.parent.name}/" for path in package.glob("*/__init__.py")}
    assert [name for name in sorted(modules | folders) if f"`{name}`" not in page] == []
