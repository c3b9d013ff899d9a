"""What is found becomes a scenario: whole, and never in place of another file."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.statespace.catalog import PROJECT, definition_of
from tests.statespace.planted import PLANTED
from wmap_lint.fixtures import load_corpus
from wmap_lint.jq.engine import Engine
from wmap_lint.statespace import saving
from wmap_lint.statespace.fuzzing import Found, Subject, search
from wmap_lint.statespace.saving import save

FAULT = next(each for each in PLANTED if each.name == "guard")
SUBJECT = Subject(
    f"catalog/{FAULT.definition}.yaml",
    definition_of(FAULT.definition, FAULT.text),
    PROJECT / "fixtures" / FAULT.definition,
)


@pytest.fixture(scope="module")
def found(engine: Engine) -> Found:
    (found,) = search(SUBJECT, engine, 1, 6000, most_faults=1).found
    return found


def test_a_scenario_and_what_is_left_to_say(found: Found, tmp_path: Path) -> None:
    scenario, expectation = save(SUBJECT, found, tmp_path)
    assert scenario.parent == tmp_path / FAULT.definition
    assert yaml.safe_load(scenario.read_text()) == found.workload
    assert expectation.name == f"{scenario.stem}.expected.yaml"
    assert "status: TODO" in expectation.read_text()
    corpus = load_corpus(scenario.parent, SUBJECT.definition.gvk)
    assert [each.workload for each in corpus.scenarios] == [found.workload]
    assert [each.span.file for each in corpus.problems] == [str(expectation)], "a person has to fill it in"


def test_the_same_is_saved_once(found: Found, tmp_path: Path) -> None:
    assert len(save(SUBJECT, found, tmp_path)) == 2
    assert save(SUBJECT, found, tmp_path) == ()
    assert len(list((tmp_path / FAULT.definition).iterdir())) == 2


def test_no_file_is_overwritten(found: Found, tmp_path: Path) -> None:
    scenario, _ = save(SUBJECT, found, tmp_path / "elsewhere")
    place = tmp_path / FAULT.definition
    place.mkdir()
    taken = place / scenario.name
    taken.write_text("mine\n")
    lonely = place / scenario.name.replace("-1.yaml", "-2.expected.yaml")
    lonely.write_text("mine as well\n")
    saved = save(SUBJECT, found, tmp_path)
    assert {each.name for each in saved} == {
        scenario.name.replace("-1.yaml", "-3.yaml"),
        scenario.name.replace("-1.yaml", "-3.expected.yaml"),
    }
    assert (taken.read_text(), lonely.read_text()) == ("mine\n", "mine as well\n")


def test_both_files_or_none(found: Found, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = saving.write_new

    def full(path: Path, text: str) -> None:
        if not path.name.endswith(".expected.yaml"):
            raise OSError(28, "No space left on device", str(path))
        real(path, text)

    monkeypatch.setattr(saving, "write_new", full)
    with pytest.raises(OSError, match="No space left"):
        save(SUBJECT, found, tmp_path)
    assert list((tmp_path / FAULT.definition).iterdir()) == []
