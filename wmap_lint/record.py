"""Immutable records: the part of ``dataclasses`` that syntax trees and models need (floor 0).

A frozen dataclass costs about a millisecond to *define*, since its methods are generated as source and compiled;
with sixty classes that is a tenth of the time a whole check may take. A record shares its methods with all
others, so defining one costs microseconds. Type checkers treat the two alike.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform

_Record = TypeVar("_Record", bound="Record")
_Default = TypeVar("_Default")


class _Extra:
    __slots__ = ("default",)

    def __init__(self, default: object) -> None:
        self.default = default


def extra(*, default: _Default, kw_only: bool) -> _Default:
    """A field with a default that is given by keyword only and takes part in neither comparison nor ``repr``."""
    return _Extra(default)  # type: ignore[return-value]


@dataclass_transform(frozen_default=True, eq_default=True, field_specifiers=(extra,))
class Record:
    """Base of all records. Subclasses annotate their fields; inherited fields come first.

    Fields are set once, by position (not the :func:`extra` ones) or keyword. Records of the same class are equal
    when their fields are; a record whose fields are hashable is hashable.
    """

    record_fields: ClassVar[tuple[str, ...]] = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, object]] = {}
    _all: ClassVar[frozenset[str]] = frozenset()
    _complete: ClassVar[int] = -1

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__init__" not in cls.__dict__ and cls.__init__ is not Record.__init__:
            # That of a compiled record knows its own fields only.
            cls.__init__ = Record.__init__  # type: ignore[method-assign]
        names = list(cls.record_fields)
        defaults = dict(cls._defaults)
        for name, annotation in inspect.get_annotations(cls).items():
            if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
                continue
            default = cls.__dict__.get(name, _MISSING)
            if isinstance(default, _Extra):
                defaults[name] = default.default
                delattr(cls, name)
                continue
            if name not in names:
                names.append(name)
            if default is not _MISSING:
                defaults[name] = default
                delattr(cls, name)
        cls.record_fields = tuple(names)
        type.__setattr__(cls, "__match_args__", cls.record_fields)
        cls._defaults = defaults
        cls._all = frozenset({*names, *defaults})
        # With this many positional values there is nothing to fill in; -1 where there are extra fields.
        cls._complete = len(names) if len(cls._all) == len(names) else -1

    def __init__(self, *values: object, **named: object) -> None:
        if len(values) == self._complete and not named:
            self.__dict__.update(zip(self.record_fields, values, strict=True))
            return
        content = self.__dict__
        defaults = self._defaults
        if defaults:
            content.update(defaults)
        fields = self.record_fields
        content.update(zip(fields, values, strict=False))
        if named:
            content.update(named)
        if len(values) > len(fields) or len(content) != len(self._all) or (named and not named.keys() <= self._all):
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(fields)}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def _content(self) -> tuple[object, ...]:
        content = self.__dict__
        return tuple([content[name] for name in self.record_fields])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash((type(self), self._content()))

    def __repr__(self) -> str:
        content = self.__dict__
        return f"{type(self).__name__}({', '.join(f'{name}={content[name]!r}' for name in self.record_fields)})"


_MISSING: Any = object()


def compiled(cls: type[_Record]) -> type[_Record]:
    """Give a record of which many thousands are made an ``__init__`` of its own: it takes a quarter of the time.

    Compiling it costs a tenth of a millisecond each time the program starts, which the others are not worth.
    """
    fields, extras = cls.record_fields, sorted(cls._all - set(cls.record_fields))
    names = [*fields, *(["*", *extras] if extras else [])]
    parameters = [f"{name}=defaults[{name!r}]" if name in cls._defaults else name for name in names]
    body = "".join(f"    content[{name!r}] = {name}\n" for name in (*fields, *extras))
    source = f"def __init__(self, {', '.join(parameters)}):\n    content = self.__dict__\n{body}"
    namespace: dict[str, Any] = {"defaults": cls._defaults}
    exec(source, namespace)
    cls.__init__ = namespace["__init__"]  # type: ignore[method-assign]
    return cls


def replace(record: _Record, **changes: object) -> _Record:
    """A copy of ``record`` with some fields changed; the names are not checked."""
    copy = object.__new__(type(record))
    content = record.__dict__
    copy.__dict__.update({name: content[name] for name in record._all})  # and nothing that was worked out from them
    copy.__dict__.update(changes)
    return copy
