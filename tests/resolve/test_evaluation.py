"""Which programs are run for a definition, which are refused, and what one subject may do to another."""

from __future__ import annotations

import pytest

from tests.resolve import scenarios
from wmap_lint.jq.engine import Engine, Failure, FailureKind, Limits, Outcome, Values
from wmap_lint.resolve.evaluation import evaluate, plan, refusal


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (".a[", FailureKind.COMPILE, "not jq"),
        ("gpu", FailureKind.COMPILE, "nothing defines the function gpu"),
        ("$x", FailureKind.COMPILE, "nothing defines the variable"),
        ('import "m" as m; .', FailureKind.COMPILE, "no modules"),
        ("keys_unsorted", FailureKind.COMPILE, "gojq has no keys_unsorted"),
        ("input", FailureKind.COMPILE, "input"),
        ('test("(?=a)")', FailureKind.ERROR, "regex"),
        (".a = 1", FailureKind.SKIPPED, "it writes"),
        ("[range(infinite)]", FailureKind.SKIPPED, "not bounded"),
        ("..", FailureKind.SKIPPED, "not bounded"),
    ],
)
def test_what_consumers_would_not_run_is_not_run(text: str, kind: FailureKind, message: str) -> None:
    found = refusal(text)
    assert found is not None
    assert found.kind is kind
    assert message in found.message


@pytest.mark.parametrize("text", [".a", "env", "now", "[.a[]?] | length", "$ENV"])
def test_what_consumers_run_is_run(text: str) -> None:
    assert refusal(text) is None


def test_a_plan_has_what_is_read_once_each() -> None:
    match = scenarios.builtin().find({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet"})
    assert match is not None
    programs = plan(match.definition)
    assert ".spec.suspend" not in programs.workload  # only written to
    assert ".spec.replicatedJobs[]?.name" in programs.workload
    assert len(set(programs.workload)) == len(programs.workload)
    match = scenarios.builtin().find({"apiVersion": "ray.io/v1", "kind": "RayCluster"})
    assert match is not None
    assert plan(match.definition).pod == (
        '.metadata.labels["ray.io/group"]',
        '.metadata.labels["ray.io/worker-group-replica-index"]',
        '.metadata.labels["ray.io/node-type"] == "head"',
        '.metadata.labels["ray.io/node-type"] == "worker"',
    )


def test_plain_and_other_programs_refused_and_failing_ones(engine: Engine) -> None:
    texts = [".a", ".a | length", "..", ".a.b"]
    subjects = [{"a": "xy"}, {"a": None}, {"a": {"b": 3.0}}]
    rows = [[outcomes(text) for text in texts] for outcomes in evaluate(engine, texts, subjects)]
    assert [row[0] for row in rows] == [Values(("xy",)), Values((None,)), Values(({"b": 3},))]
    assert [row[1] for row in rows] == [Values((2,)), Values((0,)), Values((1,))]
    assert all(isinstance(row[2], Failure) for row in rows)
    assert isinstance(rows[0][3], Failure)
    assert [row[3] for row in rows[1:]] == [Values((None,)), Values((3,))]


SLOW = "[limit(.n; repeat(1))] | length"


def test_a_subject_on_which_a_program_hangs_spoils_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wmap_lint.resolve.evaluation.refusal", lambda text: None)
    with Engine(Limits(program_seconds=0.5)) as engine:
        found: list[Outcome] = [
            outcomes(SLOW) for outcomes in evaluate(engine, [SLOW], [{"n": 1}, {"n": 10**12}, {"n": 2}, {"n": 3}])
        ]
    assert isinstance(found[1], Failure)
    assert found[1].kind in (FailureKind.TIMEOUT, FailureKind.MEMORY)
    assert [found[0], found[2], found[3]] == [Values((1,)), Values((2,)), Values((3,))]
