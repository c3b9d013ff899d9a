"""What an answer can depend on: nothing else changes it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wmap_lint.jq.dependence import EVERYTHING, dependence, overlap
from wmap_lint.jq.engine import Engine
from wmap_lint.jq.flow import Every, path_text


def looked_at(text: str) -> set[str]:
    return {path_text(path) for path in dependence(text).looked_at}


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (".spec.suspend != true", {".spec.suspend"}),
        (".status.conditions | length", {".status.conditions"}),
        ("any(.status.roles[]?; (.failed // 0) > 0)", {".status.roles[].failed"}),
        ('any(.a[]?; .b == "x" and .c == ("y", "z")) | not', {".a[].b", ".a[].c"}),
        (".a as $x | $x.b == .c", {".a.b", ".c"}),
        ("[.a[]? | {key: .name, value: .}] | from_entries", {".a[]", ".a[].name"}),
        (".a | select(.b) | .c", {".a.b", ".a.c"}),
        ("if .a then .b else .c end", {".a", ".b", ".c"}),
        (".a == null", set()),
        ('.a["b"].c', {".a.b.c"}),
        (".a[-1].b", {".a[*].b"}),
        (".a[.b].c", {".a[*].c", ".b"}),
        ("{a, b: .c.d}", {".a", ".c.d"}),
        ('"\\(.a)-\\(.b)"', {".a", ".b"}),
        (". == {}", {"."}),
        ("1", set()),
    ],
)
def test_what_is_looked_at(text: str, paths: set[str]) -> None:
    assert looked_at(text) == paths


@pytest.mark.parametrize("text", [".a |", "def f: .a; f", "reduce .a[] as $x (0; . + $x)", "..", "$nobody", ".a[1:]"])
def test_what_is_not_understood_depends_on_everything(text: str) -> None:
    assert dependence(text) == EVERYTHING


def test_steps_that_stand_for_many_are_any() -> None:
    assert overlap(("a", 0, "b"), ("a", Every.MEMBER))
    assert overlap((), ("a",))
    assert not overlap(("a", "b"), ("a", "c"))


TEXTS = [
    ".a.b == 1",
    "any(.c[]?; .x > 0)",
    "all((.c // [])[]; .x == 1 or .y)",
    ".a.b // .d",
    "(.a // {}) == {}",
    ".a == null",
    "[.c[]? | .x] | add",
    ".c | length",
    ".c[0].x == .c[-1].y",
    "if .d then .a else .c[1] end",
    ".a as $a | $a.b == .d",
    ".c | map(select(.x == 1)) | length > 0",
    "first(.c[]? | .x)",
    '.a | has("b")',
    ".a.b?",
    "{d} | .d",
    "[.c[]? | 1] | length",
]
VALUES = st.sampled_from([None, 0, 1, True, "s", {}, {"b": 1}, {"x": 1, "y": True}])
OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "a": st.one_of(VALUES, st.fixed_dictionaries({}, optional={"b": VALUES})),
        "c": st.one_of(VALUES, st.lists(st.one_of(VALUES, st.fixed_dictionaries({"x": VALUES})), max_size=3)),
        "d": VALUES,
        "e": VALUES,
    },
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(workload=OBJECTS, text=st.sampled_from(TEXTS), where=st.sampled_from(["a", "c", "d", "e"]), value=VALUES)
def test_the_rest_changes_nothing(workload: Any, text: str, where: str, value: Any, engine: Engine) -> None:
    on = dependence(text)
    paths = {path[:1] for path in (*on.looked_at, *on.gone_through, *on.tested, *on.iterated)} - {()}
    if (where,) in paths or () in on.looked_at:
        return
    changed = {**copy.deepcopy(workload), where: value}
    ((before, after),) = engine.evaluate([text], [workload, changed])
    assert before == after
