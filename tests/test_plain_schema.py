"""What passes here passes the schema library too, and the shipped files pass here."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from wmap_lint import schema as schemas
from wmap_lint.plain_schema import keeps
from wmap_lint.source import read_data_file

ROOT = Path(__file__).parents[1]
FILES = [
    *(("workloadmap", path) for path in sorted(ROOT.glob("catalog/*.yaml"))),
    *(("expectation", path) for path in sorted(ROOT.glob("fixtures/*/*.expected.yaml"))),
    *(("status-model", path) for path in sorted(ROOT.glob("fixtures/*/status-model.yaml"))),
]
DATA = [(name, read_data_file(path).documents[0]) for name, path in FILES]


def test_what_is_shipped_needs_no_library() -> None:
    for (name, path), (_, data) in zip(FILES, DATA, strict=True):
        skip = schemas.CROSS_FIELD_KEYWORDS if name == "workloadmap" else frozenset()
        assert keeps(schemas._flat_schema(name), data, skip), path


def library(name: str, data: object, skip: frozenset[str]) -> bool:
    errors = Draft202012Validator(schemas.load_schema(name)).iter_errors(data)
    return all(not skip.isdisjoint(error.absolute_schema_path) for error in errors)


VALUES = st.sampled_from(
    [None, True, 0, -1, 1.5, 2.0, "", "x", "TODO", [], [1, 1], {}, {"a": 1}, "Running", "recorded"]
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_the_verdict_is_the_library_s(data: st.DataObject) -> None:
    name, right = data.draw(st.sampled_from(DATA[:3] + DATA[3::9]))
    changed: Any = copy.deepcopy(right)
    for _ in range(data.draw(st.integers(1, 2))):
        holder: Any = changed
        for _ in range(data.draw(st.integers(0, 6))):
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            inner = [key for key in keys if isinstance(holder[key], dict | list) and holder[key]]
            if not inner:
                break
            holder = holder[data.draw(st.sampled_from(inner))]
        if isinstance(holder, dict) and data.draw(st.booleans()):
            holder[data.draw(st.sampled_from(["extra", *holder]))] = copy.deepcopy(data.draw(VALUES))
        elif isinstance(holder, dict):
            holder.pop(data.draw(st.sampled_from(list(holder))), None) if holder else None
        elif holder:
            holder[data.draw(st.integers(0, len(holder) - 1))] = copy.deepcopy(data.draw(VALUES))
    skip = schemas.CROSS_FIELD_KEYWORDS if name == "workloadmap" else frozenset()
    assert keeps(schemas._flat_schema(name), changed, skip) == library(name, changed, skip), json.dumps(changed)


def test_an_unknown_keyword_is_never_passed() -> None:
    assert not keeps({"contains": {"type": "string"}}, ["a"])
    assert not keeps({"$ref": "#/$defs/a"}, 1)
    assert not keeps({"if": True, "then": True, "else": False}, 1)
    assert keeps(True, 1)
    assert not keeps(False, 1)
