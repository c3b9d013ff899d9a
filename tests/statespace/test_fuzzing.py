"""Faults that are planted are found, told once, and shown by an object of which each field is needed."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.statespace.catalog import MODELLED, PROJECT, definition_of, model_of
from tests.statespace.planted import PLANTED, RAYCLUSTER, Planted
from wmap_lint.definition import load
from wmap_lint.jq.engine import Engine
from wmap_lint.resolve.status import UNDEFINED
from wmap_lint.resolve.writes import Place
from wmap_lint.source import read
from wmap_lint.statespace.fuzzing import Found, Search, Stop, Subject, UnusableModelError, Watch, search
from wmap_lint.statespace.judging import FaultKind, Judge, fits
from wmap_lint.statespace.properties import Property
from wmap_lint.statespace.shrink import removable
from wmap_lint.statespace.space import without

IDS = [f"{fault.name}: {fault.definition.split('-')[0]}" for fault in PLANTED]
KINDS = {
    Property.ONE_STATUS: {FaultKind.AMBIGUOUS},
    Property.TRUTH: {FaultKind.UNTRUE},
    Property.SOME_STATUS: {FaultKind.UNDEFINED},
    Property.ANY_ORDER: {FaultKind.AMBIGUOUS, FaultKind.UNDEFINED, FaultKind.UNTRUE},
    Property.NOTHING_SETTLED_UNWRITTEN: {FaultKind.TERMINAL, FaultKind.AMBIGUOUS, FaultKind.UNDEFINED},
}


def subject_of(name: str, text: str | None = None, folder: Path | None = None) -> Subject:
    return Subject(f"{name}.yaml", definition_of(name, text), folder or PROJECT / "fixtures" / name)


def judge_of(fault: Planted, engine: Engine) -> Judge:
    definition = definition_of(fault.definition, fault.text)
    assert definition.root is not None
    assert definition.root.status_definition is not None
    model = model_of(fault.definition, definition)
    return Judge(definition.root.status_definition, model.space, model, engine)


@pytest.mark.parametrize("fault", PLANTED, ids=IDS)
def test_it_is_found_and_shrunk(fault: Planted, engine: Engine) -> None:
    result = search(subject_of(fault.definition, fault.text), engine, 1, 6000, most_faults=1)
    (found,) = result.found
    assert found.fault.kind in KINDS[fault.kind]
    assert found.shrunk
    assert result.stopped is Stop.FAULTS
    judge = judge_of(fault, engine)
    assert shows(judge, found, found.workload)
    for place in removable(found.workload, judge.space.names):
        smaller = without(found.workload, place)
        if place in (("apiVersion",), ("kind",)):
            continue
        if is_of_states(found) and (is_of_the_user(judge, place) or not fits(judge.space, smaller)):
            continue  # it would be another object than the operator writes
        assert not shows(judge, found, smaller), place


def is_of_states(found: Found) -> bool:
    """Whether the fault is one of the object as a whole, which has to stay one that there can be."""
    return found.fault.kind in (FaultKind.UNDEFINED, FaultKind.UNTRUE)


def is_of_the_user(judge: Judge, place: Place) -> bool:
    """Whether users have to write it."""
    optional = [at for each in judge.space.dimensions if each.choices[-1].is_absent for at in each.places]
    return place[0] == "spec" and not any(place[: len(at)] == at for at in optional)


def shows(judge: Judge, found: Found, workload: Any) -> bool:
    """Whether an object that the operator can write shows the fault: written down anew, not by what shrinks."""
    fault = found.fault
    oracle = judge.oracle
    if judge.is_impossible(workload):
        return False
    reading = oracle.read(workload)
    fired = {matcher.path for matcher in reading.matchers}
    truth = oracle.truth(workload)
    told = judge.is_told(workload)
    match fault.kind:
        case FaultKind.AMBIGUOUS:
            if fault.truth is None:
                return {each.matcher.path for each in fault.fired} <= fired
            blamed = fault.fired[0].matcher.path
            is_final = bool({"Completed", "Failed"} & set(reading.matched))
            right = truth is not None and truth.status in reading.matched
            return len(fired) > 1 and blamed in fired and right and (told or not is_final)
        case FaultKind.TERMINAL:
            return fault.fired[0].status in reading.matched and not told
        case FaultKind.UNDEFINED:
            return reading.matched == (UNDEFINED,)
        case FaultKind.UNTRUE:
            wrong = truth is not None and len(fired) == 1 and reading.matched != (truth.status,)
            return wrong and fault.fired[0].matcher.path in fired
    raise AssertionError(fault.kind)


EACH = 60
"""Objects of each definition of the catalog: there are many of them."""


@pytest.mark.parametrize("name", MODELLED)
def test_the_catalog_has_no_fault(name: str, engine: Engine) -> None:
    result = search(subject_of(name), engine, 5, EACH)
    assert result.found == ()
    assert result.stopped is None
    assert result.examples >= EACH
    assert 0 < result.distorted < result.examples


def what_came(result: Search) -> str:
    return json.dumps([(each.fault.kind, each.workload, each.notes) for each in result.found])


def test_the_same_seed_finds_the_same(engine: Engine) -> None:
    fault = next(each for each in PLANTED if each.name == "terminal")
    once, again = (search(subject_of(fault.definition, fault.text), engine, 11, 400) for _ in range(2))
    assert once.found
    assert what_came(once) == what_came(again)
    assert once.examples == again.examples


def test_what_failed_is_tried_first_the_next_time(engine: Engine, tmp_path: Path) -> None:
    fault = next(each for each in PLANTED if each.name == "guard")
    subject = subject_of(fault.definition, fault.text)
    database = tmp_path / "examples"
    assert search(subject, engine, 1, 6000, database=database, most_faults=1).found
    assert any(database.rglob("*"))
    # So few objects would hardly show it by chance, whatever the seed.
    for seed in (2, 3, 4):
        assert search(subject, engine, seed, 8, database=database, replay=True, most_faults=1).found
    other = subject_of(fault.definition)
    assert not search(other, engine, 2, 8, database=database, replay=True).found


def test_time_runs_out(engine: Engine) -> None:
    subject = subject_of(MODELLED[0])
    result = search(subject, engine, 1, 10**6, Watch(deadline=time.monotonic() + 1.5))
    assert result.stopped is Stop.BUDGET
    assert 0 < result.examples < 10**6


def test_an_interruption_hands_over_what_there_is(engine: Engine) -> None:
    fault = next(each for each in PLANTED if each.name == "swapped")
    watch = Watch()

    def progress(examples: int, found: int) -> None:
        watch.interrupted = bool(found)

    watch.progress = progress
    result = search(subject_of(fault.definition, fault.text), engine, 1, 10**6, watch)
    assert result.stopped is Stop.INTERRUPTED
    assert result.found


# -- without a model ------------------------------------------------------------------------------------------

DEFINITION = """\
apiVersion: run.ai/v1alpha1
kind: WorkloadMap
metadata: {name: widget}
spec:
  structureDefinition:
    rootComponent:
      name: widget
      kind: {group: x.io, version: v1, kind: Widget}
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        conditionsDefinition:
          {path: .status.conditions, typeFieldName: type, statusFieldName: status, reasonFieldName: reason}
        statusMappings:
          running:
          - byPhase: Running
          completed:
          - byConditions: [{type: Complete, status: "True"}]
          failed:
          - byExpression: {expression: EXPRESSION, expectedResult: "true"}
"""


def searched(expression: str, engine: Engine, examples: int = 400) -> Search:
    (document,) = read(DEFINITION.replace("EXPRESSION", json.dumps(expression)), "widget.yaml").documents
    return search(Subject("widget.yaml", load(document)), engine, 1, examples)


def test_of_a_guess_no_status_and_two_are_no_faults(engine: Engine) -> None:
    result = searched('.status.phase == "Running" and .status.failed == 3', engine)
    assert result.model is None
    assert result.space is not None
    assert result.found == ()


@pytest.mark.parametrize(
    "expression",
    [
        'any(.status.conditions[]; .type == "Broken")',
        '.status.reasons | join(",") == "x"',
        '.status.phase | test("^Fail")',
        ".status.failed + 1 > .status.limit | length",
    ],
)
def test_errors_are_found_without_a_model(expression: str, engine: Engine) -> None:
    result = searched(expression, engine)
    (found,) = [each for each in result.found if each.fault.kind is FaultKind.ERROR]
    assert found.fault.cause
    assert set(found.workload) <= {"apiVersion", "kind", "status"}


def test_programs_that_only_the_engine_answers(engine: Engine) -> None:
    name = RAYCLUSTER
    text = (PROJECT / "catalog" / f"{name}.yaml").read_text(encoding="utf-8")
    asked = text.replace(".spec.suspend != true\n", "(.spec | tojson | fromjson).suspend != true\n")
    assert asked != text
    assert search(subject_of(name, asked), engine, 1, 200).found == ()
    wrong = asked.replace("fromjson).suspend != true", "fromjson).suspend != false")
    assert search(subject_of(name, wrong), engine, 1, 400, most_faults=1).found


def test_what_consumers_refuse_is_told_as_that(engine: Engine) -> None:
    (found,) = searched("[range(1000000000)] | length > 3", engine, 50).found
    assert found.fault.kind is FaultKind.ERROR
    assert found.fault.is_refused
    (found,) = searched(".status.roles[]", engine, 50).found
    assert not found.fault.is_refused


def test_final_out_of_nothing_is_found_without_a_model(engine: Engine) -> None:
    result = searched('.status.phase != "Running" and .status.phase != "Pending"', engine)
    (found,) = [each for each in result.found if each.fault.kind is FaultKind.TERMINAL]
    assert found.fault.fired[0].status == "Failed"
    assert found.workload == {"apiVersion": "x.io/v1", "kind": "Widget"}


@pytest.mark.parametrize(
    "expression",
    ['.status.phase == "Failed"', 'any(.status.conditions[]?; .type == "Broken" and .status == "True")', "false"],
)
def test_what_says_so_is_no_fault(expression: str, engine: Engine) -> None:
    assert searched(expression, engine).found == ()


def test_a_model_that_cannot_be_used(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "status-model.yaml").write_text("base: none.yaml\nvary:\n- {path: .status.phase, values: [a]}\n")
    with pytest.raises(UnusableModelError) as raised:
        search(subject_of(MODELLED[0], folder=tmp_path), engine, 1, 10)
    assert raised.value.problem.span.line == 1


def test_what_reads_no_status_is_passed_over(engine: Engine) -> None:
    text = DEFINITION[: DEFINITION.index("      statusDefinition")]
    (document,) = read(text, "widget.yaml").documents
    assert search(Subject("widget.yaml", load(document)), engine, 1, 10).space is None
