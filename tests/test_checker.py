"""A check by several processes is the check by one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import ROOT
from wmap_lint import checker
from wmap_lint.checker import CheckResult, Options, UsageError, check_paths

NAMES = ("batch-cronjob-v1", "jobset-x-k8s-io-jobset-v1alpha2", "kubeflow-org-pytorchjob-v1", "ray-io-raycluster-v1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four definitions, each with a fault of its own, and what is no definition."""
    for name in NAMES:
        text = (ROOT / "catalog" / f"{name}.yaml").read_text(encoding="utf-8")
        (tmp_path / f"{name}.yaml").write_text(text.replace(".status.conditions", ".statu.conditions", 1))
    (tmp_path / "broken.yaml").write_text("kind: Karta\nspec: [\n")
    (tmp_path / "values.yaml").write_text("kind: ConfigMap\n# run.ai/none\n---\nkind: Secret\n")
    return tmp_path


def check(folder: Path, processes: int) -> CheckResult:
    return check_paths([folder], Options(fixtures=ROOT / "fixtures", depth="quick", processes=processes))


def test_the_number_of_processes_changes_nothing(folder: Path) -> None:
    one, several = check(folder, 1), check(folder, 3)
    assert len({diagnostic.span.file for diagnostic in one.diagnostics}) >= len(NAMES)
    assert several.diagnostics == one.diagnostics
    assert several.summary == one.summary
    assert several.spaces == one.spaces
    assert {name: source.text for name, source in several.sources.items()} == {
        name: source.text for name, source in one.sources.items()
    }


def test_what_cannot_be_done_is_said_by_several_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "_check_share", _refuses)
    with pytest.raises(UsageError, match="no good"):
        check(folder, 2)


def test_a_process_that_is_ended_is_no_clean_check(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "_check_share", _ends)
    with pytest.raises(UsageError, match=r"a process .* was ended; --jobs 1"):
        check(folder, 2)


def _refuses(*_: Any) -> None:
    raise UsageError("no good")


def _ends(*_: Any) -> None:
    os._exit(9)
