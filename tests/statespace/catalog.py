"""Explore a definition of the catalog, or a text in its place, with its model."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.statespace.widgets import evaluate_with
from wmap_lint.definition import Definition, load
from wmap_lint.fixtures import Corpus, load_corpus
from wmap_lint.jq.engine import Engine
from wmap_lint.source import read
from wmap_lint.statespace.exploration import Depth, Exploration, explore
from wmap_lint.statespace.model import StatusModel, condition_names, load_model
from wmap_lint.statespace.space import ConditionNames

PROJECT = Path(__file__).parents[2]
DEFINITIONS = sorted(path.stem for path in (PROJECT / "catalog").glob("*.yaml"))
MODELLED = [name for name in DEFINITIONS if (PROJECT / "fixtures" / name / "status-model.yaml").is_file()]


@cache
def definition_of(name: str, text: str | None = None) -> Definition:
    file = PROJECT / "catalog" / f"{name}.yaml"
    (document,) = read(file.read_text(encoding="utf-8") if text is None else text, str(file)).documents
    return load(document)


@cache
def corpus_of(name: str) -> Corpus:
    return load_corpus(PROJECT / "fixtures" / name, definition_of(name).gvk)


def model_of(name: str, definition: Definition) -> StatusModel:
    root = definition.root
    assert root is not None
    return _model(name, condition_names(root.status_definition))


@cache
def _model(name: str, names: ConditionNames | None) -> StatusModel:
    reading = load_model(PROJECT / "fixtures" / name, names, definition_of(name).gvk)
    assert not reading.problems
    assert reading.model is not None
    return reading.model


def exploration_of(
    name: str, engine: Engine, text: str | None = None, modelled: bool = True, depth: Depth = Depth.QUICK
) -> Exploration:
    """Of a definition as it is, several tests ask for the same one."""
    if text is None and depth is Depth.QUICK:
        return _exploration(name, engine, modelled)
    return explored(name, engine, text, modelled, depth)


@cache
def _exploration(name: str, engine: Engine, modelled: bool) -> Exploration:
    return explored(name, engine, None, modelled, Depth.QUICK)


def explored(name: str, engine: Engine, text: str | None, modelled: bool, depth: Depth) -> Exploration:
    """An exploration that nobody has made before."""
    definition = definition_of(name, text)
    assert definition.root is not None
    status = definition.root.status_definition
    assert status is not None
    found = explore(
        definition,
        status,
        model_of(name, definition) if modelled else None,
        [scenario.workload for scenario in corpus_of(name).scenarios],
        evaluate_with(engine),
        depth,
    )
    assert found is not None
    return found
