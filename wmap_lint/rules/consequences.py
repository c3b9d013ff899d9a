"""Which findings only repeat another one (floor 4): what is computed from a broken part differs, of course.

Some rules compare what the whole definition comes to with golden files, or try it out. When something in the part
they build on has a finding of its own, theirs says nothing new, and would bury it; once that one is settled they
speak again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wmap_lint.definition import Definition
from wmap_lint.diagnostic import Diagnostic, Severity, Span
from wmap_lint.rules.context import within

#: Compare the roles, counts and gangs that all components make together.
OF_THE_STRUCTURE = frozenset({"WM404", "WM707", "WM710"})
#: Try the suspend switch and read the status that comes of it.
OF_THE_STATUS = frozenset({"WM811", "WM812", "WM813"})

#: Finds pods that no component takes: one with a field that cannot be read takes none.
HOMELESS = "WM601"


def without_consequences(definition: Definition, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """``diagnostics`` of one definition, less those that another one explains."""
    derived = OF_THE_STRUCTURE | OF_THE_STATUS | {HOMELESS}
    causes = [each for each in diagnostics if each.rule not in derived and each.severity >= Severity.WARNING]
    if not causes:
        return list(diagnostics)
    file = definition.document.source.file
    states = [
        component.span(part)
        for component in definition.components
        for part in ("statusDefinition", "suspendDefinition")
        if component.has(part)
    ]
    components = [component.span() for component in definition.components]
    about_status = [each for each in causes if _in_any(each.span, states)]
    about_structure = [each for each in causes if each.span.file == file and not _in_any(each.span, states)]

    def is_consequence(each: Diagnostic) -> bool:
        if each.rule in OF_THE_STATUS:
            return bool(about_status)
        if each.rule == "WM404" and each.span.file == file:
            # It has found its place; only a fault of the same component explains it.
            own = [span for span in components if within(each.span, span)]
            return any(_in_any(cause.span, own) for cause in about_structure)
        if each.rule == HOMELESS:
            return any(cause.rule.startswith("WM1") and _in_any(cause.span, components) for cause in about_structure)
        return each.rule in OF_THE_STRUCTURE and bool(about_structure)

    return [each for each in diagnostics if not is_consequence(each)]


def _in_any(span: Span, areas: Iterable[Span]) -> bool:
    return any(within(span, area) for area in areas)
