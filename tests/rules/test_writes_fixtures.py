"""Suspending, resuming and writing back the fixtures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.fixture_files import DEFINITION, FIXTURES, check_files, example_files, pointed_at, write_files
from wmap_lint.diagnostic import Diagnostic
from wmap_lint.jq.engine import Engine

GOOD = example_files("WM812")["Good"]
ACTION = '        - {path: .spec.paused, value: "true"}\n'
UNDO = '        - {path: .spec.paused, value: "false"}\n'
PODS = """\
    childComponents:
    - name: worker
      ownerRef: widget
      specDefinition: {podSpecPath: PATH}
"""


def check(folder: Path, engine: Engine, definition: str, **fixtures: str) -> list[Diagnostic]:
    files = {**GOOD, DEFINITION: definition}
    files.update({f"{FIXTURES}/{name}.yaml": text for name, text in fixtures.items()})
    return check_files(folder, files, engine)


def test_a_switch_that_works(tmp_path: Path, engine: Engine) -> None:
    assert check(tmp_path, engine, GOOD[DEFINITION]) == []


@pytest.mark.parametrize(
    ("before", "after", "code", "at", "said"),
    [
        (ACTION, ACTION.replace("paused", "pausde"), "WM812", ".pausde", "Did you mean `paused`?"),
        (ACTION, ACTION.replace(".spec.paused", ".spec.hold"), "WM812", ".spec.hold", "No status is read by"),
        (ACTION, ACTION.replace('"true"', '"false"'), "WM812", '"false"', "through this read Resuming or Running"),
        (UNDO, UNDO.replace("paused", "pausde"), "WM812", ".pausde", "`suspended` resumed through this still reads"),
        (UNDO, UNDO.replace('"false"', '"true"'), "WM812", '"true"', "still reads Suspended"),
        (ACTION, ACTION + ACTION.replace(".paused", ".replicas").replace("true", "0"), "WM811", ".spec.replicas",
         "`running` and `suspended` changes `spec.replicas`"),
        (UNDO, UNDO + UNDO.replace(".paused", ".replicas").replace("false", "9"), None, "", ""),
        (ACTION, ACTION.replace(".spec.paused", '".spec.jobs[]?.paused"'), "WM813", '".spec.jobs[]?.paused"',
         "no place on `running` and `suspended`"),
        (ACTION, ACTION.replace(".spec.paused", '".spec | select(.replicas > 5) | .paused"'), "WM813",
         '".spec | select(.replicas > 5) | .paused"', "no place"),
        (UNDO, UNDO.replace(".spec.paused", "'.spec | if .paused then .paused else .replicas.x end'"), "WM802",
         "'.spec | if .paused then .paused else .replicas.x end'", "so resuming fails"),
        (ACTION, ACTION.replace('"true"', "paused"), "WM810", "paused", ""),
    ],
)  # fmt: skip
def test_one_fault_one_finding(
    tmp_path: Path, engine: Engine, before: str, after: str, code: str | None, at: str, said: str
) -> None:
    text = GOOD[DEFINITION]
    assert before in text
    planted = text.replace(before, after)
    found = check(tmp_path, engine, planted)
    assert [(each.rule, pointed_at(each, planted)) for each in found] == ([(code, at)] if code else []), found
    assert all(said in each.message + (each.hint or "") for each in found)


@pytest.mark.parametrize("path", ["'first(.spec | select(.replicas > 0)).paused'", "'.spec | .paused // .paused'"])
def test_a_path_that_has_to_be_evaluated_works_too(tmp_path: Path, engine: Engine, path: str) -> None:
    assert check(tmp_path, engine, GOOD[DEFINITION].replace("path: .spec.paused", f"path: {path}")) == []


def test_each_action_sees_what_the_one_before_made(tmp_path: Path, engine: Engine) -> None:
    more = ACTION + ACTION.replace(".spec.paused", "'.spec | select(.paused) | .held'")
    undo = UNDO + UNDO.replace(".paused", ".held")
    assert check(tmp_path, engine, GOOD[DEFINITION].replace(ACTION, more).replace(UNDO, undo)) == []


def test_a_matcher_that_does_not_look_at_the_switch(tmp_path: Path, engine: Engine) -> None:
    text = GOOD[DEFINITION].replace(".status.phase == null and .spec.paused != true", ".status.phase == null")
    new = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: demo}\nspec: {paused: false}\nstatus: {}\n"
    folder = tmp_path / FIXTURES
    folder.mkdir(parents=True)
    expectation = GOOD[f"{FIXTURES}/running.expected.yaml"].replace("Running", "Initializing")
    write_files(tmp_path, {f"{FIXTURES}/created.expected.yaml": expectation})
    (found,) = check(tmp_path, engine, text, created=new)
    assert (found.rule, pointed_at(found, text)) == ("WM812", "'.status.phase == null'")
    assert "`created` suspended reads Initializing by this matcher, and neither" in found.message


def test_what_the_fixtures_show_already_is_not_told_again(tmp_path: Path, engine: Engine) -> None:
    text = GOOD[DEFINITION].replace("byPhase: Idle", "byPhase: Idel")
    assert {each.rule for each in check(tmp_path, engine, text)} == {"WM503"}


def test_terminal_fixtures_are_left_alone(tmp_path: Path, engine: Engine) -> None:
    text = GOOD[DEFINITION].replace(
        "          running:\n", "          completed:\n          - byPhase: Done\n          running:\n"
    )
    done = GOOD[f"{FIXTURES}/running.yaml"].replace("phase: Up", "phase: Done")
    write_files(
        tmp_path,
        {
            f"{FIXTURES}/completed.expected.yaml": GOOD[f"{FIXTURES}/running.expected.yaml"].replace(
                "Running", "Completed"
            )
        },
    )
    assert check(tmp_path, engine, text, completed=done) == []


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("'.spec.worker, .spec.worker'", None),  # two results for one instance
        (".spec.worker", "has `storage`, which"),
        ("'first(.spec.worker)'", "has `storage`, which"),
        (".spec.plain", None),
    ],
)
def test_what_is_lost_when_pods_are_written_back(tmp_path: Path, engine: Engine, path: str, said: str | None) -> None:
    spec = "{containers: [{name: main, image: app}], hostUsers: false, schedulingGates: []}"
    both = f"  worker: {{storage: 1Gi, {spec[1:]}\n  plain: {spec}\n  paused:"
    fixtures = {name: GOOD[f"{FIXTURES}/{name}.yaml"].replace("  paused:", both) for name in ("running", "suspended")}
    found = check(tmp_path, engine, GOOD[DEFINITION] + PODS.replace("PATH", path), **fixtures)
    assert [each.message for each in found if each.rule == "WM802" and said and said in each.message] == [
        each.message for each in found if each.rule == "WM802"
    ]
    assert bool([each for each in found if each.rule == "WM802"]) is (said is not None)
    assert all(each.severity.label == "warning" for each in found if each.rule == "WM802")
