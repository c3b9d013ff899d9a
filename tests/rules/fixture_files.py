"""Run all rules over a definition with its fixtures, by the real engine."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from tests.cli.running import ROOT
from wmap_lint.definition import GroupVersionKind, load
from wmap_lint.diagnostic import Diagnostic
from wmap_lint.fixtures import Corpus, fixtures_folder, load_corpus
from wmap_lint.jq.engine import Engine
from wmap_lint.rules import all_rules
from wmap_lint.rules.context import Context
from wmap_lint.source import read

DEFINITION = "catalog/example-com-widget-v1.yaml"
FIXTURES = "fixtures/example-com-widget-v1"


def check_text(
    text: str, file: Path, engine: Engine | None, fixtures: Path | None = None, depth: str = "quick"
) -> list[Diagnostic]:
    """Findings for ``text``, a definition that stands in ``file``, in reading order."""
    reading = read(text, str(file))
    found = list(reading.problems)
    for document in reading.documents:
        definition = load(document)
        folder = fixtures_folder(file, definition.name, fixtures)
        corpus = corpus_of(folder, definition.gvk)
        context = Context.of(document, corpus, engine)
        context.depth = depth
        found += [diagnostic for rule in all_rules() for diagnostic in rule.run(context)]
    return sorted(found, key=lambda diagnostic: diagnostic.sort_key)


_SHIPPED: dict[tuple[Path, object], Corpus] = {}


def corpus_of(folder: Path | None, kind: GroupVersionKind | None) -> Corpus:
    """The fixtures in a folder; those of the project are read once."""
    if folder is None or not folder.absolute().is_relative_to(ROOT):
        return load_corpus(folder, kind)
    key = (folder, None if kind is None else kind.key)
    if key not in _SHIPPED:
        _SHIPPED[key] = load_corpus(folder, kind)
    return _SHIPPED[key]


def write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def check_files(folder: Path, files: dict[str, str], engine: Engine | None) -> list[Diagnostic]:
    """Findings for :data:`DEFINITION` among ``files``, which are written into ``folder`` first."""
    write_files(folder, files)
    return check_text(files[DEFINITION], folder / DEFINITION, engine)


def example_files(code: str) -> dict[str, dict[str, str]]:
    """The files of the examples ``Bad`` and ``Good`` of a rule's page, by their names."""
    page = resources.files("wmap_lint.rules").joinpath("docs", f"{code}.md").read_text(encoding="utf-8")
    sections = re.split(r"^## (\w+)$", page, flags=re.MULTILINE)
    return {
        title: {
            name or DEFINITION: text
            for name, text in re.findall(r"^```yaml *(\S*)\n(.*?)^```$", body, re.MULTILINE | re.DOTALL)
        }
        for title, body in zip(sections[1::2], sections[2::2], strict=True)
    }


def pointed_at(diagnostic: Diagnostic, text: str) -> str:
    """The characters a finding is about, up to the end of their first line."""
    span = diagnostic.span
    line = text.split("\n")[span.line - 1]
    return line[span.column - 1 : span.end_column - 1 if span.end_line == span.line else None]
