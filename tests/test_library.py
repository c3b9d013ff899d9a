"""What the page about the library shows is what happens."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import wmap_lint
from tests.cli.running import ROOT

PAGE = ROOT / "docs/library.md"


def test_the_examples_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    parser = doctest.DocTestParser()
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    examples = parser.get_doctest("\n".join(blocks), {}, PAGE.name, str(PAGE), 0)
    assert len(examples.examples) > 15
    assert doctest.DocTestRunner(verbose=False).run(examples).failed == 0


def test_the_package_shows_its_first_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert doctest.testmod(wmap_lint).failed == 0
    assert Path(wmap_lint.__file__).parent.name == "wmap_lint"
