from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmap_lint.definition import ResultType
from wmap_lint.jq.engine import Engine, Values
from wmap_lint.resolve.values import ConversionError, convert, described, text_of


@pytest.mark.parametrize(
    ("wanted", "value", "becomes"),
    [
        (ResultType.STRING, "a", "a"),
        (ResultType.STRING, None, ""),
        (ResultType.INTEGER, 4, 4),
        (ResultType.INTEGER, -1, -1),
        (ResultType.INTEGER, "4", 4),
        (ResultType.INTEGER, "+4", 4),
        (ResultType.INTEGER, "-4", -4),
        (ResultType.INTEGER, None, None),
        (ResultType.INTEGER, 2147483647, 2147483647),
        (ResultType.STRING_MAP, {"a": "b", "c": None}, {"a": "b", "c": None}),
        (ResultType.STRING_MAP, None, {}),
        (ResultType.CONTAINERS, None, []),
        (ResultType.CONTAINERS, [{"name": "c"}, None], [{"name": "c"}, None]),
        (ResultType.RESOURCE_CLAIMS, [{"name": "c"}], [{"name": "c"}]),
        (ResultType.CONDITIONS, None, []),
        (ResultType.CONDITIONS, [None, {}], [None, {}]),
        (ResultType.POD_TEMPLATE_SPEC, None, {}),
        (ResultType.POD_SPEC, None, {}),
        (ResultType.OBJECT_META, None, {}),
        (ResultType.RESOURCE_REQUIREMENTS, None, None),
        (ResultType.POD_AFFINITY, None, None),
        (ResultType.NODE_AFFINITY, None, None),
        (ResultType.CONTAINER, None, None),
        (ResultType.POD_SPEC, {"anything": 1}, {"anything": 1}),
        (ResultType.POD_SPEC, {"containers": [{"resources": {"limits": {"cpu": 1, "m": "1.5Gi"}}}]}, ...),
        (ResultType.TEXT, {"a": 1}, {"a": 1}),
    ],
)
def test_converts(wanted: ResultType, value: object, becomes: object) -> None:
    assert convert([value], wanted) == (value if becomes is ... else becomes,)


@pytest.mark.parametrize(
    ("wanted", "value", "error"),
    [
        (ResultType.STRING, 3, ("a string", "the number 3", ())),
        (ResultType.STRING, False, ("a string", "the boolean false", ())),
        (ResultType.INTEGER, 1.5, ("an integer", "the number 1.5", ())),
        (ResultType.INTEGER, True, ("an integer", "the boolean true", ())),
        (ResultType.INTEGER, "", ("an integer", 'the string ""', ())),
        (ResultType.INTEGER, " 4", ("an integer", 'the string " 4"', ())),
        (ResultType.INTEGER, "5.0", ("an integer", 'the string "5.0"', ())),
        (ResultType.INTEGER, "٤", ("an integer", 'the string "٤"', ())),
        (ResultType.INTEGER, {}, ("an integer", "an object", ())),
        (ResultType.INTEGER, 2**31, ("an integer of 32 bits", "the number 2147483648", ())),
        (ResultType.STRING_MAP, {"a": 1}, ("a string", "the number 1", ("a",))),
        (ResultType.STRING_MAP, [], ("a map of strings", "a list", ())),
        (ResultType.CONTAINERS, {}, ("a list of Container", "an object", ())),
        (ResultType.CONTAINERS, ["c"], ("a Container", 'the string "c"', (0,))),
        (ResultType.CONDITIONS, {}, ("a list of conditions", "an object", ())),
        (ResultType.CONDITIONS, ["c"], ("an object", 'the string "c"', (0,))),
        (ResultType.POD_SPEC, [], ("a PodSpec", "a list", ())),
        (ResultType.POD_SPEC, {"containers": {}}, ("a list of Container", "an object", ("containers",))),
        (ResultType.POD_SPEC, {"Containers": {}}, ("a list of Container", "an object", ("Containers",))),
        (
            ResultType.POD_TEMPLATE_SPEC,
            {"spec": {"containers": [{"resources": {"limits": {"cpu": "one"}}}]}},
            ("a quantity", 'the string "one"', ("spec", "containers", 0, "resources", "limits", "cpu")),
        ),
        (ResultType.OBJECT_META, {"labels": {"a": 1}}, ("a string", "the number 1", ("labels", "a"))),
        (ResultType.RESOURCE_REQUIREMENTS, "1", ("a ResourceRequirements", 'the string "1"', ())),
    ],
)
def test_refuses(wanted: ResultType, value: object, error: tuple[str, str, tuple[str | int, ...]]) -> None:
    expected, found, path = error
    assert convert([None, value], wanted) == ConversionError(1, expected, found, path)


def test_an_error_says_where_it_is() -> None:
    error = convert([{"containers": [{"name": 1}]}], ResultType.POD_SPEC)
    assert isinstance(error, ConversionError)
    assert error.message == "`containers[0].name` of result 1 is the number 1, not a string"


def test_long_texts_are_cut() -> None:
    assert described("x" * 100) == f'the string "{"x" * 39}…"'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (None, "null"),
        (True, "true"),
        (3, "3"),
        (1.5, "1.5"),
        (1e21, "1e+21"),
        (1.25e-7, "1.25e-7"),
        (1e-6, "0.000001"),
        (123456789012345680000.0, "123456789012345680000"),
        (-0.0, "-0"),
        (-2.5e30, "-2.5e+30"),
        ({"z": 1, "a": [None]}, '{"a":[null],"z":1}'),
        (["é", '"', "\x7f", "\n"], '["é","\\"","\\u007f","\\n"]'),
        ({"a": 1.5}, '{"a":1.5}'),
    ],
)
def test_text(value: object, text: str) -> None:
    assert text_of(value) == text


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text('ab"\\é\n', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(values=st.lists(JSON, min_size=1, max_size=20))
def test_text_is_what_jq_writes(engine: Engine, values: list[Any]) -> None:
    (outcome,) = engine.evaluate([".[] | tostring"], [values])[0]
    assert outcome == Values(tuple(text_of(json.loads(json.dumps(value))) for value in values))
