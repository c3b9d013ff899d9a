"""Family WM3: one fault gives one finding, at the character, with what to write instead; open parts give none."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.crds import CONDITION, OPEN, TEXT, a_list, an_object, crd, write_crds
from tests.rules.fixture_files import pointed_at
from wmap_lint.checker import Options, check_paths
from wmap_lint.crd import CrdIndex
from wmap_lint.diagnostic import Diagnostic, Severity
from wmap_lint.rules import all_rules
from wmap_lint.rules.context import Context
from wmap_lint.source import read

HEAD = """\
apiVersion: run.ai/v1alpha1
kind: WorkloadMap
metadata: {name: example-com-widget-v1}
spec:
  structureDefinition:
    rootComponent:
      name: widget
      kind: {group: example.com, version: v1, kind: Widget}
"""
STATUS = """\
      statusDefinition:
        statusMappings:
          running:
          - byExpression: {expression: 'EXPRESSION', expectedResult: "true"}
"""
# ruff: noqa: E501 - a case is a line
RULES = [rule for rule in all_rules() if rule.check is not None]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> CrdIndex:
    return CrdIndex.of([write_crds(tmp_path_factory.mktemp("crds") / "widgets.yaml", crd())])


def check(text: str, index: CrdIndex, family: str = "WM") -> list[Diagnostic]:
    (document,) = read(text, "catalog/example-com-widget-v1.yaml").documents
    context = Context.of(document, crds=index)
    found = [each for rule in RULES if rule.code.startswith(family) for each in context.diagnostics(rule)]
    return sorted(found, key=lambda each: each.sort_key)


def status(expression: str) -> str:
    return HEAD + STATUS.replace("EXPRESSION", expression.replace("'", "''"))


def part(text: str) -> str:
    """A definition with more in its structure."""
    return status(".status.ready == 1") + textwrap.indent(textwrap.dedent(text).lstrip("\n"), "    ")


def role(**fields: str) -> str:
    lines = "\n".join(f"  {name}: {value}" for name, value in fields.items())
    return part(f"childComponents:\n- name: worker\n  ownerRef: widget\n{lines}\n")


def only(found: list[Diagnostic]) -> Diagnostic:
    assert len(found) == 1, [(each.rule, each.message) for each in found]
    return found[0]


@pytest.mark.parametrize(
    ("expression", "rule", "at", "message", "hint"),
    [
        (
            ".status.redy == 1",
            "WM301",
            ".redy",
            "Widget v1 has no field `redy` in `.status`: this is null in every object.",
            "Did you mean `ready`?",
        ),
        (".stats.ready == 1", "WM301", ".stats", "has no field `stats`:", "Did you mean `status`?"),
        (
            ".spec.ready == 1",
            "WM301",
            ".ready",
            "has no field `ready` in `.spec`",
            "`wmap-lint crd show Widget '.spec'` lists the fields that are there.",
        ),
        (
            "any(.spec.groups[]?; .replicas == 1)",
            "WM301",
            ".replicas",
            "has no field `replicas` in `.spec.groups[]`",
            "It is higher up: `.spec.replicas`.",
        ),
        (
            ".spec.containers == []",
            "WM301",
            ".containers",
            "in `.spec`",
            "It is further down: `.spec.bare.spec.containers`, `.spec.template.spec.containers` or "
            "`.spec.groups[].template.spec.containers`.",
        ),
        (
            "any(.status.conditions[]?; .kind == \"x\")",
            "WM301",
            ".kind",
            "in `.status.conditions[]`",
            "It is higher up: `.kind`.",
        ),
        (
            '.spec.bare.metadata.labels.x == "y"',
            "WM301",
            ".labels",
            "keeps no field in `.spec.bare.metadata`: its schema names none, so the API server drops what is written",
            "",
        ),
        (
            '.status.conditions.type == "Ready"',
            "WM302",
            ".type",
            "`.status.conditions` of Widget v1 is a list of objects, which has no field `type`",
            "Go through its elements: `.status.conditions[]?.type`",
        ),
        (".spec.replicas[]? == 1", "WM302", "[]", "is an integer, which has no elements", "Leave the `[]` out."),
        (".spec.roles[0] == 1", "WM302", "[0]", "is a map of objects, not a list", "Name a field."),
        (
            'any(.status[]?; .type == "x")',
            "WM302",
            "[]",
            "is no list or map but an object with fields of its own",
            "Lists and maps in it: `conditions`.",
        ),
        (
            ".status.conditions > 0",
            "WM303",
            ".status.conditions > 0",
            "compares a list with a number: jq then orders them by their type",
            "Compare how many there are: `length`.",
        ),
        (
            '.spec.paused == "true"',
            "WM303",
            '.spec.paused == "true"',
            "they are never equal, so this is always false",
            "without quotes",
        ),
        ('.status.ready != "1"', "WM303", '.status.ready != "1"', "so this is always true", "`tonumber`"),
        ('.spec.replicas | startswith("1")', "WM303", 'startswith("1")', "is an integer, and `startswith` fails", ""),
        (".status.conditions | ascii_downcase", "WM303", "ascii_downcase", "fails on that", "Take its elements first"),
        (".status.ready + .status.phase == 1", "WM303", ".status.ready + .status.phase", "a number and a text", "tonumber"),
        ('(.status.phase // "") * (.status.ready // 0) == ""', "WM303", '(.status.phase // "") * (.status.ready // 0)', "which repeats the text", ""),
        ('.status.phase == "Running"', "WM305", '"Running"', "the schema allows `Pending`, `Ready`, `Failed`", ""),
        ('.status.phase == "Reday"', "WM305", '"Reday"', "which it never is", "Did you mean `Ready`?"),
        ('.kind == "Widget"', "WM308", """'.kind == "Widget"'""", "By the schema of Widget v1 this is always true.", ""),
        ('.spec.replicas | type == "string"', "WM308", """'.spec.replicas | type == "string"'""", "always false", ""),
    ],
)  # fmt: skip
def test_expressions(index: CrdIndex, expression: str, rule: str, at: str, message: str, hint: str) -> None:
    text = status(expression)
    found = only(check(text, index))
    assert (found.rule, pointed_at(found, text)) == (rule, at)
    assert message in found.message
    assert hint in (found.hint or "")


def test_a_misspelt_field_can_be_mended(index: CrdIndex) -> None:
    for written, right in (
        (".status.redy == 1", ".status.ready == 1"),
        ('.status."redy" == 1', '.status."ready" == 1'),
    ):
        text = status(written)
        fix = only(check(text, index)).fix
        assert fix is not None
        (edit,) = fix.edits
        lines = text.split("\n")
        line = lines[edit.span.line - 1]
        lines[edit.span.line - 1] = line[: edit.span.column - 1] + edit.text + line[edit.span.end_column - 1 :]
        assert "\n".join(lines) == status(right)


@pytest.mark.parametrize(
    ("field", "path", "message", "hint"),
    [
        (
            "specDefinition: {podTemplateSpecPath: PATH}",
            ".spec.template.spec",
            "takes a PodTemplateSpec, and `.spec.template.spec` of Widget v1 is a PodSpec: consumers read it without "
            "an error, and find nothing in it.",
            "`.spec.template` is a PodTemplateSpec.",
        ),
        (
            "specDefinition: {podSpecPath: PATH}",
            ".spec.template",
            "takes a PodSpec, and `.spec.template` of Widget v1 is a PodTemplateSpec",
            "`.spec.template.spec` is a PodSpec.",
        ),
        ("specDefinition: {podTemplateSpecPath: PATH}", ".spec.replicas", "is an integer: consumers fail", ""),
        ("scaleDefinition: {replicasPath: PATH}", ".spec.template", "is a PodTemplateSpec", ""),
        (
            "scaleDefinition: {replicasPath: PATH}",
            '.spec.roles["a"]',
            "takes an integer",
            "In it is `replicas`.",
        ),
        ("scaleDefinition: {replicasPath: PATH}", ".spec.groups", "takes an integer", "Count its elements with `length`."),
        (
            "scaleDefinition: {replicasPath: PATH}",
            ".spec.mode",
            "is a string: older consumers fail on a count in a text",
            "",
        ),
        (
            "specDefinition: {fragmentedPodSpecDefinition: {labelsPath: PATH}}",
            ".spec.template.metadata",
            "takes a map of strings, and `.spec.template.metadata` of Widget v1 is an object",
            "`.spec.template.metadata.labels` is a map of strings.",
        ),
        ("specDefinition: {fragmentedPodSpecDefinition: {imagePath: PATH}}", ".spec.port", "", ""),
        ("specDefinition: {fragmentedPodSpecDefinition: {imagePath: PATH}}", ".spec.paused", "is a boolean", "`tostring`"),
        (
            "specDefinition: {fragmentedPodSpecDefinition: {containersPath: PATH}}",
            ".spec.template.spec",
            "takes a list of Container",
            "`.spec.template.spec.containers` is a list of Container.",
        ),
        (
            "specDefinition: {fragmentedPodSpecDefinition: {resourcesPath: PATH}}",
            "first(.spec.template.spec.containers[]?)",
            "takes a ResourceRequirements",
            "`.spec.template.spec.containers[].resources` is a ResourceRequirements.",
        ),
        ("specDefinition: {podSpecPath: .spec.template.spec, metadataPath: PATH}", ".spec.template.spec",
         "takes an ObjectMeta", "`.spec.template.metadata` is an ObjectMeta."),
    ],
)  # fmt: skip
def test_places(index: CrdIndex, field: str, path: str, message: str, hint: str) -> None:
    name, value = field.replace("PATH", f"'{path}'").split(": ", 1)
    text = role(**{name: value})
    found = [each for each in check(text, index, "WM3") if each.rule == "WM304"]
    if not message:
        assert found == []
        return
    each = only(found)
    assert pointed_at(each, text) == f"'{path}'"
    assert message in each.message
    assert hint in (each.hint or "")


def test_instance_ids_are_texts(index: CrdIndex) -> None:
    text = role(
        specDefinition="{podTemplateSpecPath: '.spec.groups[]?.template'}",
        instanceIdPath="'.spec.groups[]?.size'",
        podSelector="{componentInstanceSelector: {idPath: '.metadata.labels.group'}}",
    )
    found = only(check(text, index, "WM3"))
    assert (found.rule, pointed_at(found, text)) == ("WM304", "'.spec.groups[]?.size'")
    assert found.hint == "Convert it with `tostring`."


@pytest.mark.parametrize(
    ("selector", "rule", "at", "said"),
    [
        ("componentTypeSelector: {keyPath: '.metadata.lables.role', value: x}", "WM301", ".lables", "`labels`"),
        ("componentTypeSelector: {keyPath: '.metadata.labels.role.name', value: x}", "WM302", ".name",
         '`.metadata.labels["role.name"]`'),
        ("componentTypeSelector: {keyPath: .spec.priority, value: x}", "WM304", ".spec.priority", "no pod matches"),
        ("componentInstanceSelector: {idPath: .metadata.labels}", "WM304", ".metadata.labels", "map of strings"),
        ("replicaSelector: {keyPath: .metadata.label.index}", "WM301", ".label", "`labels`"),
        ("componentTypeSelector: {keyPath: .spec.nodeNam, value: x}", "WM301", ".nodeNam", "`nodeName`"),
    ],
)  # fmt: skip
def test_pods_are_typed_without_any_crd(selector: str, rule: str, at: str, said: str) -> None:
    fields = {"specDefinition": "{podTemplateSpecPath: .spec.template}", "podSelector": "{" + selector + "}"}
    if "Instance" in selector:
        fields["instanceIdPath"] = ".spec.name"
    text = role(**fields)
    found = only(check(text, CrdIndex(), "WM3"))
    assert (found.rule, pointed_at(found, text)) == (rule, at)
    assert said in found.message + (found.hint or "")


def test_group_keys_and_filters_are_typed() -> None:
    gang = """
    childComponents:
    - name: worker
      ownerRef: widget
      specDefinition: {podTemplateSpecPath: .spec.template}
  optimizationInstructions:
    gangScheduling:
      podGroups:
      - name: all
        members:
        - componentName: worker
          groupByKeyPaths: [.metadata.labls.group]
          filters: ['.spec.nodeNam == "x"']
"""
    text = status(".status.ready == 1") + gang.lstrip("\n")
    found = check(text, CrdIndex(), "WM3")
    assert [(each.rule, pointed_at(each, text)) for each in found] == [("WM301", ".labls"), ("WM301", ".nodeNam")]


@pytest.mark.parametrize(
    "expression",
    [
        '.spec.free.anything[0].x == "y"',
        ".spec.extra.anything.at.all > 3",
        '.spec.embedded.spec.containers[0].image == "x"',
        '.spec.embedded.metadata.labels.a == "x"',
        '.spec.port == "http" or .spec.port == 80',
        '(.spec.port | if type == "string" then tonumber else . end) > 1',
        '.spec.template.spec.nodeSelector["a/b"] == "c"',
        '.metadata.annotations["a/b"] == "c"',
        '.spec.roles.Head.template.spec.schedulerName == "x"',
        ".spec.roles | length > 1",
        "any(.spec.roles[]?; .replicas > 1)",
        '.spec.template.spec.containers[0].resources.requests["nvidia.com/gpu"] != null',
        "(.status.ready // 0) == (.spec.replicas // 1)",
        'all(.status.conditions[]?; .status != "False")',
    ],
)
def test_what_is_open_or_right_gives_no_finding(index: CrdIndex, expression: str) -> None:
    assert [each for each in check(status(expression), index) if each.rule.startswith("WM3")] == []


def test_an_open_pod_template_may_be_anything(tmp_path: Path) -> None:
    schema = an_object(spec=an_object(template=OPEN, free={"x-kubernetes-preserve-unknown-fields": True}), status=OPEN)
    index = CrdIndex.of([write_crds(tmp_path / "a.yaml", crd(schema))])
    for path in (".spec.template", ".spec.free", ".spec.free.pod", ".spec.template.inner"):
        for field in ("podTemplateSpecPath", "podSpecPath"):
            text = role(specDefinition=f"{{{field}: {path}}}", scaleDefinition="{replicasPath: .spec.template.count}")
            assert check(text, index, "WM3") == []


def test_without_a_crd_nothing_is_said_of_the_workload() -> None:
    text = status(".status.nothing.at.all > [1]")
    assert check(text, CrdIndex(), "WM3") == []


PHASE = """\
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        conditionsDefinition: {path: .status.conditions, typeFieldName: type, statusFieldName: FIELD}
        statusMappings:
          running:
          - byPhase: PHASE
            byConditions: [{type: Ready, status: STATUS}]
"""


@pytest.mark.parametrize(
    ("changes", "rule", "at", "said"),
    [
        ({}, "", "", ""),
        ({"PHASE": "Raedy"}, "WM305", "Raedy", "Did you mean `Ready`?"),
        ({"STATUS": '"true"'}, "WM305", '"true"', "Did you mean `True`?"),
        ({"FIELD": "state"}, "WM306", "state", "Did you mean `status`?"),
        ({"FIELD": "verdict"}, "WM306", "verdict", "Its fields are `reason`, `since`, `status` and `type`."),
        ({"FIELD": "since"}, "WM306", "since", "is an integer, and is compared with texts"),
    ],
)
def test_phases_and_conditions(index: CrdIndex, changes: dict[str, str], rule: str, at: str, said: str) -> None:
    text = HEAD + PHASE
    for name, value in {"PHASE": "Ready", "STATUS": '"True"', "FIELD": "status", **changes}.items():
        text = text.replace(f" {name}", f" {value}")
    found = [each for each in check(text, index) if each.rule.startswith("WM3")]
    if not rule:
        assert found == []
        return
    each = only(found)
    assert (each.rule, pointed_at(each, text)) == (rule, at)
    assert said in each.message + (each.hint or "")


def test_condition_types_outside_an_enumeration(tmp_path: Path) -> None:
    condition = an_object(type={"type": "string", "enum": ["Ready", "Failed"]}, status=TEXT)
    index = CrdIndex.of(
        [write_crds(tmp_path / "a.yaml", crd(an_object(status=an_object(conditions=a_list(condition), phase=TEXT))))]
    )
    text = HEAD + PHASE.replace("FIELD", "status").replace(" PHASE", " Any").replace("STATUS", '"True"')
    assert check(text, index, "WM3") == []
    found = only(check(text.replace("type: Ready,", "type: Redy,"), index, "WM3"))
    assert (found.rule, found.hint) == ("WM305", "Did you mean `Ready`?")


@pytest.mark.parametrize(
    ("expression", "expected", "said"),
    [
        (".status.ready", '"true"', "The expression gives an integer, never `true`"),
        (".status.ready", '"1"', ""),
        (".status.phase", '"Ready"', ""),
        (".status.phase", '"Redy"', "never `Redy`"),
        (".spec.paused", '"null"', ""),
        (".spec.paused", '"yes"', "gives a boolean, never `yes`"),
        (".spec.free", '"yes"', ""),
    ],
)
def test_expected_results(index: CrdIndex, expression: str, expected: str, said: str) -> None:
    text = status(expression).replace('expectedResult: "true"', f"expectedResult: {expected}")
    found = check(text, index, "WM3")
    if not said:
        assert found == []
        return
    each = only(found)
    assert (each.rule, pointed_at(each, text)) == ("WM305", expected)
    assert said in each.message


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (".spec.paused", '"true"', ""),
        (".spec.paused", '"null"', ""),
        (".spec.paused", "'\"true\"'", 'Write `value: "true"`.'),
        (".spec.paused", '"1"', 'Write `value: "true"`.'),
        (".spec.replicas", '"0"', ""),
        (".spec.replicas", '"0.5"', "is an integer, and this writes a number"),
        (".spec.replicas", '"false"', "is an integer, and this writes true or false"),
        (".spec.mode", "'\"On\"'", ""),
        (".spec.mode", "'\"on\"'", "one of `On` or `Off`"),
        (".spec.mode", '"On"', ""),  # no JSON at all: WM810
        (".spec.free", '"1"', ""),
        (".spec.port", '"1"', ""),
        (".spec.groups[]?.size", '"0"', ""),
    ],
)
def test_values_of_actions(index: CrdIndex, path: str, value: str, said: str) -> None:
    text = status(".status.ready == 1") + (
        f"      suspendDefinition:\n        suspendActions: [{{path: '{path}', value: {value}}}]\n"
        f'        resumeActions: [{{path: .spec.paused, value: "false"}}]\n'
    )
    found = check(text, index, "WM3")
    if not said:
        assert found == []
        return
    each = only(found)
    assert (each.rule, pointed_at(each, text)) == ("WM307", value)
    assert said in each.message + (each.hint or "")


def kind_findings(tmp_path: Path, kind: str, *documents: Any) -> list[Diagnostic]:
    index = CrdIndex.of([write_crds(tmp_path / "a.yaml", *documents)])
    text = status(".status.ready == 1").replace("{group: example.com, version: v1, kind: Widget}", kind)
    return [each for each in check(text, index, "WM31") if each.rule == "WM310"]


OLD_AND_NEW = (
    {"name": "v1", "served": False, "storage": True},
    {"name": "v2", "storage": False},
    {"name": "v1beta1", "storage": False, "deprecated": True, "deprecationWarning": "Widgets of v1beta1 go in 3.0"},
)


@pytest.mark.parametrize(
    ("kind", "severity", "message", "hint"),
    [
        ("{group: example.com, version: v2, kind: Widget}", None, "", ""),
        ("{group: other.com, version: v2, kind: Widget}", None, "", ""),
        (
            "{group: example.com, version: v1, kind: Widget}",
            Severity.ERROR,
            "`widgets.example.com` does not serve version `v1` any more; it serves `v1beta1` and `v2`. It is only what "
            "the API server stores.",
            "Write `v1beta1` or `v2`.",
        ),
        (
            "{group: example.com, version: v3, kind: Widget}",
            Severity.ERROR,
            "has no version `v3`; it serves `v1beta1` and `v2`.",
            "Did you mean",
        ),
        (
            "{group: example.com, version: v1beta1, kind: Widget}",
            Severity.WARNING,
            "is deprecated: Widgets of v1beta1 go in 3.0.",
            "Write a definition for `v2`.",
        ),
        (
            "{group: example.com, version: v2, kind: Wigdet}",
            Severity.ERROR,
            "The CRD given for `example.com` has no kind `Wigdet`.",
            "Did you mean `Widget`?",
        ),
        (
            "{group: example.com, version: v2, kind: Service}",
            Severity.ERROR,
            "has no kind `Service`.",
            "It defines `Widget`.",
        ),
        (
            "{group: batch, version: v1beta1, kind: CronJob}",
            Severity.WARNING,
            "serves CronJob of `batch` as `v1`, not as `v1beta1`.",
            "Write `v1`.",
        ),
        (
            "{group: batch, version: v1, kind: Jbo}",
            Severity.ERROR,
            "has no kind `Jbo` in group `batch`.",
            "Did you mean `Job`?",
        ),
    ],
)
def test_kinds_that_are_not_served(
    tmp_path: Path, kind: str, severity: Severity | None, message: str, hint: str
) -> None:
    found = kind_findings(tmp_path, kind, crd(versions=OLD_AND_NEW))
    if severity is None:
        assert found == []
        return
    each = only(found)
    assert each.severity is severity
    assert message in each.message
    assert hint in (each.hint or "")


@pytest.mark.parametrize(
    ("beside", "said"), [("example-com-widget-v2.yaml", False), ("example-com-widget-v1.yaml", True), (None, True)]
)
def test_a_deprecated_version_has_its_definition_beside_that_of_another(
    tmp_path: Path, beside: str | None, said: bool
) -> None:
    text = status(".status.ready == 1").replace("version: v1,", "version: v1beta1,")
    file = tmp_path / "catalog" / "example-com-widget-v1beta1.yaml"
    file.parent.mkdir()
    file.write_text(text)
    if beside is not None:
        (file.parent / beside).write_text(text)
    crds = write_crds(tmp_path / "a.yaml", crd(versions=OLD_AND_NEW))
    found = check_paths([file], Options(crds=(crds,), select=("WM310",))).diagnostics
    assert [each.severity for each in found] == [Severity.WARNING] * said


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ('{group: "", version: v1, kind: Service}', ""),
        ("{group: example.com, version: v1, kind: Widget}", ""),
        ("{group: unknown.com, version: v1, kind: Anything}", ""),
        ("{group: example.com, version: v1, kind: WidgetBackup}", ""),
        ("{group: resource.k8s.io, version: v1alpha1, kind: ResourceClaim}", ""),
        ('{group: "", version: v1, kind: Sevrice}', "Did you mean `Service`?"),
        ("{group: apps, version: v1, kind: StatefulSets}", "Did you mean `StatefulSet`?"),
        ("{group: example.com, version: v1, kind: Widgett}", "Did you mean `Widget`?"),
        ("{group: example.com, version: v9, kind: Widget}", "has no version `v9`"),
    ],
)
def test_kinds_below_the_workload(index: CrdIndex, kind: str, said: str) -> None:
    found = check(part(f"additionalChildKinds:\n- {kind}\n"), index, "WM3")
    if not said:
        assert found == []
        return
    each = only(found)
    assert (each.rule, each.severity) == ("WM311", Severity.WARNING)
    assert said in each.message + (each.hint or "")


def test_the_kind_of_a_component(index: CrdIndex) -> None:
    text = role(kind="{group: batch, version: v1, kind: Jobb}", specDefinition="{podTemplateSpecPath: .spec.template}")
    assert only(check(text, index, "WM3")).rule == "WM311"


def test_a_phase_that_is_always_null(index: CrdIndex) -> None:
    text = HEAD + PHASE.replace("FIELD", "status").replace(" PHASE", " Ready").replace("STATUS", '"True"')
    found = only(
        check(
            text.replace(".status.phase", "'.status.ready | if type == \"string\" then . else null end'"), index, "WM3"
        )
    )
    assert (found.rule, found.message) == ("WM308", "By the schema of Widget v1 this is always null.")


def test_an_expression_that_cannot_run_is_left_to_others(index: CrdIndex) -> None:
    for expression in (".spec.nowhere | recurse", ".spec.nowhere |", ".spec.nowhere | frobnicate"):
        assert [each for each in check(status(expression), index) if each.rule.startswith("WM3")] == []


def test_a_condition_of_an_unknown_list(tmp_path: Path) -> None:
    for schema in (an_object(status=OPEN), an_object(status=an_object(conditions={"type": "array"}))):
        index = CrdIndex.of([write_crds(tmp_path / "a.yaml", crd(schema))])
        text = HEAD + PHASE.replace("FIELD", "whatever").replace("STATUS", '"x"').replace(" PHASE", " Any")
        text = text.replace("        phaseDefinition: {path: .status.phase}\n", "").replace(
            "byPhase: Any\n            ", ""
        )
        assert check(text, index, "WM3") == []
    assert CONDITION["properties"]


MODEL = """\
base: running.yaml
vary:
- {path: .spec.paused, values: [true, FALSE], optional: true}
- {path: .status.READY, values: [1, 2]}
impossible:
- {when: .status.phase == "PHASE", because: nobody writes it (example/widget-operator@v1.0.0:controller.go)}
"""
RUNNING = """\
apiVersion: example.com/v1
kind: Widget
metadata: {name: demo}
spec: {paused: false}
status: {READY: 1}
"""
EXPECTED = """\
provenance:
  source: authored
  operator: widget-operator
  version: v1.0.0
  evidence: ["example/widget-operator@v1.0.0:controller.go"]
status: Running
"""


@pytest.mark.parametrize(
    ("changes", "rule", "at", "said"),
    [
        ({}, "", "", ""),
        ({"PHASE": "Reddy"}, "WM305", '"Reddy"', "Did you mean `Ready`?"),
        ({"READY": "redy"}, "WM301", ".redy", "Did you mean `ready`?"),
        (
            {"FALSE": '"false"'},
            "WM307",
            '"false"',
            "is a boolean, and this writes a text, so no object is in this state",
        ),
    ],
)
def test_status_models_are_typed(tmp_path: Path, changes: dict[str, str], rule: str, at: str, said: str) -> None:
    text = MODEL
    for name, value in {"PHASE": "Failed", "READY": "ready", "FALSE": "false", **changes}.items():
        text = text.replace(name, value)
    write_crds(tmp_path / "crds" / "widgets.yaml", crd())
    files = {
        "catalog/example-com-widget-v1.yaml": status("true"),
        "fixtures/example-com-widget-v1/running.yaml": RUNNING.replace("READY", changes.get("READY", "ready")),
        "fixtures/example-com-widget-v1/running.expected.yaml": EXPECTED,
        "fixtures/example-com-widget-v1/status-model.yaml": text,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    result = check_paths([tmp_path / "catalog"], Options(crds=(tmp_path / "crds",)))
    found = [each for each in result.diagnostics if each.rule.startswith("WM3")]
    if not rule:
        assert found == []
        return
    each = only(found)
    assert each.span.file.endswith("status-model.yaml")
    assert (each.rule, pointed_at(each, text)) == (rule, at)
    assert said in each.message + (each.hint or "")
