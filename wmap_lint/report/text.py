"""Findings for people: the sentence, the source with a caret under what is wrong, and what to do about it.

::

    error[WM203]: The expression has no bound: `recurse` may never end.
      --> catalog/a.yaml:12:22
       │
    12 │         podSpecPath: .spec | recurse
       │                              ^^^^^^^
       = hint: Name the path: `.spec.template`.
"""

from __future__ import annotations

from collections.abc import Iterator

from wmap_lint.diagnostic import Diagnostic, Span
from wmap_lint.report.characters import columns, wrap
from wmap_lint.report.closing import closing_line
from wmap_lint.report.result import Lines, Result
from wmap_lint.report.style import Style

TAB = "    "
_TYPES = "WM3"


def render_text(result: Result, style: Style) -> str:
    """The findings in reading order, a blank line after each, then the line that says what was checked."""
    lines: list[str] = []
    for diagnostic in sorted(result.diagnostics, key=lambda diagnostic: diagnostic.sort_key):
        lines += _Finding(diagnostic, result, style).lines()
        lines.append("")
    lines += _schemas(result, style)
    lines.append(closing_line(result, style))
    return "".join(f"{line}\n" for line in lines)


def _schemas(result: Result, style: Style) -> Iterator[str]:
    """Which CRDs findings about types go by; of several versions of one the reader may have named the wrong."""
    files = {diagnostic.span.file for diagnostic in result.diagnostics if diagnostic.rule.startswith(_TYPES)}
    used = {
        (typed.kind, typed.crd_file)
        for typed in result.summary.typed
        if typed.definition in files and typed.crd_file is not None
    }
    for kind, file in sorted(used):
        yield style.paint(style.printable(f"types of {kind} are those of {file}"), "quiet")


class _Finding:
    """The lines of one finding, which share a column for line numbers."""

    def __init__(self, diagnostic: Diagnostic, result: Result, style: Style) -> None:
        self.diagnostic = diagnostic
        self.sources = result.sources
        self.style = style
        places = [diagnostic.span, *(related.span for related in diagnostic.related)]
        self.gutter = max(len(str(place.line)) for place in places)

    def lines(self) -> Iterator[str]:
        diagnostic = self.diagnostic
        yield from self._headline()
        yield self._place("-->", diagnostic.span)
        yield from self._excerpt(diagnostic.span, "^", diagnostic.severity.label)
        for related in diagnostic.related:
            yield self._rule("")
            yield self._place(":::", related.span)
            yield from self._excerpt(related.span, "-", "help", related.message)
        if diagnostic.hint is not None:
            yield from self._remark("hint", diagnostic.hint)
        if diagnostic.fix is not None:
            yield from self._remark("fix", diagnostic.fix.description)

    def _headline(self) -> Iterator[str]:
        diagnostic, style = self.diagnostic, self.style
        label = f"{diagnostic.severity.label}[{diagnostic.rule}]"
        indent = len(label) + 2
        room = style.prose_width - indent
        first, *others = wrap(style.printable(diagnostic.message), room, room)
        yield f"{style.severity(label, diagnostic.severity)}: {style.paint(first, 'bold')}"
        for line in others:
            yield " " * indent + style.paint(line, "bold")

    def _place(self, arrow: str, span: Span) -> str:
        where = self.style.printable(span.file)
        if span != Span.whole(span.file):
            where += f":{span.line}:{span.column}"
        return f"{' ' * self.gutter}{self.style.paint(arrow, 'frame')} {where}"

    def _rule(self, text: str, number: int | str = "") -> str:
        """A line behind the bar."""
        bar = self.style.paint(f"{number:>{self.gutter}} {self.style.bar}", "frame")
        return f"{bar} {text}" if text else bar

    def _excerpt(self, span: Span, mark: str, role: str, label: str = "") -> Iterator[str]:
        """The line of ``span`` with marks under it, and ``label`` behind the marks or, if too long, below."""
        style = self.style
        source: Lines | None = self.sources.get(span.file)
        label = style.printable(label)
        if source is None or span == Span.whole(span.file):
            if label:
                yield from self._remark("note", label)
            return
        line = source.line(span.line)
        several = span.end_line > span.line
        end = len(line) if several else span.end_column - 1
        room = max(style.width - self.gutter - 3, 20)
        shown, offset, length = window(line, span.column - 1, end, room, style)
        yield self._rule("")
        yield self._rule(shown, span.line)
        marks = " " * offset + style.paint(mark * length, role)
        tail = f"to line {span.end_line - (span.end_column == 1)}" if several else ""
        if label:
            tail = f"{label} ({tail})" if tail else label
        if not tail:
            yield self._rule(marks)
        elif offset + length + 1 + columns(tail) <= room:
            yield self._rule(f"{marks} {style.paint(tail, role)}")
        else:
            yield self._rule(marks)
            indent = min(offset, max(room - 40, 0))
            limit = min(room, style.prose_width) - indent
            for part in wrap(tail, limit, limit):
                yield self._rule(" " * indent + style.paint(part, role))

    def _remark(self, title: str, text: str) -> Iterator[str]:
        style = self.style
        indent = self.gutter + len(title) + 5
        room = style.prose_width - indent
        first, *others = wrap(style.printable(text), room, room)
        yield f"{' ' * self.gutter} {style.paint('=', 'frame')} {style.paint(f'{title}:', 'help')} {first}"
        for line in others:
            yield " " * indent + line


def window(line: str, start: int, end: int, room: int, style: Style) -> tuple[str, int, int]:
    """The part of ``line`` around its characters ``[start, end)`` that fits into ``room`` columns.

    Gives the text to show, how many columns precede the marks, and how many marks there are (at least one).
    Looks at no more of the line than it shows.
    """
    start = min(max(start, 0), len(line))
    end = min(max(end, start), len(line))
    cells = _Cells(line, style)
    if len(line) <= room * 2 and cells.columns(0, len(line)) <= room:
        first, last = 0, len(line)
    else:
        room -= 2 * len(style.cut)
        last = cells.grow_right(start, end, room)
        room -= cells.columns(start, last)
        first = cells.grow_left(start, room if last == len(line) else room // 2)
        room -= cells.columns(first, start)
        before = last
        last = cells.grow_right(last, len(line), room)
        first = cells.grow_left(first, room - cells.columns(before, last))
        end = min(end, last)
    left = style.cut if first > 0 else ""
    right = style.cut if last < len(line) else ""
    offset = len(left) + cells.columns(first, start)
    return left + cells.text(first, last).rstrip(" ") + right, offset, max(cells.columns(start, end), 1)


class _Cells:
    """A line as it is shown, character by character."""

    def __init__(self, line: str, style: Style) -> None:
        self.line = line
        self.style = style

    def text(self, start: int, end: int) -> str:
        return self.style.printable(self.line[start:end].replace("\t", TAB))

    def columns(self, start: int, end: int) -> int:
        return columns(self.text(start, end))

    def grow_right(self, start: int, end: int, room: int) -> int:
        """The furthest offset up to ``end`` so that what lies between it and ``start`` fits."""
        at = start
        while at < end and (room := room - self.columns(at, at + 1)) >= 0:
            at += 1
        return at

    def grow_left(self, start: int, room: int) -> int:
        """The furthest offset to the left so that what lies between it and ``start`` fits."""
        at = start
        while at > 0 and (room := room - self.columns(at - 1, at)) >= 0:
            at -= 1
        return at
