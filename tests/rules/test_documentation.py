"""Each rule's page: its bad example fires that rule and no other, its good one none."""

from __future__ import annotations

import pytest

from tests.rules.families import HERE, RULES, check, examples

# Reported by the pipeline for a file, not for a document of it.
FILE_LEVEL = {"WM005"}
# Those need files beside the definition: test_fixture_documentation.
ON_FIXTURES = frozenset(code for code in HERE if code[:4] in {"WM40", "WM41", "WM50"})


@pytest.mark.parametrize("code", sorted(HERE - ON_FIXTURES))
def test_page_has_the_heading_of_its_rule(code: str) -> None:
    assert RULES[code].documentation.startswith(f"# {code} {RULES[code].name}\n\n")


@pytest.mark.parametrize("code", sorted(HERE - FILE_LEVEL - ON_FIXTURES))
def test_bad_example_fires_exactly_this_rule(code: str) -> None:
    assert {each.rule for each in check(examples(code)["Bad"])} == {code}


@pytest.mark.parametrize("code", sorted(HERE - ON_FIXTURES))
def test_good_example_fires_nothing(code: str) -> None:
    assert check(examples(code)["Good"]) == []
