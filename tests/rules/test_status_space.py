"""The rules about all states, through the whole of a check: words, places, and when they keep quiet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rules.fixture_files import DEFINITION, FIXTURES, check_text, example_files, pointed_at, write_files
from tests.statespace.planted import JOBSET, PLANTED, PROJECT, RAYCLUSTER, Planted
from wmap_lint.checker import CheckResult, Options, check_paths
from wmap_lint.diagnostic import Diagnostic, Severity
from wmap_lint.jq.engine import Engine
from wmap_lint.report import render

CODES = [f"WM{number}" for number in range(520, 534)]


def bad(code: str) -> dict[str, str]:
    return example_files(code)["Bad"]


def good(code: str) -> dict[str, str]:
    return example_files(code)["Good"]


def checked(folder: Path, files: dict[str, str], depth: str = "quick", **options: tuple[str, ...]) -> CheckResult:
    write_files(folder, files)
    return check_paths([folder / DEFINITION], Options(depth=depth, **options))


def only(folder: Path, files: dict[str, str]) -> Diagnostic:
    (found,) = checked(folder, files).diagnostics
    return found


def planted(name: str, definition: str) -> Planted:
    return next(fault for fault in PLANTED if (fault.name, fault.definition) == (name, definition))


# -- words and places ---------------------------------------------------------------------------------------------


def test_two_statuses(tmp_path: Path) -> None:
    files = bad("WM522")
    found = only(tmp_path, files)
    assert found.message == (
        'An object with `status.phase: "Up"` and `status.failed: 1` reads Running as well as Degraded: consumers get '
        "both, and each picks one."
    )
    assert found.hint == (
        'Add `byExpression` with the expression `((.status.failed // 0) > 0 | not)` and the expected result "true".'
    )
    assert pointed_at(found, files[DEFINITION]) == "byPhase: Up"
    assert [each.message for each in found.related] == ["This is why it reads Degraded."]


def test_a_name_in_vain(tmp_path: Path) -> None:
    files = bad("WM533")
    found = only(tmp_path, files)
    assert found.severity is Severity.WARNING
    assert found.message == (
        'By the status model the operator never writes `"Stoped"` here, so it lets nothing through and rules nothing '
        "out."
    )
    assert found.hint == "Correct it or leave it out; or, if the operator does write it, let the model vary it."
    assert pointed_at(found, files[DEFINITION]) == '"Stoped"'
    text = good("WM533")[DEFINITION].replace('"Stopped"', '"Stoped"')
    found = only(tmp_path, {**good("WM533"), DEFINITION: text})
    assert found.hint == "Did you mean `Stopped`?"
    known = 'any(.status.conditions[]?; .type == "Done" and (.status == "True" or .status == "False")) | not'
    text = files[DEFINITION].replace(
        'any(.status.conditions[]?; .type == ("Done", "Stoped") and .status == "True") | not', known
    )
    found = only(tmp_path, {**files, DEFINITION: text})
    assert 'nothing that the operator writes is `"False"` and what else is asked of it here' in found.message


def test_no_status(tmp_path: Path) -> None:
    files = bad("WM523")
    found = only(tmp_path, files)
    assert found.message == "Nothing matches an object with nothing in it (so in 2 of 4 states)."
    assert found.hint is not None
    assert found.hint.startswith("Initializing would be read but for `any(.status.conditions[]?;")
    assert pointed_at(found, files[DEFINITION]).startswith("any(")


def test_a_truth_is_named_with_its_reason(tmp_path: Path) -> None:
    files = bad("WM525")
    found = only(tmp_path, files)
    assert found.message.startswith("Failed and Completed are in each other's place.")
    assert "reads Failed, and by the model it is Completed" in found.message
    (other, truth) = found.related
    assert other.message == "The other one is Completed."
    assert truth.message.startswith("The model says Completed: the phase after the last step (example/")
    assert Path(truth.span.file).name == "status-model.yaml"


def test_before_anything_is_written(tmp_path: Path) -> None:
    found = only(tmp_path, bad("WM526"))
    assert found.severity is Severity.ERROR
    assert "An object with nothing in it reads Completed" in found.message
    assert found.hint == "Add `and (.status // {}) != {}` to the expression."


def test_what_is_proposed_mends_it(tmp_path: Path) -> None:
    files = bad("WM526")
    expression = '(.status.left // 0) == 0 and .status.phase != "Up"'
    mended = files[DEFINITION].replace(expression, f"{expression} and (.status // {{}}) != {{}}")
    assert mended != files[DEFINITION]
    (found,) = checked(tmp_path, {**files, DEFINITION: mended}).diagnostics or (None,)
    assert found is None


@pytest.mark.parametrize("fault", PLANTED, ids=[f"{each.name}: {each.definition[:7]}" for each in PLANTED])
def test_a_fault_in_the_catalog_is_told_once(fault: Planted, engine: Engine) -> None:
    found = check_text(fault.text, PROJECT / "catalog" / f"{fault.definition}.yaml", engine)
    # What fixtures show as well is told of them; they may show it of several statuses.
    families = {each.rule[:4] for each in found}
    assert len(families) == 1, found
    assert families <= {"WM50", "WM52", "WM81"}
    assert all(each.hint for each in found)


def test_a_fault_that_no_fixture_shows(engine: Engine) -> None:
    fault = planted("unknown", RAYCLUSTER)
    (found,) = check_text(fault.text, PROJECT / "catalog" / f"{RAYCLUSTER}.yaml", engine)
    assert found.rule == "WM523"
    assert "HeadPodReady=Unknown" in found.message
    assert "by the model it is Degraded" in found.message


# -- when they keep quiet -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [code for code in CODES if code not in ("WM520", "WM532")])
def test_nothing_is_looked_at_when_it_is_off(code: str, tmp_path: Path) -> None:
    assert checked(tmp_path, bad(code), depth="off").diagnostics == ()


@pytest.mark.parametrize("code", CODES)
def test_deep_finds_what_quick_finds(code: str, tmp_path: Path) -> None:
    assert {each.rule for each in checked(tmp_path, bad(code), depth="deep").diagnostics} == {code}


@pytest.mark.parametrize("code", ["WM522", "WM523", "WM525", "WM529", "WM530", "WM531"])
def test_without_a_model_these_are_no_findings(code: str, tmp_path: Path) -> None:
    files = {name: text for name, text in bad(code).items() if not name.endswith("status-model.yaml")}
    assert checked(tmp_path, files).diagnostics == ()


def test_a_guess_gives_no_error(tmp_path: Path) -> None:
    files = {name: text for name, text in bad("WM524").items() if not name.endswith("status-model.yaml")}
    assert checked(tmp_path, files).diagnostics == ()
    failing = '(.status.ready // "x") | split("/") | map(tonumber) | .[0] == .[1]'
    text = files[DEFINITION].replace('(.status.ready // "0/1") | split("/") | map(tonumber) | .[0] == .[1]', failing)
    (found,) = checked(tmp_path, {**files, DEFINITION: text}).diagnostics
    assert (found.rule, found.severity) == ("WM524", Severity.WARNING)
    assert 'an object with `status.phase: "Up"`' in found.message


def test_what_the_fixtures_show_is_not_told_again(tmp_path: Path) -> None:
    files = bad("WM522")
    degraded = files[f"{FIXTURES}/running.yaml"].replace("{phase: Up}", "{phase: Up, failed: 1}")
    expected = files[f"{FIXTURES}/running.expected.yaml"].replace("Running", "Degraded")
    files |= {f"{FIXTURES}/degraded.yaml": degraded, f"{FIXTURES}/degraded.expected.yaml": expected}
    assert [each.rule for each in checked(tmp_path, files).diagnostics] == ["WM502"]


def test_a_model_that_is_wrong_proves_nothing(tmp_path: Path) -> None:
    name = f"{FIXTURES}/status-model.yaml"
    files = bad("WM522")
    impossible = 'impossible:\n- when: .status.phase == "Up"\n  because: it never comes up\n'
    found = only(tmp_path, {**files, name: files[name] + impossible})
    assert found.rule == "WM521"
    assert found.message == "The model calls the fixture `running` impossible: it never comes up."
    assert [Path(each.span.file).name for each in found.related] == ["running.yaml"]


@pytest.mark.parametrize(
    ("program", "code", "message"),
    [
        (".status.phase ==", "WM201", "This is not jq"),
        ("nothing(.status)", "WM520", "Nothing defines the function `nothing/1`"),
        (".status.phase = 1", "WM520", "`=` changes the object"),
        ("[range(.spec.size)] | length > 0", "WM520", "This is not bounded"),
        ("env.HOME == .spec.home", "WM520", "`env`"),
        (".status.ready // 0 > 1", "WM207", "`//` binds more loosely"),
        (".status.phase.x[0] == 1", "WM521", "This program fails in"),
    ],
)
def test_the_jq_of_a_model_is_looked_at(program: str, code: str, message: str, tmp_path: Path) -> None:
    name = f"{FIXTURES}/status-model.yaml"
    files = bad("WM522")
    impossible = f"impossible:\n- when: {json.dumps(program)}\n  because: so\n"
    found = only(tmp_path, {**files, name: files[name] + impossible})
    assert found.rule == code
    assert found.message.startswith(message), found.message
    assert Path(found.span.file).name == "status-model.yaml"
    assert found.span.line == 10


def test_states_that_cannot_be_read_are_no_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wmap_lint.statespace import exploration

    monkeypatch.setattr(exploration, "_SECONDS", -1.0)
    result = checked(tmp_path, good("WM522"))
    (found,) = result.diagnostics
    assert (found.rule, found.severity) == ("WM520", Severity.WARNING)
    assert found.message.startswith("The states of the model were not read, so nothing is proven")
    assert not result.summary.all_states
    assert result.spaces == ()


# -- journeys and steps ---------------------------------------------------------------------------------------------


def test_a_hole_in_a_journey(tmp_path: Path) -> None:
    files = good("WM532")
    frame = f"{FIXTURES}/twice/02-running-rest.yaml"
    found = only(tmp_path, {**files, frame: files[frame].replace("Resting", "Nowhere")})
    assert found.rule == "WM532"
    assert found.message.startswith("`twice/02-running-rest` reads Undefined between two frames")
    assert [Path(each.span.file).name for each in found.related] == ["01-running.yaml", "03-running.yaml"]


def test_a_change_of_the_specification_may_bring_it_back(tmp_path: Path) -> None:
    files = bad("WM532")
    frame = f"{FIXTURES}/twice/03-running.yaml"
    assert checked(tmp_path, {**files, frame: files[frame].replace("size: 1", "size: 2")}).diagnostics == ()


def test_a_step_of_the_model(tmp_path: Path) -> None:
    files = {name: text for name, text in bad("WM532").items() if "/twice/" not in name}
    model = """\
base: running.yaml
vary:
- path: .status.phase
  values: [Up, Done, Resting]
  optional: true
transitions:
- when: .status.phase == "Resting"
  change: [{path: .status.phase, value: Up}]
  because: it only rested
"""
    found = only(tmp_path, {**files, f"{FIXTURES}/status-model.yaml": model})
    assert found.rule == "WM532"
    assert found.message.startswith(
        'By the model an object with `status.phase: "Resting"` reads Completed, and Running after the operator\'s next '
    )
    assert [each.message for each in found.related] == ["The step: it only rested."]


# -- what is counted ---------------------------------------------------------------------------------------------------


def test_states_and_matchers_are_counted(tmp_path: Path) -> None:
    result = checked(tmp_path, good("WM522"))
    assert (result.summary.states, result.summary.all_states, result.summary.matchers) == (4, True, 3)
    (space,) = result.spaces
    assert (space.by_model, space.complete, space.combinations, space.states) == (True, True, 4, 4)
    assert [(each.status, each.states, each.fixtures) for each in space.matchers] == [
        ("Running", 1, ("running",)),
        ("Initializing", 2, ()),
        ("Degraded", 1, ()),
    ]
    assert "all 4 states proven · 1 of 3 matchers covered" in render(result, "text")


def test_without_a_model_fixtures_are_counted(tmp_path: Path) -> None:
    files = {name: text for name, text in good("WM522").items() if not name.endswith("status-model.yaml")}
    result = checked(tmp_path, files)
    assert (result.summary.states, result.summary.all_states, result.summary.matchers) == (1, False, 0)
    assert [space.by_model for space in result.spaces] == [False]


def test_other_rules_alone_look_at_no_states(tmp_path: Path) -> None:
    assert checked(tmp_path, good("WM522"), select=("WM2",)).spaces == ()


LARGE = """\
base: running.yaml
vary:
- path: .status.phase
  values: [Up]
  optional: true
""" + "".join(f"- path: .status.field{number}\n  values: [0, 1, 2]\n" for number in range(9))


def test_of_many_states_a_sample(tmp_path: Path) -> None:
    files = good("WM522")
    files[f"{FIXTURES}/status-model.yaml"] = LARGE + "- path: .status.failed\n  values: [0, 1]\n"
    result = checked(tmp_path, files)
    (space,) = result.spaces
    assert space.combinations == 2 * 3**9 * 2
    assert not space.complete
    assert 4000 <= space.states < 5000
    assert not result.summary.all_states
    assert f"{space.states:,} sampled states" in render(result, "text")
    again = checked(tmp_path, files)
    assert again.spaces == result.spaces
    deep = checked(tmp_path, files, depth="deep")
    assert deep.summary.all_states
    assert deep.spaces[0].states == 2 * 3**9 * 2


def test_a_sample_finds_what_few_states_show(tmp_path: Path) -> None:
    files = bad("WM522")
    files[f"{FIXTURES}/status-model.yaml"] = LARGE + "- path: .status.failed\n  values: [0, 1]\n"
    found = only(tmp_path, files)
    assert found.rule == "WM522"
    assert 'with `status.phase: "Up"` and `status.failed: 1`' in found.message


def test_the_catalog_is_all_there_is() -> None:
    result = check_paths([PROJECT / "catalog" / f"{JOBSET}.yaml"])
    assert result.diagnostics == ()
    assert result.summary.all_states
    assert result.summary.states > 4000
