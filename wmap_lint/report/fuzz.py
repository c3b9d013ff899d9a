"""What a search found, for people and for programs.

For people: a sentence, the smallest object that shows it, ready to be pasted, and where in the definition it comes
from. For programs one JSON object, in ASCII::

    {
      "version": 1,
      "seed": 4711, "seconds": 12.5, "stopped": "budget" | "interrupted" | null, "engines": ["gojq"],
      "definitions": [
        {
          "file": "catalog/a.yaml", "space": "model" | "guess" | null, "states": 1944,
          "examples": 5000, "distorted": 3400, "seconds": 4.1, "stopped": "budget" | "interrupted" | "faults" | null,
          "compared": 2000,
          "findings": [
            {
              "kind": "two-statuses", "message": "…", "object": {…}, "notes": ["…"], "shrunk": true,
              "places": [{"status": "Running" or null, "text": "…", "file": "…", "start": {…}, "end": {…}}],
              "saved": ["fixtures/a/running-fuzz-1.yaml", "…"]
            }
          ]
        }
      ]
    }

``kind`` is one of error, two-statuses, no-status, final-out-of-nothing, another-status and engines-differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from wmap_lint.definition import Expression, Matcher
from wmap_lint.diagnostic import Span
from wmap_lint.record import Record
from wmap_lint.report.characters import wrap
from wmap_lint.report.closing import count
from wmap_lint.report.style import Style
from wmap_lint.statespace.campaign import Campaign, Outcome, totals
from wmap_lint.statespace.engines import Disagreement
from wmap_lint.statespace.fuzzing import Found, Search, Stop
from wmap_lint.statespace.judging import FaultKind
from wmap_lint.statespace.saving import as_yaml, headline
from wmap_lint.wording import capitalised

VERSION = 1
_MOST_LINES = 12


class Place(Record):
    """A part of the definition that takes part: ``label`` is a status, or what else it is; ``text`` as written."""

    label: str
    span: Span
    text: str


class Finding(Record):
    """One thing that was found, in words."""

    kind: str
    message: str
    workload: Any
    places: tuple[Place, ...]
    hint: str | None
    notes: tuple[str, ...] = ()
    shrunk: bool = True
    saved: tuple[Path, ...] | None = None


def findings(outcome: Outcome) -> list[Finding]:
    """All that was found of one definition."""
    saved: Sequence[tuple[Path, ...] | None] = outcome.saved or [None] * len(outcome.search.found)
    found = [_finding(each, paths) for each, paths in zip(outcome.search.found, saved, strict=True)]
    return [*found, *map(_disagreement, outcome.disagreements)]


def _finding(found: Found, saved: tuple[Path, ...] | None) -> Finding:
    fault = found.fault
    places = [Place(each.status, *_matcher(each.matcher)) for each in fault.fired]
    if fault.expression is not None:
        places.append(Place("fails", *_expression(fault.expression)))
    return Finding(
        fault.kind.value,
        f"{capitalised(headline(fault))}.",
        found.workload,
        tuple(places),
        _hint(found),
        found.notes,
        found.shrunk,
        saved,
    )


def _hint(found: Found) -> str:
    fault = found.fault
    match fault.kind:
        case FaultKind.AMBIGUOUS:
            if fault.truth is None:
                return "Demand in one of the two what excludes the other."
            return f"By the model {fault.truth.status} is right: demand in {fault.fired[0].status} what excludes it."
        case FaultKind.UNDEFINED if fault.truth is not None:
            return f"By the model it is {fault.truth.status}: let one of its matchers hold for this object."
        case FaultKind.UNDEFINED:
            return "Let a matcher hold for it; if no operator writes it, say so under `impossible` in the model."
        case FaultKind.ERROR if fault.is_refused:
            return "It is so for every object: `wmap-lint check` says what to write instead."
        case FaultKind.ERROR:
            return "Allow for what is absent or null: `.list[]?`, `(.list // [])[]`, `.number // 0`."
        case FaultKind.TERMINAL:
            return "Demand something that the operator writes when it is done."
    assert fault.truth is not None
    return f"The model says so because: {' '.join(fault.truth.because.split())}"


def _disagreement(found: Disagreement) -> Finding:
    return Finding(
        "engines-differ",
        f"{found.engine} reads this expression otherwise: it {found.theirs}, and jq {found.ours}.",
        found.workload,
        (Place("differs", *_expression(found.expression)),),
        f"It is so for {count(found.objects, 'object')} of those that were compared. Consumers run gojq."
        if found.engine == "gojq"
        else f"It is so for {count(found.objects, 'object')} of those that were compared.",
    )


def _matcher(matcher: Matcher) -> tuple[Span, str]:
    """Where a matcher is, and what it demands."""
    parts: list[str] = []
    if matcher.by_phase:
        parts.append(f"byPhase: {matcher.by_phase}")
    for wanted in matcher.by_conditions:
        asked = f"{wanted.type}={wanted.status or 'any'}"
        parts.append(f"byConditions: {asked}{f' ({wanted.reason})' if wanted.reason else ''}")
    expected = matcher.by_expression
    if expected is not None and expected.expression is not None:
        span, text = _expression(expected.expression)
        if not parts:
            return span, text if expected.expected_result == "true" else f"{text}\n== {expected.expected_result}"
        parts.append(text)
    span = matcher.span(matcher_key(matcher)) if parts else matcher.span()
    return span, "\n".join(parts) or "nothing is demanded, so it always matches"


def matcher_key(matcher: Matcher) -> str:
    """The first demand of a matcher."""
    return next((key for key in ("byPhase", "byConditions", "byExpression") if matcher.has(key)), "byExpression")


def _expression(expression: Expression) -> tuple[Span, str]:
    return expression.span(), expression.text.rstrip("\n")


# -- for people -------------------------------------------------------------------------------------------------


def render_fuzz_text(campaign: Campaign, style: Style) -> str:
    """The findings, what is to be known of each definition, and the line that says what was looked at."""
    lines: list[str] = []
    for outcome in campaign.outcomes:
        for finding in findings(outcome):
            lines += [*_lines(outcome.search, finding, style), ""]
    remarks = [remark for outcome in campaign.outcomes for remark in _remarks(outcome.search)]
    if campaign.unsaved is not None:
        remarks.append(f"not everything could be saved: {campaign.unsaved}")
    for remark in remarks:
        lines.append(style.paint("note", "note") + f": {style.printable(remark)}")
    lines.append(_closing(campaign, style))
    return "".join(f"{line}\n" for line in lines)


def _lines(search: Search, finding: Finding, style: Style) -> Iterator[str]:
    file = style.printable(search.subject.file)
    label = style.paint(f"found[{finding.kind}]", "error")
    yield f"{label}{style.paint(f': {file}: {style.printable(finding.message)}', 'bold')}"
    yield ""
    # From the first column, so that it can be pasted.
    for line in as_yaml(finding.workload).splitlines():
        yield style.printable(line)
    yield ""
    width = max((len(each.label) for each in finding.places), default=0)
    for place in finding.places:
        where = f"{place.span.file}:{place.span.line}:{place.span.column}"
        yield f"  {style.paint(f'{place.label:<{width}}', 'bold')}  {style.printable(where)}"
        text = _dedented(place.text)
        for line in text[:_MOST_LINES]:
            yield f"  {style.paint(style.bar, 'frame')} {style.printable(line)}"
        if len(text) > _MOST_LINES:
            yield f"  {style.paint(style.bar, 'frame')} {style.cut}"
    for note in finding.notes:
        yield from _remark("unusual", f"{capitalised(note)}.", style)
    if finding.hint is not None:
        yield from _remark("hint", finding.hint, style)
    if not finding.shrunk:
        yield from _remark("note", "There was no time to make it as small as it can be.", style)
    if finding.saved is not None:
        paths = [str(each) for each in finding.saved if not each.name.endswith(".expected.yaml")]
        yield from _remark("saved", paths[0] if paths else "This object was saved before.", style)


def _dedented(text: str) -> list[str]:
    lines = text.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[indent:] for line in lines]


def _remark(name: str, text: str, style: Style) -> Iterator[str]:
    lead = f"  = {name}: "
    room = style.prose_width - len(lead)
    for position, line in enumerate(wrap(style.printable(text), room, room)):
        yield f"{style.paint(lead, 'help') if not position else ' ' * len(lead)}{line}"


def _remarks(search: Search) -> Iterator[str]:
    file = search.subject.file
    if search.space is None:
        yield f"{file} was passed over: it reads no status that could vary"
    elif search.model is None:
        yield (
            f"{file} has no status model, so what its operator writes is a guess: only errors were looked for, and "
            "final statuses out of nothing"
        )
    if search.stopped is Stop.FAULTS:
        yield f"{file} has more faults than are told at once: correct these first"


def _closing(campaign: Campaign, style: Style) -> str:
    numbers = totals(campaign)
    if not numbers["definitions"]:
        return style.paint("nothing was fuzzed: no definition that reads a status", "bold")
    seconds = campaign.seconds
    drawing = sum(each.search.drawing for each in campaign.outcomes)
    beyond = f" ({numbers['distorted']:,} of them beyond the models)" if numbers["distorted"] else ""
    parts = [
        count(numbers["definitions"], "definition"),
        f"{count(numbers['examples'], 'object')}{beyond}",
        f"{seconds:.1f} s",
        f"{round(numbers['examples'] / drawing) if drawing else 0:,} objects a second",
        f"seed {campaign.seed}",
    ]
    if campaign.engines:
        parts.insert(2, f"{numbers['compared']:,} compared with {' and '.join(campaign.engines)}")
    line = style.paint(f"fuzzed {style.separator.join(parts)}", "quiet")
    if campaign.stopped is Stop.BUDGET:
        line += style.paint(f"; the budget of {campaign.budget:g} s ran out", "warning")
    elif campaign.stopped is Stop.INTERRUPTED:
        line += style.paint("; interrupted", "warning")
    found = []
    if numbers["faults"]:
        found.append(style.paint(count(numbers["faults"], "fault"), "error"))
    if numbers["disagreements"]:
        found.append(style.paint(count(numbers["disagreements"], "disagreement"), "error"))
    return f"{line}{style.paint(': ', 'quiet')}{', '.join(found) or style.paint('no faults', 'good')}"


# -- for programs -----------------------------------------------------------------------------------------------


def render_fuzz_json(campaign: Campaign) -> str:
    """The object described above, indented by two."""
    answer = {
        "version": VERSION,
        "seed": campaign.seed,
        "seconds": round(campaign.seconds, 3),
        "stopped": campaign.stopped,
        "engines": list(campaign.engines),
        "definitions": [_definition(each) for each in campaign.outcomes],
    }
    return json.dumps(answer, indent=2) + "\n"


def _definition(outcome: Outcome) -> dict[str, Any]:
    search = outcome.search
    return {
        "file": search.subject.file,
        "space": None if search.space is None else "guess" if search.model is None else "model",
        "states": 0 if search.space is None else search.space.size,
        "examples": search.examples,
        "distorted": search.distorted,
        "seconds": round(search.seconds, 3),
        "stopped": search.stopped,
        "compared": outcome.compared,
        "findings": [
            {
                "kind": each.kind,
                "message": each.message,
                "hint": each.hint,
                "object": each.workload,
                "notes": list(each.notes),
                "shrunk": each.shrunk,
                "places": [_place(place) for place in each.places],
                "saved": [str(path) for path in each.saved or ()],
            }
            for each in findings(outcome)
        ],
    }


def _place(place: Place) -> dict[str, Any]:
    span = place.span
    return {
        "label": place.label,
        "text": place.text,
        "file": span.file,
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }


__all__ = ["Finding", "findings", "render_fuzz_json", "render_fuzz_text"]
