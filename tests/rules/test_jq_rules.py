"""The rules about expressions: what each finds and where, and what it keeps quiet about."""

from __future__ import annotations

import pytest

from tests.rules.expressions import PLACES, definition
from tests.rules.families import TEMPLATE, check, fixed, marked, places
from wmap_lint.diagnostic import Severity

# The place, and expressions with a mark before each fault; an expression without a mark is right. A mark before
# everything stands for the whole expression.
CASES: dict[str, list[tuple[str, list[str]]]] = {
    "WM201": [
        (
            "phase",
            [
                ".status ⟦WM201⟧phase",
                ".status.phase⟦WM201⟧)",
                '⟦WM201⟧"abc',
                ".a == .b ⟦WM201⟧== .c",
                ".a | tostring(⟦WM201⟧)",
                ".a ⟦WM201⟧; .b",
                "{a: (1 ⟦WM201⟧2)}",
                '"\\(.a ⟦WM201⟧b)"',
                ".a.[0]",
                '.a."b"',
                ".status.phase # as the controller writes it",
                '.["a b"]',
            ],
        ),
    ],
    "WM202": [
        (
            "phase",
            [
                "⟦WM202⟧status.phase",
                ".status.phase | ⟦WM202⟧lower",
                ".a as $x | ⟦WM202⟧$y",
                ".a | ⟦WM202⟧@foo",
                "⟦WM202⟧break $x",
                "⟦WM202⟧.metadata.labels.app.kubernetes.io/name",
                "⟦WM202⟧.spec.my-field",
                ".a | ⟦WM202⟧split",
                ".a | ⟦WM202⟧m::f",
                "[.a[]? | ⟦WM202⟧foo, ⟦WM202⟧bar] | first",
                'def f: 1; .a | ⟦WM202⟧f("x")',
                '.metadata.labels["app.kubernetes.io/name"]',
                "def f($x): $x; f(.a)",
                "label $x | .a, break $x",
                ".a as [$x, {b: $y}] | $y",
            ],
        ),
    ],
    "WM203": [
        (
            "phase",
            [
                ".a ⟦WM203⟧= 1",
                ".a ⟦WM203⟧|= 1",
                ".a ⟦WM203⟧+= 1",
                "⟦WM203⟧del(.a)",
                "(.a ⟦WM203⟧= 1) | .b",
                "[⟦WM203⟧del(.a)] | first",
                "def f: .a ⟦WM203⟧//= 1; f",
                '"\\(.a ⟦WM203⟧= 1)"',
                '⟦WM203⟧setpath(["a"]; 1)',
                "⟦WM203⟧delpaths([])",
                "def del(f): f; del(.a)",
                'if .a == 1 then "x" else "y" end',
            ],
        ),
    ],
    "WM204": [
        (
            "matcher",
            [
                "[⟦WM204⟧..] | any",
                "{a: ⟦WM204⟧..} | any",
                "reduce ⟦WM204⟧.. as $x (0; . + 1)",
                "if ⟦WM204⟧.. then 1 else 2 end",
                "if .a then ⟦WM204⟧.. else 2 end",
                '"\\(⟦WM204⟧..)"',
                "def f(g): g; f(⟦WM204⟧..)",
                "label $x | ⟦WM204⟧..",
                "try ⟦WM204⟧.. catch .",
                "-(⟦WM204⟧..)",
                ".[⟦WM204⟧..]",
                ". as {(⟦WM204⟧..): $x} | 1",
                '⟦WM204⟧"x" * 1e9',
                '"\\(⟦WM204⟧"x" * 1e9)"',
                "⟦WM204⟧def f: [f]; f",
                "⟦WM204⟧def f: def g: f; g; f",
                "[⟦WM204⟧range(100000000)]",
                "reduce ⟦WM204⟧range(1000000) as $i (null; [.])",
                "[limit(10; ⟦WM204⟧repeat(1))]",
                "⟦WM204⟧until(. > 1; . + 1)",
                ".a | ⟦WM204⟧walk(.)",
                "[.[]?, .[]?] | ⟦WM204⟧combinations",
                '.a // "" | test(⟦WM204⟧"(a+)+$")',
                '.a // "" | test(⟦WM204⟧"^(a|aa)+$")',
                '.a // "" | test(⟦WM204⟧"(.*a){20}")',
                '.a // "" | test("^[a-z0-9]+(-[a-z0-9]+)*$")',
                "[.a[]? | .b[]?] | any",
                "def walk: .a; walk == 1",
                '("x" * 3) == .a',
            ],
        ),
    ],
    "WM205": [
        (
            "matcher",
            [
                "⟦WM205⟧env | .a",
                "⟦WM205⟧$ENV.HOME == 1",
                "⟦WM205⟧input",
                "[⟦WM205⟧inputs] | any",
                '⟦WM205⟧import "a" as a; .x',
                '⟦WM205⟧include "a"; .x',
                "⟦WM205⟧now > 3",
                ".a | ⟦WM205⟧debug",
                "⟦WM205⟧halt",
                '{a: "\\(⟦WM205⟧$ENV)"} | .a',
                ". as $ENV | $ENV.a",
                "def now: .a; now",
                ".env.input",
            ],
        ),
    ],
    "WM206": [
        (
            "matcher",
            [
                ".a // {} | ⟦WM206⟧keys_unsorted | any",
                '.a // "" | test(⟦WM206⟧"(?=a)")',
                '.a // "" | test(⟦WM206⟧"(a)\\\\1")',
                '.a // "" | test("a"; ⟦WM206⟧"x")',
                '.a // "" | test(⟦WM206⟧["a", "i"])',
                '(.a | ⟦WM206⟧@base32) == "x"',
                "{b: .x, a: .y} | ⟦WM206⟧tostring",
                '(.a // "" | ⟦WM206⟧IN("x"))',
                "⟦WM206⟧.5 == .a",
                "reduce ⟦WM206⟧(.n // 0) + 1 as $x (.a; .)",
                "reduce -1 as $x (.a; .)",
                "reduce .l[]? as $x (.a; ⟦WM206⟧select(. == $x))",
                '.a // "" | test("(?<n>a)|\\\\d+"; "gi")',
                "{a: .x, b: .y} | tostring",
                "{b: .x, a: .y} == .z",
                '.a // "" | test("a+b?")',
            ],
        ),
    ],
    "WM207": [
        (
            "matcher",
            [
                "⟦WM207⟧.a // 0 > 1",
                "⟦WM207⟧.a // 0 == 0",
                "⟦WM207⟧.a // .b + 1",
                "⟦WM207⟧.a == .b // 1",
                "⟦WM207⟧.a or .b // true",
                ".a | ⟦WM207⟧not and .b",
                "[.c[]? | select(⟦WM207⟧.a // 0 > 1)] | any",
                "(.a // 0) > 1",
                ".a // (0 > 1)",
                ".a // .b // 0",
                ".a == 1 // false",
                "(.a | not) and .b",
                ".a | length > 0 and .b",
                ".a // -1",
                ".a // [] | length > 0",
            ],
        ),
    ],
    "WM208": [
        (
            "selector with a value",
            [
                '⟦WM208⟧.l.r // "x"',
                "⟦WM208⟧.l.r, .l.s",
                '⟦WM208⟧.l.r | . // "x"',
                "⟦WM208⟧.l.r # role",
                "⟦WM208⟧.l.r and .l.s",
                '(.l.r // "x")',
                '.l.r // "x" | tostring',
                ".l.r",
                '.l["#"]',
                ".l as $x | $x.r",
                "label $f | .l.r",
                "if .a then .b else .c end",
            ],
        ),
        ("selector", ['.l.r // "x"', ".l.r # role"]),
    ],
    "WM209": [
        (
            "matcher",
            [".a == 1 ⟦WM209⟧# see #5", '.a["#"] == "#" ⟦WM209⟧#', '"#" == .a', "(.a # first\n  == 1)"],
        ),
        ("suspend", [".spec.a ⟦WM209⟧# x", ".spec.a"]),
        ("pod spec", [".spec.template ⟦WM209⟧# x", ".spec.template"]),
        ("phase", [".status.phase # x"]),
    ],
    "WM211": [
        (
            "replicas of many",
            [
                "⟦WM211⟧.spec.items[]?.n // 1",
                "⟦WM211⟧(.spec.items // [])[].n // 1",
                "⟦WM211⟧(.spec.items[]? | .n) // 1",
                "⟦WM211⟧(.spec.items[]?.n)? // 1",
                ".spec.items[]? | .n // 1",
                "(.spec.items // [])[] | .n // 1",
            ],
        ),
        ("matcher", ["[⟦WM211⟧.c[]?.ready // 0] | any", "[.c[]?.ready // empty] | any", "[.a, .b][] // 1 | first"]),
    ],
    "WM212": [
        (
            "matcher",
            [
                "any(⟦WM212⟧.status.conditions[]; .a)",
                "(⟦WM212⟧.status.a - 1) == 0",
                '.status.phase | ⟦WM212⟧test("x")',
                ".spec.a | ⟦WM212⟧keys == []",
                "-(⟦WM212⟧.spec.a) == 1",
                ".spec.m[⟦WM212⟧.spec.k] == 1",
                "any(.status.conditions[]?; .a)",
                "((.status.a // 0) - 1) == 0",
                '.status.phase // "" | test("x")',
                "(.spec.a // {} | keys) == []",
                "if .spec.a then (.spec.a | keys) == [] else false end",
                '(.status.phase | test("x"))?',
                ".spec.a + 1 == 2",
            ],
        ),
        ("conditions", ["(.status.conditions // []) | map(select(.type))", ".status.conditions | ⟦WM212⟧map(.a)"]),
    ],
    "WM213": [
        (
            "matcher",
            [
                "⟦WM213⟧.status.failed < 3",
                "⟦WM213⟧3 >= .status.failed",
                '⟦WM213⟧(.a | length) > "3"',
                "(.a | tostring) as $x | ⟦WM213⟧$x > 3",
                '⟦WM213⟧(.spec.resources.limits["nvidia.com/gpu"] // 0) > 0',
                "⟦WM213⟧.spec.resources.requests.cpu == 1",
                "(.status.failed // 0) < 3",
                ".status.failed > 3",
                ".status.failed != null and .status.failed < 3",
                '(.spec.resources.limits["nvidia.com/gpu"] // "0") != "0"',
                '(.spec.resources.limits.cpu // "0" | tonumber) > 1',
                "(.spec.resources.limits | length) > 0",
                ".spec.limits > 3",
            ],
        ),
    ],
    "WM214": [
        (
            "matcher",
            [
                "⟦WM214⟧.a // true",
                "any(.c[]?; ⟦WM214⟧.x // true)",
                ".a // (⟦WM214⟧.b // true)",
                ".a // false",
                ".a != false",
                '.a // "true"',
            ],
        ),
    ],
    "WM215": [
        (
            "selector",
            [
                '⟦WM215⟧.l.r == "w"',
                '⟦WM215⟧.l | has("x")',
                "⟦WM215⟧.l.r != null",
                "⟦WM215⟧.l.r and .l.s",
                ".l.r",
                'select(.l.r == "w")',
                'select(.l.r == "w") | true',
                'if .l.r == "w" then true else null end',
            ],
        ),
        ("selector with a value", ['⟦WM215⟧(.l.r == "w")', '⟦WM215⟧.l.r == "w"', ".l.r | tostring"]),
    ],
    "WM216": [
        ("phase", ["⟦WM216⟧.status.phases[]?", "⟦WM216⟧.a, .b", ".status.phases[0]", "first(.status.phases[]?)"]),
        (
            "replicas of many",
            [
                "⟦WM216⟧.spec.n",
                "⟦WM216⟧.spec.other[]?.n",
                "⟦WM216⟧.spec.items[]? | select(.x) | .n",
                "⟦WM216⟧first(.spec.items[]?.n)",
                "⟦WM216⟧.spec.items[]?.n // empty",
                ".spec.items[]?.n",
                "(.spec.items // [])[] | .n",
                ".spec.items // [] | map(.n)[]",
                ".spec.items as $i | $i[]?.n",
                ". as $r | .spec.items[]? | $r.spec.n",
            ],
        ),
        (
            "replicas",
            [
                "⟦WM216⟧.spec.items[]?.n",
                "⟦WM216⟧.a, .b",
                "⟦WM216⟧.spec.n // empty",
                ".spec.n",
                "[.spec.items[]?.n] | add",
                ".spec.n?",
            ],
        ),
        ("pod spec", ["⟦WM216⟧.spec.items[]?.spec", ".spec.template.spec", "first(.spec.items[]?.spec) // {}"]),
        ("id of a pod", ["⟦WM216⟧.a, .b", "⟦WM216⟧select(.a) | .b", ".metadata.labels.x"]),
        ("group key", ["⟦WM216⟧.c[]?", "⟦WM216⟧first(.c[]?)", '.metadata.labels.x // "0"', '"gpu"']),
        ("filter", ["⟦WM216⟧.a, .b", "⟦WM216⟧select(.a)", "⟦WM216⟧.c[]? == 1", 'any(.c[]?; .x == "y")']),
    ],
    "WM217": [
        (
            "conditions",
            [
                "⟦WM217⟧.status.conditions[]",
                "⟦WM217⟧.status.conditions[]?",
                "⟦WM217⟧.status.conditions | length",
                "⟦WM217⟧{}",
                ".status.conditions",
                "[.status.conditions[]? | select(.x)]",
                ".status.list[]?.conditions",
            ],
        ),
        ("phase", ["⟦WM217⟧.status.ready == true", "⟦WM217⟧.a | length", ".status.ready", ".status.n | tostring"]),
        ("replicas", ["⟦WM217⟧.a | not", "⟦WM217⟧[.a]", ".a | length", ".a | tostring"]),
        ("ids", ["⟦WM217⟧.spec.items[]? | length", ".spec.items[]? | length | tostring"]),
        ("pod spec", ["⟦WM217⟧.a | tostring", "⟦WM217⟧[.a]", ".a // {}"]),
        ("labels", ["⟦WM217⟧[.a]", "{a: .b}"]),
        ("containers", ["⟦WM217⟧{a: .b}", "[.a]"]),
        (
            "filter",
            [
                "⟦WM217⟧.metadata.labels.x",
                "⟦WM217⟧.metadata.labels.x // false",
                "⟦WM217⟧.a | length",
                '.metadata.labels.x == "y"',
                ".spec.hostNetwork // false",
                ".a and .b",
            ],
        ),
    ],
    "WM218": [
        ("phase", ['⟦WM218⟧"Running"', ".status.phase", '.status.phase // "x"']),
        ("matcher", ["⟦WM218⟧1 == 1", "⟦WM218⟧true", "length == 0", ". == {}"]),
        ("selector", ['⟦WM218⟧"x"', "⟦WM218⟧true"]),
        ("ids", ['⟦WM218⟧"a"', '⟦WM218⟧"a", "b"']),
        ("replicas", ["1"]),
        ("group key", ['"gpu"']),
    ],
}


def _cases() -> list[tuple[str, str, str]]:
    return [(code, place, each) for code, rows in CASES.items() for place, texts in rows for each in texts]


def _value(place: str) -> str:
    return "worker" if place == "selector with a value" else "true"


@pytest.mark.parametrize(("code", "place", "expression"), _cases())
def test_faults_are_found_where_they_are(code: str, place: str, expression: str) -> None:
    text, expected = marked(definition(place, expression, _value(place)))
    # Where an expression is meant to be right, only the rule at hand is asked.
    found = places(text) if expected else [each for each in places(text) if each[0] == code]
    # A finding about the whole of a block scalar stands at its indicator.
    whole = {(line, column) for _, line, column in found} & {
        (number, line.index("|-") + 1) for number, line in enumerate(text.split("\n"), 1) if line.endswith("|-")
    }
    if whole:
        line, column = expected[0][1:]
        assert expected == [(code, line, column)]
        assert [(each, at + 1) for each, at, _ in found] == [(code, line)]
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("replicas", "fires"),
    [
        (".spec | .a, .b | select(. != null) | .n", False),
        (".spec | (.a | select(. != null) | .n), (.b | select(. != null) | .n)", False),
        (".spec | .a, .b | .n", True),
    ],
)
def test_items_that_are_passed_over_in_each_part_of_a_comma(replicas: str, fires: bool) -> None:
    ids = '.spec | (.a | select(. != null) | "a"), (.b | select(. != null) | "b")'
    text = definition("replicas of many", replicas).replace(".spec.items[]?.name", f"'{ids}'")
    assert [each.rule for each in check(text) if each.rule == "WM216"] == ["WM216"] * fires


@pytest.mark.parametrize(
    ("expression", "expected", "fires"),
    [
        (".a == 1", "True", True),
        (".a == 1", "yes", True),
        (".a | length", "1.0", True),
        (".a | length", "x", True),
        ("[.a]", "1", True),
        ('if .a then "Ready" else "Not" end', "ready", True),
        (".a | keys?", "x", True),
        (".a == 1", "true", False),
        (".a | length", "1", False),
        (".a | tostring", "True", False),
        (".a", "True", False),
        ('if .a then "Ready" else "Not" end', "Not", False),
        ("[.a]", "[1]", False),
        ("{a: .b}", '{"a":1}', False),
        ('.a // "x"', "y", False),
        ("if .a then 1.0 else 1e3 end", "1000", False),
        (".a * 2", "xx", False),
        ("[.a[]? | .n] | add", "true", False),
    ],
)
def test_impossible_expected_result(expression: str, expected: str, fires: bool) -> None:
    text = definition("matcher", expression, expected)
    found = [each for each in check(text) if each.rule in ("WM210", "WM218")]
    assert [each.rule for each in found] == ["WM210"] * fires
    for each in found:
        assert text.split("\n")[each.span.line - 1][each.span.column - 1 :].startswith('"')


@pytest.mark.parametrize("expected", ['say "x"', "a\\(b)"])
def test_expected_result_that_older_consumers_misread(expected: str) -> None:
    (found,) = check(definition("matcher", ".a", expected))
    assert (found.rule, found.severity) == ("WM209", Severity.WARNING)


TOWER = "."
for _ in range(20):
    TOWER = f"[{TOWER} | .[] , .[]]"
NESTED = "."
for _ in range(20):
    NESTED = f"[.[] | .[] , {NESTED}]"

HOSTILE = [
    "[..]",
    "{a: ..}",
    "reduce .. as $x (0; . + 1)",
    "if .. then 1 else 2 end",
    '"\\(..)"',
    '"x" * 1e9',
    TOWER,
    NESTED,
    " | ".join(["[.[] | .[] , .[]]"] * 20),
    " | ".join(["[.[] , .[]]"] * 25),
    'import "a" as a; a::f',
    'include "a"; 1',
    "input",
    "$ENV.HOME",
    "env",
    '.a | test("(a+)+$")',
    '.a | test("(a|a)*b")',
    '.a | capture("^((x+)y?)+$")',
    '.a | sub("(a*)*b"; "c")',
    "reduce range(1000000) as $i (null; [.])",
    "def f: [f]; f",
    "[range(100000000)]",
    "reduce .a[] as $x (.; [., .])",
    "tojson" + " | tojson" * 30,
]


@pytest.mark.parametrize("expression", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_expression_ends_in_one_error(expression: str) -> None:
    found = check(definition("matcher", expression))
    assert [each.severity for each in found] == [Severity.ERROR]
    assert found[0].rule in ("WM204", "WM205")


@pytest.mark.parametrize(
    ("place", "expression", "value"),
    [
        ("selector with a value", '.l.r // "x"', "worker"),
        ("selector with a value", ".l.r // .l.s", "worker"),
        ("selector with a value", ".l.r, .l.s", "it's"),
        ("matcher", ".a == 1", "True"),
        ("matcher", ".a == 1", "0"),
        ("matcher", ".a | not", "no"),
    ],
)
def test_fix_removes_the_finding(place: str, expression: str, value: str) -> None:
    block = definition(place, expression, value)
    quoted = "'" + expression.replace("'", "''") + "'"
    lines = block.split("\n")
    at = next(number for number, line in enumerate(lines) if line.endswith("|-"))
    lines[at : at + 2] = [lines[at].replace("|-", quoted)]
    text = "\n".join(lines)
    (found,) = check(text)
    assert found.fix is not None
    assert check(fixed(text)) == []


# The traps of docs/traps.md that are jq's, by number.
TRAPS = [
    (1, "replicas of many", ".spec.items[]?.n // 1", "", "WM211"),
    (2, "phase", ".status.phase | nosuch", "", "WM202"),
    (2, "phase", "$nosuch", "", "WM202"),
    (2, "phase", ".metadata.labels.a/b-c", "", "WM202"),
    (2, "matcher", "keys_unsorted | any", "true", "WM206"),
    (2, "matcher", "input", "true", "WM205"),
    (2, "matcher", "debug | .a", "true", "WM205"),
    (2, "matcher", '(.a | @base32) == "x"', "true", "WM206"),
    (2, "matcher", 'import "m" as m; .a', "true", "WM205"),
    (4, "pod spec", "first(.list[])", "", "WM212"),
    (5, "matcher", '.a // "" | test("(?=x)")', "true", "WM206"),
    (5, "matcher", '.a // "" | test("x"; "s")', "true", "WM206"),
    (5, "matcher", '.a // "" | test(["x"])', "true", "WM206"),
    (6, "matcher", ".status.n < 3", "true", "WM213"),
    (6, "matcher", "(.a | tostring) > 0", "true", "WM213"),
    (6, "filter", '(.spec.containers[0].resources.limits["nvidia.com/gpu"] // 0) > 0', "", "WM213"),
    (7, "matcher", ".spec.enabled // true", "true", "WM214"),
    (8, "matcher", "$ENV.A == 1", "true", "WM205"),
    (8, "matcher", "now > 3", "true", "WM205"),
    (9, "matcher", "(.a = 1) | .b", "true", "WM203"),
    (9, "matcher", "[..] | any", "true", "WM204"),
    (9, "matcher", "def f: del(.a); f", "true", "WM203"),
    (11, "pod spec", ".spec.roles[]?.spec", "", "WM216"),
    (11, "replicas of many", ".spec.items[]? | select(.n) | .n", "", "WM216"),
    (21, "conditions", ".status.conditions[]", "", "WM217"),
    (25, "matcher", ".a == 1", "True", "WM210"),
    (27, "selector with a value", '.l.r // "x"', "worker", "WM208"),
    (28, "selector", '.l.r == "w"', "", "WM215"),
    (29, "selector with a value", '.l.r == "w"', "true", "WM215"),
    (29, "selector with a value", '(.l.r == "w")', "true", "WM215"),
    (44, "filter", ".metadata.labels.x", "", "WM217"),
    (44, "filter", "select(.a)", "", "WM216"),
    (49, "group key", "gpu", "", "WM202"),
    (55, "suspend", ".spec.x // false", "", "WM801"),
    (56, "suspend", ".spec | objects | to_entries[] | .value", "", "WM801"),
]


@pytest.mark.parametrize(("number", "place", "expression", "value", "code"), TRAPS)
def test_trap_is_found(number: int, place: str, expression: str, value: str, code: str) -> None:
    assert {each.rule for each in check(definition(place, expression, value))} >= {code}, number


@pytest.mark.parametrize("place", [place for place in PLACES if place not in ("matcher", "conditions")])
def test_empty_expression_is_found_once(place: str) -> None:
    """Trap 3."""
    assert [each.rule for each in check(definition(place, "").replace("|-", '""'))] == ["WM104"]


def test_a_misspelt_binding_is_one_finding_where_it_is_bound() -> None:
    found = places_of_expression(".spec as $specs | [$spec.a, $spec.b] | any")
    assert [code for code, _ in found] == ["WM202"]
    assert found[0][1] == len(".spec as ")


def test_an_unknown_variable_is_one_finding_however_often_it_is_used() -> None:
    found = places_of_expression("any($spec.a, $spec.b; .)")
    assert found == [("WM202", len("any("))]


def places_of_expression(expression: str) -> list[tuple[str, int]]:
    """The rules that speak of an expression, each with the offset of its finding in the expression."""
    line = f"              expression: {expression}"
    text = (
        TEMPLATE
        + "      statusDefinition:\n        statusMappings:\n          running:\n          - byExpression:\n"
        + line
        + '\n              expectedResult: "true"\n'
    )
    return [(code, column - 1 - line.index(expression)) for code, _, column in places(text)]
