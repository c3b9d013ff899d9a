"""Golden files held against what the definition computes: pods, requests and totals of WM404, gangs of WM710.

Replicas and instances are compared where extraction is examined. What follows from a fault that has a finding of
its own is not told again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from wmap_lint.definition import Component, Expression, Located
from wmap_lint.diagnostic import Related, Span
from wmap_lint.expected import Difference, differences
from wmap_lint.fixtures import Scenario, split_instance
from wmap_lint.record import Record
from wmap_lint.rules import extraction, pods_fixtures
from wmap_lint.rules.context import Context
from wmap_lint.rules.dead_ends import likely_misspelling
from wmap_lint.rules.extraction import named
from wmap_lint.rules.registry import Finding
from wmap_lint.spelling import nearest

_MOST_SHOWN = 3


class Case(Record):
    """One difference in one scenario."""

    scenario: Scenario
    difference: Difference


def cases(context: Context) -> Sequence[Case]:
    """Everything that is not as expected, in all scenarios that have an expectation."""
    if __name__ not in context.memo:
        evaluations = context.evaluations
        context.memo[__name__] = [
            Case(scenario, difference)
            for scenario in (evaluations.scenarios if evaluations is not None else ())
            if scenario.expectation is not None
            for difference in differences(scenario.expectation.data, context.computed(scenario))
        ]
    found: list[Case] = context.memo[__name__]
    return found


def is_extracted(context: Context) -> bool:
    """Whether nothing is wrong with what is extracted, so that sums and gangs can be judged."""
    return not any(
        extraction.is_faulty(context, component)
        or any(context.is_told(each) for each in context.definition.expressions if each.component == component.name)
        for component in context.definition.components
    )


def is_attributed(context: Context) -> bool:
    """Whether nothing is wrong with whose pods the recorded ones are."""
    examination = pods_fixtures.examination(context)
    return not examination.unsure and not examination.findings


def other_amounts(context: Context) -> Iterator[Finding]:
    """WM404 for pods, requests and totals."""
    found = cases(context)
    if not found:
        return
    by_field: dict[tuple[str, str], list[Case]] = {}
    for case in found:
        path = case.difference.path
        if path[0] == "components" and path[-1] in _WORDS:
            by_field.setdefault((split_instance(str(path[1]))[0], str(path[-1])), []).append(case)
    told = False
    for (name, field), group in by_field.items():
        component = context.definition.component(name)
        if component is None or extraction.is_faulty(context, component):
            continue
        if field == "pods" and not is_attributed(context):
            continue
        wrong_count = {
            (id(case.scenario), case.difference.path[1]) for case in found if case.difference.path[-1] == "replicas"
        }
        group = [case for case in group if (id(case.scenario), case.difference.path[1]) not in wrong_count]
        if group:
            told = True
            yield _of_component(context, component, field, group)
    totals = [case for case in found if case.difference.path[0] == "totals"]
    if totals and not told and not by_field and is_extracted(context) and is_attributed(context):
        yield _of_totals(totals)


def _of_component(context: Context, component: Component, field: str, group: Sequence[Case]) -> Finding:
    first = group[0].difference
    place = _read_by(component, field)
    slip = likely_misspelling(place, context.shelf) if isinstance(place, Expression) and field != "pods" else None
    span = component.span("name") if place is None else place.span()
    return Finding(
        span if slip is None else slip.span,
        f"{_WORDS[field]} of `{component.name}` are not as expected on {named(_scenarios(group))}: "
        f"`{first.path[1]}` has {shown(first.found)}, expected {shown(first.expected)}.",
        "Correct what they are read by, or the expectation if the definition is right." if slip is None else slip.hint,
        related=expected_here(group),
        fix=None if slip is None else slip.fix,
    )


def _of_totals(totals: Sequence[Case]) -> Finding:
    first = totals[0]
    assert first.scenario.expectation is not None
    return Finding(
        first.scenario.expectation.span(first.difference.path),
        f"The total of {named(_scenarios(totals))} is not the sum of its components: {shown(first.difference.found)}, "
        f"expected {shown(first.difference.expected)}.",
        "Correct the sum, or run `wmap-lint check --update-expected`.",
        related=expected_here(totals[1:]),
    )


_WORDS = {
    "minReplicas": "The least replicas",
    "maxReplicas": "The most replicas",
    "pods": "The pods",
    "requests": "The requests",
}


def _read_by(component: Component, field: str) -> Expression | Located | None:
    """What decides about a field of a component."""
    if field == "pods":
        return _selector(component)
    if field == "requests":
        return _pod_spec(component)
    scale = component.scale_definition
    if scale is None:
        return None
    return (scale.min_replicas_path if field == "minReplicas" else scale.max_replicas_path) or scale


def _selector(component: Component) -> Expression | Located | None:
    selector = component.pod_selector
    if selector is None:
        return None
    kind = selector.type_selector
    return selector.instance_id_path or (kind.key_path if kind is not None else None) or kind


def _pod_spec(component: Component) -> Expression | None:
    spec = component.spec_definition
    if spec is None:
        return None
    fragments = spec.fragmented
    return (
        spec.pod_template_spec_path
        or spec.pod_spec_path
        or (
            None
            if fragments is None
            else fragments.resources_path or fragments.containers_path or fragments.container_path
        )
    )


def shown(value: Any) -> str:
    """A value of an expectation, as a sentence says it."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {shown(each)}" for key, each in value.items()) or "nothing"
    if isinstance(value, list | tuple):
        return f"[{', '.join(shown(each) for each in value)}]"
    return "nothing" if value is None else str(value)


def _scenarios(group: Iterable[Case]) -> list[Scenario]:
    return list({id(case.scenario): case.scenario for case in group}.values())


def expected_here(group: Iterable[Case]) -> tuple[Related, ...]:
    """The places in the first expectations."""
    first = {id(case.scenario): case for case in reversed(list(group))}
    return tuple(
        Related(case.scenario.expectation.span(case.difference.path), "The expectation is here.")
        for case in list(reversed(first.values()))[:_MOST_SHOWN]
        if case.scenario.expectation is not None
    )


def other_gangs(context: Context) -> Iterator[Finding]:
    """WM710; the rules that tell why there is no gang at all are asked first, by whoever calls this."""
    found = [case for case in cases(context) if case.difference.path[0] == "gangs"]
    if any(case.difference.path[-1] == "minReplicas" for case in cases(context)):
        return  # what a gang needs is the sum of these
    if not found or not is_extracted(context) or not is_attributed(context):
        return
    by_field: dict[str, list[Case]] = {}
    for case in found:
        path = case.difference.path
        field = str(path[2]) if len(path) > 2 else "gang"
        by_field.setdefault(field, []).append(case)
    if "gang" in by_field:
        by_field = {"gang": by_field["gang"]}  # another gang differs in everything
    for field, group in by_field.items():
        yield _of_gang(context, field, group)


def _of_gang(context: Context, field: str, group: Sequence[Case]) -> Finding:
    gang = context.definition.gang
    first = next((case.difference for case in group if case.difference.expected is not None), group[0].difference)
    names = [
        each.name or "" for each in ([gang.pod_group] if gang and gang.pod_group else gang.pod_groups if gang else ())
    ]
    where: Located = context.definition if gang is None else gang
    document = context.document
    if gang is None:
        span: Span = document.key_span(("spec", "optimizationInstructions", "gangScheduling"))
    elif gang.pod_group is not None:
        span = where.key_span("podGroup")
    else:
        span = where.key_span("podGroups")
    hint = "Correct the gang, or the expectation if the definition is right."
    if field == "gang":
        wanted = first.expected or {}
        extra = next((case.difference.found for case in group if case.difference.expected is None), None)
        if not wanted:
            text = f"there is a gang `{extra['name'] if extra else ''}`, and none is expected"
        else:
            text = f"there is no gang `{wanted['name']}`"
            if gang is not None and gang.pod_group is not None and gang.pod_group.name:
                span = gang.pod_group.span("name")
            close = nearest(str(wanted["name"]), names)
            if close:
                hint = f"Did you mean `{wanted['name']}`?"
    else:
        text = f"`{field}` is {shown(first.found)}, expected {shown(first.expected)}"
        if field == "subGroups" and gang is not None and gang.pod_group is not None:
            span = gang.pod_group.key_span("subGroups") if gang.pod_group.sub_groups else span
            for part, expected in zip(first.found or (), first.expected or (), strict=False):
                if part.get("name") == expected.get("name") and part != expected:
                    place = next(
                        (each for each in gang.pod_group.sub_groups if each.component_name == part["name"]), None
                    )
                    span = span if place is None else place.span("componentName")
                    break
    return Finding(
        span,
        f"The gang is not as expected on {named(_scenarios(group))}: {text}.",
        hint,
        related=expected_here(group),
    )


__all__ = ["Case", "cases", "other_amounts", "other_gangs"]
