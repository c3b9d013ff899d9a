"""The registry of rules: one declaration a rule, and its page of documentation beside it.

A rule is a function that reads a :class:`~wmap_lint.rules.context.Context` and yields findings; it never
prints, never exits, never reads a file. Its documentation is ``rules/docs/<CODE>.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from typing import TYPE_CHECKING

from wmap_lint.diagnostic import Diagnostic, Fix, Related, Severity, Span
from wmap_lint.record import Record, replace

if TYPE_CHECKING:
    from wmap_lint.rules.context import Context

RuleCheck = Callable[["Context"], Iterable["Finding"]]


class Finding(Record):
    """What a rule yields; the registry adds code and severity to make it a :class:`Diagnostic`."""

    span: Span
    message: str
    hint: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    severity: Severity | None = None


class Rule(Record):
    """One rule: code (stable once released), name, the severity it has unless a finding says otherwise, one line.

    ``check`` is None for rules that the pipeline itself reports (reading a file fails before there is a
    context to give to a rule); they are declared all the same, so that `rules` and `explain` know them.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    check: RuleCheck | None = None

    @property
    def documentation(self) -> str:
        """The Markdown page of the rule."""
        return resources.files("wmap_lint.rules").joinpath("docs", f"{self.code}.md").read_text(encoding="utf-8")

    def run(self, context: Context) -> Iterator[Diagnostic]:
        """Findings of this rule, as diagnostics."""
        if self.check is not None:
            yield from context.diagnostics(self)

    def diagnostic(self, finding: Finding) -> Diagnostic:
        """``finding`` under this rule's code."""
        return Diagnostic(
            rule=self.code,
            severity=self.severity if finding.severity is None else finding.severity,
            message=finding.message,
            span=finding.span,
            hint=finding.hint,
            related=finding.related,
            fix=finding.fix,
        )


_RULES: dict[str, Rule] = {}


def declare(code: str, name: str, severity: Severity, summary: str) -> Rule:
    """Register a rule that the pipeline itself reports."""
    if code in _RULES:
        raise ValueError(f"{code} is declared twice")
    _RULES[code] = Rule(code, name, severity, summary)
    return _RULES[code]


def rule(code: str, name: str, severity: Severity, summary: str) -> Callable[[RuleCheck], RuleCheck]:
    """Register the decorated function as the check of a rule."""

    def register(check: RuleCheck) -> RuleCheck:
        _RULES[code] = replace(declare(code, name, severity, summary), check=check)
        return check

    return register


def registered() -> tuple[Rule, ...]:
    """Every rule declared so far, by code; :func:`wmap_lint.rules.all_rules` loads every family first."""
    return tuple(_RULES[code] for code in sorted(_RULES))
