"""Twelve different faults in twelve places of one definition: twelve findings, each on its character, no thirteenth."""

from __future__ import annotations

from tests.rules.families import marked
from wmap_lint.checker import check_text

TEXT = r"""
apiVersion: run.ai/v1alpha1
kind: WorkloadMap
metadata:
  name: example-com-trainer-v1
  labels: {run.ai/karta-group: example.com, run.ai/karta-version: v1, run.ai/karta-kind: Trainer}
spec:
  structureDefinition:
    rootComponent:
      name: trainer
      kind: {group: example.com, version: v1, kind: Trainer}
      statusDefinition:
        phaseDefinition:
          path: .status.phase | ⟦WM201⟧| ascii_downcase
        conditionsDefinition:
          path: .status.conditions
          typeFieldName: type
          statusFieldName: status
          reasonFieldName: reason
          ⟦WM101⟧mesageFieldName: message
        statusMappings:
          initializing:
          - byExpression:
              expression: |
                (.status.conditions // []) == []
                and (⟦WM207⟧.status.ready // 0 < (.spec.replicas // 1))
              expectedResult: "true"
          running:
          - byConditions:
            - type: Ready
              status: ⟦WM006⟧True
          completed:
          - byExpression:
              expression: any(.status.conditions[]?; .type == "Done" and .status == "True")
              expectedResult: ⟦WM210⟧"True"
          failed:
          - byExpression:
              expression: '[.status.conditions[]? | select(.reason == "Backoff")] | ⟦WM202⟧size > 0'
              expectedResult: "true"
          degraded:
          - byExpression:
              expression: |
                any(.status.replicas[]?;
                  .failed > 0
                  and "\(⟦WM204⟧..)" != "")
              expectedResult: "true"
      suspendDefinition:
        suspendActions:
        - {path: .spec.state, value: ⟦WM810⟧paused}
        resumeActions:
        - {path: .spec.state, value: '"running"'}
    childComponents:
    - name: worker
      kind: {group: "", version: v1, kind: Pod}
      ownerRef: trainer
      specDefinition:
        podTemplateSpecPath: .spec.roles[]?.template
      scaleDefinition:
        replicasPath: ⟦WM211⟧.spec.roles[]?.replicas // 1
      instanceIdPath: .spec.roles[]?.name
      podSelector:
        componentTypeSelector:
          keyPath: ⟦WM208⟧.metadata.labels.role // "worker"
          value: worker
        componentInstanceSelector:
          idPath: .metadata.labels.worker
    - name: evaluator
      kind: {group: "", version: v1, kind: Pod}
      ownerRef: ⟦WM106⟧trainers
      specDefinition:
        podTemplateSpecPath: .spec.evaluator.template
      podSelector:
        componentTypeSelector:
          keyPath: .metadata.labels.role
          value: evaluator
  optimizationInstructions:
    gangScheduling:
      podGroup:
        name: trainer
        subGroups:
        - componentName: ⟦WM701⟧wroker
"""


def test_twelve_faults_give_twelve_findings() -> None:
    text, expected = marked(TEXT)
    assert len(expected) == len({code for code, _, _ in expected}) == 12
    found = [(each.rule, each.span.line, each.span.column) for each in check_text(text, "trainer.yaml").diagnostics]
    assert found == expected
