from __future__ import annotations

import importlib.machinery
import json
import math
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmap_lint.jq import engine as module
from wmap_lint.jq import worker
from wmap_lint.jq.engine import (
    Engine,
    EngineUnavailable,
    Failure,
    FailureKind,
    Limits,
    Outcome,
    Values,
    normalise,
)

QUICK = Limits(memory_bytes=160 * 1024 * 1024, program_seconds=0.25)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as started:
        yield started


@pytest.fixture(scope="module")
def quick() -> Iterator[Engine]:
    with Engine(QUICK) as started:
        yield started


def one(engine: Engine, program: str, value: object = None) -> Outcome:
    return engine.evaluate([program], [value])[0][0]


def values(*results: object) -> Values:
    return Values(results)


def kinds(outcomes: list[Outcome]) -> list[FailureKind | None]:
    return [outcome.kind if isinstance(outcome, Failure) else None for outcome in outcomes]


# ---- answers ----


@pytest.mark.parametrize(
    ("program", "value", "results"),
    [
        (".a", {"a": 1}, [1]),
        (".[]", [1, "x", None], [1, "x", None]),
        ("empty", None, []),
        (".[]?", 1, []),
        ("1, 2 # a comment", None, [1, 2]),
        ("1 # a comment that goes on \\", None, [1]),
        ('"a\\(")")b"', None, ["a)b"]),
        ('"\\\\" + "("', None, ["\\("]),
        ("label $f | 1, break $f, 2", None, [1]),
        ("try error(null) catch .", None, [None]),
        ('try error("x") catch .', None, ["x"]),
        (". as [$a, $b] | {a: $b}", [1, 2], [{"a": 2}]),
        ("def f: 1; f", None, [1]),
        ("to_entries[] | .key", {"b": 1, "a": 2}, ["a", "b"]),
        ("tojson", {"b": 3.0, "a": 1}, ['{"a":1,"b":3}']),
        ("range(999)", None, list(range(999))),
        ("100000000000000000000", None, [1e20]),
        ("3.0, 1e1000", None, [3, 1.7976931348623157e308]),
        ("nan, [nan]", None, [None, [None]]),
        (".", "é😀\u0000", ["é😀\u0000"]),
        ("[., (. | debug)]", 1, [[1, 1]]),
    ],
)
def test_results(engine: Engine, program: str, value: object, results: list[object]) -> None:
    assert one(engine, program, value) == Values(tuple(results))


@pytest.mark.parametrize(
    ("program", "kind", "words"),
    [
        (".a", FailureKind.ERROR, "Cannot index number"),
        ("1, error", FailureKind.ERROR, ""),
        ("error(null)", FailureKind.ERROR, "null"),
        ("error({a: 1})", FailureKind.ERROR, '{"a":1}'),
        ("error({__jq: 99})", FailureKind.ERROR, "__jq"),
        ("halt", FailureKind.ERROR, "halts"),
        ("1, halt", FailureKind.ERROR, "halts"),
        ('"x" | halt_error', FailureKind.ERROR, "halts"),
        ("input", FailureKind.ERROR, ""),
        ("input_line_number", FailureKind.ERROR, ""),
        ("reduce range(302) as $i (null; [.])", FailureKind.ERROR, "nested"),
        ("reduce range(3000) as $i (null; [.])", FailureKind.ERROR, "nested"),
        ("reduce range(11000) as $i (null; [.])", FailureKind.ERROR, "nested"),
        ("range(1000)", FailureKind.TOO_MANY, "999"),
        ("repeat(1)", FailureKind.TOO_MANY, "999"),
        ("range(1000), error", FailureKind.TOO_MANY, "999"),
        ("range(999), error", FailureKind.ERROR, ""),
        ("", FailureKind.COMPILE, "program not given"),
        ("# only a comment", FailureKind.COMPILE, "program not given"),
        ("(1", FailureKind.COMPILE, "end of file"),
        ("1)", FailureKind.COMPILE, "syntax error"),
        ("1) | (2", FailureKind.COMPILE, "syntax error"),
        ("1 # (\n) | (2", FailureKind.COMPILE, "syntax error"),
        ('"a\\(', FailureKind.COMPILE, "end of file"),
        ("nothing", FailureKind.COMPILE, "nothing/0 is not defined"),
        ("$nothing", FailureKind.COMPILE, "$nothing is not defined"),
        ("$__prog_args", FailureKind.COMPILE, "not defined"),
        ("break", FailureKind.COMPILE, ""),
        ("break $f", FailureKind.COMPILE, ""),
        ('import "a" as a; .', FailureKind.COMPILE, "module not found"),
        ('include "a"; .', FailureKind.COMPILE, "module not found"),
        ("1 \0 2", FailureKind.COMPILE, "text"),
        ('"\ud800"', FailureKind.COMPILE, "text"),
    ],
)
def test_failures_leave_the_others_alone(engine: Engine, program: str, kind: FailureKind, words: str) -> None:
    outcomes = engine.evaluate([".", program, '"last"', program], [7, 8])
    assert outcomes[0] == [values(7), values(8)]
    assert outcomes[2] == [values("last"), values("last")]
    for failure in outcomes[1] + outcomes[3]:
        assert isinstance(failure, Failure)
        assert failure.kind is kind
        assert words in failure.message
        assert "\n" not in failure.message


def test_each_input_is_alone(engine: Engine) -> None:
    assert engine.evaluate(["[., inputs]", "."], [1, 2, 3]) == [
        [values([1]), values([2]), values([3])],
        [values(1), values(2), values(3)],
    ]


def test_nothing_to_do(engine: Engine) -> None:
    assert engine.evaluate([], []) == []
    assert engine.evaluate([], [1]) == []
    assert engine.evaluate([".", "("], []) == [[], []]


def test_the_outside_is_not_there(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    with Engine() as fresh:
        assert one(fresh, "[env, $ENV, $ENV.SECRET, input_filename, get_search_list]") == values(
            [{}, {}, None, None, []]
        )
    assert kinds([one(engine, 'import "/etc/hostname" as $x; $x')]) == [FailureKind.COMPILE]
    assert kinds([one(engine, 'include "x" {search: "/tmp"}; .')]) == [FailureKind.COMPILE]


def test_what_a_program_prints_corrupts_nothing(engine: Engine) -> None:
    program = '[limit(2000; repeat("x" * 100 | stderr))] | length'
    assert engine.evaluate([program, "debug", "."], [1]) == [[values(2000)], [values(1)], [values(1)]]


def test_inputs_are_normalised(engine: Engine) -> None:
    assert one(engine, "keys_unsorted", {"b": 1, "a": 1}) == values(["a", "b"])
    assert one(engine, "tostring", {"a": 2**53 + 1}) == values('{"a":9007199254740992}')
    assert one(engine, ".", [math.nan, (1, 2), {1: True}]) == values([None, [1, 2], {"1": True}])


def test_an_input_that_is_too_deep_fails_alone(engine: Engine) -> None:
    deep: list[object] = []
    deep.append(deep)
    outcomes = engine.evaluate([".", "1"], [deep, 2])
    assert [kinds(row) for row in outcomes] == [[FailureKind.ERROR, None], [FailureKind.ERROR, None]]
    assert outcomes[0][1] == values(2)


PROGRAMS = st.recursive(
    st.sampled_from([".", ".a", ".a?", ".[]?", "1", "empty", '"x"', "null", "error", "length", "keys", ".a.b", "{}"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" | ", ", ", " // ", " == ", " + ", " and "]), inner).map(
            lambda parts: f"({parts[0]}){parts[1]}({parts[2]})"
        ),
        inner.map(lambda text: f"[{text}]"),
        inner.map(lambda text: f"try ({text})"),
        inner.map(lambda text: f"({text}) as $x | [$x, .]"),
        inner.map(lambda text: f'"\\({text})"'),
        inner.map(lambda text: f"first({text}) # )\n"),
    ),
    max_leaves=5,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.floats(-1e6, 1e6) | st.text("abé😀", max_size=3),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.sampled_from("abc"), children, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PROGRAMS, min_size=1, max_size=5), st.lists(JSON, min_size=1, max_size=3))
def test_results_are_those_of_jq(engine: Engine, programs: list[str], inputs: list[object]) -> None:
    import jq

    outcomes = engine.evaluate(programs, inputs)
    for program, row in zip(programs, outcomes, strict=True):
        for value, outcome in zip(inputs, row, strict=True):
            try:
                expected = jq.compile(program).input_text(json.dumps(normalise(value))).all()
            except ValueError:
                assert kinds([outcome]) == [FailureKind.ERROR]
            else:
                assert outcome == Values(tuple(normalise(expected)))


# ---- killers ----

KILLERS = [
    "reduce range(1000000) as $i (null; [.])",
    "def f: [f]; f",
    "[range(100000000)]",
    '"x" * 1e9',
    "[limit(100000000; repeat(1))]",
    "def f: f; f",
    '("a" * 40) + "!" | test("^(a+)+$")',
]
DEADLY = {FailureKind.TIMEOUT, FailureKind.MEMORY, FailureKind.CRASH}


@pytest.mark.parametrize("program", KILLERS)
def test_a_killer_only_harms_itself(quick: Engine, program: str) -> None:
    outcomes = quick.evaluate([".", program, ". + 1"], [1, 2])
    assert outcomes[0] == [values(1), values(2)]
    assert outcomes[2] == [values(2), values(3)]
    assert set(kinds(outcomes[1])) <= DEADLY | {FailureKind.ERROR}
    assert None not in kinds(outcomes[1])


def test_killers_among_good_programs(quick: Engine) -> None:
    programs = [text for killer in KILLERS for text in ("1", killer, "nothing")] + ["2"]
    outcomes = quick.evaluate(programs, [None])
    for program, (outcome,) in zip(programs, outcomes, strict=True):
        if program in ("1", "2"):
            assert outcome == values(int(program))
        else:
            assert isinstance(outcome, Failure)
            assert (outcome.kind is FailureKind.COMPILE) == (program == "nothing")


def test_a_killer_gets_its_real_answers_first(quick: Engine) -> None:
    outcomes = quick.evaluate([".", 'if . == 2 then "x" * (. * 5e8) else . end', "."], [1, 2, 3])
    assert outcomes[1][0] == values(1)
    assert kinds(outcomes[1]) == [None, FailureKind.MEMORY, FailureKind.MEMORY]
    assert outcomes[0] == outcomes[2] == [values(1), values(2), values(3)]


def test_a_killer_can_strike_while_it_is_compiled(quick: Engine) -> None:
    program = 'if . == 2 then "x" * 1e9 else . end'  # folded by the compiler
    outcomes = quick.evaluate(["1", "2", program, "nothing", "3"], [1])
    assert [kinds(row)[0] for row in outcomes] == [None, None, FailureKind.MEMORY, FailureKind.COMPILE, None]


def test_lack_of_memory_is_told_from_lack_of_time() -> None:
    with Engine(Limits(memory_bytes=100 * 1024 * 1024, program_seconds=10)) as engine:
        outcomes = engine.evaluate(["[range(100000000)]", "def f: [f]; f", "1"], [None])
    assert [kinds(row)[0] for row in outcomes] == [FailureKind.MEMORY, FailureKind.MEMORY, None]


def test_a_crash_is_told_from_both() -> None:
    with Engine(Limits(program_seconds=20)) as engine:
        assert one(engine, "1") == values(1)
        pid = engine.running().process.pid
        timer = threading.Timer(0.2, os.kill, (pid, signal.SIGSEGV))
        timer.start()
        outcomes = engine.evaluate(["1", "if . == 1 then range(1e9) | empty else . end", "2"], [1])
        timer.join()
    assert outcomes[0] == [values(1)]
    assert outcomes[1] == [Failure(FailureKind.CRASH, "jq itself crashed on it (SIGSEGV)")]
    assert outcomes[2] == [values(2)]


def test_output_is_limited() -> None:
    with Engine(Limits(output_bytes=1000, total_output_bytes=1500)) as engine:
        outcomes = engine.evaluate(['"x" * 2000', '"x" * 900', '"x" * 800', "1"], [None])
    assert [kinds(row)[0] for row in outcomes] == [FailureKind.MEMORY, None, FailureKind.MEMORY, None]


def test_what_there_is_no_time_for_is_skipped() -> None:
    limits = Limits(program_seconds=0.1, total_seconds=0.5)
    with Engine(limits) as engine:
        assert one(engine, "1") == values(1)
        outcomes = engine.evaluate(["1", *["def f: f; f"] * 30, "2"], [None])
    assert outcomes[0] == [values(1)]
    found = [kinds(row)[0] for row in outcomes]
    assert found[1] is FailureKind.TIMEOUT
    assert found[-1] is FailureKind.SKIPPED


def test_a_worker_that_was_killed_is_replaced() -> None:
    with Engine() as engine:
        engine.start()
        assert one(engine, "1") == values(1)
        before = engine.running().process
        os.kill(before.pid, signal.SIGKILL)
        before.wait()
        engine.evaluate(["2"], [None])
        assert one(engine, "3") == values(3)
        assert engine.running().process.pid != before.pid


def test_a_closed_engine_leaves_no_process_and_can_be_used_again() -> None:
    engine = Engine()
    assert one(engine, "1") == values(1)
    process = engine.running().process
    engine.close()
    assert process.returncode is not None
    assert one(engine, "2") == values(2)
    engine.close()


def test_the_worker_ends_when_its_parent_is_gone() -> None:
    with Engine() as engine:
        assert one(engine, "1") == values(1)
        process = engine.running().process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(10) == 0


def test_an_interrupted_call_does_not_answer_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine() as engine:
        with monkeypatch.context() as patch:
            patch.setattr(module._Evaluation, "outcome", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                engine.evaluate(["1", "2"], [None, None])
        assert engine.evaluate(["3"], [None]) == [[values(3)]]


def test_without_jq_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(EngineUnavailable, match="not installed"):
        Engine().start()
    broken = tmp_path / "jq.py"
    broken.write_text("raise ImportError('libonig is missing')")
    specification = importlib.machinery.ModuleSpec("jq", None, origin=str(broken))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: specification)
    with pytest.raises(EngineUnavailable, match="libonig is missing") as caught:
        Engine().evaluate(["1"], [None])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["1", "(1)", '"("', '"\\(1 + (2))"', '[{a: ")"}]', '"\\""', '"a\\("b\\(1)")"'])
def test_closed_programs(text: str) -> None:
    assert worker.is_closed(text)


@pytest.mark.parametrize("text", ["(", ")", "(]", '"', '"\\(1"', "1) | (2", '"\\()', "[(])", "1 # )"])
def test_programs_that_may_not_be_closed(text: str) -> None:
    assert not worker.is_closed(text)


@settings(max_examples=200)
@given(st.text(st.sampled_from('()[]{}"\\a #\n|'), max_size=12))
def test_a_closed_program_cannot_leave_its_parentheses(text: str) -> None:
    if worker.is_closed(text):
        assert not worker.is_closed(text + ")")
        assert not worker.is_closed("(" + text)
        assert worker.is_closed(f"({text}\n)") or "\\" in text


# ---- normalise ----

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=4), children, max_size=4),
    max_leaves=15,
)


def is_sorted(value: object) -> bool:
    if isinstance(value, dict):
        return list(value) == sorted(value) and all(map(is_sorted, value.values()))
    return all(map(is_sorted, value)) if isinstance(value, list) else True


@given(ANY)
def test_normalised_values_are_sorted_json_and_stay_as_they_are(value: object) -> None:
    normal = normalise(value)
    assert is_sorted(normal)
    assert json.dumps(normalise(normal), allow_nan=False) == json.dumps(normal)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (-0.0, "0"),
        (1.5, "1.5"),
        (1e16, "10000000000000000"),
        (1e17, "100000000000000000"),
        (10**17, "100000000000000000"),
        (2**56, "72057594037927940"),
        (1e21, "1e+21"),
        (2**53 + 1, "9007199254740992"),
        (True, "true"),
        (10**400, "1.7976931348623157e+308"),
        (-(10**400), "-1.7976931348623157e+308"),
        (math.inf, "null"),
        (math.nan, "null"),
        ({"b": [1.0], "a": None}, '{"a": null, "b": [1]}'),
    ],
)
def test_numbers_are_float64(value: object, text: str) -> None:
    assert json.dumps(normalise(value)) == text


def test_normalise_refuses_what_is_too_deep() -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="deeper"):
        normalise(deep)
    while isinstance(deep, list):  # taken apart step by step: freeing it at once is as deep
        deep = deep.pop()


def test_an_input_that_no_cluster_stores_is_not_taken() -> None:
    with Engine(Limits(input_bytes=100)) as engine:
        ((large, small),) = engine.evaluate(["1"], ["x" * 100, "x"])
    assert isinstance(large, Failure)
    assert "102 bytes, more than 100" in large.message
    assert small == Values((1,))


def test_brackets_in_texts_are_no_nesting(engine: Engine) -> None:
    text = '[[{"\\[' * 400
    assert one(engine, ".a", {"a": text}) == Values((text,))


@pytest.mark.parametrize("levels", [1, 250, 300])
def test_what_is_not_too_deep_is_read(engine: Engine, levels: int) -> None:
    outcome = one(engine, f"reduce range({levels}) as $i (1; [.])", None)
    assert isinstance(outcome, Values)
    value = outcome.values[0]
    for _ in range(levels):
        assert len(value) == 1
        value = value[0]
    assert value == 1
