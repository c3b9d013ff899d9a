"""Family WM0: what is a definition, and what YAML makes of a word."""

from __future__ import annotations

import pytest

from tests.rules.families import TEMPLATE, check, fixed, marked, only, places
from wmap_lint.rules.source_rules import Relation, classify

BODY = TEMPLATE[TEMPLATE.index("metadata") :] + "      statusDefinition: {statusMappings: {}}\n"


@pytest.mark.parametrize(
    ("head", "relation"),
    [
        ("apiVersion: run.ai/v1alpha1\nkind: WorkloadMap\n", Relation.OURS),
        ("apiVersion: run.ai/v1alpha1\nkind: Karta\n", Relation.OURS),
        ("apiVersion: run.ai/v1alpha1\nkind: karta\n", Relation.NEARLY),
        ("apiVersion: run.ai/v1alpha1\nkind: WorkloadMaps\n", Relation.NEARLY),
        ("apiVersion: run.ai/v1alpha2\nkind: WorkloadMap\n", Relation.NEARLY),
        ("apiVersion: run.ai\nkind: WorkloadMap\n", Relation.NEARLY),
        ("apiVersion: runai/v1alpha1\nkind: Karta\n", Relation.NEARLY),
        ("kind: Karta\n", Relation.NEARLY),
        ("apiVersion: optimization.nvidia.com/v1alpha1\nkind: ResourceInterface\n", Relation.NEARLY),
        ("apiVersion: run.ai/v2alpha1\nkind: TrainingWorkload\n", Relation.FOREIGN),
        ("apiVersion: run.ai/v1alpha1\nkind: Project\n", Relation.FOREIGN),
        ("apiVersion: run.ai/v1alpha1\n", Relation.FOREIGN),
        ("apiVersion: example.com/v1\nkind: Chart\n", Relation.FOREIGN),
        ("apiVersion: example.com/v1\nkind: Karta\n", Relation.FOREIGN),
        ("apiVersion: 1\nkind: [WorkloadMap]\n", Relation.FOREIGN),
    ],
)
def test_relation_by_the_envelope_alone(head: str, relation: Relation) -> None:
    assert classify(only(head + "spec: {}\n")).relation is relation


@pytest.mark.parametrize("head", ["", "apiVersion: example.com/v1\nkind: Other\n", "apiVersion: run.ai/v1alpha1\n"])
def test_structure_definition_gives_a_definition_away(head: str) -> None:
    classification = classify(only(head + BODY))
    assert classification.relation is Relation.NEARLY
    assert classification.finding is not None


@pytest.mark.parametrize("text", ["[]\n", "text\n", "null\n", "a: b\n", "spec: {structureDefinition: 1}\n"])
def test_anything_else_is_foreign(text: str) -> None:
    assert classify(only(text)).relation is Relation.FOREIGN


@pytest.mark.parametrize(
    "head",
    [
        "apiVersion: run.ai/v1alpha1\nkind: ⟦WM004⟧workloadmap\n",
        "apiVersion: run.ai/v1alpha1\nkind: ⟦WM004⟧WorkloadMpa\n",
        "apiVersion: ⟦WM004⟧run.ai/v1\nkind: Karta\n",
        "apiVersion: ⟦WM004⟧run.ai/v1beta1\nkind: workloadmap\n",
        "apiVersion: optimization.nvidia.com/v1alpha1\nkind: ⟦WM004⟧ResourceInterface\n",
    ],
)
def test_near_miss_is_reported_alone_and_can_be_fixed(head: str) -> None:
    text, expected = marked(head + BODY)
    assert places(text) == expected
    assert places(fixed(text)) == []


STATUS = """\
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        conditionsDefinition: {path: .c, typeFieldName: type, statusFieldName: status, reasonFieldName: reason}
        statusMappings:
          running:
"""
SUSPEND = """\
      statusDefinition: {statusMappings: {}}
      suspendDefinition:
        suspendActions: [{path: .a, value: @}]
        resumeActions: [{path: .a, value: "true"}]
"""


MATCHER = TEMPLATE + STATUS + "          - "
CONDITION = MATCHER + "byConditions: [{type: Ready, status: @}]\n"
EXPECTED = MATCHER + "byExpression: {expression: .a, expectedResult: @}\n"


@pytest.mark.parametrize(
    ("text", "word", "meant"),
    [
        (CONDITION, "True", '"True"'),
        (CONDITION, "false", '"False"'),
        (CONDITION, "no", '"False"'),
        (CONDITION, "1", '"1"'),
        (MATCHER + "byConditions: [{type: @}]\n", "on", '"on"'),
        (MATCHER + "byPhase: @\n", "1", '"1"'),
        (MATCHER + "byPhase: @\n", "null", '"null"'),
        (MATCHER + "byExpression: {expression: @, expectedResult: a}\n", "yes", '"yes"'),
        (EXPECTED, "true", '"true"'),
        (EXPECTED, "True", '"true"'),
        (EXPECTED, "~", '"null"'),
        (EXPECTED, "0", '"0"'),
        (TEMPLATE + SUSPEND, "True", '"true"'),
        (TEMPLATE + SUSPEND, "0", '"0"'),
        (TEMPLATE + SUSPEND, "0x10", '"16"'),
        (TEMPLATE + SUSPEND, "null", '"null"'),
    ],
)
def test_word_that_yaml_reads_as_something_else(text: str, word: str, meant: str) -> None:
    planted, expected = marked(text.replace("@", f"⟦WM006⟧{word}"))
    assert places(planted) == expected
    (finding,) = check(planted)
    assert finding.hint == f"Write {meant}."
    assert fixed(planted) == text.replace("@", meant)
    assert "WM006" not in {each.rule for each in check(fixed(planted))}


def test_message_quotes_the_word_and_says_what_yaml_made_of_it() -> None:
    text, _ = marked(TEMPLATE + STATUS + "          - byConditions: [{type: Ready, status: yes}]\n")
    (finding,) = check(text)
    assert finding.message.startswith("`yes` without quotes is the boolean true in YAML, but `status` is a string:")


def test_labels_are_strings_too() -> None:
    text, expected = marked(
        TEMPLATE.replace(
            "{name: example-com-widget-v1}",
            "{name: x, labels: {run.ai/karta-version: ⟦WM006⟧1}, annotations: {a: ⟦WM006⟧on}}",
        )
        + "      statusDefinition: {statusMappings: {}}\n"
    )
    assert places(text) == expected


def test_what_json_cannot_say_is_reported_once() -> None:
    text, expected = marked(TEMPLATE + STATUS + "          - byPhase: ⟦WM003⟧.nan\n")
    assert places(text) == expected


def test_every_definition_after_the_first_is_reported() -> None:
    one = "apiVersion: run.ai/v1alpha1\nkind: Karta\n" + BODY
    assert places(one + "---\nkind: Other\n---\n" + one) == [("WM007", 13, 1)]
    assert [each.rule for each in check("---\n".join([one, one, one]))] == ["WM007", "WM007"]
    assert places(one + "---\nkind: Other\n") == []
