"""Names that no state meets, against what is in the states."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.statespace.widgets import evaluate_with
from wmap_lint.jq.engine import Engine
from wmap_lint.paths import ABSENT
from wmap_lint.statespace.literals import IdleNames
from wmap_lint.statespace.space import Choice, Dimension, Space
from wmap_lint.statespace.table import Table

BASE = {"spec": {"suspend": True}, "status": {"phase": "Up", "conditions": []}}


def condition(type_: str, *statuses: str) -> Dimension:
    entries = [Choice({"type": type_, "status": status, "reason": f"{type_}{status}"}) for status in statuses]
    return Dimension(type_, (("status", "conditions"),), (Choice(ABSENT), *entries), condition=type_)


SPACE = Space(
    BASE,
    [
        Dimension(".spec.suspend", (("spec", "suspend"),), (Choice(True), Choice(False))),
        Dimension(".status.phase", (("status", "phase"),), (Choice("Up"), Choice("Down"), Choice(ABSENT))),
        condition("Ready", "True", "False"),
        condition("Done", "True"),
    ],
)


def idle(text: str, engine: Engine, possible: Any = None) -> list[str]:
    table = Table(SPACE, evaluate_with(engine))
    return [each.text for each in IdleNames(table, table.everything if possible is None else possible).of(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('any(.status.conditions[]?; .type == "Ready" and .status == "True")', []),
        ('any(.status.conditions[]?; .type == "Raedy" and .status == "True")', ['"Raedy"']),
        ('any(.status.conditions[]?; .type == ("Ready", "Gone") and .status == "True") | not', ['"Gone"']),
        ('any(.status.conditions[]?; .type == "Done" and .status == "False") | not', ['"Done"']),
        ('all(.status.conditions[]?; .type != "Done" or .status == "Unknown")', ['"Unknown"']),
        ('.status.phase == "Up" or .status.phase == "Gone"', ['"Gone"']),
        ('.status.phase | . == "Up" or . == "Done"', ['"Done"']),
        ('.status.phase as $p | .spec.suspend == true and $p == "up"', ['"up"']),
        ("if .spec.suspend == true then .status.phase == null else .status.phase == 1 end", []),
        ('.spec.suspend == "true"', ['"true"']),
        (".spec.suspend != true and .spec.suspend != false", []),
        (".status.phase", []),
        ('{"a": "b"}.a == "b"', []),
        ("not jq", []),
    ],
)
def test_names_that_are_nowhere(text: str, names: list[str], engine: Engine) -> None:
    assert idle(text, engine) == names


def test_what_cannot_be_is_not_met(engine: Engine) -> None:
    table = Table(SPACE, evaluate_with(engine))
    up = table.verdict('.status.phase == "Up"', "true").true
    assert idle('.status.phase == "Down"', engine, table.everything & ~up) == []
    assert idle('.status.phase == "Up"', engine, table.everything & ~up) == ['"Up"']
    assert idle('.status.phase == "Up"', engine, 0) == []


def test_each_program_has_its_own_places(engine: Engine) -> None:
    table = Table(SPACE, evaluate_with(engine))
    names = IdleNames(table, table.everything)
    part = 'any(.status.conditions[]?; .type == "Gone")'
    (first,) = names.of(part)
    (second,) = names.of(f"({part} | not) and .spec.suspend == true")
    assert (first.node.start, second.node.start) == (part.index('"Gone"'), part.index('"Gone"') + 1)
    assert second.met == {"Ready", "Done", "True", "False", "ReadyTrue", "ReadyFalse", "DoneTrue"}


@settings(max_examples=60, deadline=None)
@given(
    type_=st.sampled_from(["Ready", "Done", "Gone"]),
    status=st.sampled_from(["True", "False", "Unknown"]),
    operator=st.sampled_from(["==", "!="]),
    quantifier=st.sampled_from(["any", "all"]),
)
def test_a_name_is_idle_when_no_condition_tells(
    type_: str, status: str, operator: str, quantifier: str, engine: Engine
) -> None:
    text = f'{quantifier}(.status.conditions[]?; .type {operator} "{type_}" or .status == "{status}")'
    known = {"Ready", "Done"}
    found = idle(text, engine)
    if type_ not in known:
        assert found == [f'"{type_}"']
    elif status == "Unknown" and operator == "==":
        assert found == ['"Unknown"']
