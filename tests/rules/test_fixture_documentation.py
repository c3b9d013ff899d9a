"""Each page of a rule about fixtures: its bad example fires that rule and no other, its good one none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.families import RULES
from tests.rules.fixture_files import check_files, example_files
from tests.rules.test_documentation import ON_FIXTURES
from wmap_lint.jq.engine import Engine

CODES = sorted(ON_FIXTURES)


def test_all_of_them() -> None:
    assert len(CODES) == 15


@pytest.mark.parametrize("code", CODES)
def test_page_has_the_heading_of_its_rule(code: str) -> None:
    assert RULES[code].documentation.startswith(f"# {code} {RULES[code].name}\n\n")


@pytest.mark.parametrize("code", CODES)
def test_bad_example_fires_exactly_this_rule(code: str, tmp_path: Path, engine: Engine) -> None:
    found = check_files(tmp_path, example_files(code)["Bad"], engine)
    assert [each.rule for each in found] == [code], found


@pytest.mark.parametrize("code", CODES)
def test_good_example_fires_nothing(code: str, tmp_path: Path, engine: Engine) -> None:
    assert check_files(tmp_path, example_files(code)["Good"], engine) == []


@pytest.mark.parametrize("code", [code for code in CODES if code < "WM409" or code > "WM411"])
def test_without_an_engine_nothing_is_found(code: str, tmp_path: Path) -> None:
    assert code not in {each.rule for each in check_files(tmp_path, example_files(code)["Bad"], None)}
