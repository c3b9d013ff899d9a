from __future__ import annotations

from typing import Any

import pytest

from tests.resolve.evaluation import component, evaluated, with_root
from wmap_lint.definition import Component
from wmap_lint.jq.engine import Engine
from wmap_lint.resolve.structure import Extraction, Instance, ProblemKind, Scale, extract


def extraction(engine: Engine, subject: object, **fields: Any) -> Extraction:
    definition = with_root(**fields)
    part: Component = component(**fields)
    return extract(part, evaluated(engine, definition, subject))


def problem(result: Extraction) -> ProblemKind:
    assert result.problem is not None
    assert result.instances == {}
    return result.problem.kind


def test_null_is_a_present_empty_pod_spec(engine: Engine) -> None:  # I1
    result = extraction(engine, {}, specDefinition={"podSpecPath": ".spec"})
    assert result.instances == {"": Instance(pod_spec={})}


IDS = {"instanceIdPath": ".groups[].name"}


def groups(*items: dict[str, Any]) -> dict[str, Any]:
    return {"groups": [{"name": name, **item} for name, item in zip("abc", items, strict=False)]}


def test_one_value_for_two_ids(engine: Engine) -> None:  # I2
    result = extraction(engine, groups({}, {}), scaleDefinition={"replicasPath": "1"}, **IDS)
    assert problem(result) is ProblemKind.COUNT_MISMATCH
    assert result.problem is not None
    assert (result.problem.ids, result.problem.results) == (2, 1)


def test_shorter_lists_are_padded_at_the_end(engine: Engine) -> None:  # I3
    result = extraction(
        engine,
        groups({"replicas": 3, "min": 1}, {"replicas": 4}),
        scaleDefinition={"replicasPath": ".groups[].replicas", "minReplicasPath": ".groups[].min // empty"},
        **IDS,
    )
    assert result.instances == {"a": Instance(scale=Scale(3, 1)), "b": Instance(scale=Scale(4))}


def test_no_instances(engine: Engine) -> None:  # I4
    result = extraction(
        engine,
        {"groups": []},
        specDefinition={"podSpecPath": ".groups[].spec"},
        scaleDefinition={"replicasPath": ".groups[].replicas"},
        **IDS,
    )
    assert (result.instances, result.ids, result.problem) == ({}, (), None)


@pytest.mark.parametrize(
    ("replicas", "count"),
    [("4", 4), (4, 4), (None, None)],  # I5
)
def test_counts(engine: Engine, replicas: object, count: int | None) -> None:
    result = extraction(engine, {"n": replicas}, scaleDefinition={"replicasPath": ".n"})
    assert result.instances == {"": Instance(scale=Scale(count))}


@pytest.mark.parametrize("replicas", [1.5, True, ""])  # I6
def test_counts_of_the_wrong_type(engine: Engine, replicas: object) -> None:
    result = extraction(engine, {"n": replicas}, scaleDefinition={"replicasPath": ".n"})
    assert problem(result) is ProblemKind.WRONG_TYPE


@pytest.mark.parametrize("fields", [{"scaleDefinition": {}}, {"specDefinition": {"fragmentedPodSpecDefinition": {}}}])
def test_an_empty_shape_never_lines_up(engine: Engine, fields: dict[str, Any]) -> None:
    assert problem(extraction(engine, {}, **fields)) is ProblemKind.COUNT_MISMATCH


@pytest.mark.parametrize("name", ["", None])
def test_an_empty_id(engine: Engine, name: str | None) -> None:
    result = extraction(engine, {"name": name}, instanceIdPath=".name")
    assert problem(result) is ProblemKind.EMPTY_INSTANCE_ID


def test_a_repeated_id_is_remembered_and_keeps_its_last_value(engine: Engine) -> None:
    subject = {"groups": [{"name": "a", "n": 1}, {"name": "b", "n": 2}, {"name": "a", "n": 3}]}
    result = extraction(engine, subject, scaleDefinition={"replicasPath": ".groups[].n"}, **IDS)
    assert result.instances == {"a": Instance(scale=Scale(3)), "b": Instance(scale=Scale(2))}
    assert result.ids == ("a", "b", "a")
    assert result.duplicates == ("a",)


def test_the_first_error_ends_it(engine: Engine) -> None:
    result = extraction(
        engine,
        {"n": "x"},
        specDefinition={"podSpecPath": ".n[]", "metadataPath": ".n"},
        scaleDefinition={"replicasPath": ".n"},
    )
    assert problem(result) is ProblemKind.EVALUATION


def test_fragments_by_the_name_of_their_field(engine: Engine) -> None:
    paths = {"imagePath": ".image", "labelsPath": ".labels", "containerPath": ".main"}
    result = extraction(engine, {"image": "i"}, specDefinition={"fragmentedPodSpecDefinition": paths})
    assert result.instances[""].fragments == {"image": "i", "labels": {}, "container": None}


def test_nothing_defined_nothing_extracted(engine: Engine) -> None:
    assert extraction(engine, {}).instances == {"": Instance()}
