"""Family WM6, the part that needs no pods: selectors that cannot find any."""

from __future__ import annotations

from collections.abc import Iterable

from wmap_lint.diagnostic import Severity
from wmap_lint.rules.context import Context
from wmap_lint.rules.gang import has_native_grouping
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.rules.structure import place


@rule(
    "WM610",
    "role-without-type-selector",
    Severity.WARNING,
    "Of several components with pods, one has no componentTypeSelector: its pods are never found.",
)
def role_without_type_selector(context: Context) -> Iterable[Finding]:
    """A component without a type selector gets pods only when it is the only one that has any."""
    bearing = [component for component in context.definition.components if component.is_pod_bearing]
    if len(bearing) < 2:
        return
    for component in bearing:
        selector = (*component.path, "podSelector", "componentTypeSelector")
        if component.present("podSelector", "componentTypeSelector") or context.is_doubtful(selector):
            continue
        only = (
            "; a `componentInstanceSelector` alone does not make its pods findable"
            if component.present("podSelector", "componentInstanceSelector")
            else ""
        )
        where = place(context.document, component.path)
        yield Finding(
            component.key_span("name") if component.has("name") else component.key_span(),
            f"{where[:1].upper()}{where[1:]} describes pods but has no `podSelector.componentTypeSelector`, "
            f"and it is not the only one that describes pods: consumers never attribute a pod to it{only}.",
            "Add a selector that its pods match and those of the other components do not.",
        )


@rule(
    "WM611",
    "match-labels-not-portable",
    Severity.NOTE,
    "matchLabels in a gang-scheduled definition, which the library in KAI may not know.",
)
def match_labels_not_portable(context: Context) -> Iterable[Finding]:
    """``matchLabels`` is younger than the library that KAI pins; that one drops the field."""
    definition = context.definition
    gang = definition.gang
    if gang is None or not (gang.pod_group or gang.pod_groups) or definition.gvk is None:
        return
    if has_native_grouping(definition.gvk):
        return
    for component in definition.components:
        selector = component.pod_selector.type_selector if component.pod_selector else None
        if selector is None or not selector.match_labels:
            continue
        effect = (
            "it is ignored there, and `keyPath` alone decides"
            if selector.present("keyPath")
            else "the selector is an empty expression there, and no pod of the workload is grouped"
        )
        yield Finding(
            selector.key_span("matchLabels"),
            f"`matchLabels` is younger than the library KAI's pod grouper is known to embed: {effect}.",
            "For gang scheduling write the label as `keyPath` with `value`.",
        )
