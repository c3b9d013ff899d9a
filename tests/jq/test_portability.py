"""Differences between jq, gojq and jaq: each that is reported can be seen, and what is portable is not reported."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import jq
import pytest

from wmap_lint.jq.analysis import Analysis, analyse

DOCUMENT = {"a": "aXb", "l": [1, 2], "m": {"a": 2, "b": 1}, "n": 3}


def _binary(name: str, *places: str) -> str | None:
    return shutil.which(name) or next((place for place in places if Path(place).is_file()), None)


GOJQ = _binary("gojq", os.environ.get("GOJQ", ""), str(Path.home() / "go/bin/gojq"))
JAQ = _binary("jaq")


def by_jq(program: str) -> list[str] | None:
    try:
        results = jq.compile(program).input_value(DOCUMENT).all()
    except ValueError:
        return None
    return [json.dumps(each, separators=(",", ":"), ensure_ascii=False) for each in results]


def by(binary: str | None, program: str) -> list[str] | None:
    if binary is None:
        pytest.skip("the engine is not installed")
    done = subprocess.run(
        [binary, "-c", program], input=json.dumps(DOCUMENT), capture_output=True, text=True, check=False
    )
    return done.stdout.splitlines() if done.returncode == 0 else None


def reported(program: str) -> list[bool]:
    analysis = analyse(program)
    assert isinstance(analysis, Analysis), analysis
    return [difference.breaks_consumers for difference in analysis.differences]


GOJQ_DIFFERS = [
    ".m | keys_unsorted",
    "have_decnum",
    "have_literal_numbers",
    ".n | lgamma_r",
    "$__loc__",
    '{@base64 "x"}',
    '.a | test("(?=X)")',
    '.a | test("a(?!b)")',
    '.a | test("(?<=a)X")',
    '.a | test("(a)\\\\1")',
    '.a | test("(?>a)")',
    '.a | test("a++")',
    '.a | test("\\\\h")',
    '.a | test("x"; "x")',
    '.a | test("A"; "l")',
    '.a | test("A"; "s")',
    '.a | test(["A", "i"])',
    "{b: 1, a: 2} | tostring",
    "[{b: 1, a: 2}[]]",
    "{b: 1, a: 2} | to_entries[0].key",
    '"\\({b: 1, a: 2})"',
    "reduce .l[] as $x (0; empty)",
    "reduce .l[] as $x (0; . + $x | select(. > 5))",
]
JAQ_DIFFERS = [
    '.a | IN("x", "aXb")',
    "IN(.l[]; 1)",
    ".l | INDEX(.)",
    '.a | format("text")',
    '.a | trimstr("a")',
    ".a as [$x] ?// $x | $x",
    ". as {$m: {a: $q}} | $q",
    '"&" | test("^[a-z&&b]$")',
    ".5",
    "1.",
    "reduce .n + 1 as $x (0; . + $x)",
]
PORTABLE = [
    ".m | keys",
    ".m | to_entries | map(.value)",
    ".m[]",
    "[.l[] | select(. > 1)]",
    '.a | test("x"; "i")',
    '.a | test("^[a-z]+\\\\d?$")',
    '.a | sub("X"; "y")',
    '.a | capture("(?<n>X)").n',
    ".l | add",
    "first(.l[])",
    "[limit(1; .l[])]",
    '.l | join(",")',
    'if .n > 1 then "x" else "y" end',
    '.zz // "d"',
    ".l | sort_by(-.)",
    ".l | group_by(. > 1)",
    '.a | split("X")',
    ".n as $x | [$x]",
    "reduce .l[] as $x (0; . + $x)",
    "reduce .l[] as $x (0; if $x > 1 then . + $x else . end)",
    "reduce -1 as $x (0; . + $x)",
    "def f(g): g; f(.n)",
    'try error("x") catch .',
    "label $out | 1, break $out",
    ".l[1:]",
    ".a[0:1]",
    "any(.l[]; . > 1)",
    '"\\(.n)"',
    'getpath(["m", "a"])',
    ".m | with_entries(.key |= ascii_upcase)",
    ".m | map_values(. + 1)",
    "{a: .n, b: .a} | tostring",
    ".m | tojson",
    "isempty(.l[])",
    ".l | length",
]


@pytest.mark.parametrize("program", GOJQ_DIFFERS)
def test_gojq_differs_and_it_is_told(program: str) -> None:
    assert True in reported(program)
    assert by(GOJQ, program) != by_jq(program)


@pytest.mark.parametrize("program", JAQ_DIFFERS)
def test_jaq_differs_and_it_is_told(program: str) -> None:
    assert reported(program) == [False]
    assert by(JAQ, program) != by_jq(program)


@pytest.mark.parametrize("program", PORTABLE)
def test_what_is_portable_is_not_reported(program: str) -> None:
    assert reported(program) == []
    assert by_jq(program) is not None
    for binary in (GOJQ, JAQ):
        if binary is not None:
            assert by(binary, program) == by_jq(program)
