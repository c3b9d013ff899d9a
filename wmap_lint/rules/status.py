"""Family WM5, the part that needs no object: matchers that always hold, never hold or hold together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wmap_lint.definition import ConditionMatcher, Matcher, StatusDefinition, StatusMapping
from wmap_lint.diagnostic import Related, Severity
from wmap_lint.paths import lookup
from wmap_lint.rules.context import Context
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.rules.structure import value_span
from wmap_lint.wording import joined, listed


def _status(context: Context) -> StatusDefinition | None:
    """The status definition that consumers evaluate: the root's."""
    root = context.definition.root
    return None if root is None else root.status_definition


def _matchers(status: StatusDefinition) -> Iterator[tuple[StatusMapping, Matcher]]:
    for mapping in status.mappings:
        for matcher in mapping.matchers:
            yield mapping, matcher


def _is_doubtful(context: Context, matcher: Matcher) -> bool:
    """Whether something in ``matcher`` is misspelt or of the wrong type: it reads as less than is meant."""
    return any(unknown.path[: len(matcher.path)] == matcher.path for unknown in context.unknown_fields) or (
        context.is_doubtful(matcher.path)
    )


@rule("WM510", "matcher-always-true", Severity.ERROR, "A matcher with nothing in it holds for every object.")
def matcher_always_true(context: Context) -> Iterable[Finding]:
    """Empty matchers."""
    status = _status(context)
    for mapping, matcher in _matchers(status) if status else ():
        if matcher.is_empty and not _is_doubtful(context, matcher):
            yield Finding(
                value_span(context.document, matcher.path),
                f"This matcher demands nothing, so every object is {mapping.normalized}, whatever else it is.",
                "Set `byPhase`, `byConditions` or `byExpression`, or remove the item (an empty list never matches).",
            )


@rule(
    "WM511",
    "matcher-without-source",
    Severity.ERROR,
    "Matchers read conditions or a phase, and nothing says where these are.",
)
def matcher_without_source(context: Context) -> Iterable[Finding]:
    """``byConditions`` without ``conditionsDefinition``, ``byPhase`` without ``phaseDefinition``."""
    status = _status(context)
    if status is None:
        return
    matchers = [matcher for _, matcher in _matchers(status)]
    for field, source, users, what in (
        ("byPhase", "phaseDefinition", [each for each in matchers if each.by_phase], "phase"),
        (
            "byConditions",
            "conditionsDefinition",
            [each for each in matchers if each.by_conditions],
            "conditions",
        ),
    ):
        if not users or status.present(source) or context.is_doubtful((*status.path, source)):
            continue
        first, *others = users
        also = f" (nor do {len(others)} more)" if len(others) > 1 else " (nor does one more)" if others else ""
        yield Finding(
            first.key_span(field),
            f"`{field}` without `{source}`: no {what} can be read, so this matcher never holds{also}.",
            f"Add `{source}: {{path: .status.{what}}}` to `statusDefinition`, with the path where the workload has it."
            if what == "phase"
            else f"Add `{source}` with `path`, `typeFieldName` and `statusFieldName` to `statusDefinition`.",
            related=tuple(Related(other.key_span(field), f"This `{field}` as well.") for other in others),
        )


@rule(
    "WM512",
    "field-names-not-stated",
    Severity.WARNING,
    "Conditions are matched, and the names of their fields are left to the API server's defaults.",
)
def field_names_not_stated(context: Context) -> Iterable[Finding]:
    """Names that only an admitted definition has, so that the same file means two things."""
    status = _status(context)
    conditions = status.conditions if status else None
    if status is None or conditions is None:
        return
    wanted: list[ConditionMatcher] = [each for _, matcher in _matchers(status) for each in matcher.by_conditions]
    missing = [
        (field, default)
        for field, default, used in (
            ("typeFieldName", "type", bool(wanted)),
            ("statusFieldName", "status", any(each.status for each in wanted)),
            ("reasonFieldName", "reason", any(each.reason for each in wanted)),
        )
        if used and not conditions.present(field) and not context.is_doubtful((*conditions.path, field))
    ]
    if not missing:
        return
    names = [field for field, _ in missing]
    yield Finding(
        conditions.key_span(),
        f"Matchers look at the {joined([default for _, default in missing])} of conditions, and "
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} not stated: in the cluster the API server "
        "fills in the default, but tools that read the file find nothing and these matchers never hold.",
        "Add " + listed([f"{field}: {default}" for field, default in missing]) + ".",
    )


def _demands(matcher: Matcher) -> frozenset[tuple[str | None, ...]]:
    """What ``matcher`` demands, one entry each; a stricter matcher has all of a looser one's."""
    demands: set[tuple[str | None, ...]] = set()
    if matcher.by_phase:
        demands.add(("phase", matcher.by_phase))
    for condition in matcher.by_conditions:
        demands.add(("condition", condition.type))
        if condition.status:
            demands.add(("status", condition.type, condition.status))
        if condition.reason:
            demands.add(("reason", condition.type, condition.reason))
    expression = matcher.by_expression
    if expression is not None:
        text = expression.expression.text.strip() if expression.expression else None
        demands.add(("expression", text, expression.expected_result))
    return frozenset(demands)


@rule(
    "WM513",
    "overlapping-matchers",
    Severity.WARNING,
    "What one status demands includes all that another demands.",
)
def overlapping_matchers(context: Context) -> Iterable[Finding]:
    """Two statuses with the same matcher, or one that is only stricter: both are reported together."""
    status = _status(context)
    if status is None:
        return
    candidates = [
        (mapping, matcher, _demands(matcher))
        for mapping, matcher in _matchers(status)
        if not matcher.is_empty and not _is_doubtful(context, matcher) and _can_hold(status, matcher)
    ]
    for position, (mapping, matcher, demands) in enumerate(candidates):
        for other_mapping, other, other_demands in candidates[:position]:
            if other_mapping.status == mapping.status or not (demands <= other_demands or other_demands <= demands):
                continue
            if demands == other_demands:
                message = (
                    f"{mapping.normalized} has the same matcher as {other_mapping.normalized}: an object "
                    "that it holds for is reported as both."
                )
            elif demands < other_demands:
                message = (
                    f"{mapping.normalized} holds whenever the stricter matcher of "
                    f"{other_mapping.normalized} does: the object is then reported as both."
                )
            else:
                message = (
                    f"Whenever this matcher of {mapping.normalized} holds, the looser one of "
                    f"{other_mapping.normalized} does too: the object is reported as both."
                )
            yield Finding(
                value_span(context.document, matcher.path),
                message,
                "Let each object match one status: demand of one what excludes the other.",
                related=(
                    Related(
                        value_span(context.document, other.path),
                        f"The matcher of {other_mapping.normalized}.",
                    ),
                ),
            )
            break  # one finding a matcher; the next one shows once this is settled


def _can_hold(status: StatusDefinition, matcher: Matcher) -> bool:
    """Whether what the matcher reads is defined at all (else: WM511) and its demands can hold together."""
    if matcher.by_phase and not status.present("phaseDefinition"):
        return False
    if matcher.by_conditions and not status.present("conditionsDefinition"):
        return False
    seen: dict[tuple[str, str | None], str] = {}
    for condition in matcher.by_conditions:
        for field in ("status", "reason"):
            value = lookup(condition.document.data, (*condition.path, field))
            if isinstance(value, str) and value and seen.setdefault((field, condition.type), value) != value:
                return False
    return True
