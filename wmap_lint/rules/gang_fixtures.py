"""Family WM7, the part that needs objects: what the gang scheduler refuses on the fixtures, and creators in gangs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wmap_lint.definition import Component, Expression, GangScheduling, Located, PodGroupMember
from wmap_lint.diagnostic import Related, Severity, Span
from wmap_lint.fixtures import Scenario
from wmap_lint.jq.engine import Values
from wmap_lint.record import Record
from wmap_lint.resolve.gang import Cause, Refusal, read_gangs
from wmap_lint.resolve.pods import ancestry, pod_name
from wmap_lint.rules import gang, golden, pods_fixtures
from wmap_lint.rules.context import Context, within
from wmap_lint.rules.extraction import named, where_shown
from wmap_lint.rules.pods_fixtures import Recorded
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.wording import listed

# What is told without a fixture, or where pods and instances are examined.
_TOLD = frozenset({Cause.TOPOLOGY, Cause.NO_COMPONENT, Cause.NOT_EXTRACTED, Cause.UNPLACED})

_SHARED = frozenset({Cause.FLIP, Cause.MERGED})


def _static(context: Context) -> list[Finding]:
    return [
        finding
        for check in (
            gang.gang_unknown_component,
            gang.gang_name_not_dns,
            gang.topology_without_level,
            gang.gang_instance_without_scale,
            gang.subgroup_without_scale,
        )
        for finding in check(context)
    ]


class _Case(Record):
    scenario: Scenario
    refusal: Refusal
    recorded: Recorded | None


class _Words(Record):
    """A place, a sentence without full stop in whose middle the scenarios are named, and a hint."""

    span: Span
    before: str
    after: str
    hint: str


class _Examination:
    def __init__(self, context: Context, scheduling: GangScheduling) -> None:
        self.context = context
        self.definition = context.definition
        self.scheduling = scheduling
        kind = context.definition.gvk
        self.severity = Severity.WARNING if kind is not None and gang.has_native_grouping(kind) else Severity.ERROR
        self.findings: dict[str, list[Finding]] = {}

    def add(self, code: str, finding: Finding) -> None:
        self.findings.setdefault(code, []).append(finding)

    def run(self) -> dict[str, list[Finding]]:
        """All findings by code."""
        evaluations = self.context.evaluations
        pods = pods_fixtures.examination(self.context) if evaluations is not None else None
        cases: list[_Case] = []
        if evaluations is not None and pods is not None and not pods.unsure:
            for scenario in evaluations.scenarios:
                if not any(problem.kind == "gang" for problem in self.context.view(scenario).problems):
                    continue
                recorded = [each for each in pods.pods if each.scenario is scenario]
                by_name = {pod_name(each.pod): each for each in recorded}
                reading = read_gangs(
                    self.definition,
                    scenario.workload,
                    self.context.extractions(scenario),
                    [(each.pod, each.programs) for each in recorded],
                )
                empty = sum(refusal.cause is Cause.NO_PODS for refusal in reading.refusals)
                group = self.scheduling.pod_group
                idle = not recorded and group is not None and empty == len(group.sub_groups)
                cases += [
                    _Case(scenario, refusal, by_name.get(refusal.pod or ""))
                    for refusal in reading.refusals
                    if refusal.cause not in _TOLD and not (idle and refusal.cause is Cause.NO_PODS)
                ]
        self.refused(cases)
        self.flips([case for case in cases if case.refusal.cause in _SHARED])
        if pods is not None and not pods.unsure:
            self.overlaps(pods.pods)
        return self.findings

    # -- refusals --------------------------------------------------------------------------------------------

    def refused(self, cases: list[_Case]) -> None:
        """WM707, once for each place and cause."""
        static = _static(self.context)
        groups: dict[tuple[object, ...], tuple[_Words, list[_Case]]] = {}
        for case in cases:
            if case.refusal.cause in _SHARED or (told := self.explained(case)) is None:
                continue
            if any(within(finding.span, told.span) for finding in static):
                continue
            groups.setdefault((told.span, case.refusal.cause), (told, []))[1].append(case)
        for words, found in groups.values():
            scenarios = list({id(case.scenario): case.scenario for case in found}.values())
            native = (
                " (KAI groups this kind by code of its own; other schedulers read what stands here)"
                if self.severity is Severity.WARNING
                else ""
            )
            self.add(
                "WM707",
                Finding(
                    words.span,
                    f"{words.before}{named(scenarios)}{words.after}{native}.",
                    words.hint,
                    related=_shown(found, scenarios),
                    severity=self.severity,
                ),
            )

    def explained(self, case: _Case) -> _Words | None:
        """What to say of a refusal, and where; None when it has been told."""
        refusal = case.refusal
        place = refusal.place
        first = f": {refusal.message.rstrip('.')}"
        if refusal.cause is Cause.NO_PODS and isinstance(place, Located):
            return _Words(
                place.span("componentName"),
                "This subgroup comes to no pods on ",
                ": a subgroup of zero is refused, and no pod of the whole workload is grouped",
                "Leave out the subgroup of a role that may be absent or at zero.",
            )
        if refusal.cause is Cause.NO_SUBGROUP:
            return self.uncovered(case)
        if refusal.cause is Cause.NO_MEMBER and isinstance(place, Component):
            return self.without_member(place)
        if isinstance(place, Expression):
            if self.context.is_told(place):
                return None
            hint = {
                Cause.FILTER: "Give true or false on every pod: compare, or add `// false`.",
                Cause.KEY: "Give one text on every pod of the member: a label that the operator puts on all of them.",
            }.get(refusal.cause, "Use a key in lower-case letters, digits and dashes: `… | ascii_downcase`.")
            return _Words(place.span(), "On ", first, hint)
        if isinstance(place, Located):
            return _Words(place.key_span(), "On ", first, "Correct it for these fixtures.")
        return None

    def uncovered(self, case: _Case) -> _Words | None:
        group = self.scheduling.pod_group
        if group is None or case.recorded is None or len(case.recorded.claims) != 1:
            return None  # whose pod it is has been told
        component = case.recorded.claims[0]
        names = {each.component_name for each in group.sub_groups}
        over = next((each for each in ancestry(self.definition, component) if each.name in names), None)
        if over is None:
            return _Words(
                group.key_span("subGroups"),
                f"No subgroup has the pods of `{component.name}` on ",
                ": the scheduler then looks for a subgroup called `default`, finds none, and leaves them unscheduled",
                f"Add a subgroup for `{component.name}`, or leave out `subGroups`.",
            )
        place = next(each for each in group.sub_groups if each.component_name == over.name)
        return _Words(
            place.span("componentName"),
            f"This subgroup never gets the pods of `{component.name}`, as on ",
            ": subgroups are filled by `componentTypeSelector` alone, also where a component is the only one with pods",
            f"Give `{component.name}` a `podSelector.componentTypeSelector`.",
        )

    def without_member(self, component: Component) -> _Words:
        levels = {each.name for each in ancestry(self.definition, component)}
        for group in self.scheduling.pod_groups:
            for member in group.members:
                if member.component_name in levels and member.filters:
                    return _Words(
                        member.filters[0].span(),
                        f"No filter lets through a pod of `{component.name}` on ",
                        ", and no other member takes it: the pod is not grouped",
                        "Widen a filter, or add a member without one for the rest.",
                    )
        return _Words(
            self.scheduling.key_span("podGroups"),
            f"No member takes the pods of `{component.name}` on ",
            ": they are not grouped",
            f"Add a member for `{component.name}` or for a level above it.",
        )

    # -- members that get into each other's way --------------------------------------------------------------

    def flips(self, cases: list[_Case]) -> None:
        """WM708 for members that write different minimums into one PodGroup."""
        told: set[int] = set()
        groups: dict[int, tuple[Located, list[_Case]]] = {}
        for case in cases:
            if isinstance(case.refusal.place, Located):
                groups.setdefault(id(case.refusal.place), (case.refusal.place, []))[1].append(case)
        for member, found in groups.values():
            told.add(id(member))
            scenarios = list({id(case.scenario): case.scenario for case in found}.values())
            effect = (
                "each pod writes the minimum of its own member into it, which flips"
                if any(case.refusal.cause is Cause.FLIP for case in found)
                else "the names of groups are no part of it"
            )
            self.add(
                "WM708",
                Finding(
                    member.span("componentName"),
                    f"On {named(scenarios)} the pods of this member and those of another one have the same keys, so "
                    f"they are in one PodGroup, and {effect}.",
                    "List the level above both as the only member, or give the members different keys.",
                    related=_shown(found, scenarios),
                    severity=self.severity,
                ),
            )
        without_keys: list[PodGroupMember] = []
        if self.scheduling.pod_group is None:
            without_keys = [
                member
                for group in self.scheduling.pod_groups
                for member in group.members
                if self.definition.component(member.component_name or "") is not None
                and not member.present("groupByKeyPaths")
                and not self.context.is_doubtful((*member.path, "groupByKeyPaths"))
            ]
        seen = {member.component_name for member in without_keys[:1]}
        for member in without_keys[1:]:
            first = without_keys[0]
            if told or member.component_name in seen:
                continue
            seen.add(member.component_name)
            self.add(
                "WM708",
                Finding(
                    member.span("componentName"),
                    f"Neither this member nor `{first.component_name}` has `groupByKeyPaths`, so their pods are in one "
                    "PodGroup, and each pod writes the minimum of its own member: it flips between them.",
                    "List the level above both as the only member, or write `podGroup` with `subGroups`.",
                    related=(Related(first.span("componentName"), "The other member is here."),),
                    severity=Severity.WARNING,
                ),
            )

    def overlaps(self, pods: Iterable[Recorded]) -> None:
        """WM708 for filters of two members for one component that both let a pod through."""
        found: dict[int, tuple[PodGroupMember, PodGroupMember, list[Recorded]]] = {}
        for each in pods:
            if len(each.claims) != 1:
                continue
            for level in ancestry(self.definition, each.claims[0]):
                members = [
                    member
                    for group in self.scheduling.pod_groups
                    for member in group.members
                    if member.component_name == level.name and member.filters
                ]
                passing = [member for member in members if _passes(member, each)]
                if len(passing) > 1:
                    found.setdefault(id(passing[1]), (passing[0], passing[1], []))[2].append(each)
        for first, second, recorded in found.values():
            scenarios = list({id(each.scenario): each.scenario for each in recorded}.values())
            self.add(
                "WM708",
                Finding(
                    second.filters[0].span(),
                    f"Pod {recorded[0].name} passes these filters and those of an earlier member for "
                    f"`{second.component_name}`, which takes it: what is grouped here depends on the order.",
                    "Let the filters exclude each other.",
                    related=(
                        Related(first.filters[0].span(), "The filters of the earlier member are here."),
                        *where_shown(scenarios)[:2],
                    ),
                    severity=self.severity,
                ),
            )


def _passes(member: PodGroupMember, recorded: Recorded) -> bool:
    outcomes = [recorded.programs(path.text) for path in member.filters]
    return all(isinstance(each, Values) and each.values == (True,) for each in outcomes)


def _shown(cases: list[_Case], scenarios: list[Scenario]) -> tuple[Related, ...]:
    pods = {id(case.scenario): case.recorded for case in reversed(cases) if case.recorded is not None}
    if not pods:
        return where_shown(scenarios)
    return tuple(
        Related(pods_fixtures.pod_span(each.scenario, each.pod), "The pod is here.")
        for each in list(reversed(pods.values()))[:3]
    )


def _examined(context: Context, code: str) -> Iterable[Finding]:
    scheduling = context.definition.gang
    if scheduling is None:
        return ()
    if __name__ not in context.memo:
        context.memo[__name__] = _Examination(context, scheduling).run()
    findings: dict[str, list[Finding]] = context.memo[__name__]
    return findings.get(code, ())


@rule("WM707", "gang-refused", Severity.ERROR, "The gang of a fixture, or of one of its pods, is refused.")
def gang_refused(context: Context) -> Iterable[Finding]:
    """Refusals of the pod grouper and of the API server."""
    return _examined(context, "WM707")


@rule("WM708", "gang-members-overlap", Severity.ERROR, "Two members of podGroups share pods or a PodGroup.")
def gang_members_overlap(context: Context) -> Iterable[Finding]:
    """Members whose minimum flips, filters that overlap."""
    return _examined(context, "WM708")


@rule("WM709", "creator-in-gang", Severity.WARNING, "A role is ganged with another one that its own pods create.")
def creator_in_gang(context: Context) -> Iterator[Finding]:
    """A gang waits until all of its pods are there; those that a running pod creates never are."""
    scheduling = context.definition.gang
    if scheduling is None:
        return
    sets: list[list[tuple[Located, str]]] = []
    if scheduling.pod_group is not None:
        sets.append([(each, each.component_name or "") for each in scheduling.pod_group.sub_groups])
    else:
        sets += [[(each, each.component_name or "") for each in group.members] for group in scheduling.pod_groups]
    for parts in sets:
        names = {name for _, name in parts}
        for place, name in parts:
            component = context.definition.component(name)
            if component is None or not component.is_pod_bearing:
                continue
            creators = [
                each.name
                for each in ancestry(context.definition, component)[1:]
                if each.name in names and each.is_pod_bearing
            ]
            if creators and not context.is_doubtful((*component.path, "ownerRef")):
                yield Finding(
                    place.span("componentName"),
                    f"The pods of `{name}` belong to those of {listed(creators)}, which create them once they run, and "
                    "a gang lets none run before all are there: neither ever starts.",
                    f"Leave `{name}` out of the gang, or gang it on its own.",
                    related=(Related(component.span("ownerRef"), f"The owner of `{name}` is here."),),
                )


@rule("WM710", "gang-differs", Severity.ERROR, "The gangs of a fixture are not those of the expectation.")
def gang_differs(context: Context) -> Iterator[Finding]:
    """Golden files that say otherwise of gangs."""
    scheduling = context.definition.gang
    if context.is_doubtful(("spec", "optimizationInstructions")):
        return
    if scheduling is not None and (
        context.has_static_finding(scheduling.span())
        or _static(context)
        or list(_examined(context, "WM707"))
        or list(_examined(context, "WM708"))
    ):
        return
    yield from golden.other_gangs(context)
