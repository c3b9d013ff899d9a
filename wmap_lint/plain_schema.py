"""Whether plain data keeps a schema, yes or no (floor 0), for what our own schemas use of JSON Schema.

Nearly every file is right, and importing the schema library takes longer than everything else that is done to a
small file. So it is asked only for what is wrong: what this module does not pass, the library judges and explains.
A keyword that is not known here is never passed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description", "examples", "default", "then"})

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda data: isinstance(data, dict),
    "array": lambda data: isinstance(data, list),
    "string": lambda data: isinstance(data, str),
    "boolean": lambda data: isinstance(data, bool),
    "null": lambda data: data is None,
    "number": lambda data: isinstance(data, int | float) and not isinstance(data, bool),
    "integer": lambda data: (
        not isinstance(data, bool) and (isinstance(data, int) or (isinstance(data, float) and data.is_integer()))
    ),
}


class _UnknownError(Exception):
    """A keyword that this module does not know."""


def keeps(schema: Any, data: object, skip: frozenset[str] = frozenset()) -> bool:
    """Whether ``data`` certainly keeps ``schema``, whose keywords ``skip`` are not asked for.

    References must have been replaced by what they lead to. False also means "not known".
    """
    try:
        return _keeps(schema, data, skip)
    except (_UnknownError, RecursionError):
        return False


def _keeps(schema: Any, data: Any, skip: frozenset[str]) -> bool:
    if isinstance(schema, bool):
        return schema
    for keyword, wanted in schema.items():
        if keyword in _ANNOTATIONS or keyword in skip:
            continue
        check = _KEYWORDS.get(keyword)
        if check is None:
            raise _UnknownError
        if not check(wanted, data, schema, skip):
            return False
    return True


def _type(wanted: Any, data: Any, schema: Any, skip: frozenset[str]) -> bool:
    names = wanted if isinstance(wanted, list) else [wanted]
    return any(_TYPES[name](data) for name in names)


def _properties(wanted: Any, data: Any, schema: Any, skip: frozenset[str]) -> bool:
    return not isinstance(data, dict) or all(
        _keeps(wanted[name], value, skip) for name, value in data.items() if name in wanted
    )


def _additional(wanted: Any, data: Any, schema: Any, skip: frozenset[str]) -> bool:
    if not isinstance(data, dict):
        return True
    known = schema.get("properties", {})
    return all(_keeps(wanted, value, skip) for name, value in data.items() if name not in known)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _unique(wanted: Any, data: Any, schema: Any, skip: frozenset[str]) -> bool:
    if not isinstance(data, list) or not wanted:
        return True
    return len({json.dumps(item, sort_keys=True) for item in data}) == len(data)


def _condition(wanted: Any, data: Any, schema: Any, skip: frozenset[str]) -> bool:
    if "else" in schema:
        raise _UnknownError
    return "then" in skip or not _keeps(wanted, data, skip) or _keeps(schema.get("then", True), data, skip)


_Check = Callable[[Any, Any, Any, frozenset[str]], bool]
_KEYWORDS: dict[str, _Check] = {
    "type": _type,
    "properties": _properties,
    "additionalProperties": _additional,
    "required": lambda wanted, data, *_: not isinstance(data, dict) or all(name in data for name in wanted),
    "items": lambda wanted, data, schema, skip: (
        not isinstance(data, list) or all(_keeps(wanted, item, skip) for item in data)
    ),
    "propertyNames": lambda wanted, data, schema, skip: (
        not isinstance(data, dict) or all(_keeps(wanted, name, skip) for name in data)
    ),
    "enum": lambda wanted, data, *_: any(_same(value, data) for value in wanted),
    "const": lambda wanted, data, *_: _same(wanted, data),
    "minLength": lambda wanted, data, *_: not isinstance(data, str) or len(data) >= wanted,
    "maxLength": lambda wanted, data, *_: not isinstance(data, str) or len(data) <= wanted,
    "minItems": lambda wanted, data, *_: not isinstance(data, list) or len(data) >= wanted,
    "minProperties": lambda wanted, data, *_: not isinstance(data, dict) or len(data) >= wanted,
    "minimum": lambda wanted, data, *_: not _TYPES["number"](data) or data >= wanted,
    "pattern": lambda wanted, data, *_: not isinstance(data, str) or re.search(wanted, data) is not None,
    "uniqueItems": _unique,
    "if": _condition,
    "oneOf": lambda wanted, data, schema, skip: sum(_keeps(each, data, skip) for each in wanted) == 1,
}
