"""Every case of the tables, asked of the library. Only what a case expects is looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.tables import CASES, WIDGET, Case
from tests.resolve.evaluation import error_class, meaning, outcomes_of, problem_class, rendered
from wmap_lint.catalog import Resolver
from wmap_lint.checker import check_text
from wmap_lint.definition import Definition
from wmap_lint.diagnostic import Severity
from wmap_lint.jq.engine import Engine, Failure
from wmap_lint.resolve import gang
from wmap_lint.resolve.evaluation import Programs, evaluate, plan
from wmap_lint.resolve.pods import Ownership, go_text, ownership, pod_name, type_matches, typed
from wmap_lint.resolve.status import StatusReading, read_status
from wmap_lint.resolve.structure import Extraction, extract
from wmap_lint.resolve.view import WorkloadView
from wmap_lint.resolve.writes import WriteError, paths_by, resume, suspend, update_pods


class Asked:
    """A case, and the ways to ask the library about it."""

    def __init__(self, case: Case, engine: Engine) -> None:
        self.case = case
        self.engine = engine

    def extraction(self, definition: Definition) -> Extraction:
        return extract(self.case.component(definition), outcomes_of(self.engine, definition, self.case.workload))

    def status(self) -> StatusReading:
        definition = self.case.definition
        assert definition.root is not None
        assert definition.root.status_definition is not None
        outcomes = outcomes_of(self.engine, definition, self.case.workload)
        return read_status(definition.root.status_definition, outcomes, raw=not self.case["admitted"])

    def view(self) -> WorkloadView:
        resolver = Resolver(self.engine)
        return resolver.resolve(self.case.definition, self.case.workload, self.case.pods, self.case["owners"] or ())

    def pods(self, definition: Definition) -> list[tuple[dict[str, Any], Programs]]:
        pods = self.case.pods
        return list(zip(pods, evaluate(self.engine, plan(definition).pod, [typed(pod) for pod in pods]), strict=True))

    # -- jq -------------------------------------------------------------------------------------------

    def results(self) -> Any:
        (programs,) = evaluate(self.engine, [self.case["program"]], [self.case["input"]])
        outcome = programs(self.case["program"])
        return error_class(outcome) if isinstance(outcome, Failure) else list(outcome.values)

    def text(self) -> Any:
        """The one result, as consumers print a key."""
        (value,) = self.results()
        return go_text(value)

    # -- extraction -----------------------------------------------------------------------------------

    def instances(self) -> Any:
        found = self.extraction(self.case.definition)
        assert found.problem is None, found.problem.message
        return {key: rendered(value) for key, value in found.instances.items()}

    def problem(self) -> Any:
        found = self.extraction(self.case.definition).problem
        return None if found is None else problem_class(found)

    def message(self) -> Any:
        found = self.extraction(self.case.definition).problem
        return None if found is None else found.message

    def duplicates(self) -> Any:
        return list(self.extraction(self.case.definition).duplicates)

    # -- status ---------------------------------------------------------------------------------------

    def matched(self) -> Any:
        reading = self.status()
        assert reading.error is None, reading.error
        return list(reading.matched)

    def status_error(self) -> Any:
        reading = self.status()
        return None if reading.error is None else error_class(reading.error.cause)

    def phase(self) -> Any:
        return self.status().phase

    def conditions(self) -> Any:
        return [
            {name: each for name, each in vars(condition).items() if each is not None}
            for condition in self.status().conditions
        ]

    # -- pods -----------------------------------------------------------------------------------------

    def matches(self) -> Any:
        """For each pod the components whose type selector it matches, or "error"."""
        definition = self.case.definition
        found: dict[str, Any] = {}
        for pod, programs in self.pods(definition):
            answers = {
                each.name: type_matches(each.pod_selector.type_selector, pod, programs)
                for each in definition.components
                if each.pod_selector is not None
            }
            failed = any(answer.failure is not None for answer in answers.values())
            found[pod_name(pod)] = "error" if failed else [name for name, answer in answers.items() if answer.holds]
        return found

    def library(self) -> Any:
        """For each pod the component that consumers' library takes it for, or "error"."""
        definition = self.case.definition
        found = {}
        for pod, programs in self.pods(definition):
            try:
                found[pod_name(pod)] = gang.infer_component(definition, pod, programs).name
            except gang._RefusedError:
                found[pod_name(pod)] = "error"
        return found

    def pod(self) -> Any:
        """For each pod where it is in the view: ``role`` or ``role[instance]``, null for nowhere."""
        view = self.view()
        found: dict[str, Any] = {pod.name: None for pod in view.unplaced}
        for node in view.walk():
            for pod in node.pods:
                found[pod.name] = f"{node.name}[{node.instance}]" if node.instance else node.name
        return found

    def replica(self) -> Any:
        return {pod.name: dict(pod.replica) for node in self.view().walk() for pod in node.pods}

    def owned(self) -> Any:
        owners = {each["metadata"]["uid"]: each for each in self.case["owners"] or ()}
        words = {Ownership.OWNED: "owned", Ownership.FOREIGN: "elsewhere", Ownership.UNKNOWN: "unknown"}
        return {pod_name(pod): words[ownership(pod, self.case.workload, owners)[0]] for pod in self.case.pods}

    # -- the view -------------------------------------------------------------------------------------

    def desired(self) -> Any:
        """The nodes of the tree, each with the pods it stands for, levels above it multiplied."""
        found: dict[str, int] = {}
        for node in self.view().walk():
            name = f"{node.name}[{node.instance}]" if node.instance else node.name
            found[name] = found.get(name, 0) + node.desired
        return found

    def total(self) -> Any:
        return self.view().totals.desired

    def problems(self) -> Any:
        """The kinds of what the view reports."""
        return sorted({problem.kind for problem in self.view().problems})

    def told(self) -> Any:
        return "\n".join(problem.message for problem in self.view().problems)

    # -- gangs ----------------------------------------------------------------------------------------

    def gangs(self) -> Any:
        found = [
            {
                "podGroup": each.pod_group,
                "minMember": each.min_member,
                "minSubGroup": each.min_sub_group,
                "subGroups": {group.name: group.min_member for group in each.sub_groups},
                "members": {group.name: list(group.pods) for group in each.sub_groups},
                "pods": list(each.pods),
                "keys": list(each.keys),
                "topology": each.topology,
            }
            for each in self.view().gangs
        ]
        wanted = self.case.expect["gangs"]
        if len(wanted) != len(found):
            return found
        return [{key: each[key] for key in one} for one, each in zip(wanted, found, strict=True)]

    def subtree(self) -> Any:
        definition = self.case.definition
        outcomes = outcomes_of(self.engine, definition, self.case.workload)
        extractions = {each.name: extract(each, outcomes) for each in definition.components}
        scales = gang.SubtreeScale(definition, extractions)
        found: dict[str, Any] = {}
        for asked in self.case.expect["subtree"]:
            name, _, instance = asked.partition("[")
            component = definition.component(name)
            assert component is not None
            try:
                found[asked] = scales.of(component, instance.removesuffix("]") or None)
            except gang._RefusedError:
                found[asked] = "refused"
        return found

    # -- writes ---------------------------------------------------------------------------------------

    def change(self) -> Any:
        case, paths = self.case, paths_by(self.engine)
        write = case["write"]
        if write is not None:
            workload = case["input"] if case["object"] is None else case.workload
            action = {"path": write["path"], "value": write["value"]}
            root = {"suspendDefinition": {"suspendActions": [action], "resumeActions": [action]}}
            return suspend(Case("", {**case.fields, "root": root}).definition, workload, paths)
        if case["update"] is not None:
            return update_pods(case.definition, case.workload, case["update"], self.engine)
        changed = case.workload
        if case["suspend"]:
            changed = suspend(case.definition, changed, paths)
        return resume(case.definition, changed, paths) if case["resume"] else changed

    def written(self) -> Any:
        """The object after the change, without what every object of the tables has."""
        after = self.change()
        if not isinstance(after, dict):
            return after
        return {key: each for key, each in after.items() if key not in WIDGET or WIDGET[key] != each}

    def refused(self) -> Any:
        try:
            self.change()
        except WriteError as error:
            return str(error)
        return ""

    # -- rules ----------------------------------------------------------------------------------------

    def found(self) -> set[str]:
        return {each.rule for each in check_text(self.case.text, "catalog/example-com-widget-v1.yaml").diagnostics}

    def errors(self) -> Any:
        """The rules that find an error."""
        result = check_text(self.case.text, "catalog/example-com-widget-v1.yaml")
        return sorted({each.rule for each in result.diagnostics if each.severity is Severity.ERROR})


ASK: dict[str, Callable[[Asked], Any]] = {
    "results": Asked.results,
    "error": Asked.results,
    "text": Asked.text,
    "instances": Asked.instances,
    "problem": Asked.problem,
    "duplicates": Asked.duplicates,
    "status": Asked.matched,
    "status_error": Asked.status_error,
    "phase": Asked.phase,
    "conditions": Asked.conditions,
    "matches": Asked.matches,
    "library": Asked.library,
    "pod": Asked.pod,
    "replica": Asked.replica,
    "owned": Asked.owned,
    "desired": Asked.desired,
    "total": Asked.total,
    "problems": Asked.problems,
    "gangs": Asked.gangs,
    "subtree": Asked.subtree,
    "written": Asked.written,
    "errors": Asked.errors,
}
"""Answers that have to be exactly what is expected."""

SAY: dict[str, Callable[[Asked], str]] = {"message": Asked.message, "told": Asked.told, "refused": Asked.refused}
"""Texts that have to contain what is expected."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, engine: Engine) -> None:
    assert case.is_well_formed, case.says
    asked = Asked(case, engine)
    for what, expected in case.expect.items():
        if what == "findings":
            assert set(expected) <= asked.found()
        elif what == "silent":
            assert not set(expected) & asked.found()
        elif what in SAY:
            assert expected in SAY[what](asked)
        elif what == "instances":
            assert asked.instances() == {
                key: {shape: meaning(each) for shape, each in shapes.items()} for key, shapes in expected.items()
            }
        else:
            assert ASK[what](asked) == expected
