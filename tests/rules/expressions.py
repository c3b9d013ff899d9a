"""Put one jq text into one place of a definition that is right otherwise."""

from __future__ import annotations

import json
import textwrap

from tests.rules.families import TEMPLATE

STATUS = "      statusDefinition: {statusMappings: {}}\n"

# `EXPRESSION` is a line of its own, in a block scalar: its characters stand in the file as they are.
PLACES = {
    "phase": """\
      statusDefinition:
        phaseDefinition:
          path: |-
            EXPRESSION
        statusMappings: {running: [{byPhase: Running}]}
""",
    "conditions": """\
      statusDefinition:
        conditionsDefinition:
          path: |-
            EXPRESSION
          typeFieldName: type
          statusFieldName: status
        statusMappings: {running: [{byConditions: [{type: Ready, status: "True"}]}]}
""",
    "matcher": """\
      statusDefinition:
        statusMappings:
          running:
          - byExpression:
              expression: |-
                EXPRESSION
              expectedResult: VALUE
""",
    "pod spec": """\
      specDefinition:
        podSpecPath: |-
          EXPRESSION
"""
    + STATUS,
    "labels": """\
      specDefinition:
        fragmentedPodSpecDefinition:
          labelsPath: |-
            EXPRESSION
"""
    + STATUS,
    "containers": """\
      specDefinition:
        fragmentedPodSpecDefinition:
          containersPath: |-
            EXPRESSION
"""
    + STATUS,
    "replicas": """\
      scaleDefinition:
        replicasPath: |-
          EXPRESSION
"""
    + STATUS,
    "replicas of many": """\
      scaleDefinition:
        replicasPath: |-
          EXPRESSION
      instanceIdPath: .spec.items[]?.name
      podSelector:
        componentInstanceSelector: {idPath: .metadata.labels.item}
"""
    + STATUS,
    "ids": """\
      instanceIdPath: |-
        EXPRESSION
      podSelector:
        componentInstanceSelector: {idPath: .metadata.labels.item}
"""
    + STATUS,
    "id of a pod": """\
      instanceIdPath: .spec.items[]?.name
      podSelector:
        componentInstanceSelector:
          idPath: |-
            EXPRESSION
"""
    + STATUS,
    "selector": """\
      podSelector:
        componentTypeSelector:
          keyPath: |-
            EXPRESSION
"""
    + STATUS,
    "selector with a value": """\
      podSelector:
        componentTypeSelector:
          keyPath: |-
            EXPRESSION
          value: VALUE
"""
    + STATUS,
    "suspend": """\
      suspendDefinition:
        suspendActions:
        - path: |-
            EXPRESSION
          value: "true"
        resumeActions:
        - {path: .spec.suspend, value: "false"}
"""
    + STATUS,
    "group key": STATUS
    + """\
  optimizationInstructions:
    gangScheduling:
      podGroups:
      - name: gang
        members:
        - componentName: widget
          groupByKeyPaths:
          - |-
            EXPRESSION
""",
    "filter": STATUS
    + """\
  optimizationInstructions:
    gangScheduling:
      podGroups:
      - name: gang
        members:
        - componentName: widget
          filters:
          - |-
            EXPRESSION
""",
}


def definition(place: str, expression: str, value: str = "true") -> str:
    """A definition with ``expression`` at ``place``; ``value`` is what that place is compared with, if anything."""
    lines = []
    for line in PLACES[place].replace("VALUE", json.dumps(value)).splitlines():
        if line.strip() == "EXPRESSION":
            lines.append(textwrap.indent(expression, line[: line.index("EXPRESSION")]))
        else:
            lines.append(line)
    return TEMPLATE + "\n".join(lines) + "\n"
