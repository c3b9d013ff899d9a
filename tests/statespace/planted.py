"""Faults to plant in the definitions of the catalog, and what they are to be found as."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from wmap_lint.statespace.properties import Property

PROJECT = Path(__file__).parents[2]
JOBSET = "jobset-x-k8s-io-jobset-v1alpha2"
PYTORCHJOB = "kubeflow-org-pytorchjob-v1"
RAYCLUSTER = "ray-io-raycluster-v1"


class Planted(NamedTuple):
    """In ``definition`` each first text of ``edits``, after the line ``under``, is replaced by the second one.

    The one violation has to be a ``kind``, held against ``status``.
    """

    name: str
    definition: str
    under: str
    edits: tuple[tuple[str, str], ...]
    kind: Property
    status: str

    @property
    def text(self) -> str:
        """The definition with the fault in it."""
        text = (PROJECT / "catalog" / f"{self.definition}.yaml").read_text(encoding="utf-8")
        begin = text.index("        statusMappings:\n")
        start = text.index(f"          {self.under}:\n", begin) if self.under else begin
        before, after = text[:start], text[start:]
        for old, new in self.edits:
            assert old in after, old
            after = after.replace(old, new, 1)
        return before + after


def _not(*types: str) -> str:
    names = ", ".join(f'"{each}"' for each in types)
    return f'(any(.status.conditions[]?; .status == "True" and .type == ({names})) | not)'


def _demanding(type_: str, status: str = "True") -> str:
    return f'          - byConditions:\n            - {{type: {type_}, status: "{status}"}}\n'


def _expressing(text: str) -> str:
    return f'          - byExpression:\n              expression: {text}\n              expectedResult: "true"\n'


def _swapped(one: str, other: str) -> tuple[tuple[str, str], ...]:
    return (
        (f"          {one}:\n", "          THAT:\n"),
        (f"          {other}:\n", f"          {one}:\n"),
        ("          THAT:\n", f"          {other}:\n"),
    )


PLANTED = [
    # a guard is dropped
    Planted(
        "guard",
        JOBSET,
        "running",
        (("                and " + _not("Completed", "Failed", "Suspended", "RestartingJobSet") + "\n", ""),),
        Property.ONE_STATUS,
        "Running",
    ),
    Planted(
        "guard",
        PYTORCHJOB,
        "running",
        (("                | .spec.runPolicy.suspend != true\n                and ", "                | "),),
        Property.ONE_STATUS,
        "Running",
    ),
    Planted(
        "guard",
        RAYCLUSTER,
        "running",
        (("                | .spec.suspend != true\n                and ", "                | "),),
        Property.ONE_STATUS,
        "Running",
    ),
    # two statuses are exchanged
    Planted("swapped", JOBSET, "", _swapped("completed", "failed"), Property.TRUTH, "Failed"),
    Planted("swapped", PYTORCHJOB, "", _swapped("suspending", "suspended"), Property.TRUTH, "Suspending"),
    Planted("swapped", RAYCLUSTER, "", _swapped("running", "degraded"), Property.TRUTH, "Running"),
    # a condition that is Unknown is forgotten
    Planted(
        "unknown",
        JOBSET,
        "suspending",
        (
            (
                '(any(.status.conditions[]?; .status == "True" and .type == "Suspended") | not)',
                'all(.status.conditions[]? | select(.type == "Suspended"); .status == "False")',
            ),
        ),
        Property.SOME_STATUS,
        "Suspending",
    ),
    Planted(
        "unknown",
        PYTORCHJOB,
        "suspending",
        (
            (
                _not("Failed", "Succeeded", "Suspended"),
                _not("Failed", "Succeeded")
                + "\n                and "
                + '(any(.status.conditions[]?; .type == "Suspended" and .status != "False") | not)',
            ),
        ),
        Property.SOME_STATUS,
        "Suspending",
    ),
    Planted(
        "unknown",
        RAYCLUSTER,
        "degraded",
        (('any(.status.conditions[]?; .status != "True" and', 'any(.status.conditions[]?; .status == "False" and'),),
        Property.SOME_STATUS,
        "Degraded",
    ),
    # False is demanded of a condition that may be absent
    Planted(
        "absent",
        JOBSET,
        "initializing",
        (("          - byExpression:\n", _demanding("Suspended", "False") + "            byExpression:\n"),),
        Property.SOME_STATUS,
        "Initializing",
    ),
    Planted(
        "absent",
        PYTORCHJOB,
        "degraded",
        (("          - byExpression:\n", _demanding("Suspended", "False") + "            byExpression:\n"),),
        Property.SOME_STATUS,
        "Degraded",
    ),
    Planted(
        "absent",
        RAYCLUSTER,
        "initializing",
        (("          - byExpression:\n", _demanding("RayClusterSuspended", "False") + "            byExpression:\n"),),
        Property.SOME_STATUS,
        "Initializing",
    ),
    # conditions are taken by position
    Planted(
        "order",
        JOBSET,
        "completed",
        ((_demanding("Completed"), _expressing('.status.conditions[0].type == "Completed"')),),
        Property.ANY_ORDER,
        "Completed",
    ),
    Planted(
        "order",
        PYTORCHJOB,
        "failed",
        ((_demanding("Failed"), _expressing('.status.conditions[-1] | .type == "Failed" and .status == "True"')),),
        Property.ANY_ORDER,
        "Failed",
    ),
    Planted(
        "order",
        RAYCLUSTER,
        "suspending",
        ((_demanding("RayClusterSuspending"), _expressing('.status.conditions[3].status == "True"')),),
        Property.ANY_ORDER,
        "Suspending",
    ),
    # final before anything was written
    Planted(
        "terminal",
        JOBSET,
        "completed",
        ((_demanding("Completed"), _expressing("all(.status.replicatedJobsStatus[]?; .succeeded > 0)")),),
        Property.NOTHING_SETTLED_UNWRITTEN,
        "Completed",
    ),
    Planted(
        "terminal",
        PYTORCHJOB,
        "failed",
        ((_demanding("Failed"), _expressing(".status.startTime == null")),),
        Property.NOTHING_SETTLED_UNWRITTEN,
        "Failed",
    ),
    Planted(
        "terminal",
        RAYCLUSTER,
        "running",
        (("          - byPhase: ready\n            byExpression:\n", "          - byExpression:\n"),),
        Property.NOTHING_SETTLED_UNWRITTEN,
        "Running",
    ),
]
