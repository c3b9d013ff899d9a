"""Status models: what they give, and what is said of those that cannot be used."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.statespace.widgets import evaluate_with, status_of
from wmap_lint.jq.engine import Engine
from wmap_lint.paths import ABSENT
from wmap_lint.statespace.model import ModelReading, load_model
from wmap_lint.statespace.proof import Proof
from wmap_lint.statespace.properties import Examination, Oracle, Property
from wmap_lint.statespace.space import ConditionNames
from wmap_lint.statespace.table import Table

RUNNING = """\
apiVersion: example.com/v1
kind: Widget
metadata: {name: demo}
spec: {size: 2}
status:
  phase: Up
  roles: [{name: a, ready: 1}, {name: b, ready: 2}]
  conditions:
  - {type: Ready, status: "True", reason: AllUp, message: up}
"""
GOOD = """\
base: running.yaml
vary:
- path: .spec.suspend
  values: [true, false]
  optional: true
- path: .status
  optional: true
- path: .status.roles[].ready
  values: [0, 2]
- condition: Ready
  status: ["True"]
  optional: true
- condition: Ready
  status: ["False"]
  reason: [Lost, Slow]
"""


def loaded(folder: Path, text: str, names: ConditionNames | None = None) -> ModelReading:
    (folder / "running.yaml").write_text(RUNNING, encoding="utf-8")
    (folder / "status-model.yaml").write_text(text, encoding="utf-8")
    return load_model(folder, names)


def test_a_model_gives_a_space(tmp_path: Path) -> None:
    reading = loaded(tmp_path, GOOD)
    assert reading.problems == ()
    assert reading.model is not None
    space = reading.model.space
    assert [dimension.name for dimension in space.dimensions] == [
        ".spec.suspend",
        ".status",
        ".status.roles[].ready",
        "Ready",
    ]
    assert [len(dimension.choices) for dimension in space.dimensions] == [3, 2, 2, 4]
    assert space.size == 3 * (2 * 4 + 1)
    ready = [choice.value for choice in space.dimensions[3].choices]
    # What the base says of the condition goes with its own status only.
    assert ready == [
        {"type": "Ready", "status": "True", "reason": "AllUp", "message": "up"},
        {"type": "Ready", "status": "False", "reason": "Lost"},
        {"type": "Ready", "status": "False", "reason": "Slow"},
        ABSENT,
    ]
    assert reading.model.vary == ((0,), (1,), (2,), (3, 4))
    assert space.build((0, 0, 1, 3)) == {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "demo"},
        "spec": {"size": 2, "suspend": True},
        "status": {"phase": "Up", "roles": [{"name": "a", "ready": 2}, {"name": "b", "ready": 2}]},
    }


def test_without_a_model_there_is_nothing(tmp_path: Path) -> None:
    assert load_model(tmp_path) == ModelReading()
    assert load_model(None) == ModelReading()


VARY = "base: running.yaml\nvary:\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "The status model is empty."),
        ("base: [", 1, 7, None),
        ("base: running.yaml\n", 1, 1, "A status model lacks `vary`, so the model is not used."),
        ("base: runing.yaml\nvary: [{path: .spec, optional: true}]\n", 1, 7, "There is no scenario `runing.yaml` in"),
        ("base: ../x/running.yaml\nvary: [{path: .spec, optional: true}]\n", 1, 7, "There is no scenario"),
        (VARY + "- path: .spec.x | length\n  values: [1]\n", 3, 9, "`.spec.x | length` is more than a path"),
        (VARY + "- path: .spec[\n  values: [1]\n", 3, None, "This is no jq path: "),
        (VARY + "- path: .\n  values: [1]\n", 3, 9, "The object as a whole cannot vary."),
        (VARY + "- path: .status.none[].x\n  values: [1]\n", 3, 9, "`.status.none[].x` leads nowhere in the base"),
        (VARY + "- path: .spec.x\n  optional: true\n", 3, 3, "The base has no `.spec.x`, and nothing says"),
        (VARY + "- path: .status.roles[0]\n  optional: true\n", 4, 3, "`.status.roles[0]` is an item of a list"),
        (VARY + '- path: .spec.x\n  values: [1]\n  status: ["True"]\n', 5, 3, "Only a condition has a `status`"),
        (
            VARY + "- path: .spec.x\n  condition: Ready\n  values: [1]\n",
            3,
            3,
            "`vary[0]` says both `path` and `condition`",
        ),
        (VARY + "- optional: true\n", 3, 3, "`vary[0]` says neither `path` nor `condition`"),
        (VARY + "- condition: Ready\n  optional: true\n", 3, 3, "Nothing says which statuses Ready can have"),
        (VARY + "- condition: Ready\n  status: [true]\n", 4, 12, "`vary[0].status[0]` has to be of type string"),
        (VARY + "- condition: Ready\n  status: [Yes]\n", 4, 12, "`vary[0].status[0]` has to be of type string"),
        (VARY + "- condition: Ready\n  status: [Maybe]\n", 4, 12, "A condition is True, False or Unknown, not 'Maybe'"),
        (VARY + '- condition: Ready\n  status: ["True"]\n  values: [1]\n', 5, 3, "A condition has no `values`"),
        (
            GOOD
            + 'transitions:\n- when: .spec.suspend\n  because: so\n  change:\n  - {condition: Redy, status: "True"}\n',
            20,
            17,
            "`Redy` does not vary, so it cannot change.",
        ),
        (
            GOOD
            + "transitions:\n- when: .spec.suspend\n  because: so\n  change:\n  - {path: .spec.suspend, value: 1}\n",
            20,
            5,
            "This is none of the values that `.spec.suspend` has",
        ),
    ],
)
def test_faults_are_pointed_at(tmp_path: Path, text: str, line: int, column: int | None, message: str | None) -> None:
    reading = loaded(tmp_path, text)
    assert reading.model is None
    problem = reading.problems[0]
    assert problem.span.file == str(tmp_path / "status-model.yaml")
    assert problem.span.line == line
    assert column is None or problem.span.column == column
    assert message is None or problem.message.startswith(message), problem.message


def test_conditions_need_one_place(tmp_path: Path) -> None:
    reading = loaded(tmp_path, GOOD, ConditionNames(None))
    assert [problem.message for problem in reading.problems] == [
        "The definition does not say of one place that conditions are there, so Ready cannot be varied."
    ]


STEPS = """\
base: running.yaml
vary:
- path: .status.phase
  values: [Up, Done, Resting]
- path: .spec.size
  values: [2, 3]
transitions:
- when: .status.phase == "Done"
  change: [{path: .status.phase, value: Resting}]
  because: it rests
"""


@pytest.mark.parametrize(
    ("steps", "resting", "found"),
    [
        (STEPS, "running", [("Completed", "Running")]),
        (STEPS, "completed", []),
        # The user may bring it back to life.
        (STEPS.replace("value: Resting}]", "value: Resting}, {path: .spec.size, value: 3}]"), "running", []),
        (STEPS.replace('"Done"', '"Up"'), "completed", []),
    ],
)
def test_a_final_status_is_not_left(
    tmp_path: Path, steps: str, resting: str, found: list[tuple[str, str]], engine: Engine
) -> None:
    model = loaded(tmp_path, steps).model
    assert model is not None
    mappings: dict[str, Any] = {"running": [{"byPhase": "Up"}], "completed": [{"byPhase": "Done"}]}
    mappings[resting].append({"byPhase": "Resting"})
    status = status_of(mappings)
    evaluate = evaluate_with(engine)
    proof = Proof(status, Table(model.space, evaluate))
    violations = Examination(proof, Oracle(status, evaluate, model), complete=True).violations()
    assert [(each.statuses[0], each.after) for each in violations if each.kind is Property.STEP_ALLOWED] == found


def test_the_example_for_contributors_can_be_used(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```yaml\n(base: .*?)^```$", page, re.MULTILINE | re.DOTALL)
    reading = loaded(tmp_path, example)
    assert reading.problems == ()
    assert reading.model is not None
    assert (len(reading.model.impossible), len(reading.model.truths), len(reading.model.transitions)) == (1, 1, 1)
