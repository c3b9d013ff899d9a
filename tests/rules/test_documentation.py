"""Each rule's page, through the whole pipeline: its bad example fires that rule and no other, its good one none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wmap_lint.checker import Options, check_paths
from wmap_lint.rules import all_rules

RULES = {rule.code: rule for rule in all_rules()}
UNNAMED = "catalog/example-com-widget-v1.yaml"
SECTIONS = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
BLOCKS = re.compile(r"^```yaml *(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sections(code: str) -> dict[str, str]:
    return {match[1]: match[2] for match in SECTIONS.finditer(RULES[code].documentation)}


def fired(code: str, section: str, folder: Path) -> set[str]:
    """The rules that fire on the files of an example; a definition or other file that is named is named to `check`.

    Files in ``crds`` are given as such.
    """
    named: list[Path] = []
    crds: list[Path] = []
    for name, text in BLOCKS.findall(sections(code)[section]):
        path = folder / (name or UNNAMED)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        if path.is_relative_to(folder / "crds"):
            crds.append(path)
        elif not path.is_relative_to(folder / "fixtures"):
            named.append(path)
    assert named
    return {each.rule for each in check_paths(named, Options(crds=tuple(crds))).diagnostics}


@pytest.mark.parametrize("code", sorted(RULES))
def test_the_page_has_the_heading_of_its_rule_and_all_its_parts(code: str) -> None:
    assert RULES[code].documentation.startswith(f"# {code} {RULES[code].name}\n\n")
    assert list(sections(code)) == ["Why", "Bad", "Good"]


@pytest.mark.parametrize("code", sorted(RULES))
def test_the_bad_example_fires_exactly_this_rule(code: str, tmp_path: Path) -> None:
    assert fired(code, "Bad", tmp_path) == {code}


@pytest.mark.parametrize("code", sorted(RULES))
def test_the_good_example_fires_nothing(code: str, tmp_path: Path) -> None:
    assert fired(code, "Good", tmp_path) == set()


def test_every_page_is_that_of_a_rule() -> None:
    pages = {path.stem for path in (Path(__file__).parents[2] / "wmap_lint" / "rules" / "docs").glob("*.md")}
    assert pages == set(RULES)
