"""Other engines read the same, or it is told for which object they do not."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.statespace.catalog import MODELLED, PROJECT, definition_of
from tests.statespace.widgets import CONDITIONS, status_of
from wmap_lint.jq.engine import Engine, Failure, FailureKind, Values
from wmap_lint.statespace import engines
from wmap_lint.statespace.engines import EngineTroubleError, OtherEngine, disagreements, run, wanted
from wmap_lint.statespace.fuzzing import Subject, search

GOJQ = shutil.which("gojq") or next(filter(os.path.isfile, [os.environ.get("GOJQ", "")]), None)
JAQ = next(iter(wanted(["jaq"])))
OBJECTS: list[dict[str, Any]] = [
    {"apiVersion": "x/v1", "kind": "Widget", "spec": {"n": n, "more": [1, 2]}, "status": {"phase": phase}}
    for n in range(4)
    for phase in ("Up", "Down", None)
]


def differing(expression: str, other: OtherEngine, engine: Engine) -> list[engines.Disagreement]:
    status = status_of({"running": [{"byExpression": {"expression": expression, "expectedResult": "true"}}]})
    return disagreements(status, CONDITIONS, OBJECTS, engine, [other])


@pytest.mark.parametrize("name", MODELLED)
def test_jaq_agrees_on_the_catalog(name: str, engine: Engine) -> None:
    agrees(name, JAQ, engine)


@pytest.mark.skipif(GOJQ is None, reason="gojq is not installed")
@pytest.mark.parametrize("name", MODELLED)
def test_gojq_agrees_on_the_catalog(name: str, engine: Engine) -> None:
    assert GOJQ is not None
    agrees(name, OtherEngine("gojq", GOJQ), engine)


def agrees(name: str, other: OtherEngine, engine: Engine) -> None:
    definition = definition_of(name)
    result = search(Subject(f"{name}.yaml", definition, PROJECT / "fixtures" / name), engine, 3, 60, sample=45)
    # A small space has not as many different objects.
    assert len(result.sample) >= min(30, result.space.size if result.space is not None else 0)
    assert definition.root is not None
    assert definition.root.status_definition is not None
    assert result.space is not None
    found = disagreements(definition.root.status_definition, result.space.names, result.sample, engine, [other])
    assert found == []


def test_outcomes_are_told_apart() -> None:
    programs = [".spec.n", ".spec.more[]", "empty", ".spec.n | .x", ".status.phase == null # a comment", "-1", "1 +"]
    rows = run(JAQ, programs, OBJECTS[:2])
    assert rows[0] == [Values((0,)), Values((0,))]
    assert rows[1][0] == Values((1, 2))
    assert rows[2][0] == Values(())
    assert isinstance(rows[3][0], Failure)
    assert rows[4] == [Values((False,)), Values((False,))]
    assert rows[5][0] == Values((-1,))
    failure = rows[6][0]
    assert isinstance(failure, Failure)
    assert failure.kind is FailureKind.COMPILE


def test_a_disagreement_is_shown_by_the_smallest_object(engine: Engine) -> None:
    # Text of numbers: jq writes the shortest form, jaq keeps what was written.
    (found,) = differing('.status.phase == "Up" and (.spec.n / 2 | tostring) == "1"', JAQ, engine)
    assert found.engine == "jaq"
    assert found.workload == {
        "apiVersion": "x/v1",
        "kind": "Widget",
        "spec": {"n": 2},
        "status": {"phase": "Up"},
    }
    assert found.objects == 1
    assert {found.ours, found.theirs} == {"gives true", "gives false"}


def test_a_function_that_an_engine_lacks(engine: Engine) -> None:
    (found,) = differing('.status.phase | trimstr("U") == "p"', JAQ, engine)
    assert found.theirs == "does not compile"
    assert found.objects == len(OBJECTS)


@pytest.mark.parametrize("expression", ["input", "def f: f; f", ".spec |= 1", "1 +"])
def test_what_consumers_refuse_no_engine_is_given(
    expression: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []
    real = engines.run

    def watched(other: OtherEngine, programs: Any, workloads: Any) -> Any:
        given.extend(programs)
        return real(other, programs, workloads)

    monkeypatch.setattr(engines, "run", watched)
    assert differing(expression, JAQ, engine) == []
    assert given
    assert expression not in given


# -- engines that are not there, or not what they should be ----------------------------------------------------


def test_an_engine_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(EngineTroubleError, match="gojq is not installed"):
        wanted(["gojq"], str(tmp_path))


def test_our_own_needs_no_program(tmp_path: Path) -> None:
    assert wanted(["jq"], str(tmp_path)) == ()
    assert wanted([], str(tmp_path)) == ()


def test_an_engine_that_nobody_knows() -> None:
    with pytest.raises(EngineTroubleError, match="there is no engine 'sed'"):
        wanted(["sed"])


def script(folder: Path, text: str) -> OtherEngine:
    path = folder / "gojq"
    path.write_text(f"#!{sys.executable}\n{text}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return OtherEngine("gojq", str(path))


def test_an_engine_that_does_not_work(tmp_path: Path, engine: Engine) -> None:
    other = script(tmp_path, "import sys; sys.exit('out of order')")
    with pytest.raises(EngineTroubleError, match="does not work: out of order"):
        differing(".spec.n == 1", other, engine)


def test_an_engine_that_hangs(tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_SECONDS", 0.3)
    other = script(tmp_path, "import time; time.sleep(60)")
    with pytest.raises(EngineTroubleError, match="given up after"):
        differing(".spec.n == 1", other, engine)


def test_an_engine_sees_no_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "xyzzy")
    other = script(tmp_path, "import os, json; print(json.dumps([[sorted(set(os.environ) - {'LC_CTYPE'})]]))")
    assert run(other, ["."], [{}]) == [[Values(([],))]]
