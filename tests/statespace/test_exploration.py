"""What a whole exploration does with programs that give no answer, and with many objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.statespace.catalog import corpus_of, definition_of, model_of
from tests.statespace.planted import JOBSET
from tests.statespace.widgets import evaluate_with
from wmap_lint.jq.engine import Engine, Failure, FailureKind, Outcome
from wmap_lint.statespace.exploration import Depth, explore
from wmap_lint.statespace.table import Evaluate


def explored(evaluate: Evaluate, depth: Depth = Depth.QUICK) -> Any:
    definition = definition_of(JOBSET)
    assert definition.root is not None
    assert definition.root.status_definition is not None
    workloads = [scenario.workload for scenario in corpus_of(JOBSET).scenarios]
    return explore(
        definition, definition.root.status_definition, model_of(JOBSET, definition), workloads, evaluate, depth
    )


@pytest.mark.parametrize(
    "kind", [each for each in FailureKind if each not in (FailureKind.ERROR, FailureKind.TOO_MANY)]
)
def test_what_is_not_answered_is_no_finding(kind: FailureKind, engine: Engine) -> None:
    answers = evaluate_with(engine)

    def broken(text: str, objects: Sequence[Any]) -> Sequence[Outcome]:
        if "from_entries" in text:
            return [Failure(kind, "no answer") for _ in objects]
        return answers(text, objects)

    assert explored(answers) is not None
    assert explored(broken) is None


def test_the_engine_gets_no_more_than_it_can_take(engine: Engine) -> None:
    answers = evaluate_with(engine)
    sizes: list[int] = []

    def counted(text: str, objects: Sequence[Any]) -> Sequence[Outcome]:
        if "from_entries" in text:  # not plain
            sizes.append(len(objects))
        return answers(text, objects)

    explored(counted)
    assert sizes
    assert max(sizes) <= 250


def test_off_is_nothing(engine: Engine) -> None:
    assert explored(evaluate_with(engine), Depth.OFF) is None
