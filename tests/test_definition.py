"""The model of a definition: complete, tolerant, and knowing where everything stands."""

from __future__ import annotations

import dataclasses
import json

from hypothesis import given, settings

from tests.rules.families import HERE, RULES, only
from tests.strategies import DEFINITIONS, VALUES
from wmap_lint.definition import Definition, Expression, Located, ResultType, Slot, load
from wmap_lint.paths import ABSENT, DocumentOrder, lookup, written
from wmap_lint.rules.context import Context
from wmap_lint.schema import load_schema
from wmap_lint.source import Document

FULL = """\
apiVersion: run.ai/v1alpha1
kind: WorkloadMap
metadata: {name: example-com-widget-v1, labels: {run.ai/karta-kind: Widget}}
spec:
  structureDefinition:
    rootComponent:
      name: widget
      kind: {group: example.com, version: v1, kind: Widget}
      suspendDefinition:
        suspendActions: [{path: .spec.suspend, value: "true"}]
        resumeActions: [{path: .spec.resume, value: "false"}]
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        conditionsDefinition:
          path: .status.conditions
          typeFieldName: type
          statusFieldName: status
          messageFieldName: message
          reasonFieldName: reason
        statusMappings:
          running:
          - {byPhase: Active, byConditions: [{type: Ready, status: "True", reason: Yes_}]}
          failed:
          - byExpression:
              expression: |
                .status.failed
                  // false
              expectedResult: "true"
    childComponents:
    - name: group
      ownerRef: widget
      instanceIdPath: .spec.groups[]?.name
      specDefinition: {podSpecPath: ".spec.groups[]?.spec", metadataPath: ".spec.groups[]?.metadata"}
      scaleDefinition: {replicasPath: .r, minReplicasPath: .min, maxReplicasPath: .max}
      podSelector:
        componentTypeSelector: {keyPath: .t, value: group, matchLabels: {a: b}}
        componentInstanceSelector: {idPath: .i}
        replicaSelector: {keyPath: .k}
    - name: fragment
      ownerRef: group
      kind: {group: "", version: v1, kind: Pod}
      specDefinition:
        fragmentedPodSpecDefinition:
          schedulerNamePath: .f1
          labelsPath: .f2
          annotationsPath: .f3
          resourcesPath: .f4
          resourceClaimsPath: .f5
          podAffinityPath: .f6
          nodeAffinityPath: .f7
          containersPath: .f8
          containerPath: .f9
          priorityClassNamePath: .f10
          imagePath: .f11
    - {name: template, ownerRef: fragment, specDefinition: {podTemplateSpecPath: .template}}
    additionalChildKinds: [{group: "", version: v1, kind: Service}]
  optimizationInstructions:
    gangScheduling:
      podGroup:
        name: g
        topology: {topologyName: t, preferredTopologyLevel: p, requiredTopologyLevel: r}
        subGroups:
        - componentName: group
          topology: {topologyName: t, preferredTopologyLevel: "", requiredTopologyLevel: r}
      podGroups: [{name: old, members: [{componentName: group, groupByKeyPaths: [.g1, .g2], filters: [.x == 1]}]}]
"""


def full() -> Definition:
    return load(only(FULL))


def test_every_slot_is_found_in_document_order() -> None:
    definition = full()
    expressions = definition.expressions
    assert {each.slot for each in expressions} == set(Slot)
    places = [(each.span().line, each.span().column) for each in expressions]
    assert places == sorted(places)


def test_every_expression_of_the_schema_is_in_the_model() -> None:
    # A document with one expression at each place where the schema has one: none may be passed over.
    schema = load_schema()
    paths = {"#/$defs/workloadExpression": "workload", "#/$defs/podExpression": "pod"}
    count = 0
    generic = {tuple("*" if isinstance(step, int) else step for step in each.path) for each in full().expressions}

    def visit(node: dict[str, object], path: tuple[str, ...]) -> None:
        nonlocal count
        reference = node.get("$ref")
        if reference in paths:
            status_key = path[-2:-1] == ("byExpression",) and path[-4] != "failed"
            in_other_component = path[2] == "rootComponent" and path[3] not in {"suspendDefinition", "statusDefinition"}
            in_child = path[2] == "childComponents" and path[4] in {"suspendDefinition", "statusDefinition"}
            if not (status_key or in_other_component or in_child):
                assert path in generic
                count += 1
            return
        if isinstance(reference, str):
            visit(schema["$defs"][reference.removeprefix("#/$defs/")], path)
        for key, value in (node.get("properties") or {}).items():  # type: ignore[attr-defined]
            visit(value, (*path, key))
        items = node.get("items")
        if isinstance(items, dict):
            visit(items, (*path, "*"))

    visit(schema, ())
    assert count == len(generic) == len(set(Slot))


def test_slots_say_what_consumers_want() -> None:
    written_slots = {slot.label for slot in Slot if slot.written}
    assert {"podSpecPath", "suspendActions.path", "resumeActions.path", "imagePath"} <= written_slots
    assert "replicasPath" not in written_slots
    assert {slot.subject for slot in Slot} == {"workload", "pod"}
    assert Slot.REPLICAS_PATH.result is ResultType.INTEGER
    assert Slot.INSTANCE_ID_PATH.may_yield == "any"
    assert Slot.POD_SPEC_PATH.may_yield == "per-instance"
    assert Slot.PHASE_PATH.may_yield == "one"


def test_expressions_know_their_component_and_their_characters() -> None:
    definition = full()
    by_text = {each.text: each for each in definition.expressions}
    assert by_text[".status.phase"].component == "widget"
    assert by_text[".f11"].component == "fragment"
    assert by_text[".g2"].component is None
    block = by_text[".status.failed\n  // false\n"]
    span = block.span(17, 19)
    assert FULL.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1] == "//"
    quoted = by_text[".spec.groups[]?.spec"]
    assert quoted.span().column + 1 == quoted.span(0, 1).column


def test_fields_are_read() -> None:
    definition = full()
    assert (definition.api_version, definition.kind, definition.name) == (
        "run.ai/v1alpha1",
        "WorkloadMap",
        "example-com-widget-v1",
    )
    assert dict(definition.labels) == {"run.ai/karta-kind": "Widget"}
    assert definition.gvk is not None
    assert str(definition.gvk) == "example.com/v1 Widget"
    assert [each.name for each in definition.components] == ["widget", "group", "fragment", "template"]
    assert [each.is_pod_bearing for each in definition.components] == [False, True, True, True]
    assert [each.name for each in definition.children_of("group")] == ["fragment"]
    assert [each.name for each in definition.subtree_of("group")] == ["group", "fragment", "template"]
    root = definition.root
    assert root is not None
    assert root.is_root
    status = root.status_definition
    assert status is not None
    assert [(each.normalized, len(each.matchers)) for each in status.mappings] == [("Running", 1), ("Failed", 1)]
    condition = status.mappings[0].matchers[0].by_conditions[0]
    assert (condition.type, condition.status, condition.reason) == ("Ready", "True", "Yes_")
    expected = status.mappings[1].matchers[0].by_expression
    assert expected is not None
    assert expected.expected_result == "true"
    assert status.conditions is not None
    assert status.conditions.reason_field_name == "reason"
    fragment = definition.component("fragment")
    assert fragment is not None
    assert fragment.kind is not None
    assert fragment.kind.api_version == "v1"
    group = definition.component("group")
    assert group is not None
    assert group.pod_selector is not None
    assert group.pod_selector.type_selector is not None
    assert group.pod_selector.type_selector.match_labels == {"a": "b"}
    assert definition.gang is not None
    assert definition.gang.pod_group is not None
    assert definition.gang.pod_group.sub_groups[0].topology is not None
    assert definition.gang.pod_group.sub_groups[0].topology.required_topology_level == "r"
    assert [each.kind for each in definition.additional_child_kinds] == ["Service"]


def test_empty_expression_is_present_and_not_listed() -> None:
    text = FULL.replace("{podTemplateSpecPath: .template}", '{podTemplateSpecPath: ""}')
    definition = load(only(text))
    component = definition.component("template")
    assert component is not None
    assert component.is_pod_bearing
    assert component.spec_definition is not None
    assert component.spec_definition.pod_template_spec_path is not None
    assert all(each.slot is not Slot.POD_TEMPLATE_SPEC_PATH for each in definition.expressions)


def test_has_and_present_tell_null_from_absent() -> None:
    definition = load(only("kind: null\nspec: {a: []}\n"))
    assert definition.has("kind")
    assert not definition.present("kind")
    assert definition.present("spec", "a")
    assert not definition.has("spec", "a", 0)


def test_first_of_two_same_names_counts_and_circles_end() -> None:
    definition = load(
        only(
            "spec: {structureDefinition: {childComponents: ["
            "{name: a, ownerRef: b}, {name: b, ownerRef: a}, {name: a, ownerRef: c}, 3, {}]}}\n"
        )
    )
    first = definition.component("a")
    assert first is definition.children[0]
    assert [each.name for each in definition.subtree_of("a")] == ["a", "b"]
    assert definition.children_of("") == ()
    assert definition.children[3].path[-1] == 4


@settings(max_examples=150, deadline=None)
@given(DEFINITIONS | VALUES)
def test_anything_can_be_loaded_and_linted(data: object) -> None:
    document = only(json.dumps(data, indent=1))
    context = Context.of(document)
    for expression in context.definition.expressions:
        assert lookup(document.data, expression.path) == expression.text
    for located in _parts(context.definition):
        assert lookup(document.data, located.path) is not ABSENT
    for code in sorted(HERE):
        for diagnostic in RULES[code].run(context):
            assert diagnostic.message[-1] in ".?"
            assert "\n" not in diagnostic.message
            for edit in diagnostic.fix.edits if diagnostic.fix else ():
                assert edit.span.line == edit.span.end_line


def _parts(part: object) -> list[Located]:
    found = [part] if isinstance(part, Located) else []
    if isinstance(part, tuple):
        found += [each for item in part for each in _parts(item)]
    elif dataclasses.is_dataclass(part) and not isinstance(part, Document | Expression | type):
        found += [each for field in dataclasses.fields(part) for each in _parts(getattr(part, field.name))]
    return found


def test_order_of_paths_is_that_of_the_document() -> None:
    data = {"b": [{"y": 1, "x": 2}], "a": 3}
    order = DocumentOrder(data)
    paths = [("b",), ("b", 0), ("b", 0, "y"), ("b", 0, "x"), ("b", 0, "absent"), ("b", 1), ("a",), ("absent", "deeper")]
    assert sorted([*paths[3:], *paths[:3]], key=order.key) == paths


def test_paths_are_written_as_people_do() -> None:
    assert written(("spec", "childComponents", 0, "name")) == "spec.childComponents[0].name"
    assert written(("labels", "run.ai/karta-kind")) == 'labels["run.ai/karta-kind"]'
