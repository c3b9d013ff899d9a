"""The rules of families WM5 to WM8 that need no object: planted faults, and what must stay quiet."""

from __future__ import annotations

import pytest

from tests.rules.families import TEMPLATE, check, fixed, marked, places

NAMES = "typeFieldName: type, statusFieldName: status, reasonFieldName: reason"

STATUS = {
    "matchers that demand nothing": """\
        statusMappings:
          failed:
          - ⟦WM510⟧{}
          - ⟦WM510⟧{byPhase: ""}
          degraded: []
""",
    "a misspelt matcher is not empty": """\
        statusMappings:
          failed:
          - {⟦WM101⟧byPhse: Failed}
          - {⟦WM101⟧condition: [{type: Ready}]}
          - {byPhase: ⟦WM006⟧1}
          - ⟦WM103⟧[]
""",
    "empty demands beside others": f"""\
        conditionsDefinition: {{path: .c, {NAMES}}}
        statusMappings:
          failed:
          - byPhase: ⟦WM104⟧""
            byConditions: [{{type: Ready, status: "True"}}]
          - byConditions: ⟦WM104⟧[]
            byExpression: {{expression: .a, expectedResult: ""}}
""",
    "nothing to read": """\
        statusMappings:
          failed:
          - {⟦WM511⟧byPhase: Failed}
          - {byPhase: Broken}
          running:
          - {⟦WM511⟧byConditions: [{type: Ready}]}
""",
    "misspelt definitions of what to read": """\
        ⟦WM101⟧phase: {path: .status.phase}
        ⟦WM101⟧conditions: {path: .status.conditions}
        statusMappings:
          failed:
          - {byPhase: Failed}
          running:
          - {byConditions: [{type: Ready}]}
""",
    "definition of conditions of the wrong type": """\
        conditionsDefinition: ⟦WM103⟧.status.conditions
        statusMappings:
          running:
          - {byConditions: [{type: Ready}]}
""",
    "names left to defaults": """\
        ⟦WM512⟧conditionsDefinition: {path: .c}
        statusMappings:
          running:
          - {byConditions: [{type: Ready, reason: Done}]}
""",
    "a misspelt name": """\
        conditionsDefinition: {path: .c, typeFieldName: type, ⟦WM101⟧statusField: status}
        statusMappings:
          running:
          - {byConditions: [{type: Ready, status: "True"}]}
""",
    "names that nothing needs": """\
        conditionsDefinition: {path: .c, typeFieldName: type}
        statusMappings:
          running:
          - {byConditions: [{type: Ready}]}
""",
    "the same matcher": f"""\
        phaseDefinition: {{path: .p}}
        conditionsDefinition: {{path: .c, {NAMES}}}
        statusMappings:
          running:
          - byPhase: Active
          - byConditions: [{{type: A, status: "True"}}, {{type: B}}]
          - byConditions: [{{type: B}}, {{type: A, status: "True"}}]
          completed:
          - ⟦WM513⟧byConditions: [{{type: B}}, {{type: A, status: "True"}}]
          failed:
          - ⟦WM513⟧byPhase: Active
            byExpression: {{expression: .a, expectedResult: b}}
          degraded:
          - byConditions: [{{type: A, status: "False"}}, {{type: B}}]
          - byConditions: [{{type: A, status: "True"}}, {{type: A, status: "False"}}, {{type: B}}]
          suspended:
          - byExpression: {{expression: .b, expectedResult: a}}
          resuming:
          - byExpression: {{expression: .b, expectedResult: b}}
          - ⟦WM513⟧byExpression: {{expression: ' .b', expectedResult: a}}
""",
    "a matcher that never holds overlaps with nothing": """\
        statusMappings:
          running:
          - {⟦WM511⟧byPhase: Active}
          completed:
          - {byPhase: Active}
""",
}


@pytest.mark.parametrize("planted", STATUS.values(), ids=STATUS.keys())
def test_planted_fault_in_the_status_is_found_once(planted: str) -> None:
    text, expected = marked(TEMPLATE + "      statusDefinition:\n" + planted)
    assert places(text) == expected


def test_status_of_a_child_is_not_read_and_not_judged() -> None:
    text, expected = marked(
        TEMPLATE + "      statusDefinition: {statusMappings: {}}\n    childComponents:\n    - name: a\n"
        "      ownerRef: widget\n      ⟦WM114⟧statusDefinition: {statusMappings: {running: [{byPhase: x}]}}\n"
    )
    assert places(text) == expected


TYPE = "podSelector: {componentTypeSelector: {keyPath: .a, value: b}}"
ROOT = TEMPLATE + "      statusDefinition: {statusMappings: {}}\n"
PODS = {
    "several, one without": f"""\
    childComponents:
    - {{name: a, ownerRef: widget, specDefinition: {{podSpecPath: .a}}, {TYPE}}}
    - {{⟦WM610⟧name: b, ownerRef: widget, specDefinition: {{podSpecPath: .b}}}}
    - {{name: c, ownerRef: widget}}
""",
    "instance selector alone": f"""\
    childComponents:
    - {{name: a, ownerRef: widget, specDefinition: {{podSpecPath: .a}}, {TYPE}}}
    - ⟦WM610⟧name: b
      ownerRef: widget
      specDefinition: {{podSpecPath: .b}}
      instanceIdPath: .c
      podSelector: {{componentInstanceSelector: {{idPath: .d}}}}
""",
    "a misspelt selector": f"""\
    childComponents:
    - {{name: a, ownerRef: widget, specDefinition: {{podSpecPath: .a}}, {TYPE}}}
    - name: b
      ownerRef: widget
      specDefinition: {{podSpecPath: .b}}
      podSelector: {{⟦WM101⟧typeSelector: {{keyPath: .a}}}}
""",
    "the only one": """\
    childComponents:
    - {name: a, ownerRef: widget, specDefinition: {podSpecPath: .a}}
""",
}


@pytest.mark.parametrize("planted", PODS.values(), ids=PODS.keys())
def test_planted_fault_in_selectors_is_found_once(planted: str) -> None:
    text, expected = marked(ROOT + planted)
    assert places(text) == expected


WORKERS = """\
    childComponents:
    - {name: group, ownerRef: widget}
    - {name: worker, ownerRef: group, scaleDefinition: {replicasPath: .spec.replicas}}
    - {name: idle, ownerRef: widget}
    - {name: Upper_Case, ownerRef: widget, scaleDefinition: {replicasPath: .spec.other}}
    - name: keyed
      ownerRef: widget
      specDefinition: {podSpecPath: '.spec.groups[]?'}
      instanceIdPath: .spec.groups[]?.name
      podSelector: {componentInstanceSelector: {idPath: .metadata.name}}
  optimizationInstructions:
    gangScheduling:
"""
LEVELS = "preferredTopologyLevel: %s, requiredTopologyLevel: %s"
GANG = {
    "subgroups": """\
      podGroup:
        name: training
        subGroups:
        - componentName: worker
        - componentName: group
        - componentName: ⟦WM701⟧wroker
        - componentName: ⟦WM702⟧Upper_Case
        - componentName: ⟦WM706⟧idle
        - componentName: ⟦WM113⟧worker
""",
    "group name": """\
      podGroup: {name: ⟦WM702⟧Training}
""",
    "topologies": f"""\
      podGroup:
        name: training
        ⟦WM703⟧topology: {{topologyName: t, {LEVELS % ('""', '""')}}}
        subGroups:
        - componentName: worker
          topology: {{topologyName: t, {LEVELS % ('""', "rack")}}}
        - componentName: group
          ⟦WM102⟧topology: {{topologyName: t, requiredTopologyLevel: rack}}
""",
    "deprecated form": """\
      ⟦WM704⟧podGroups:
      - name: a
        members:
        - componentName: ⟦WM701⟧nobody
        - componentName: ⟦WM705⟧keyed
        - componentName: ⟦WM708⟧worker
        - componentName: ⟦WM113⟧worker
      - name: ⟦WM113⟧a
        members: []
""",
    "keys that split": """\
      podGroups:
      - name: a
        members:
        - componentName: worker
          groupByKeyPaths: [.a, .b, ⟦WM113⟧.a]
          filters: ['.a == "b"', ⟦WM113⟧'.a == "b"']
""",
    "misspelt": """\
      podGroup:
        name: a
        subGroups:
        - ⟦WM101⟧component: worker
""",
}


@pytest.mark.parametrize("planted", GANG.values(), ids=GANG.keys())
def test_planted_fault_in_the_gang_is_found_once(planted: str) -> None:
    text, expected = marked(ROOT + WORKERS + planted)
    assert places(text) == expected


def test_misspelt_component_of_a_gang_can_be_fixed() -> None:
    text = ROOT + WORKERS + "      podGroup: {name: a, subGroups: [{componentName: workers}]}\n"
    assert fixed(text) == text.replace("workers", "worker")


@pytest.mark.parametrize(
    ("group", "kind", "quiet"),
    [("example.com", "Widget", False), ("kubeflow.org", "PyTorchJob", True), ("ray.io", "RayCluster", True)],
)
def test_labels_are_no_trouble_for_kinds_with_a_grouper_of_their_own(group: str, kind: str, quiet: bool) -> None:
    text = (
        ROOT.replace("example.com", group, 1).replace("Widget", kind)
        + """\
    childComponents:
    - name: worker
      ownerRef: widget
      specDefinition: {podSpecPath: .a}
      podSelector: {componentTypeSelector: {matchLabels: {a: b}}}
  optimizationInstructions: {gangScheduling: {podGroup: {name: a}}}
"""
    )
    assert places(text) == ([] if quiet else [("WM611", 14, 45)])


@pytest.mark.parametrize("value", ["'true'", '"0"', "'\"paused\"'", '"null"', "'{\"a\": [1]}'", "' 1 '"])
def test_json_value_is_quiet(value: str) -> None:
    assert places(ROOT + _suspend(value)) == []


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("paused", "'\"paused\"'"),
        ("'True'", '"true"'),
        ('""', "'\"\"'"),
        ("NaN", "'\"NaN\"'"),
        ("it's", "'\"it''s\"'"),
        ("'1,2'", "'\"1,2\"'"),
    ],
)
def test_value_that_is_no_json_is_found_and_fixed(value: str, written: str) -> None:
    text = ROOT + _suspend(value)
    assert places(text) == [("WM810", 12, 32)]
    assert fixed(text) == ROOT + _suspend(written)
    assert places(fixed(text)) == []


def _suspend(value: str) -> str:
    return (
        "      suspendDefinition:\n        suspendActions:\n"
        f"        - {{path: .mode, value: {value}}}\n"
        "        resumeActions: [{path: .mode, value: '1'}]\n"
    )


def test_overlap_says_which_way() -> None:
    text = ROOT.replace("{statusMappings: {}}", "\n        phaseDefinition: {path: .p}\n        statusMappings:\n") + (
        "          running: [{byPhase: A}]\n"
        "          failed: [{byPhase: A, byExpression: {expression: .b, expectedResult: c}}]\n"
        "          degraded: [{byExpression: {expression: .b, expectedResult: c}}]\n"
    )
    messages = [finding.message for finding in check(text)]
    assert messages == [
        "Whenever this matcher of Failed holds, the looser one of Running does too: the object is reported as both.",
        "Degraded holds whenever the stricter matcher of Failed does: the object is then reported as both.",
    ]
