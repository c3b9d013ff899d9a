"""Family WM6, the part that needs pods: which component and which instance the recorded pods are found to be of.

One fault gives one finding. A key that no pod carries explains every pod that is not found through it, and a
selector that is missing has been told without any pod; then nothing more is said about the pods themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from wmap_lint.definition import Component, ComponentTypeSelector, Expression
from wmap_lint.diagnostic import Edit, Fix, Related, Severity, Span
from wmap_lint.fixtures import Scenario
from wmap_lint.jq.engine import Failure, FailureKind, Values
from wmap_lint.record import Record
from wmap_lint.resolve.evaluation import Programs
from wmap_lint.resolve.pods import Ownership, ancestry, by_uid, go_text, ownership, pod_name, type_matches
from wmap_lint.resolve.structure import read_ids
from wmap_lint.rules import extraction
from wmap_lint.rules.context import Context
from wmap_lint.rules.dead_ends import Shelf, dead_ends
from wmap_lint.rules.evaluation import Evaluations
from wmap_lint.rules.extraction import named
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.rules.structure import yaml_text
from wmap_lint.spelling import nearest

_MOST_SHOWN = 3


class Recorded(Record):
    """One recorded pod of the workload, and the components whose selectors say that it is theirs."""

    scenario: Scenario
    pod: Mapping[str, Any]
    programs: Programs
    claims: tuple[Component, ...]

    @property
    def name(self) -> str:
        """As a sentence names it."""
        return f"`{pod_name(self.pod) or '?'}` of `{self.scenario.label}`"


def _examined(context: Context, code: str) -> Iterable[Finding]:
    return examination(context).findings.get(code, ()) if context.evaluations is not None else ()


def examination(context: Context) -> _Examination:
    """What was found out about the recorded pods, worked out once; there have to be evaluations."""
    if __name__ not in context.memo:
        evaluations = context.evaluations
        assert evaluations is not None
        context.memo[__name__] = found = _Examination(context, evaluations)
        found.run()
    result = context.memo[__name__]
    assert isinstance(result, _Examination)
    return result


class _Examination:
    """All recorded pods held against all selectors; :attr:`findings` by code, :attr:`blamed` the components in them.

    ``placed`` are the pods that exactly one component claims.
    """

    def __init__(self, context: Context, evaluations: Evaluations) -> None:
        self.context = context
        self.evaluations = evaluations
        self.definition = context.definition
        self.bearing = [each for each in self.definition.components if each.is_pod_bearing]
        self.findings: dict[str, list[Finding]] = {}
        self.blamed: set[str] = set()
        self.unsure = False
        self.pods: list[Recorded] = []
        self.shelf = Shelf(())

    def run(self) -> None:
        """Find everything."""
        own = self.owned()
        self.shelf = Shelf(pod for _, pod, _ in own)
        self.unsure = any(self.is_told(each) for each in self.bearing)
        self.failing(own)
        self.pods = [Recorded(*each, self.claims(each[1], each[2])) for each in own]
        if not self.unsure:
            self.dead_selectors()
            self.unmatched()
            self.doubly_matched()
        for component in self.definition.components:
            self.instance_keys(component)
            self.replica_keys(component)

    @property
    def placed(self) -> list[Recorded]:
        """The pods of which it is clear whose they are."""
        return [each for each in self.pods if len(each.claims) == 1]

    def add(self, code: str, finding: Finding, *components: Component) -> None:
        self.findings.setdefault(code, []).append(finding)
        self.blamed.update(each.name for each in components)

    # -- whose pods they are ---------------------------------------------------------------------------------

    def owned(self) -> list[tuple[Scenario, Mapping[str, Any], Programs]]:
        """The pods that are the workload's; WM606 for the others, once a fixture."""
        own: list[tuple[Scenario, Mapping[str, Any], Programs]] = []
        for scenario in self.evaluations.scenarios:
            chain = by_uid(scenario.documents[1:])
            strangers: list[tuple[Mapping[str, Any], Ownership, str]] = []
            for pod, programs in self.evaluations.pods_of(scenario):
                owner, last = (
                    (Ownership.OWNED, "") if pod is scenario.workload else ownership(pod, scenario.workload, chain)
                )
                if owner is not Ownership.FOREIGN:
                    own.append((scenario, pod, programs))
                if owner is not Ownership.OWNED:
                    strangers.append((pod, owner, last))
            if strangers:
                self.stranger(scenario, strangers)
        return own

    def stranger(self, scenario: Scenario, strangers: Sequence[tuple[Mapping[str, Any], Ownership, str]]) -> None:
        pod, owner, last = next((each for each in strangers if each[1] is Ownership.FOREIGN), strangers[0])
        more = f", and {len(strangers) - 1} more pods of this fixture likewise" if len(strangers) > 1 else ""
        if owner is Ownership.UNKNOWN:
            message = f"The owner of pod `{pod_name(pod)}`, {last}, is not in the fixture{more}: nothing shows that "
            message += "the pod is the workload's, and consumers that cannot read an owner leave the pod out."
            hint = f"Record {last} beside the pod."
        else:
            why = f"its owners end at {last}" if last else "it has no controller"
            message = f"Pod `{pod_name(pod)}` is not the workload's, for {why}{more}: consumers do not count it."
            hint = "Give it `metadata.ownerReferences` as the operator writes them, or leave it out."
        severity = Severity.WARNING if owner is Ownership.UNKNOWN else None
        self.add("WM606", Finding(pod_span(scenario, pod), message, hint, severity=severity))

    def is_told(self, component: Component) -> bool:
        """Whether what is wrong with the type selector shows without any pod."""
        selector = _selector(component)
        if selector is None:
            return len(self.bearing) > 1  # WM610
        where = (*component.path, "podSelector")
        return self.context.is_doubtful((*where, "componentTypeSelector")) or self.context.has_static_finding(
            component.document.span((*where, "componentTypeSelector"))
        )

    def claims(self, pod: Mapping[str, Any], programs: Programs) -> tuple[Component, ...]:
        if len(self.bearing) == 1 and _selector(self.bearing[0]) is None:
            return (self.bearing[0],)
        return tuple(each for each in self.bearing if type_matches(_selector(each), pod, programs).holds)

    def pods_of(self, component: Component) -> list[Recorded]:
        """The pods that are certainly of ``component`` or of a level or role below it."""
        return [
            each
            for each in self.placed
            if any(level is component for level in ancestry(self.definition, each.claims[0]))
        ]

    def expects_pods(self, component: Component) -> bool | None:
        """Whether any expectation counts pods of ``component``; None when none says."""
        counts = [
            expected["pods"]
            for scenario in self.evaluations.scenarios
            if scenario.expectation is not None
            for expected in scenario.expectation.instances(component.name).values()
            if "pods" in expected
        ]
        return any(counts) if counts else None

    # -- expressions that fail -------------------------------------------------------------------------------

    def failing(self, own: Sequence[tuple[Scenario, Mapping[str, Any], Programs]]) -> None:
        """WM607 for type selectors, which meet every pod."""
        for component in self.bearing:
            selector = _selector(component)
            if selector is None or selector.key_path is None or self.context.is_told(selector.key_path):
                continue
            failures = [
                (Recorded(scenario, pod, programs, ()), failure)
                for scenario, pod, programs in own
                if (failure := _failure(selector.key_path, programs)) is not None
            ]
            if failures:
                self.unsure = True
                self.fails(component, selector.key_path, failures)

    def fails(self, component: Component, expression: Expression, failures: Sequence[tuple[Recorded, Failure]]) -> None:
        first, failure = failures[0]
        more = f", and on {len(failures) - 1} more" if len(failures) > 1 else ""
        self.add(
            "WM607",
            Finding(
                expression.span(),
                f"On pod {first.name} jq fails{more}: {failure.message}. Consumers then place no pod of the workload.",
                "Make it give null where something is missing: `.a?`, `.a // null`.",
                related=_here([each for each, _ in failures]),
            ),
            component,
        )

    # -- type selectors --------------------------------------------------------------------------------------

    def dead_selectors(self) -> None:
        """WM604 for type selectors by what no pod carries, where pods of the role are missing for it."""
        lost = any(not each.claims for each in self.pods)
        for component in self.bearing:
            selector = _selector(component)
            if selector is None or not self.pods or any(component in each.claims for each in self.pods):
                continue
            if not (self.expects_pods(component) or lost):
                continue
            if selector.key_path is not None and not any(
                _values(selector.key_path, each.programs) for each in self.pods
            ):
                self.dead_key(component, selector.key_path, self.pods, _said(selector.value))
                continue
            for key in selector.match_labels or {}:
                if not any(key in _labels(each.pod) for each in self.pods):
                    self.dead_label(component, selector, key)
                    break

    def dead_key(
        self,
        component: Component,
        expression: Expression,
        pods: Sequence[Recorded],
        carries: Callable[[frozenset[str]], bool],
    ) -> None:
        """WM604 for an expression that is null on all of ``pods``; ``carries`` tells a label by its values."""
        shelf = Shelf(each.pod for each in pods)
        steps = list(dead_ends(expression, shelf))
        step = next((each for each in steps if each.close), steps[0] if steps else None)
        hint = None if step is None else step.hint
        if hint is None:
            hint = self.carrier(pods, carries) or "Name what the operator puts on its pods."
        what = "this" if step is None else f"`{step.name}`"
        self.add(
            "WM604",
            Finding(
                expression.span() if step is None else step.span,
                f"No recorded pod{self.of_component(component, pods)} carries {what}, so "
                f"`{expression.slot.label}` gives nothing on {_count(pods)}: "
                + self.consequence(component, expression),
                hint,
                related=_here(pods),
                fix=None if step is None else step.fix,
            ),
            component,
        )

    def of_component(self, component: Component, pods: Sequence[Recorded]) -> str:
        return f" of `{component.name}`" if len(pods) < len(self.pods) else ""

    def consequence(self, component: Component, expression: Expression) -> str:
        if "Type" in expression.slot.label:
            return f"no pod is ever found to be of `{component.name}`."
        if "Instance" in expression.slot.label:
            return f"consumers cannot tell the instances of `{component.name}` apart, and give the workload up."
        return f"the replicas of `{component.name}` cannot be told apart."

    def carrier(self, pods: Sequence[Recorded], carries: Callable[[frozenset[str]], bool]) -> str | None:
        """The label that carries what is looked for, if one does."""
        values: dict[str, set[str]] = {}
        for each in pods:
            for key, value in _labels(each.pod).items():
                if isinstance(value, str):
                    values.setdefault(key, set()).add(value)
        found = [key for key, texts in sorted(values.items()) if carries(frozenset(texts))]
        return f"Pods carry it as the label `{found[0]}`." if found else None

    def dead_label(self, component: Component, selector: ComponentTypeSelector, key: str) -> None:
        known = sorted({name for each in self.pods for name in _labels(each.pod)})
        close = nearest(key, known)
        span = selector.key_span("matchLabels", key)
        self.add(
            "WM604",
            Finding(
                span,
                f"No recorded pod carries the label `{key}`: no pod is ever found to be of `{component.name}`.",
                f"Did you mean `{close[0]}`?" if close else "Name a label that the operator puts on its pods.",
                related=_here(self.pods),
                fix=Fix(f"Change {key} to {close[0]}", (Edit(span, yaml_text(close[0])),)) if len(close) == 1 else None,
            ),
            component,
        )

    def unmatched(self) -> None:
        """WM601 for the pods that nothing claims."""
        lost = [each for each in self.pods if not each.claims]
        if not lost or self.blamed or not self.bearing:
            return
        idle = [each for each in self.bearing if not any(each in pod.claims for pod in self.pods)]
        for component in (*idle, *(each for each in self.bearing if len(self.bearing) == 1)):
            place = self.wrong_value(component, lost)
            if place is not None:
                span, hint, fix = place
                break
        else:
            component = None
            span = self.definition.document.key_span(("spec", "structureDefinition", "childComponents"))
            hint = "Add a component for the role of these pods, or widen the selector of the one they belong to."
            fix = None
        if len(self.bearing) == 1:
            who = f"`{self.bearing[0].name}`, the only component with pods"
            effect = "some consumers count what is there under it all the same, others show nothing"
        else:
            who = "any component"
            effect = "consumers leave such a pod out, or refuse to place it"
        subject = f"Pod {lost[0].name} does" if len(lost) == 1 else f"{_count(lost)}, {lost[0].name} first, do"
        self.add(
            "WM601",
            Finding(span, f"{subject} not match {who}: {effect}.", hint, related=_here(lost), fix=fix),
            *(() if component is None else (component,)),
        )

    def wrong_value(self, component: Component, lost: Sequence[Recorded]) -> tuple[Span, str, Fix | None] | None:
        """The value of a type selector that pods have otherwise, with what they have."""
        selector = _selector(component)
        if selector is None:
            return None
        said: list[tuple[str, Span, list[str]]] = []
        if selector.key_path is not None and selector.value is not None:
            found = {go_text(value) for each in lost for value in _values(selector.key_path, each.programs)}
            said.append((selector.value, selector.span("value"), sorted(found)))
        for key, value in (selector.match_labels or {}).items():
            found = {go_text(_labels(each.pod)[key]) for each in lost if key in _labels(each.pod)}
            if value not in found:
                said.append((value, selector.span("matchLabels", key), sorted(found)))
        for wanted, span, texts in said:
            if texts:
                close = nearest(wanted, texts) or ((texts[0],) if len(texts) == 1 else ())
                have = ", ".join(f"`{text}`" for text in texts[:_MOST_SHOWN])
                fix = Fix(f"Change {wanted} to {close[0]}", (Edit(span, yaml_text(close[0])),)) if close else None
                return span, f"These pods have {have} here.", fix
        if selector.key_path is not None:
            return selector.key_path.span(), "These pods have nothing of the kind.", None
        return None

    def doubly_matched(self) -> None:
        """WM602, once for each set of components that claim the same pods."""
        groups: dict[tuple[str, ...], list[Recorded]] = {}
        for each in self.pods:
            if len(each.claims) > 1:
                groups.setdefault(tuple(component.name for component in each.claims), []).append(each)
        for names, pods in groups.items():
            culprit = self.greedy(pods)
            selector = _selector(culprit)
            assert selector is not None
            span = selector.key_path.span() if selector.key_path is not None else selector.key_span("matchLabels")
            others = " and ".join(f"`{name}`" for name in names)
            this = f"pod {pods[0].name}" if len(pods) == 1 else f"{_count(pods)} ({pods[0].name} first)"
            only = (
                "Without `value` whatever has the label matches: add the value that only this role has."
                if selector.value is None and not selector.match_labels
                else "Let it select what only this role has."
            )
            self.add(
                "WM602",
                Finding(
                    span,
                    f"The selectors of {others} both match {this}: some consumers count such a pod under the first, "
                    "others show it twice."
                    if len(names) == 2
                    else f"The selectors of {others} all match {this}: some consumers count such a pod under the "
                    "first, others show it several times.",
                    only,
                    related=_here(pods),
                ),
                *pods[0].claims,
            )

    def greedy(self, pods: Sequence[Recorded]) -> Component:
        """Of the components that claim ``pods``, the one that claims more than it should."""
        claims = pods[0].claims
        for component in claims:
            for scenario in self.evaluations.scenarios:
                if scenario.expectation is None:
                    continue
                expected = scenario.expectation.instances(component.name).values()
                if not all("pods" in each for each in expected):
                    continue
                found = sum(component in each.claims for each in self.pods if each.scenario is scenario)
                if found > sum(each["pods"] for each in expected):
                    return component
        for component in claims:
            selector = _selector(component)
            if selector is not None and selector.value is None and not selector.match_labels:
                return component
        return claims[-1]

    # -- instances and replicas ------------------------------------------------------------------------------

    def instance_keys(self, component: Component) -> None:
        """WM603, WM604 and WM607 for the key by which pods say of which instance they are."""
        key = component.pod_selector.instance_id_path if component.pod_selector else None
        ids_path = component.instance_id_path
        if key is None or ids_path is None or self.context.is_told(key) or self.context.is_told(ids_path):
            return
        if component.name in self.blamed or extraction.is_faulty(self.context, component):
            return
        pods = self.pods_of(component)
        if not pods or self.breaks(component, key, pods):
            return
        ids = {
            id(scenario): found
            for scenario in self.evaluations.scenarios
            if isinstance(found := read_ids(component, self.evaluations.on(scenario)), tuple)
        }
        texts = {id(each): [go_text(value) for value in _values(key, each.programs) if value != ""] for each in pods}
        if not any(texts.values()):
            everyone = {each for found in ids.values() for each in found}
            self.dead_key(component, key, pods, lambda said: said <= everyone)
            return
        wrong = [
            each
            for each in pods
            if id(each.scenario) in ids and (not texts[id(each)] or texts[id(each)][0] not in ids[id(each.scenario)])
        ]
        if wrong:
            self.other_instance(component, key, ids_path, wrong, texts, ids)

    def other_instance(
        self,
        component: Component,
        key: Expression,
        ids_path: Expression,
        wrong: Sequence[Recorded],
        texts: Mapping[int, Sequence[str]],
        ids: Mapping[int, Sequence[str]],
    ) -> None:
        spelled = [each for each in wrong if texts[id(each)]]
        span = key.span()
        if not spelled:
            message = (
                f"Pod {wrong[0].name} does not say of which instance of `{component.name}` it is, while others do: "
                "one such pod is enough for consumers to give the workload up."
            )
            hint = "Read a label that the operator puts on every pod of this component."
        else:
            first = spelled[0]
            said = texts[id(first)][0]
            known = ids[id(first.scenario)]
            have = ", ".join(f"`{each}`" for each in known) or "no instance"
            message = (
                f"Pod {first.name} says that it is of instance `{said}`, and `{component.name}` has {have}: consumers "
                "cannot place it."
            )
            hint = "Let both give the same text for the same instance."
            twin = next((each for each in known if each.lower() == said.lower()), None)
            if twin is not None:
                message = (
                    f"Pod {first.name} calls its instance `{said}` and `instanceIdPath` calls it `{twin}`: consumers "
                    "compare them with regard to case, and cannot place the pod."
                )
                if said == twin.lower():
                    span = ids_path.span()
                    hint = "Give the ids in lower case, as pods carry them: `… | ascii_downcase`."
                else:
                    hint = "Give the key in the case of the ids: `… | ascii_downcase`."
        self.add("WM603", Finding(span, message, hint, related=_here(wrong)), component)

    def replica_keys(self, component: Component) -> None:
        """WM604 and WM607 for the key by which pods say of which replica they are."""
        key = component.pod_selector.replica_key_path if component.pod_selector else None
        if key is None or component.name in self.blamed or self.context.is_told(key):
            return
        pods = self.pods_of(component)
        if not pods or self.breaks(component, key, pods):
            return
        if not any(_values(key, each.programs) for each in pods):
            self.dead_key(component, key, pods, lambda _: False)

    def breaks(self, component: Component, key: Expression, pods: Sequence[Recorded]) -> bool:
        """WM607 for a key that fails on pods of its component."""
        failures = [(each, failure) for each in pods if (failure := _failure(key, each.programs)) is not None]
        if failures:
            self.fails(component, key, failures)
        return bool(failures)


def pod_span(scenario: Scenario, pod: Mapping[str, Any]) -> Span:
    """Where a pod stands in its fixture."""
    position = next(at for at, each in enumerate(scenario.documents) if each is pod)
    assert scenario.content is not None
    document = scenario.content.reading.documents[position]
    return document.span(("metadata", "name")) if _metadata(pod).get("name") else document.key_span(())


def _here(pods: Sequence[Recorded]) -> tuple[Related, ...]:
    """One pod of each of the first scenarios."""
    first: dict[int, Recorded] = {}
    for each in pods:
        first.setdefault(id(each.scenario), each)
    return tuple(
        Related(pod_span(each.scenario, each.pod), "The pod is here.") for each in list(first.values())[:_MOST_SHOWN]
    )


def _count(pods: Sequence[Recorded]) -> str:
    scenarios = list({id(each.scenario): each.scenario for each in pods}.values())
    return f"{len(pods)} pod{'' if len(pods) == 1 else 's'} of {named(scenarios)}"


def _said(value: str | None) -> Callable[[frozenset[str]], bool]:
    """Whether a label says ``value`` on any pod."""
    return lambda texts: value is not None and value in texts


def _selector(component: Component) -> ComponentTypeSelector | None:
    return component.pod_selector.type_selector if component.pod_selector else None


def _failure(expression: Expression, programs: Programs) -> Failure | None:
    outcome = programs(expression.text)
    return outcome if isinstance(outcome, Failure) and outcome.kind is FailureKind.ERROR else None


def _values(expression: Expression, programs: Programs) -> list[Any]:
    """The results that are not null."""
    outcome = programs(expression.text)
    return [value for value in outcome.values if value is not None] if isinstance(outcome, Values) else []


def _metadata(item: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = item.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _labels(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    labels = _metadata(pod).get("labels")
    return {key: value for key, value in labels.items() if isinstance(key, str)} if isinstance(labels, dict) else {}


# --- the rules ----------------------------------------------------------------------------------------------


@rule("WM601", "pod-of-no-component", Severity.ERROR, "A recorded pod matches no component.")
def pod_of_no_component(context: Context) -> Iterable[Finding]:
    """Pods that no selector finds."""
    return _examined(context, "WM601")


@rule("WM602", "pod-of-two-components", Severity.ERROR, "A recorded pod matches two components.")
def pod_of_two_components(context: Context) -> Iterable[Finding]:
    """Selectors that overlap on a pod."""
    return _examined(context, "WM602")


@rule("WM603", "pod-of-unknown-instance", Severity.ERROR, "A pod names an instance that its component does not have.")
def pod_of_unknown_instance(context: Context) -> Iterable[Finding]:
    """Labels and ids that do not meet."""
    return _examined(context, "WM603")


@rule("WM604", "key-on-no-pod", Severity.ERROR, "A selector reads a key that no recorded pod carries.")
def key_on_no_pod(context: Context) -> Iterable[Finding]:
    """Selectors that find nothing on any pod."""
    return _examined(context, "WM604")


@rule("WM605", "replica-selector-repeated", Severity.WARNING, "A replicaSelector repeats that of a level above.")
def replica_selector_repeated(context: Context) -> Iterator[Finding]:
    """Descendants inherit the replica a pod is of; said again it reads as a further level of replicas."""
    for component in context.definition.components:
        key = component.pod_selector.replica_key_path if component.pod_selector else None
        if key is None:
            continue
        for level in ancestry(context.definition, component)[1:]:
            above = level.pod_selector.replica_key_path if level.pod_selector else None
            if above is not None and "".join(above.text.split()) == "".join(key.text.split()):
                yield Finding(
                    key.span(),
                    f"`{level.name}` makes its replicas by this key, and `{component.name}` below it inherits that: "
                    "said again, every replica counts as holding replicas of its own.",
                    "Remove it here.",
                    related=(Related(above.span(), "The replicas are made here."),),
                )
                break


@rule("WM606", "pod-not-owned", Severity.ERROR, "A recorded pod is not the workload's by its chain of owners.")
def pod_not_owned(context: Context) -> Iterable[Finding]:
    """Pods in a fixture that consumers would not attribute to its workload."""
    return _examined(context, "WM606")


@rule("WM607", "pod-expression-fails", Severity.ERROR, "A selector fails on a recorded pod.")
def pod_expression_fails(context: Context) -> Iterable[Finding]:
    """Errors that jq raises on a pod."""
    return _examined(context, "WM607")


__all__ = ["Recorded", "examination", "pod_span"]
