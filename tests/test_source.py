from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from wmap_lint import source as module
from wmap_lint.diagnostic import Severity, Span
from wmap_lint.source import (
    Document,
    KnownDocuments,
    Mapping,
    Reading,
    ReadLimits,
    Scalar,
    Sequence,
    Source,
    read,
    read_data,
    read_data_file,
    read_file,
    resolve_plain,
)


def one(text: str | bytes) -> Document:
    reading = read(text, "f.yaml")
    assert reading.problems == ()
    (document,) = reading.documents
    return document


def data(text: str) -> object:
    return one(text).data


def codes(reading: Reading) -> list[str]:
    return [problem.rule for problem in reading.problems]


def cut(document: Document, span: Span) -> str:
    """The text that a span covers."""
    source = document.source
    return source.text[source.offset(span.line, span.column) : source.offset(span.end_line, span.end_column)]


def the_problem(text: str | bytes, limits: ReadLimits | None = None) -> tuple[str, tuple[int, int], str]:
    reading = read(text, "f.yaml") if limits is None else read(text, "f.yaml", limits)
    (problem,) = reading.problems
    assert problem.severity is Severity.ERROR
    assert "\n" not in problem.message
    return problem.rule, (problem.span.line, problem.span.column), problem.message


# ---- what a plain scalar means ----


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        ("y Y yes Yes YES on On ON true True TRUE", True),
        ("n N no No NO off Off OFF false False FALSE", False),
        ("~ null Null NULL", None),
        ("yEs oN tRUE nULL Y! yesterday NOPE offer", str),
        (
            "1:30 190:20:30 2012-01-01 2012-01-01T10:00:00Z 1.2.3 1-2 - -- + +a 0x 0b2 0o8 0xg 1e 1e+ . .a",
            str,
        ),
        ("_1 =1 1__a 1e400 -1e400 ０", str),
        ("0 00 -0 +0", 0),
        ("31 +31 0x1F 0X1f 0o37 0O37 037 0b11111 0B11111 3_1 0x1_F", 31),
        ("-31 -0x1F -037 -0b11111 -0o37", -31),
        ("8.0 08 8. +8 8", 8),
        ("1000.0 1e3 1E3 1e+3 +1e3 1_000.0", 1000.0),
        (".5 0.5 5e-1 +.5", 0.5),
        (".inf .Inf .INF +.inf", math.inf),
        ("-.inf -.Inf", -math.inf),
    ],
)
def test_plain_scalars_mean_what_go_yaml_takes_them_for(texts: str, value: object) -> None:
    for text in texts.split():
        if value is str:
            assert resolve_plain(text) == text
        else:
            resolved = resolve_plain(text)
            assert resolved == value, text
            assert isinstance(resolved, bool) == isinstance(value, bool), text


def test_integers_and_floats_keep_their_type() -> None:
    assert [type(resolve_plain(text)) for text in ("1", "08", "1.0", "1e3", "18446744073709551616")] == [
        int,
        float,
        float,
        float,
        int,
    ]
    assert resolve_plain("") is None
    assert math.isnan(resolve_plain(".NaN"))  # type: ignore[arg-type]
    assert resolve_plain(".Nan") == ".Nan"
    assert resolve_plain("9" * 5000) == "9" * 5000


def test_quoted_and_block_scalars_are_text() -> None:
    assert data("a: 'yes'\nb: \"1\"\nc: |\n  no\nd: >-\n  1\n") == {
        "a": "yes",
        "b": "1",
        "c": "no\n",
        "d": "1",
    }


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("on", "true"),
        ("No", "false"),
        ("1", "1"),
        ("0x10", "16"),
        ("1.50", "1.5"),
        ("1e6", "1e+06"),
        ("123456.0", "123456"),
        ("0.00001", "1e-05"),
        ("0.1", "0.1"),
        ("-0.0", "-0"),
        ("3.14159265358979", "3.1415927"),
        ("1e300", ".inf"),
        ("-1e300", "-.inf"),
        ("'on'", "on"),
        ("2012-01-01", "2012-01-01"),
    ],
)
def test_keys_become_strings(key: str, name: str) -> None:
    assert data(f"{key}: x") == {name: "x"}


def test_core_tags_are_respected() -> None:
    text = (
        "a: !!str 1\nb: !!int '1'\nc: !!float 1\nd: !!bool 'yes'\ne: !!null ''\nf: !!map {x: !!seq [1]}\n"
        "g: !!binary aGk=\nh: ! 1\ni: !<tag:yaml.org,2002:str> no\nj: !!timestamp 2012-01-01\n"
    )
    document = one(text)
    assert document.data == {
        "a": "1",
        "b": 1,
        "c": 1.0,
        "d": True,
        "e": None,
        "f": {"x": [1]},
        "g": "hi",
        "h": "1",
        "i": "no",
        "j": "2012-01-01",
    }
    assert cut(document, document.span(["a"])) == "1"
    assert cut(document, document.span(["f"])) == "{x: !!seq [1]}"
    assert cut(document, document.span(["f", "x"])) == "[1]"
    assert cut(document, document.span(["i"])) == "no"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: !foo b", "b"),
        ("a: !!set {x}", {"x": None}),
        ("a: !!str [x]", ["x"]),
        ("a: !!int x", "x"),
        ("a: !!int true", "true"),
        ("a: !!binary '*'", "*"),
        ("a: .nan", None),
        ("a: !!float -.inf", None),
    ],
)
def test_what_kubernetes_cannot_read_is_reported_and_read_as_the_nearest_thing(text: str, expected: object) -> None:
    reading = read(text, "f.yaml")
    assert codes(reading) == ["WM003"]
    assert reading.documents[0].data == {"a": expected}


def test_keys_that_json_cannot_have() -> None:
    reading = read("~: 1\n? [a]\n: 2\nb: 3\n", "f.yaml")
    assert codes(reading) == ["WM003", "WM003"]
    assert reading.documents[0].data == {"null": 1, "b": 3}
    json.dumps(reading.documents[0].data)


# ---- anchors, aliases, merges ----


def test_aliases_point_into_the_anchored_text() -> None:
    document = one("a: &x\n  b: 1\nc: *x\nd: [*x]\n*x2 : 1\n".replace("*x2 : 1\n", ""))
    assert document.data == {"a": {"b": 1}, "c": {"b": 1}, "d": [{"b": 1}]}
    assert document.data["c"] is document.data["a"]
    assert document.node(["c"]) is document.node(["a"])
    assert document.span(["c", "b"]) == Span("f.yaml", 2, 6, 2, 7)
    assert document.key_span(["c"]) == Span("f.yaml", 3, 1, 3, 2)
    assert cut(document, document.span(["d"])) == "[*x]"


def test_an_alias_can_be_a_key() -> None:
    assert data("a: &k name\n*k : 1\n") == {"a": "name", "name": 1}


def test_merges_go_in_reading_order() -> None:
    text = "a: &a {x: 1, k: 1}\nb: &b {x: 2, z: 2}\nc: {<<: [*a, *b], k: 3}\nd: {z: 4, <<: *b}\ne: {<<: {q: 1}}\n"
    document = one(text)
    assert document.data["c"] == {"x": 1, "k": 3, "z": 2}
    assert document.data["d"] == {"x": 2, "z": 2}
    assert document.data["e"] == {"q": 1}
    assert cut(document, document.span(["c", "x"])) == "1"
    assert document.span(["c", "z"]).line == 2
    assert document.key_span(["c", "z"]).line == 2
    assert document.key_span(["c", "k"]).line == 3


def test_a_quoted_merge_key_is_an_ordinary_key() -> None:
    assert data('a: {"<<": 1}') == {"a": {"<<": 1}}


def test_merging_something_else_is_reported() -> None:
    reading = read("a: {<<: 1, b: 2}\n", "f.yaml")
    assert codes(reading) == ["WM003"]
    assert reading.documents[0].data == {"a": {"b": 2}}


def test_overriding_a_merged_key_is_no_repetition() -> None:
    reading = read("a: &a {x: 1}\nb:\n  <<: *a\n  x: 2\n  <<: *a\n  x: 3\n", "f.yaml")
    assert codes(reading) == ["WM002"]
    assert reading.problems[0].span.line == 6


def test_anchors_end_with_their_document() -> None:
    reading = read("a: &x 1\n---\nb: *x\n", "f.yaml")
    assert codes(reading) == ["WM001"]
    assert len(reading.documents) == 1


# ---- WM002 ----


def test_a_repeated_key_points_at_both_places() -> None:
    reading = read("a: 1\nb: {c: 1, 'c': 2}\n", "f.yaml")
    (problem,) = reading.problems
    assert (problem.rule, problem.span) == ("WM002", Span("f.yaml", 2, 11, 2, 14))
    assert problem.related[0].span == Span("f.yaml", 2, 5, 2, 6)
    document = reading.documents[0]
    assert document.data == {"a": 1, "b": {"c": 2}}
    assert cut(document, document.span(["b", "c"])) == "2"
    mapping = document.node(["b"])
    assert isinstance(mapping, Mapping)
    assert len(mapping.entries) == 2


def test_keys_repeat_when_they_mean_the_same() -> None:
    (problem,) = read("yes: 1\non: 2\n", "f.yaml").problems
    assert problem.rule == "WM002"
    assert "'on', which reads as 'true'" in problem.message


# ---- WM001 ----


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a:\n\tb: c\n", (2, 1), "tab"),
        ("a: b\n\tc: d\n", (2, 1), "tab"),
        ("a: |\n\tb\n", (2, 1), "tab"),
        ("a\nb: c\n", (1, 1), "colon is missing"),
        ("a: 1\nb\nc: 2\n", (2, 1), "colon is missing"),
        ("a: b\nc\n", (2, 1), "colon is missing"),
        ("a: 'b\nc: d\n", (1, 4), "never closed"),
        ('a: 1\nb: "\n', (2, 4), "never closed"),
        ("a: [b, c\nd: e\n", (1, 4), "not closed"),
        ("a: {b: [\n", (1, 8), "never closed"),
        ("a: b\n  c: d\n", (2, 3), "indented deeper"),
        ("a:\n  b: c\n d: e\n", (3, 2), "indented differently"),
        ("a: b: c\n", (1, 5), "second colon"),
        ("a: .x[] | select(.b: c)\n", (1, 20), "second colon"),
        ("- a\nb: c\n", (2, 1), "level of a list"),
        ("a: 1\n- b\n", (2, 1), "list item"),
        ("a: - b\n", (1, 4), "list item"),
        ("a: @b\n", (1, 4), "cannot begin with @"),
        ("a: `b`\n", (1, 4), "cannot begin with `"),
        ("a: 'it's'\n", (1, 8), "closing quote"),
        ('a: "^\\d+$"\n', (1, 6), "backslash"),
        ("a: *.b\n", (1, 4), "alias"),
        ("a: *b\n", (1, 4), "anchor"),
        ("a: !b!c d\n", (1, 4), "tag"),
        ("a: {{ .b }}\n", (1, 4), "template"),
        ("a: {{ .b }}/c\n", (1, 4), "template"),
        ("{{- if .b }}\na: 1\n{{ end }}\n", (1, 1), "template"),
        ("a: \x01\n", (1, 4), "U+0001"),
        ("a: \ud800\n", (1, 4), "surrogate"),
        ("%YAML 2.0\n---\na\n", (1, 1), "incompatible YAML"),
        (b"a: \xe9\n", (1, 4), "byte 0xE9 at byte offset 3, in line 1"),
        (b"\xff\xfea\x00\x00\xd8", (1, 2), "UTF-16"),
    ],
)
def test_what_does_not_parse_is_said_in_plain_words(text: str | bytes, place: tuple[int, int], words: str) -> None:
    rule, found, message = the_problem(text)
    assert (rule, found) == ("WM001", place)
    assert words in message


@pytest.mark.parametrize("broken", ["a: [", "a: \x01", "a: 'x", "a: *x"])
def test_documents_before_a_broken_one_are_kept(broken: str) -> None:
    reading = read(f"a: 1\n---\nb: 2\n---\n{broken}\n---\nc: 3\n", "f.yaml")
    assert [document.data for document in reading.documents] == [{"a": 1}, {"b": 2}]
    assert codes(reading) == ["WM001"]
    assert reading.problems[0].span.line == 5


def test_a_document_is_whole_only_if_something_ends_it() -> None:
    assert read("a: 1\n\x01", "f").documents == ()
    assert len(read("a: 1\n...\n\x01", "f").documents) == 1
    assert len(read("a: 1\n---\n\x01", "f").documents) == 1
    assert len(read(b"a: 1\n---\n\xff", "f").documents) == 1


def test_an_error_before_a_broken_character_comes_first() -> None:
    assert the_problem("a: 1\n---\na: b: c\nd: \x01\n")[1] == (3, 5)


# ---- WM003 ----


def test_a_file_can_be_too_large(tmp_path: Path) -> None:
    limits = ReadLimits(max_bytes=10)
    assert the_problem("a: 45678901", limits)[0] == "WM003"
    assert the_problem("a: ééééé", limits)[0] == "WM003"
    assert read("a: 4567890", "f", limits).problems == ()
    path = tmp_path / "large.yaml"
    with path.open("wb") as stream:
        stream.truncate(100 * 1024 * 1024)
    (problem,) = read_file(path).problems
    assert (problem.rule, problem.span) == ("WM003", Span.whole(str(path)))
    assert "1.5 MiB" in problem.message


@pytest.mark.parametrize(
    "text",
    [
        "[" * 101 + "]" * 101,
        "[" * 10_000,
        "{a: " * 10_000,
        "- " * 10_000,
        "? " * 10_000,
        "\n".join(" " * depth + "a:" for depth in range(1500)),
        "a0: &a0 [1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 200)),
    ],
)
def test_nesting_has_a_limit(text: str) -> None:
    rule, _, message = the_problem(text)
    assert rule == "WM003"
    assert "100 levels" in message


def test_nesting_up_to_the_limit_is_read() -> None:
    assert read("[" * 100 + "]" * 100, "f").problems == ()


def test_an_alias_bomb_is_counted_not_expanded() -> None:
    lines = ["a0: &a0 [1]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 30)]
    rule, _, message = the_problem("\n".join(lines))
    assert rule == "WM003"
    assert "aliases" in message


def test_nodes_have_a_limit() -> None:
    limits = ReadLimits(max_nodes=10)
    assert read("[1, 2, 3, 4, 5, 6, 7, 8, 9]", "f", limits).problems == ()
    assert the_problem("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", limits)[0] == "WM003"
    assert the_problem("{a: 1, b: 2, c: 3, d: 4, e: 5}", limits)[0] == "WM003"
    assert the_problem("- &a [1, 2, 3]\n- *a\n- *a\n", limits)[:2] == ("WM003", (3, 3))


@pytest.mark.parametrize("text", ["a: &a [*a]", "&a b: &c\n  d: {e: *c}", "&a [&b {c: *a}]", "&a {*a : b}"])
def test_an_alias_cannot_contain_itself(text: str) -> None:
    rule, _, message = the_problem(text)
    assert rule == "WM003"
    assert "itself" in message or "repeats" in message


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.yaml"
    os.mkfifo(fifo)
    for path, words in ((tmp_path, "directory"), (tmp_path / "gone.yaml", "no such file"), (fifo, "regular")):
        (problem,) = read_file(path, "shown.yaml").problems
        assert (problem.rule, problem.span.file) == ("WM003", "shown.yaml")
        assert words in problem.message
    assert codes(read_file(Path("a\0b"))) == ["WM003"]


def test_a_file_is_read_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("\ufeffa: é\r\n".encode())
    reading = read_file(path)
    assert reading.documents[0].data == {"a": "é"}
    assert reading.documents[0].span(["a"]) == Span(str(path), 1, 4, 1, 5)


def test_problems_of_a_hostile_file_are_limited() -> None:
    reading = read("- !a b\n" * 1000 + "- [", "f")
    assert len(reading.problems) == 101
    assert reading.problems[-1].rule == "WM001"


# ---- documents ----


def test_empty_files_and_documents() -> None:
    for text in ("", "\n", "# only a comment\n", "\ufeff", "---\n", "---\n---\n", "---\n...\n"):
        assert read(text, "f") == Reading((), ())
    reading = read("---\n---\na: 1\n---\n# nothing\n---\nb: 2\n", "f")
    assert [(document.index, document.data) for document in reading.documents] == [
        (1, {"a": 1}),
        (3, {"b": 2}),
    ]


def test_many_documents() -> None:
    reading = read("---\na\n" * 10_000, "f")
    assert len(reading.documents) == 10_000
    assert reading.documents[-1].span([]) == Span("f", 20_000, 1, 20_000, 2)


def test_utf_16_with_a_byte_order_mark() -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        assert one("\ufeffa: é\n".encode(encoding)).data == {"a": "é"}


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_editors_count_them(line_end: str) -> None:
    document = one(line_end.join(["\ufeff# 😀 \x85 \u2028", "a: '😀'", "b: c", ""]))
    assert document.span(["a"]) == Span("f.yaml", 2, 4, 2, 7)
    assert document.span(["b"]) == Span("f.yaml", 3, 4, 3, 5)
    assert document.source.line(2) == "a: '😀'"
    assert document.source.line(0) == document.source.line(9) == ""


def test_other_breaks_of_yaml_end_no_line() -> None:
    document = one("a: b\x85c: d\n")
    assert document.data == {"a": "b", "c": "d"}
    assert document.key_span(["c"]) == Span("f.yaml", 1, 6, 1, 7)


STRUCTURE = """\
# a comment
kind: Karta
spec:
  root: {name: "a\\tb", list: [1, {x: y}]}
  empty:
  items:
    - name: first
      path: >-
        .a
        | .b
    - |
      text

  last: &anchor !!str   tagged # comment
"""


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ((), STRUCTURE[STRUCTURE.index("kind") : STRUCTURE.index(" # comment\n")], "kind"),
        (("kind",), "Karta", "kind"),
        (("spec", "root"), '{name: "a\\tb", list: [1, {x: y}]}', "root"),
        (("spec", "root", "name"), '"a\\tb"', "name"),
        (("spec", "root", "list"), "[1, {x: y}]", "list"),
        (("spec", "root", "list", 0), "1", "1"),
        (("spec", "root", "list", 1), "{x: y}", "{x: y}"),
        (("spec", "empty"), "", "empty"),
        (("spec", "items", 0), "name: first\n      path: >-\n        .a\n        | .b", "name: first"),
        (("spec", "items", 0, "path"), ">-\n        .a\n        | .b", "path"),
        (("spec", "items", 1), "|\n      text", "|"),
        (("spec", "last"), "tagged", "last"),
        # absent: the key of the nearest ancestor
        (("spec", "root", "nothing"), "root", "root"),
        (("spec", "items", 7, "name"), "items", "items"),
        (("spec", "items", 0, "name", "deeper"), "name", "name"),
        (("spec", "items", "name"), "items", "items"),
        (("spec", 0), "spec", "spec"),
        (("nothing", "at", "all"), "kind", "kind"),
    ],
)
def test_spans_of_values_and_keys(path: tuple[str | int, ...], value: str, key: str) -> None:
    document = one(STRUCTURE)
    assert cut(document, document.span(path)) == value
    assert cut(document, document.key_span(path)) == key


def test_nodes_and_raw_text() -> None:
    document = one(STRUCTURE)
    assert isinstance(document.node([]), Mapping)
    assert isinstance(document.node(["spec", "items"]), Sequence)
    assert document.node(["spec", "items", -1]) is None
    node = document.node(["spec", "items", 0, "path"])
    assert isinstance(node, Scalar)
    assert (node.text, node.style, node.value) == (".a | .b", "folded", ".a | .b")
    assert document.raw(["spec", "root", "name"]) == '"a\\tb"'
    assert document.raw(["spec", "nothing"]) == ""
    assert document.data["spec"]["empty"] is None


def test_the_span_of_a_root_that_is_no_mapping() -> None:
    document = one("- a: 1\n  b: 2\n- c\n")
    assert cut(document, document.key_span([])) == "- a: 1"
    assert cut(document, document.key_span(["nothing"])) == "- a: 1"
    assert cut(document, document.key_span([0])) == "a: 1"
    assert one("{}").key_span([]) == Span("f.yaml", 1, 1, 1, 3)


# ---- characters of scalars ----


@pytest.mark.parametrize(
    ("text", "part", "written"),
    [
        ("a: .spec.x | y\n", "x | y", "x | y"),
        ("a: '.spec[\"it''s\"]'\n", "'s", "''s"),
        ('a: ".spec[\\"x\\"] | \\u0041"\n', '"x"', '\\"x\\"'),
        ('a: ".spec[\\"x\\"] | \\u0041"\n', "A", "\\u0041"),
        ("a: .spec\n  | .x\n\n  | .y\n", "| .x", "| .x"),
        ("a: .spec\n  | .x\n", "c | .", "c\n  | ."),
        ('a: "b \\\n   c"\n', "b c", "b \\\n   c"),
        ("a: |\n  .spec\n  | .x\n", "| .x", "| .x"),
        ("a: |2-\n    .spec\n  | .x\n", "  .spec", "  .spec"),
        ("a: >\n  .spec\n  | .x\n\n   | .y\n", "| .y", "| .y"),
        ("a: >\r\n  .spec\r\n  | .x\r\n", "| .x", "| .x"),
        ("a: &x !!str  '.b'\n", ".b", ".b"),
        ("- - |+\n    a\n\n    é😀b\n\n", "😀b", "😀b"),
    ],
)
def test_characters_of_a_scalar_are_found_in_the_file(text: str, part: str, written: str) -> None:
    document = one(text)
    path: list[str | int] = [0, 0] if text.startswith("-") else ["a"]
    node = document.node(path)
    assert isinstance(node, Scalar)
    at = node.text.index(part)
    assert cut(document, document.text_span(path, at, at + len(part))) == written


def test_positions_at_the_edges_of_a_scalar() -> None:
    document = one("a: 'xyz'\nb: ''\nc: {d: 1}\n")
    assert document.text_span(["a"], 3, 3) == Span("f.yaml", 1, 8, 1, 8)
    assert document.text_span(["a"], 0, 99) == Span("f.yaml", 1, 5, 1, 8)
    assert document.text_span(["a"], -5, 1) == Span("f.yaml", 1, 5, 1, 6)
    assert document.text_span(["b"], 0, 0) == Span("f.yaml", 2, 5, 2, 5)
    assert document.text_span(["c"], 0, 1) == document.span(["c"])
    assert document.text_span(["nothing"], 0, 1) == document.key_span([])


def test_characters_that_cannot_be_told_apart_give_the_whole_scalar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_decode_flow", lambda *_: ("something else", [], []))
    document = one('a: "b\\nc"\n')
    assert document.text_span(["a"], 0, 1) == document.span(["a"])


def check_characters(document: Document) -> None:
    """Every scalar's characters are in order, and those written as themselves are found as themselves."""
    text = document.source.text
    pending = [document.root]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            pending += [part for entry in node.entries for part in entry]
        elif isinstance(node, Sequence):
            pending += node.items
        elif isinstance(node, Scalar):
            before = node.start
            module.character_range(text, node, 0, 0)
            if node._characters is not None and len(node._characters.starts) != len(node.text) + 1:
                # Blank lines with blanks in them are the one thing libyaml counts in a way of its own; then the whole
                # scalar answers.
                assert node.style in ("literal", "folded")
                assert re.search(r"(?m)^[ \t]+\r?$", text[node.start : node.end + 8].replace("\r", "\n"))
                continue
            for i, character in enumerate(node.text):
                start, end = module.character_range(text, node, i, i + 1)
                assert before <= start < end <= len(text)
                before = start
                written = text[start:end]
                if len(written) == 1 and written not in "\r\n\x85":
                    assert written == character
                elif written[0] not in "\\'\r\n\x85":
                    raise AssertionError(f"{written!r} cannot be {character!r}")


YAML_TEXT = st.text(
    st.sampled_from("ab .|:#-'\"\\\n\n \t[]{}é😀\u2028\xa0\x85,?&*!%@")
    | st.characters(codec="utf-8", exclude_categories=["Cc"]),
    max_size=60,
)


@settings(max_examples=150)
@given(
    YAML_TEXT,
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([8, 20, 200]),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
)
def test_dumped_scalars_are_decoded(value: str, style: str | None, width: int, unicode: bool, line_break: str) -> None:
    text = yaml.dump(
        {"a": [{"b": value}]},
        default_style=style,
        width=width,
        allow_unicode=unicode,
        line_break=line_break,
    )
    reading = read(text, "f")
    if not reading.problems:  # the emitter is not always right about tabs and exotic breaks
        check_characters(reading.documents[0])


PIECES = st.lists(
    st.sampled_from(["a", "b c", " ", "  ", "\t", "\n", "\n   ", "\n \n", "\r\n  ", "''", "é", "😀", "#", "\u2028  "])
    | st.sampled_from(["\\n", "\\x41", "\\u00e9", "\\U0001F600", '\\"', "\\\\", "\\\n  ", " \\\r\n  ", "\\ ", "\\/"]),
    max_size=14,
).map("".join)


@settings(max_examples=300)
@given(
    PIECES,
    st.sampled_from(["k: '{}'", 'k: "{}"', "k: {}", "k: [ {} ]", "- - '{}'\n", "'{}': 1", "&x !!str '{}'"]),
)
def test_hand_made_flow_scalars_are_decoded(pieces: str, frame: str) -> None:
    reading = read(frame.replace("{}", pieces), "f")
    for document in reading.documents if not reading.problems else ():
        check_characters(document)


BLOCK_LINES = st.lists(
    st.sampled_from(["a", "b c", "", "", " d", "  e", "\tf", " ", "    ", "é😀", "g ", "# h", "\x85i", "\u2028j"]),
    max_size=8,
)


def test_blank_lines_in_a_folded_scalar_that_ends_the_file() -> None:
    (document,) = read("k: >\n a\n\n a\n\n a", "f").documents
    start = document.text_span(("k",), 4, 5)
    assert (start.line, start.column) == (6, 2)


@settings(max_examples=300)
@given(
    st.sampled_from("|>"),
    st.sampled_from(["", "-", "+", "1", "2", "-3", "2+", " # comment", "- # c"]),
    BLOCK_LINES,
    st.integers(1, 4),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", "\nz: 1\n", "\n\n\n"]),
)
def test_hand_made_block_scalars_are_decoded(
    style: str, header: str, lines: list[str], indentation: int, line_break: str, after: str
) -> None:
    body = "".join(line_break + (" " * indentation + line if line else "") for line in lines)
    reading = read(f"k: {style}{header}{body}{after}", "f")
    for document in reading.documents if not reading.problems else ():
        check_characters(document)


@given(st.text(st.sampled_from("ab\r\n\x85\u2028😀"), max_size=30))
def test_positions_and_offsets_are_inverse(text: str) -> None:
    source = Source("f", text)
    previous = (1, 0)
    for offset in range(len(text) + 1):
        line, column = source.position(offset)
        assert (line, column) > previous
        previous = (line, column)
        assert source.offset(line, column) == offset
        assert column <= len(source.line(line)) + 2
    assert "".join(source.line(number) for number in range(1, len(source.line_starts) + 1)) == "".join(
        c for c in text if c not in "\r\n"
    )


def check_reading(reading: Reading) -> None:
    for problem in reading.problems:
        assert problem.rule in ("WM001", "WM002", "WM003")
        assert (problem.span.line, problem.span.column) <= (problem.span.end_line, problem.span.end_column)
    for document in reading.documents:
        json.dumps(document.data, allow_nan=False)
        check_characters(document)
        check_spans(document)


def check_spans(document: Document) -> None:
    pending: list[tuple[tuple[str | int, ...], object]] = [((), document.data)]
    while pending:
        path, value = pending.pop()
        node = document.node(path)
        assert node is not None
        assert node.start <= node.end
        document.key_span(path)
        if isinstance(value, dict):
            pending += [((*path, key), child) for key, child in value.items()]
        elif isinstance(value, list):
            pending += [((*path, index), child) for index, child in enumerate(value)]
        elif isinstance(node, Scalar) and isinstance(value, str):
            assert node.text == value or "binary" in document.source.text


@settings(max_examples=300)
@given(YAML_TEXT)
def test_random_text_never_raises(text: str) -> None:
    check_reading(read(text, "f"))


TOKENS = (
    r"""a b :_ : -_ \n \n__ \n____ [ ] { } ,_ ' " &x_ *x !!str_ !t_ | >-\n <<:_ ?_ # ---\n ...\n \t 1 ~ yes"""
    r""" !!binary_ \x01 %A \ud800 \r\n \\"""
)
YAML_PIECES = st.lists(
    st.sampled_from([token.replace("_", " ").encode().decode("unicode-escape") for token in TOKENS.split(" ")]),
    max_size=25,
).map("".join)


@settings(max_examples=500)
@given(YAML_PIECES)
def test_yaml_like_text_never_raises(text: str) -> None:
    check_reading(read(text, "f"))


@settings(max_examples=100)
@given(st.binary(max_size=60))
def test_random_bytes_never_raise(content: bytes) -> None:
    check_reading(read(content, "f"))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("ab:# é", max_size=8),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text("ab é", max_size=4), children, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(JSON.filter(lambda value: value is not None))
def test_json_is_read_as_what_it_is(value: object) -> None:
    assert json.dumps(data(json.dumps(value))) == json.dumps(value)


def test_the_pure_python_parser_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    document = one(STRUCTURE)
    assert cut(document, document.span(["spec", "root", "list"])) == "[1, {x: y}]"
    check_characters(document)
    assert codes(read("a: [", "f")) == ["WM001"]


def assert_same(content: str | bytes) -> None:
    full = read(content, "file.yaml")
    known: KnownDocuments = {}
    for data in (read_data(content, "file.yaml"), *(read_data(content, "file.yaml", known=known) for _ in range(2))):
        assert json.dumps(data.documents) == json.dumps([document.data for document in full.documents])
        assert data.problems == full.problems
        assert data.reading.problems == full.problems


@settings(max_examples=150)
@given(YAML_PIECES)
def test_data_alone_is_the_same_data(text: str) -> None:
    assert_same(text)


MARKERS = st.sampled_from(
    ["---\n", "--- \n", "--- # note\n", "--- a\n", "---", "...\n", "%YAML 1.1\n", "\n", "# note\n", " ---\n"]
)


@settings(max_examples=150)
@given(st.lists(YAML_PIECES | MARKERS | st.sampled_from(["a: 1\n", "b: |\n  x\n", "c: 'x\n"]), max_size=6).map("".join))
def test_data_alone_of_several_documents(text: str) -> None:
    assert_same(text)


def test_a_document_that_is_known_is_not_read_again() -> None:
    known: KnownDocuments = {}
    one = read_data("a: 1\n---\nb: 2\n---\nc: 3\n", "file.yaml", known=known)
    other = read_data("a: 9\n---\nb: 2\n---\nc: 3\n", "file.yaml", known=known)
    assert other.documents == ({"a": 9}, {"b": 2}, {"c": 3})
    assert [mine is yours for mine, yours in zip(one.documents, other.documents, strict=True)] == [False, True, True]
    limits = ReadLimits(max_nodes=6)
    assert [each.rule for each in read_data("a: 1\n---\nb: 2\n", "f", limits, known).problems] == []
    assert [each.rule for each in read_data("a: 1\n---\nb: 2\n---\nc: 3\n", "f", limits, known).problems] == ["WM003"]


@settings(max_examples=80)
@given(JSON)
def test_data_alone_of_json(value: object) -> None:
    assert_same(json.dumps(value))


@pytest.mark.parametrize(
    "content",
    [
        "a: 1\n---\nb: [x, {c: yes}]\n",
        "a: 1\na: 2\n",
        "on: 1\n",
        "1: 1\n",
        "a: &x 1\nb: *x\n",
        "a: {<<: {b: 1}}\n",
        "a: !!str 1\n",
        "a: .inf\n",
        "a: [\n",
        "---\n---\na: 1\n",
        "",
        "# nothing\n",
        "text\n",
        "\ufeffa: 1\n",
        b"a: \xff\n",
        "a: \x07\n",
        "[" * 101 + "]" * 101,
        "a: 1\n---\nb: *x\n",
        "- a\n- '<<': 1\n",
        "a: '1'\nb: |\n  yes\nc: ''\nd:\n",
    ],
)
def test_data_alone_is_the_same_data_in_odd_files(content: str | bytes) -> None:
    assert_same(content)


def test_places_are_worked_out_when_asked_for() -> None:
    data = read_data("a: 1\n---\nb: 2\n", "file.yaml")
    assert data.documents == ({"a": 1}, {"b": 2})
    assert data.reading.documents[1].span(("b",)).line == 3


def test_data_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n")
    assert read_data_file(tmp_path / "a.yaml", "shown.yaml").documents == ({"a": 1},)
    missing = read_data_file(tmp_path / "b.yaml", "shown.yaml")
    assert missing.documents == ()
    assert [problem.span.file for problem in missing.problems] == ["shown.yaml"]


def test_data_alone_keeps_to_the_limits() -> None:
    limits = ReadLimits(max_bytes=20, max_nodes=5)
    assert [each.rule for each in read_data("a: " + "x" * 30, "f", limits).problems] == ["WM003"]
    assert [each.rule for each in read_data("[1, 2, 3, 4, 5]", "f", limits).problems] == ["WM003"]
