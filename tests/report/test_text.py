from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.results import BUILT_IN, TYPED, FakeResult, FakeSummary, at, finding
from wmap_lint.diagnostic import Diagnostic, Edit, Fix, Related, Severity, Span
from wmap_lint.report import render
from wmap_lint.report.characters import columns
from wmap_lint.report.style import Style
from wmap_lint.report.text import window
from wmap_lint.source import Source

DEFINITION = Source(
    "catalog/widget.yaml",
    "apiVersion: run.ai/v1alpha1\n"
    "kind: WorkloadMap\n"
    "spec:\n"
    "  podSpecPath: .spec | recurse\n"
    "  list:\n"
    "  - one\n"
    "  - two\n"
    "  podSpecPath: .spec.template\n"
    "  other: 1\n"
    "  last: 2\n",
)


def text(*diagnostics: Diagnostic, source: Source = DEFINITION, **options: int | bool) -> str:
    result = FakeResult(diagnostics, FakeSummary(), {source.file: source})
    return render(result, "text", **{"width": 80, **options})  # type: ignore[arg-type]


def test_a_finding_shows_the_place_the_reason_and_the_remedy() -> None:
    diagnostic = Diagnostic(
        rule="WM203",
        severity=Severity.ERROR,
        message="`recurse` has no bound, so an object of a stranger decides how long consumers take to read it.",
        span=at(DEFINITION, "recurse"),
        hint="Name the path that is meant.",
        related=(Related(at(DEFINITION, "podSpecPath: .spec.t"), "the path is written again here"),),
        fix=Fix("Remove `recurse`", (Edit(at(DEFINITION, " | recurse"), ""),)),
    )
    assert text(diagnostic) == (
        "error[WM203]: `recurse` has no bound, so an object of a stranger decides how\n"
        "              long consumers take to read it.\n"
        " --> catalog/widget.yaml:4:24\n"
        "  │\n"
        "4 │   podSpecPath: .spec | recurse\n"
        "  │                        ^^^^^^^\n"
        "  │\n"
        " ::: catalog/widget.yaml:8:3\n"
        "  │\n"
        "8 │   podSpecPath: .spec.template\n"
        "  │   -------------------- the path is written again here\n"
        "  = hint: Name the path that is meant.\n"
        "  = fix: Remove `recurse`\n"
        "\n"
        "checked 1 definition (no CRD) · 5 scenarios · 12 expressions · 5 states · 61 rules: 1 error\n"
    )


def test_ascii_is_enough() -> None:
    shown = text(finding(at(DEFINITION, "recurse"), "Wörter."), unicode=False)
    assert shown.isascii()
    assert "4 |   podSpecPath: .spec | recurse\n  |                        ^^^^^^^\n" in shown
    assert "W\\xf6rter." in shown


def test_a_stretch_of_several_lines_is_shown_by_its_first() -> None:
    shown = text(finding(Span(DEFINITION.file, 6, 3, 8, 1)))
    assert "6 │   - one\n  │   ^^^^^ to line 7\n" in shown


def test_an_empty_place_has_one_caret() -> None:
    assert "9 │   other: 1\n  │         ^\n" in text(finding(Span(DEFINITION.file, 9, 9, 9, 9)))


def test_a_place_behind_the_end_of_the_file_is_shown() -> None:
    shown = text(finding(Span(DEFINITION.file, 11, 1, 11, 1)))
    assert " --> catalog/widget.yaml:11:1\n   │\n11 │\n   │ ^\n" in shown.replace("  --> ", " --> ")


def test_a_whole_file_has_no_source_line() -> None:
    shown = text(finding(Span.whole(DEFINITION.file)))
    assert " --> catalog/widget.yaml\n\n" in shown
    assert "│" not in shown


def test_a_file_that_could_not_be_read_has_no_source_line() -> None:
    other = finding(Span("gone.yaml", 3, 4, 3, 5))
    related = Diagnostic(
        "WM1", Severity.NOTE, "See there.", at(DEFINITION, "kind"), related=(Related(other.span, "here"),)
    )
    assert " --> gone.yaml:3:4\n\n" in text(other)
    assert " ::: gone.yaml:3:4\n  = note: here\n" in text(related)


def test_wide_characters_and_tabs_keep_the_caret_in_place() -> None:
    source = Source("a.yaml", "名前:\t日本 # 😀 !!\n")
    shown = text(finding(at(source, "日本")), finding(at(source, "!!")), source=source).splitlines()
    line, first = shown[3:5]
    second = shown[10]
    assert columns(line[: line.index("日")]) == columns(first[: first.index("^")])
    assert first.count("^") == 4
    assert columns(line[: line.index("!")]) == columns(second[: second.index("^")])


def test_a_long_line_is_shown_around_the_caret() -> None:
    source = Source("a.yaml", "key: " + "x" * 500 + " here " + "y" * 500 + "\n")
    line, marks = text(finding(at(source, "here")), source=source).splitlines()[3:5]
    assert line.startswith("1 │ …xxx")
    assert line.endswith("yyy…")
    assert len(line) <= 80
    assert line.index("here") == marks.index("^")


def test_what_strangers_wrote_cannot_steer_the_terminal() -> None:
    source = Source("evil\n\x1b[2J.yaml", "key: \x1b]0;title\x07 \u202edesrever\n")
    diagnostic = Diagnostic(
        "WM1",
        Severity.ERROR,
        "message \x1b[31m",
        at(source, "key"),
        hint="hint \r",
        related=(Related(at(source, "desrever"), "related \x1b"), Related(Span("x\x1by", 1, 2, 1, 3), "gone \x1b")),
        fix=Fix("fix \x1b", ()),
    )
    for layout in ("text", "concise", "json"):
        shown = render(FakeResult((diagnostic,), FakeSummary(), {source.file: source}), layout)
        assert all(character == "\n" or character.isprintable() for character in shown), layout
    assert "evil␊␛[2J.yaml:1:1" in text(diagnostic, source=source)


def test_findings_are_in_reading_order() -> None:
    late, early = finding(at(DEFINITION, "last"), "Late."), finding(at(DEFINITION, "kind"), "Early.")
    elsewhere = finding(Span("a.yaml", 9, 1, 9, 2), "Elsewhere.")
    for layout in ("text", "concise", "json"):
        shown = render(FakeResult((late, elsewhere, early)), layout)
        assert shown.index("Elsewhere.") < shown.index("Early.") < shown.index("Late."), layout


def test_colour_adds_codes_and_nothing_else() -> None:
    related = Related(at(DEFINITION, "kind"), "a related place")
    span = at(DEFINITION, "last")
    diagnostic = Diagnostic("WM1", Severity.WARNING, "word " * 40, span, "hint", (related,), Fix("fix", ()))
    plain, coloured = text(diagnostic), text(diagnostic, color=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert "\x1b[1;33mwarning[WM1]\x1b[0m" in coloured


@pytest.mark.parametrize(
    ("summary", "severities", "line"),
    [
        (
            FakeSummary(files=3, definitions=3, expressions=1141, fixtures=52, states=52),
            (),
            "checked 3 definitions (no CRD for 3) · 52 scenarios · 1,141 expressions · 52 states · 61 rules: "
            "no findings",
        ),
        (
            FakeSummary(definitions=3, typed=(TYPED, BUILT_IN)),
            (),
            "checked 3 definitions (no CRD for 1) · 5 scenarios · 12 expressions · 5 states · 61 rules: no findings",
        ),
        (
            FakeSummary(typed=(TYPED,)),
            (),
            "checked 1 definition · 5 scenarios · 12 expressions · 5 states · 61 rules: no findings",
        ),
        (
            FakeSummary(states=1944, all_states=True, matchers=9, covered=9, frames=3),
            (),
            "checked 1 definition (no CRD) · 2 scenarios · 3 frames · 12 expressions · all 1,944 states proven · "
            "all 9 matchers covered · 61 rules: no findings",
        ),
        (
            FakeSummary(states=1944, all_states=True, matchers=9, covered=7),
            (Severity.NOTE,),
            "checked 1 definition (no CRD) · 5 scenarios · 12 expressions · all 1,944 states · "
            "7 of 9 matchers covered · 61 rules: 1 note",
        ),
        (
            FakeSummary(fixtures=0, states=0, skipped_documents=1),
            (Severity.NOTE, Severity.ERROR, Severity.WARNING, Severity.ERROR),
            "checked 1 definition (no CRD) · no scenarios · 12 expressions · 61 rules (1 other document skipped): "
            "2 errors, 1 warning, 1 note",
        ),
        (FakeSummary(files=0, definitions=0), (), "nothing was checked: no definition found"),
        (FakeSummary(definitions=0), (), "nothing was checked: no definition found in catalog/widget.yaml"),
        (
            FakeSummary(files=2, definitions=0),
            (Severity.NOTE,),
            "nothing was checked: no definition found in 2 files: 1 note",
        ),
    ],
)
def test_the_last_line_says_what_was_checked(summary: FakeSummary, severities: tuple[Severity, ...], line: str) -> None:
    span = at(DEFINITION, "kind")
    findings = tuple(finding(span, severity=severity) for severity in severities)
    result = FakeResult(findings, summary, {DEFINITION.file: DEFINITION})
    for layout in ("text", "concise"):
        assert render(result, layout).splitlines()[-1] == line
    assert render(result, "text", unicode=False).splitlines()[-1] == line.replace(" ·", ",")


@given(st.data())
def test_the_window_fits_and_points_at_the_place(data: st.DataObject) -> None:
    line = data.draw(st.text(alphabet="ab \t日\x1b\u0301", max_size=120))
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    room = data.draw(st.integers(20, 60))
    style = Style(unicode=data.draw(st.booleans()))
    shown, offset, length = window(line, start, end, room, style)
    assert columns(shown) <= room
    assert offset + length <= room + 1
    if start < end and line[start] == "a":
        assert shown[len(shown) - len(_from_column(shown, offset))] == "a"


def _from_column(shown: str, column: int) -> str:
    while column > 0:
        column -= columns(shown[0])
        shown = shown[1:]
    while shown and columns(shown[0]) == 0:
        shown = shown[1:]
    return shown
