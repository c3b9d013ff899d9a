from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.jq.strategies import jq_parses, nodes, programs
from wmap_lint.jq import ast
from wmap_lint.jq.parser import MAX_LENGTH, JqSyntaxError, parse
from wmap_lint.jq.unparse import unparse

PROGRAMS = r"""
.
..
.a.b."c d".["e"].[0][1:2][:1][1:]
.a[]?.b?
. "a"
. @base64 "x"
-1 * -.a
try -1 catch try 2 catch 3
{a: 1 + 2 | 3, "b": 4, (.c): 5, $x, @json "k": 6, $__loc__, if, "d",}
{a: -1 // 2 and 3}
reduce .[] + 1 as [$a, {b: $c, $d, "e": $f, (.g): $h}] ?// $a (0; . + $a)
foreach .[] as $x (0; .; [$x, .])
if . then 1 elif 2 then 3 end
if . then 1 | 2 else def f: 1; f end
label $out | 1, break $out
1, def f(g; $x): g; f(1; 2) | .
1 + . as $x | $x
1 // 2 // 3 = 4
.a = .b // .c
"a\(1 + 2)b\("x\(1)")\u00e9\ud83d\ude00\/"
. as $if | $if
.and.or.not
1.e3, .5, 1E-5
.a # comment
import "a" as b; import "c" as $d {x: 1}; include "e"; b::f
module {a: 1}; 1
[]
{}
try error("x") // 1
.[. as $x | 0]
.[1, 2:3]
{("a" + "b"): 1}
$ENV.PATH
""".strip().split("\n")

COMMENTS = ["# goes on \\\nhere\n1", "# does not \\\\\n1", "# goes on \\\r\nhere\n1"]

REJECTED = [
    # text, start, part of the message
    ("", 0, "empty"),
    ("# nothing", 0, "empty"),
    ("def f: 1;", 0, "after the definition"),
    (".a |", 4, "expected an expression, found the end"),
    (".a | | .b", 5, "expected an expression"),
    (".a == 1 == 2", 8, "expected an operator that can follow"),
    (".a = 1 = 2", 7, "expected an operator"),
    (".a && .b", 3, "unexpected character '&'"),
    (".a || .b", 4, "expected an expression, found '|'"),
    ("!.a", 0, "unexpected character '!'"),
    ("'a'", 0, 'unexpected character "\'"'),
    (".a.[1:2]", 5, "expected ']'"),
    (".[:]", 3, "expected an expression"),
    (". a", 2, "expected an operator"),
    (".a ? 1 : 2", 5, "expected an operator"),
    ("1 2", 2, "expected an operator"),
    ("[1, ]", 4, "expected an expression"),
    ("(.a", 3, "the '(' at character 1 is never closed"),
    (".a)", 2, "nothing is open"),
    ("[.a)", 3, "expected ']' for the '[' at character 1"),
    ('"abc', 0, "never closed"),
    (r'"\(.a"', 5, "never closed"),
    (r'"\q"', 1, r"invalid escape \q"),
    (r'"\u12"', 1, "four hexadecimal"),
    (r'"\ud83d"', 1, "second half"),
    ("if .a then 1", 12, "expected 'elif', 'else' or 'end'"),
    ("reduce .[] as $x (1)", 19, "expected ';'"),
    ("def f(): 1; f", 6, "name of a parameter"),
    ("{(1): 2}", 2, "key of an object is a string"),
    ("{1: 2}", 1, "expected a key"),
    ("{a: 1 as $x | 2}", 6, "expected ',' or '}'"),
    ("1 + def f: 1; f", 4, "expected an expression"),
    (". as [] | 1", 6, "expected a pattern"),
    (". as {a} | 1", 7, "expected ':'"),
    ("f(1,)", 4, "expected an expression"),
    ("limit(1 .)", 9, "expected a field name"),
    ("limit(1 2)", 8, "arguments are separated by ';'"),
    ("1 as $x", 7, "expected '|'"),
    (".é", 1, "unexpected character 'é'"),
    ("1\x00", 1, "NUL"),
]


@pytest.mark.parametrize("text", PROGRAMS + COMMENTS)
def test_accepts_what_jq_accepts(text: str) -> None:
    assert jq_parses(text)
    assert parse(unparse(parse(text))) == parse(text)


@pytest.mark.parametrize(("text", "start", "message"), REJECTED)
def test_rejects_what_jq_rejects_and_says_where(text: str, start: int, message: str) -> None:
    if "\x00" not in text:
        assert not jq_parses(text)
    with pytest.raises(JqSyntaxError) as caught:
        parse(text)
    assert message in caught.value.message
    assert caught.value.start == start
    assert caught.value.end > caught.value.start


@settings(max_examples=300)
@given(programs)
def test_parse_undoes_unparse(program: ast.Program) -> None:
    assert parse(unparse(program)) == program


@settings(max_examples=200)
@given(nodes)
def test_jq_accepts_what_is_unparsed(node: ast.Node) -> None:
    # jq folds constants while it compiles; a folded key that is no string is refused there, not by its grammar.
    text = unparse(node)
    if "break" in text or "Cannot" in text:
        text = f"label $out | ({text})"
    assert jq_parses(text) or _folds_constants(node)


def _folds_constants(node: ast.Node) -> bool:
    return any(
        isinstance(inner, ast.ObjectEntry | ast.PatternEntry) and not isinstance(inner.key, ast.String)
        for inner in node.walk()
    )


TOKENS = (
    ". .. .a .b ? [ ] ( ) { } | , : ; = == != < <= > >= + - * / % // |= += //= ?// $x $__loc__ @base64 "
    '"s" "a\\(1)b" 1 0.5 f map null true def if then elif else end as reduce foreach try catch label break and or not '
    "import include module"
).split()


@settings(max_examples=600)
@given(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=9), st.sampled_from(["", " "]))
@example(["{", "a", ",", "}"], "")
@example([".", "[", ":", "]"], "")
@example(["break", "$__loc__"], "")
def test_token_soup_is_judged_as_jq_judges_it(tokens: list[str], blank: str) -> None:
    text = blank.join(tokens)
    try:
        parse(text)
        ours = True
    except JqSyntaxError:
        ours = False
    if ours != jq_parses(text):
        assert _may_fold(text)


@settings(max_examples=300)
@given(nodes, st.data())
def test_a_damaged_program_is_judged_as_jq_judges_it(node: ast.Node, data: st.DataObject) -> None:
    text = unparse(node)
    position = data.draw(st.integers(0, len(text) - 1))
    damaged = (
        text[:position]
        + data.draw(st.sampled_from(["", ".", "(", ")", "]", "|", '"', "\\", " as ", "?"]))
        + text[position + 1 :]
    )
    try:
        parse(damaged)
        ours = True
    except JqSyntaxError:
        ours = False
    if ours != jq_parses(damaged):
        assert _may_fold(damaged)


def _may_fold(text: str) -> bool:
    """The one justified difference: jq folds constants before it refuses an object key that is no string."""
    return re.search(r"[{,]\s*\(", text) is not None


@settings(max_examples=300)
@given(st.text(max_size=30))
def test_any_text_parses_or_is_refused_in_place(text: str) -> None:
    try:
        parse(text)
    except JqSyntaxError as error:
        assert 0 <= error.start <= len(text)
        assert error.start < error.end


@settings(max_examples=200)
@given(nodes)
def test_every_node_knows_the_text_it_was_read_from(node: ast.Node) -> None:
    text = unparse(node)
    for inner in parse(text).body.walk():
        piece = text[inner.start : inner.end]
        assert piece
        if isinstance(inner, ast.Call | ast.Iterate | ast.Slice | ast.Array | ast.If | ast.Reduce):
            assert parse(piece).body == inner


@pytest.mark.parametrize(
    "text",
    ["(" * 5000 + "1" + ")" * 5000, "[" * 5000 + "]" * 5000, "1" + "+1" * 5000, ".a" * 5000, "1|" * 5000 + "1",
     "-" * 5000 + "1", "try " * 5000 + "1", '"\\(' * 3000 + "1" + ')"' * 3000, "{a:" * 5000 + "1" + "}" * 5000,
     "1" + ",1" * 5000, ". as " + "[" * 5000, "1 //" * 5000 + "1", "." + "[0]" * 5000, "def f: " * 3000],
    ids=range(14),
)  # fmt: skip
def test_towers_are_refused_without_a_crash(text: str) -> None:
    with pytest.raises(JqSyntaxError):
        parse(text)


def test_a_very_long_text_is_refused() -> None:
    with pytest.raises(JqSyntaxError, match="characters long"):
        parse("." + " " * MAX_LENGTH)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (".a && .b", "'and'"),
        (".a || .b", "'or'"),
        ("!.a", "not"),
        ("'a'", "double quotes"),
        (". a", "without a blank"),
        (".a ? 1 : 2", "if"),
        (".a =< 1", "'<='"),
        (".a == 1 == 2", "parentheses"),
        (r'"a\.b"', "doubles"),
        (".a .5b", 'quoted: ."5"'),
    ],
)
def test_advice_for_the_commonest_slips(text: str, hint: str) -> None:
    with pytest.raises(JqSyntaxError) as caught:
        parse(text)
    assert hint in (caught.value.hint or "")
