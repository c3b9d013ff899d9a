"""The schema of definitions, and the problems that are told from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from tests.rules.families import check
from tests.strategies import DEFINITIONS, VALUES
from wmap_lint.paths import ABSENT, lookup
from wmap_lint.schema import (
    ProblemKind,
    definition_problems,
    field_description,
    field_locations,
    field_type,
    load_schema,
    schema_path,
)

CASES = Path(__file__).parents[2] / "shared" / "conformance" / "cases.json"


def conformance_cases() -> list[dict[str, Any]]:
    return json.loads(CASES.read_text(encoding="utf-8")) if CASES.exists() else []


def minimal() -> dict[str, Any]:
    root = {
        "name": "widget",
        "kind": {"group": "example.com", "version": "v1", "kind": "Widget"},
        "statusDefinition": {"statusMappings": {}},
    }
    return {
        "apiVersion": "run.ai/v1alpha1",
        "kind": "WorkloadMap",
        "metadata": {"name": "example-com-widget-v1"},
        "spec": {"structureDefinition": {"rootComponent": root, "childComponents": []}},
    }


def errors(data: object) -> list[str]:
    """Paths of what an editor would mark, cross-field faults included."""
    found = Draft202012Validator(load_schema()).iter_errors(data)
    return [".".join(map(str, error.absolute_path)) for error in found]


def test_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(load_schema())


def every_part(node: object, path: str = "") -> list[tuple[str, dict[str, Any]]]:
    found = []
    if isinstance(node, dict):
        found.append((path, node))
        for key, value in node.items():
            if key not in {"dependentSchemas", "if", "then", "anyOf"}:
                found += every_part(value, f"{path}/{key}")
    return found


def test_every_field_is_described_and_no_mapping_of_the_spec_is_open() -> None:
    for path, part in every_part(load_schema()):
        for name, field in part["properties"].items() if "properties" in part and path[-11:] != "/properties" else ():
            assert len(field["description"]) > 20, f"{path}/{name}"
        if part.get("type") == "object" and "properties" in part and path != "/$defs/objectMeta":
            assert part["additionalProperties"] is False, path


def test_every_definition_in_defs_is_used() -> None:
    schema = load_schema()
    used = {part["$ref"].removeprefix("#/$defs/") for _, part in every_part(schema) if "$ref" in part}
    assert used == set(schema["$defs"])


def test_every_scalar_is_a_string() -> None:
    types = {part["type"] for _, part in every_part(load_schema()) if isinstance(part.get("type"), str)}
    assert types == {"string", "array", "object"}


def test_minimal_definition_is_accepted() -> None:
    assert errors(minimal()) == []
    assert errors({**minimal(), "kind": "Karta", "status": {"conditions": []}}) == []


@pytest.mark.skipif(not CASES.exists(), reason="the conformance cases are not beside this checkout")
@pytest.mark.parametrize("case", conformance_cases(), ids=lambda case: str(case["name"]))
def test_conformance_case(case: dict[str, Any]) -> None:
    # Traps that the Go validator lets pass and that never work; their names say which.
    traps = ("matcher: empty matches always", "order of matched", "structure: empty", "validation: jq ''")
    if case["answer"].get("valid"):
        found = [*errors(case["definition"])]
        assert bool(found) is case["name"].startswith(traps)
    elif not all(complaint.startswith("jq-") for complaint in case["answer"]["validation"]):
        assert check(json.dumps(case["definition"]))


CROSS_FIELD = [
    ({"specDefinition": {"podSpecPath": ".a", "podTemplateSpecPath": ".b"}}, 2),
    ({"instanceIdPath": ".a"}, 1),
    ({"instanceIdPath": ".a", "podSelector": {}}, 1),
    ({"podSelector": {"componentInstanceSelector": {"idPath": ".a"}}}, 1),
    ({"podSelector": {"componentTypeSelector": {}}}, 1),
    ({"podSelector": {"componentTypeSelector": {"value": "a", "matchLabels": {"a": "b"}}}}, 1),
]


@pytest.mark.parametrize(("fields", "marks"), CROSS_FIELD)
def test_fault_between_fields_is_marked_in_an_editor_and_left_to_a_rule_here(
    fields: dict[str, Any], marks: int
) -> None:
    data = minimal()
    data["spec"]["structureDefinition"]["childComponents"] = [{"name": "worker", "ownerRef": "widget", **fields}]
    assert len(errors(data)) == marks
    assert definition_problems(data) == ()


ROOT = ("spec", "structureDefinition", "rootComponent")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"nmae": "x"}, [("unknown-field", "nmae")]),
        ({"name": 1}, [("wrong-type", "name")]),
        ({"name": ""}, [("not-allowed", "name")]),
        ({"name": None}, [("wrong-type", "name")]),
        ({"kind": {"group": "", "version": 1}}, [("missing-field", "kind"), ("wrong-type", "version")]),
        ({"kind": []}, [("wrong-type", "kind")]),
        ({"scaleDefinition": {}}, [("not-allowed", "scaleDefinition")]),
        ({"scaleDefinition": "x"}, [("wrong-type", "scaleDefinition")]),
    ],
)
def test_one_wrong_thing_is_one_problem(change: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    data = minimal()
    data["spec"]["structureDefinition"]["rootComponent"].update(change)
    assert [(each.kind.value, each.name or each.path[-1]) for each in definition_problems(data)] == expected


def test_problems_come_in_document_order() -> None:
    data = {"zeta": 1, **minimal(), "alpha": 2}
    data["spec"] = {"structureDefinition": {"childComponents": [{}], "rootComponent": {}}}
    found = [
        (*each.path, each.name) if each.kind is ProblemKind.MISSING_FIELD else each.path
        for each in definition_problems(data)
    ]
    child, root = ("spec", "structureDefinition", "childComponents", 0), ROOT
    assert found == [
        ("zeta",),
        (*child, "name"),
        (*child, "ownerRef"),
        (*root, "kind"),
        (*root, "name"),
        (*root, "statusDefinition"),
        ("alpha",),
    ]


def test_unknown_field_knows_its_neighbours() -> None:
    data = minimal()
    data["spec"]["other"] = {"nested": "is not looked at"}
    (problem,) = definition_problems(data)
    assert problem.kind is ProblemKind.UNKNOWN_FIELD
    assert problem.path == ("spec", "other")
    assert problem.expected == ("structureDefinition", "optimizationInstructions")


@settings(max_examples=60, deadline=None)
@given(VALUES | DEFINITIONS)
def test_problems_of_anything_are_told_once_each_and_where_they_are(data: object) -> None:
    found = definition_problems(data)
    assert len({(each.path, each.name, each.kind) for each in found}) == len(found)
    for problem in found:
        value = lookup(data, problem.path)
        assert value is not ABSENT
        if problem.kind is ProblemKind.MISSING_FIELD:
            assert isinstance(value, dict)
            assert problem.name not in value
        if problem.kind is ProblemKind.WRONG_TYPE:
            # Nothing inside a value of the wrong type is judged.
            inside = [each for each in found if each.path[: len(problem.path)] == problem.path]
            assert inside == [problem]


def test_fields_can_be_looked_up() -> None:
    child = ("spec", "structureDefinition", "childComponents", 3)
    assert field_type((*child, "podSelector")) == "object"
    assert field_type((*child, "instanceIdPath")) == "string"
    assert field_type((*child, "nothing")) is None
    assert field_description((*child, "ownerRef")).startswith("Name of the component this one belongs to.")
    assert field_description((*child, "nothing", "deeper")) == ""
    assert set(field_locations()["ownerRef"]) == {("spec", "structureDefinition", "childComponents", "*")}


def test_a_schema_that_does_not_exist() -> None:
    with pytest.raises(FileNotFoundError, match="no schema named nonsense"):
        schema_path("nonsense")
