"""Every place of the specification has a case, and what the tables say of rules is what the page of traps says."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.tables import CASES, FILES
from tests.conformance.test_conformance import ASK, SAY
from tests.test_traps import ROWS
from wmap_lint.rules import all_rules

ROOT = Path(__file__).parents[2]
SPECIFICATION = ROOT.parent / "shared" / "facts" / "SEMANTICS.md"
WHERE = Counter(where for case in CASES for where in case.where)

SECTIONS = [
    *(f"1.{number}" for number in range(3, 10)),
    *(f"2.{number}" for number in range(1, 7)),
    *(f"3.{number}" for number in range(1, 5)),
    *(f"4.{number}" for number in range(1, 6)),
    *(f"5.{number}" for number in range(1, 6)),
    "6",
    *(f"7.{number}" for number in range(1, 8)),
    *(f"8.{number}" for number in range(1, 5)),
]
NOT_OURS = {"1.8": "webhooks and the operator act on the cluster's copy of a definition; the interpreter meets neither"}
ROWS_OF_TABLES = [
    *(f"4.5#{number}" for number in range(1, 7)),
    *(f"7.4#{number}" for number in range(1, 10)),
    *(f"8.2#{number}" for number in range(1, 12)),
]
VECTORS = [
    *(f"A{number}" for number in range(1, 51)),
    *(f"I{number}" for number in range(1, 20)),
    *(f"W{number}" for number in range(1, 6)),
]
TRAPS = [f"trap {number}" for number in range(1, 59)]


def test_cases_are_well_formed_and_no_two_say_the_same() -> None:
    assert len(FILES) == 10
    assert [case.name for case in CASES if not case.is_well_formed] == []
    assert [name for name, times in Counter(case.name for case in CASES).items() if times > 1] == []
    asked = {what for case in CASES for what in case.expect}
    assert asked == {*ASK, *SAY, "findings", "silent"}


def test_every_section_example_vector_and_trap_has_a_case() -> None:
    needed = [*SECTIONS, *ROWS_OF_TABLES, *VECTORS, *TRAPS]
    assert [where for where in needed if where not in WHERE] == list(NOT_OURS)
    assert WHERE.keys() - {*needed, "1.1", "1.2"} == set()


def _findings(trap: str) -> set[str]:
    expected: set[str] = set()
    for case in CASES:
        if f"trap {trap}" in case.where:
            expected |= {*case.expect.get("findings", ()), *case.expect.get("errors", ())}
    return expected


def _needs_more(code: str) -> bool:
    """Whether a rule finds nothing in a definition alone: it goes by a schema, or its page has recorded objects."""
    if code.startswith("WM3"):
        return True
    page = (ROOT / "wmap_lint" / "rules" / "docs" / f"{code}.md").read_text(encoding="utf-8")
    return re.search(r"^```yaml .*fixtures/", page, re.MULTILINE) is not None


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_trap_is_found_by_the_rules_that_its_page_names(row: list[str]) -> None:
    """A trap that no rule finds has its reason on that page, and cases that show what happens."""
    trap, _, finders = row
    codes = set(re.findall(r"\bWM\d{3}\b", finders))
    assert {code for code in codes if not _needs_more(code)} <= _findings(trap)
    assert _findings(trap) <= {rule.code for rule in all_rules()}


def test_rules_that_need_more_are_told_apart() -> None:
    assert _needs_more("WM403")
    assert _needs_more("WM304")
    assert not _needs_more("WM211")


def _golden() -> list[tuple[str, Any, str]]:
    """The programs of the specification's appendix: program, input, results as they are written there."""
    text = SPECIFICATION.read_text(encoding="utf-8").partition("## Appendix A")[2]
    rows = re.findall(r"^\| `(.*)` \| `(.*?)` \| (.*) \|$", text, re.MULTILINE)
    return [(program.replace("\\|", "|"), json.loads(given), results) for program, given, results in rows]


@pytest.mark.skipif(not SPECIFICATION.is_file(), reason="the specification is not part of this checkout")
def test_golden_programs_are_those_of_the_specification() -> None:
    cases = {where: case for case in CASES for where in case.where if where.startswith("A")}
    golden = _golden()
    assert len(golden) == 50
    for number, (program, given, results) in enumerate(golden, 1):
        case = cases[f"A{number}"]
        write = case["write"]
        assert program == (case["program"] if write is None else f"({write['path']}) = {write['value']}")
        assert given == case["input"]
        expected = case.expect
        if results == "error":
            assert {"error", "refused"} & expected.keys()
        elif results == "(no result)":
            assert expected["results"] == []
        else:
            written = results.split("`")[1]
            ours = [expected["written"]] if "written" in expected else expected["results"]
            assert written.replace(" ", "") == "".join(json.dumps(each, separators=(",", ":")) for each in ours)


def test_what_deviates_says_why() -> None:
    deviating = [case for case in CASES if case["deviates"] is not None]
    assert len(deviating) > 20
    assert all(len(case["deviates"]) > 10 for case in deviating)
