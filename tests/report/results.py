"""Results made by hand, in the shape the checker gives."""

from __future__ import annotations

from dataclasses import dataclass, field

from wmap_lint.checker import TypedDefinition
from wmap_lint.diagnostic import Diagnostic, Severity, Span
from wmap_lint.source import Source


@dataclass(frozen=True)
class FakeSummary:
    files: int = 1
    definitions: int = 1
    skipped_documents: int = 0
    expressions: int = 12
    fixtures: int = 5
    states: int = 5
    all_states: bool = False
    matchers: int = 0
    covered: int = 0
    frames: int = 0
    rules: int = 61
    typed: tuple[TypedDefinition, ...] = ()


@dataclass(frozen=True)
class FakeCoverage:
    status: str
    span: Span
    states: int
    fixtures: tuple[str, ...]


@dataclass(frozen=True)
class FakeSpace:
    definition: str = "widget"
    by_model: bool = True
    complete: bool = True
    combinations: int = 2916
    states: int = 1944
    seed: int = 7
    matchers: tuple[FakeCoverage, ...] = ()


@dataclass(frozen=True)
class FakeResult:
    diagnostics: tuple[Diagnostic, ...] = ()
    summary: FakeSummary = field(default_factory=FakeSummary)
    sources: dict[str, Source] = field(default_factory=dict)
    spaces: tuple[FakeSpace, ...] = ()


TYPED = TypedDefinition("catalog/widget.yaml", "example.com/v1 Widget", "widgets.example.com", "crds/widgets.yaml")
BUILT_IN = TypedDefinition("catalog/job.yaml", "batch/v1 Job", None, None)


def at(source: Source, needle: str) -> Span:
    """The first place in the source that reads ``needle``."""
    start = source.text.index(needle)
    return source.span(start, start + len(needle))


def finding(span: Span, message: str = "This is wrong.", severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic("WM999", severity, message, span)
