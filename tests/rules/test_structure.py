"""Family WM1: each planted fault is found at its character, once, and nothing else is."""

from __future__ import annotations

import pytest

from tests.rules.families import TEMPLATE, check, fixed, marked, places

STATUS = """\
      statusDefinition:
        statusMappings: {}
"""
WORKER = """\
    childComponents:
    - name: worker
      ownerRef: widget
"""

# A mapping or list that is wrong is marked at its key, an empty one at the value, if anything is written.
PLANTED = {
    "renamed in an earlier version": """\
    childComponents:
    - name: worker
      ⟦WM101⟧ownerName: widget
""",
    "a misspelt field of a required name is not missing as well": """\
    childComponents:
    - name: worker
      ⟦WM101⟧onwerRef: widget
""",
    "one level too high": WORKER
    + """\
      ⟦WM101⟧podTemplateSpecPath: .spec.template
""",
    "one level too low": WORKER
    + """\
      podSelector:
        ⟦WM101⟧instanceIdPath: .spec.name
""",
    "what is in an unknown field is not looked at": WORKER
    + """\
      ⟦WM101⟧podSelectr:
        whatever: {componentTypeSelector: 3}
""",
    "misspelt instance selector": WORKER
    + """\
      instanceIdPath: .spec.name
      podSelector:
        ⟦WM101⟧componentInstanceSelctor: {idPath: .metadata.name}
""",
    "misspelt key of the instance selector": WORKER
    + """\
      instanceIdPath: .spec.name
      podSelector:
        componentInstanceSelector: {⟦WM101⟧keyPath: .metadata.name}
""",
    "unknown field where the instance selector should be": WORKER
    + """\
      instanceIdPath: .spec.name
      podSelector:
        ⟦WM101⟧whatever: {idPath: .metadata.name}
""",
    "apiVersion in a kind": WORKER
    + """\
      kind: {⟦WM101⟧apiVersion: batch/v1, kind: Job}
""",
    "misspelt matchLabels": WORKER
    + """\
      podSelector:
        componentTypeSelector: {⟦WM101⟧labels: {a: b}}
""",
    "two misspellings side by side": WORKER
    + """\
      ⟦WM101⟧scaleDefinitions: {replicasPath: .a}
      ⟦WM101⟧specDefintion: {podSpecPath: .b}
""",
    "child without owner": """\
    childComponents:
    - ⟦WM102⟧name: worker
""",
    "selector without its path": WORKER
    + """\
      podSelector:
        ⟦WM102⟧replicaSelector: {}
""",
    "list instead of mapping": WORKER
    + """\
      ⟦WM103⟧scaleDefinition:
      - replicasPath: .spec.replicas
""",
    "nothing": WORKER
    + """\
      ⟦WM103⟧podSelector:
""",
    "jq that YAML reads as a list": WORKER
    + """\
      instanceIdPath: ⟦WM006⟧1
      podSelector:
        componentInstanceSelector:
          ⟦WM103⟧idPath: [.a, .b]
""",
    "wrong type of a whole list": """\
    ⟦WM103⟧childComponents: {name: worker}
""",
    "empty expression": WORKER
    + """\
      specDefinition: {podSpecPath: ⟦WM104⟧""}
""",
    "empty mappings": WORKER
    + """\
      specDefinition: ⟦WM104⟧{}
      scaleDefinition: ⟦WM104⟧{}
""",
    "empty list of actions": WORKER
    + """\
      suspendDefinition:
        suspendActions: [{path: .spec.suspend, value: "true"}]
        resumeActions: ⟦WM104⟧[]
""",
    "empty name and owner": """\
    childComponents:
    - name: ⟦WM104⟧""
      ownerRef: ⟦WM104⟧''
""",
    "name given twice": WORKER
    + """\
    - name: ⟦WM105⟧worker
      ownerRef: worker
""",
    "child named like the root and owned by it": """\
    childComponents:
    - name: ⟦WM105⟧widget
      ownerRef: widget
""",
    "owner that does not exist": """\
    childComponents:
    - name: worker
      ownerRef: ⟦WM106⟧wigdet
""",
    "owner of itself": """\
    childComponents:
    - name: worker
      ownerRef: ⟦WM107⟧worker
""",
    "circle with a tail and a second circle": """\
    childComponents:
    - {name: tail, ownerRef: b}
    - {name: a, ownerRef: ⟦WM107⟧b}
    - {name: b, ownerRef: c}
    - {name: c, ownerRef: a}
    - {name: d, ownerRef: ⟦WM107⟧e}
    - {name: e, ownerRef: d}
""",
    "two shapes of three": WORKER
    + """\
      specDefinition:
        podTemplateSpecPath: .spec.template
        metadataPath: .spec.metadata
        ⟦WM110⟧podSpecPath: .spec.template.spec
""",
    "all three shapes": WORKER
    + """\
      specDefinition:
        fragmentedPodSpecDefinition: {imagePath: .spec.image}
        ⟦WM110⟧podTemplateSpecPath: .spec.template
        ⟦WM110⟧podSpecPath: .spec.template.spec
""",
    "ids without selector": WORKER
    + """\
      ⟦WM111⟧instanceIdPath: .spec.name
""",
    "selector without ids": WORKER
    + """\
      podSelector:
        ⟦WM111⟧componentInstanceSelector: {idPath: .metadata.name}
""",
    "wrong type of a selector is no missing selector": WORKER
    + """\
      instanceIdPath: .spec.name
      podSelector:
        ⟦WM103⟧componentInstanceSelector: [.metadata.name]
""",
    "value without key": WORKER
    + """\
      podSelector:
        componentTypeSelector: {⟦WM112⟧value: a, matchLabels: {a: b}}
""",
    "nothing to select by": WORKER
    + """\
      podSelector:
        ⟦WM112⟧componentTypeSelector: {}
""",
    "no labels": WORKER
    + """\
      podSelector:
        componentTypeSelector: {matchLabels: ⟦WM112⟧{}}
""",
    "labels that no pod can have": WORKER
    + """\
      podSelector:
        componentTypeSelector:
          matchLabels:
            ⟦WM112⟧a/b/c: x
            ⟦WM112⟧Example.com/role: x
            example.com/role: ⟦WM112⟧two words
            ok: ""
            x: ⟦WM006⟧yes
""",
    "same kind twice": """\
    additionalChildKinds:
    - {group: "", version: v1, kind: Service}
    - {group: serving.knative.dev, version: v1, kind: ⟦WM113⟧Service}
    - {group: "", version: v1, kind: ConfigMap}
""",
    "status and metadata that nobody reads": WORKER
    + """\
      ⟦WM114⟧statusDefinition: {statusMappings: {}}
      specDefinition: {⟦WM114⟧metadataPath: .spec.metadata}
      podSelector: ⟦WM114⟧{}
""",
}


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED.keys())
def test_planted_fault_in_a_child_is_found_once(planted: str) -> None:
    text, expected = marked(TEMPLATE + STATUS + planted)
    assert places(text) == expected


PLANTED_IN_ROOT = {
    "no kind": "    ⟦WM109⟧rootComponent:\n      name: widget\n" + STATUS,
    "kind without version, empty kind": "    rootComponent:\n      name: widget\n"
    "      ⟦WM109⟧kind: {group: example.com, kind: ⟦WM109⟧''}\n" + STATUS,
    "core kind that cannot be a root": "    rootComponent:\n      name: widget\n"
    '      kind: {group: ⟦WM109⟧"", version: v1, kind: ReplicationController}\n' + STATUS,
    "the core kind that can": "    rootComponent:\n      name: widget\n"
    '      kind: {group: "", version: v1, kind: Pod}\n' + STATUS,
    "a core kind that does not say so": "    rootComponent:\n      name: widget\n"
    "      ⟦WM109⟧kind: {version: v1, kind: Pod}\n" + STATUS,
    "version that lacks quotes": "    rootComponent:\n      name: widget\n"
    "      kind: {group: example.com, version: ⟦WM006⟧1, kind: Widget}\n" + STATUS,
    "misspelt group": "    rootComponent:\n      name: widget\n"
    "      kind: {⟦WM101⟧grup: example.com, version: v1, kind: Widget}\n" + STATUS,
    "apiVersion for group and version": "    rootComponent:\n      name: widget\n"
    "      kind: {⟦WM101⟧apiVersion: example.com/v1, kind: Widget}\n" + STATUS,
    "kind as a string": "    rootComponent:\n      name: widget\n      kind: ⟦WM103⟧Widget\n" + STATUS,
    "owner": "    rootComponent:\n      name: widget\n      ⟦WM108⟧ownerRef: ''\n"
    "      kind: {group: example.com, version: v1, kind: Widget}\n" + STATUS,
    "no status": "    ⟦WM102⟧rootComponent:\n      name: widget\n"
    "      kind: {group: example.com, version: v1, kind: Widget}\n",
    "mappings outside the status definition": "    rootComponent:\n      name: widget\n"
    "      kind: {group: example.com, version: v1, kind: Widget}\n      ⟦WM101⟧statusMappings: {}\n",
    "no root": "    ⟦WM101⟧root:\n      name: widget\n",
}


@pytest.mark.parametrize("planted", PLANTED_IN_ROOT.values(), ids=PLANTED_IN_ROOT.keys())
def test_planted_fault_in_the_root_is_found_once(planted: str) -> None:
    text, expected = marked(TEMPLATE[: TEMPLATE.index("    rootComponent")] + planted)
    assert places(text) == expected


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ("", [("WM102", 1, 1)]),
        ("spec:\n", [("WM103", 4, 1)]),
        ("spec: {}\n", [("WM102", 4, 1)]),
        ("spec: []\n", [("WM103", 4, 7)]),
        ("spec:\n  structureDefinition: {}\n", [("WM102", 5, 3)]),
        ("spec:\n  structureDefinition: .a\n", [("WM103", 5, 24)]),
        ("spec:\n  structureDefinition: {rootComponent: {}}\n", [("WM102", 5, 25), ("WM102", 5, 25), ("WM109", 5, 25)]),
    ],
)
def test_a_definition_that_is_hardly_there(tail: str, expected: list[tuple[str, int, int]]) -> None:
    text = "apiVersion: run.ai/v1alpha1\nkind: Karta\nmetadata: {name: x}\n" + tail
    assert places(text) == expected


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("      podSelectors: {}", "Did you mean `podSelector`?"),
        ("      PODSELECTOR: {}", "Did you mean `podSelector`?"),
        ("      replicas: .spec.replicas", "Did you mean `replicasPath` in `scaleDefinition`?"),
        ("      podSelector: {keyPath: .a}", "Move it into `componentTypeSelector` or `replicaSelector`."),
        (
            "      scaleDefinition: {podSelector: {}, replicasPath: .a}",
            "Move it into the item of `childComponents` around it.",
        ),
        ("      scaleDefinition: {zzz: .a}", "Known here: `replicasPath`, `minReplicasPath` and `maxReplicasPath`."),
        (
            "      scaleDefinition: {replicas: .a, replicasPath: .b}",
            "Did you mean `replicasPath`, which is here as well?",
        ),
        ("      kind: {apiVersion: v1, kind: X}", "Did you mean `group` and `version`?"),
    ],
)
def test_unknown_field_is_told_where_it_belongs(written: str, hint: str) -> None:
    (finding,) = check(TEMPLATE + STATUS + WORKER + written + "\n")
    assert (finding.rule, finding.hint) == ("WM101", hint)


def test_message_says_which_component_and_what_follows() -> None:
    (finding,) = check(TEMPLATE + STATUS + WORKER + "      foo: 1\n")
    assert finding.message == (
        "`foo` is no field of child component 'worker'; local tools ignore it and the API server drops it, "
        "so what it says has no effect."
    )


@pytest.mark.parametrize(
    ("planted", "repaired"),
    [
        ("      ownerName: widget\n", "      ownerRef: widget\n"),
        ('      "ownerref": widget\n', "      ownerRef: widget\n"),
        ("      ownerRef: wiget\n", "      ownerRef: widget\n"),
    ],
)
def test_fix_repairs(planted: str, repaired: str) -> None:
    start = TEMPLATE + STATUS + "    childComponents:\n    - name: worker\n"
    assert fixed(start + planted) == start + repaired
    assert places(start + repaired) == []


def test_no_fix_that_would_only_change_the_fault() -> None:
    status = "      statusDefinition:\n        phasePath: .status.phase\n        statusMappings: {}\n"
    (finding,) = check(TEMPLATE + status)
    assert finding.hint == "Did you mean `phaseDefinition`, which is a mapping (`key: value`)?"
    assert finding.fix is None


def test_cycle_is_told_from_its_first_component_on() -> None:
    text = TEMPLATE + STATUS + "    childComponents:\n    - {name: a, ownerRef: b}\n    - {name: b, ownerRef: a}\n"
    (finding,) = check(text)
    assert "(a → b → a)" in finding.message
    assert [each.span.line for each in finding.related] == [13]


def test_second_of_two_same_names_points_at_the_first() -> None:
    (finding,) = check(TEMPLATE + STATUS + WORKER + "    - {name: worker, ownerRef: widget}\n")
    assert [(each.span.line, each.span.column) for each in finding.related] == [(12, 13)]


def test_long_circle_and_many_components_take_no_time_to_speak_of() -> None:
    count = 400
    children = "".join(f"    - {{name: c{each}, ownerRef: c{(each + 1) % count}}}\n" for each in range(count))
    found = check(TEMPLATE + STATUS + "    childComponents:\n" + children)
    assert [(each.rule, each.span.line) for each in found] == [("WM107", 12)]
    assert len(found[0].related) == count - 1


def test_owners_with_one_wrong_name_are_one_finding() -> None:
    text = """
spec:
  structureDefinition:
    rootComponent:
      name: widgets
      kind: {group: example.com, version: v1, kind: Widget}
      statusDefinition: {statusMappings: {}}
    childComponents:
    - {name: a, ownerRef: widget}
    - {name: b, ownerRef: widget}
    - {name: c, ownerRef: gadget}
"""
    head = "apiVersion: run.ai/v1alpha1\nkind: WorkloadMap\nmetadata: {name: example-com-widget-v1}"
    found = check(head + text)
    assert [(each.rule, each.span.line, len(each.related)) for each in found] == [("WM106", 11, 1), ("WM106", 13, 0)]
