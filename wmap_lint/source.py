"""YAML text to plain data, with the place in the file of every key, value and character (floor 0).

Kubernetes clients read YAML with sigs.k8s.io/yaml, which is go-yaml v2: YAML 1.1 with its own ideas of what a
plain scalar means. This module reads a file the same way, so that ``on: true`` has the key ``"true"``:

* ``y yes on true`` and ``n no off false`` (lower, Title and UPPER case) are booleans; ``1:30`` and dates are
  strings; ``0x1F``, ``0o17``, ``017``, ``0b11`` and ``1_000`` are integers; ``1e3`` and ``08`` are floats.
* Mapping keys become strings: ``1`` is ``"1"``, ``yes`` is ``"true"``, ``1.50`` is ``"1.5"``.
* Anchors, aliases and merge keys are resolved. Merging goes in reading order, as go-yaml does it: a key
  written *after* ``<<`` wins over the merged one, a key written *before* it loses.
* When a key is repeated, the last value counts (and WM002 is reported).

What YAML can say and JSON cannot is reported (WM003) and then read as the nearest thing: ``.nan`` and
``.inf`` as null, a null key as ``"null"``, a value with a foreign tag as its text. A mapping or a list used
as a key is left out.

Encodings: UTF-8, with or without a byte order mark, and UTF-16 with one, as go-yaml accepts them.

Offsets are code points into :attr:`Source.text`. Lines end at ``\\n``, ``\\r\\n`` or ``\\r``, as editors
count them; the other line breaks of YAML 1.1 (NEL, LS, PS) end no line here.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import math
import os
import re
import stat
import struct
from bisect import bisect_right
from collections.abc import Callable
from collections.abc import Sequence as AbstractSequence
from pathlib import Path
from typing import Any, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from wmap_lint.diagnostic import Diagnostic, Related, Severity, Span
from wmap_lint.record import Record

DocumentPath = tuple[str | int, ...]
ScalarValue = str | int | float | bool | None

DOES_NOT_PARSE = "WM001"
DUPLICATE_KEY = "WM002"
CANNOT_BE_READ = "WM003"

_LINE_END = re.compile(r"\r\n|\r|\n")
_NOT_YAML = re.compile("[^\x09\x0a\x0d\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BREAKS = "\r\n\x85\u2028\u2029"
_SPACE = " \t" + _BREAKS
_STYLES = {
    None: "plain",
    "": "plain",
    "'": "single-quoted",
    '"': "double-quoted",
    "|": "literal",
    ">": "folded",
}


class Source:
    """The text of one file. ``text`` is decoded and without byte order mark; its line ends are untouched."""

    __slots__ = ("_line_starts", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._line_starts: list[int] | None = None

    @property
    def line_starts(self) -> list[int]:
        """The offset at which each line begins; the first is 0."""
        if self._line_starts is None:
            self._line_starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        return self._line_starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of an offset (clipped to the text)."""
        offset = min(max(offset, 0), len(self.text))
        starts = self.line_starts
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, both from 1: the inverse of :meth:`position`."""
        return self.line_starts[line - 1] + column - 1

    def span(self, start: int, end: int) -> Span:
        """The characters ``[start, end)`` of the text as a place in the file."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(start, end))
        return Span(self.file, line, column, end_line, end_column)

    def line(self, number: int) -> str:
        """A line, numbered from 1, without its line end; a line that does not exist is empty."""
        starts = self.line_starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

    def end_of_line(self, offset: int) -> int:
        """The offset at which the line of ``offset`` ends, its line end not included."""
        match = _LINE_END.search(self.text, offset)
        return match.start() if match else len(self.text)


class Node:
    """A value of the document: the characters ``[start, end)`` of the text, without anchor and tag.

    An alias has no node of its own: it is the very node that carries the anchor.
    """

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


class Scalar(Node):
    """A string, number, boolean or null. ``text`` is decoded; ``value`` is what Kubernetes makes of it."""

    __slots__ = ("_characters", "style", "text", "value")

    def __init__(self, start: int, end: int, text: str, style: str, value: ScalarValue) -> None:
        self.start = start
        self.end = end
        self.text = text
        self.style = style
        self.value = value
        self._characters: _Characters | None = None

    def __repr__(self) -> str:
        return f"Scalar({self.text!r}, {self.style}, {self.start}:{self.end})"


class Mapping(Node):
    """Keys and values in order of writing. Repeated keys and ``<<`` are kept in ``entries``.

    ``children`` is what counts in the end, by the key as a string: the last of repeated keys, and what
    was merged.
    """

    __slots__ = ("children", "entries")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.entries: list[tuple[Scalar, Node]] = []
        self.children: dict[str, tuple[Scalar, Node]] = {}

    def __repr__(self) -> str:
        return f"Mapping({list(self.children)}, {self.start}:{self.end})"


class Sequence(Node):
    """A list of values."""

    __slots__ = ("items",)

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.items: list[Node] = []

    def __repr__(self) -> str:
        return f"Sequence({len(self.items)} items, {self.start}:{self.end})"


class Document:
    """One YAML document.

    ``data`` is plain JSON-like data; what an alias repeats is the same object again: treat it as read-only.
    ``index`` is its position in the stream from 0, empty documents counted.
    """

    __slots__ = ("data", "index", "root", "source")

    def __init__(self, source: Source, index: int, root: Node, data: Any) -> None:
        self.source = source
        self.index = index
        self.root = root
        self.data = data

    def __repr__(self) -> str:
        return f"Document({self.source.file!r}, index={self.index})"

    def node(self, path: AbstractSequence[str | int]) -> Node | None:
        """The node at ``path``, or None when there is none."""
        entry = self._entry(path)
        return None if entry is None else entry[1]

    def span(self, path: AbstractSequence[str | int]) -> Span:
        """The place of the value at ``path``; if absent, of the key of its nearest existing ancestor."""
        node = self.node(path)
        return self.key_span(path) if node is None else self.source.span(node.start, node.end)

    def key_span(self, path: AbstractSequence[str | int]) -> Span:
        """The place of the key of ``path``'s last element; for a list item, of its first line.

        For an absent path the nearest existing ancestor answers; for the document as a whole its first key.
        """
        path = tuple(path)
        entry = self._entry(path)
        while entry is None:
            path = path[:-1]
            entry = self._entry(path)
        key, node = entry
        if key is None and not path and isinstance(node, Mapping) and node.entries:
            key = node.entries[0][0]
        if key is not None:
            return self.source.span(key.start, key.end)
        return self.source.span(node.start, min(node.end, self.source.end_of_line(node.start)))

    def text_span(self, path: AbstractSequence[str | int], start: int, end: int) -> Span:
        """The characters ``[start, end)`` of the decoded scalar at ``path`` as a place in the file.

        Anything but a scalar, and a scalar whose characters cannot be told apart, gives the whole value.
        """
        node = self.node(path)
        if not isinstance(node, Scalar):
            return self.span(path)
        return self.source.span(*character_range(self.source.text, node, start, end))

    def raw(self, path: AbstractSequence[str | int]) -> str:
        """The value at ``path`` as it is written in the file, quotes included; empty when there is none."""
        node = self.node(path)
        return "" if node is None else self.source.text[node.start : node.end]

    def _entry(self, path: AbstractSequence[str | int]) -> tuple[Scalar | None, Node] | None:
        key: Scalar | None = None
        node = self.root
        for step in path:
            if isinstance(node, Mapping):
                entry = node.children.get(step) if isinstance(step, str) else None
                if entry is None:
                    return None
                key, node = entry
            elif isinstance(node, Sequence):
                if not isinstance(step, int) or not 0 <= step < len(node.items):
                    return None
                key, node = None, node.items[step]
            else:
                return None
        return key, node


class Reading(Record):
    """What a file holds: the documents that could be read, in order, and what was wrong on the way."""

    documents: tuple[Document, ...]
    problems: tuple[Diagnostic, ...]


class ReadLimits(Record):
    """How much is read: bytes of a file, depth of a document, nodes of a file with aliases written out."""

    max_bytes: int = 4 * 1024 * 1024
    max_depth: int = 100
    max_nodes: int = 300_000


_DEFAULT_LIMITS = ReadLimits()


def read(data: bytes | str, file: str, limits: ReadLimits = _DEFAULT_LIMITS) -> Reading:
    """Read every document of a YAML text; ``file`` is the name to show.

    Never raises for bad input. A document that does not parse ends the reading; the ones before it are kept.
    """
    size = len(data)
    if isinstance(data, str) and size <= limits.max_bytes < 4 * size:
        size = len(data.encode("utf-8", "surrogatepass"))
    if size > limits.max_bytes:
        return _refused(file, *_too_large(size, limits))
    text, undecodable = (data, None) if isinstance(data, str) else _decode(data)
    source = Source(file, text.removeprefix("\ufeff"))
    return _Reader(source, limits, undecodable).read()


def read_file(path: Path, file: str | None = None, limits: ReadLimits = _DEFAULT_LIMITS) -> Reading:
    """Read every document of a file; ``file`` is the name to show, if not the path.

    Only regular files are read (others may never end), and never more than ``limits.max_bytes`` of them.
    """
    name = str(path) if file is None else file
    content = _content(path, name, limits)
    return content if isinstance(content, Reading) else read(content, name, limits)


def _content(path: Path, name: str, limits: ReadLimits) -> bytes | Reading:
    """The bytes of a file, or the reading that says why there are none."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            kind = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            return _refused(name, f"This is {kind}, so there is no definition to read.", "Name a YAML file.")
        if status.st_size > limits.max_bytes:
            return _refused(name, *_too_large(status.st_size, limits))
        with open(path, "rb") as stream:
            return stream.read(limits.max_bytes + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return _refused(name, f"The file cannot be read: {reason[:1].lower()}{reason[1:]}.", None)
    except ValueError:  # a null character in the path
        return _refused(name, "The file cannot be read: its name is not a file name.", None)


class DataReading:
    """What a file holds, as data. Places are worked out when they are asked for, which few files ever are.

    ``documents`` are the data of the documents of :attr:`reading`, ``problems`` its problems.
    """

    def __init__(self, file: str, documents: tuple[Any, ...], read_all: Callable[[], Reading]) -> None:
        self.file = file
        self.documents = documents
        self._read_all = read_all
        self._reading: Reading | None = None

    @classmethod
    def of(cls, file: str, reading: Reading) -> DataReading:
        """A file that has been read with all places."""
        found = cls(file, tuple(document.data for document in reading.documents), lambda: reading)
        found._reading = reading
        return found

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """What was wrong: nothing, if nobody had to look for places to say it."""
        return () if self._reading is None else self._reading.problems

    @property
    def reading(self) -> Reading:
        """The same with all places."""
        if self._reading is None:
            self._reading = self._read_all()
        return self._reading


KnownDocuments = dict[str, "_PlainDocuments | None"]
"""Documents by their text, each once however many files repeat it; what reads them leaves them as they are."""


def read_data(
    data: bytes | str, file: str, limits: ReadLimits = _DEFAULT_LIMITS, known: KnownDocuments | None = None
) -> DataReading:
    """What :func:`read` reads, in half the time for a file in which nothing is out of the ordinary.

    Anchors, tags, keys that are no strings and everything that may be a problem are left to :func:`read`. With
    ``known`` the documents of several files are read once where they are the same: the pods of a workload, say, that
    stay while its status changes.
    """
    text: str | None
    if isinstance(data, str):
        text = data if 4 * len(data) <= limits.max_bytes else None
    else:
        text, undecodable = _decode(data) if len(data) <= limits.max_bytes else (None, None)
        text = None if undecodable else text
    documents = None if text is None else _plain_documents(text.removeprefix("\ufeff"), limits, known)
    if documents is None:
        return DataReading.of(file, read(data, file, limits))
    return DataReading(file, documents, lambda: read(data, file, limits))


def read_data_file(
    path: Path, file: str | None = None, limits: ReadLimits = _DEFAULT_LIMITS, known: KnownDocuments | None = None
) -> DataReading:
    """What :func:`read_file` reads, as :func:`read_data` does it."""
    name = str(path) if file is None else file
    content = _content(path, name, limits)
    return DataReading.of(name, content) if isinstance(content, Reading) else read_data(content, name, limits, known)


def _refused(file: str, message: str, hint: str | None) -> Reading:
    problem = Diagnostic(CANNOT_BE_READ, Severity.ERROR, message, Span.whole(file), hint)
    return Reading((), (problem,))


def _too_large(size: int, limits: ReadLimits) -> tuple[str, str]:
    return (
        f"The file has {size:,} bytes; at most {limits.max_bytes:,} are read. "
        "A cluster stores no object larger than about 1.5 MiB, so this cannot be one.",
        "Split the file, or leave it out.",
    )


class _Undecodable(Record):
    """Bytes that are no text; everything before them has been decoded."""

    byte_offset: int
    byte: int
    encoding: str


def _decode(data: bytes) -> tuple[str, _Undecodable | None]:
    encoding = "utf-8"
    start = 0
    if data.startswith(codecs.BOM_UTF16_LE):
        encoding, start = "utf-16-le", 2
    elif data.startswith(codecs.BOM_UTF16_BE):
        encoding, start = "utf-16-be", 2
    try:
        return data[start:].decode(encoding), None
    except UnicodeDecodeError as error:
        at = start + error.start
        return data[start:at].decode(encoding), _Undecodable(at, data[at], encoding[:6].rstrip("-").upper())


# ----------------------------------------------------------------------------------------------------------
# What a scalar means
# ----------------------------------------------------------------------------------------------------------

_WORDS: dict[str, ScalarValue] = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"], False),
    **dict.fromkeys(["~", "null", "Null", "NULL"]),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], math.nan),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], math.inf),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], -math.inf),
}
_RESOLVABLE = frozenset("0123456789+-.yYnNtTfFoO~")
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]+)|(0|[1-9][0-9]*))", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_BASES = (16, 8, 2, 8, 10)
_LONGEST_NUMBER = 1000  # int() takes time quadratic in the digits; nobody writes such a number


def resolve_plain(text: str) -> ScalarValue:
    """What Kubernetes makes of an unquoted scalar: go-yaml v2's rules, see the module's description."""
    if not text:
        return None
    if text[0] not in _RESOLVABLE:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in "yYnNtTfFoO~" or len(text) > _LONGEST_NUMBER:
        return text
    number = text if text[0] == "." else text.replace("_", "")
    if integer := _INTEGER.fullmatch(number):
        sign, *digits = integer.groups()
        for base, part in zip(_BASES, digits, strict=True):
            if part is not None:
                return -int(part, base) if sign == "-" else int(part, base)
    if _FLOAT.fullmatch(number):
        value = float(number)
        return text if math.isinf(value) else value
    return text


_CORE = "tag:yaml.org,2002:"
_SCALAR_TAGS = frozenset({"str", "int", "bool", "float", "null", "binary", "timestamp", "merge"})


def _resolve_tagged(tag: str, text: str) -> ScalarValue:
    """The value of a scalar with a core tag (``tag`` is its short name); ValueError if it does not fit."""
    if tag == "binary":
        try:
            return base64.b64decode("".join(text.split()), validate=True).decode("utf-8", "replace")
        except binascii.Error:
            raise ValueError("its text is not base64") from None
    if tag in ("str", "timestamp", "merge"):
        return text
    value = resolve_plain(text)
    if tag == "float" and type(value) is int:
        return float(value)
    expected: dict[str, type] = {"int": int, "bool": bool, "float": float, "null": type(None)}
    if type(value) is not expected[tag]:
        raise ValueError(f"{_shorten(text)} is not one")
    return value


def _key_text(key: Scalar) -> str:
    """A key as sigs.k8s.io/yaml writes it into JSON."""
    value = key.value
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _go_float(value)


def _go_float(value: float) -> str:
    """Go's ``strconv.FormatFloat(value, 'g', -1, 32)``, by which float keys are written."""
    try:
        single = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isnan(single):
        return ".nan"
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    if single == 0:
        return "-0" if math.copysign(1, single) < 0 else "0"
    shortest = f"{single:.8e}"
    for precision in range(8):
        candidate = f"{single:.{precision}e}"
        if struct.unpack("f", struct.pack("f", float(candidate)))[0] == single:
            shortest = candidate
            break
    mantissa, exponent = shortest.split("e")
    if -4 <= int(exponent) < 6:
        digits = len(mantissa.lstrip("-").replace(".", ""))
        return f"{float(shortest):.{max(digits - 1 - int(exponent), 0)}f}"
    return shortest


def _shorten(text: str, most: int = 40) -> str:
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return "'" + "".join(c if c.isprintable() else " " for c in shown) + "'"


# ----------------------------------------------------------------------------------------------------------
# From events to documents
# ----------------------------------------------------------------------------------------------------------

_PROPERTIES = re.compile(r"(?:(?:&[0-9A-Za-z_-]+|!<[^>\s]*>|![^\s,\[\]{}]*)(?:\s+(?:#[^\r\n]*)?)*)+")
_MOST_PROBLEMS = 100
_TOO_NESTED = "exceeded maximum nesting depth"


class _StopReadingError(Exception):
    """The reading ends here; the problem has been reported."""


class _Open:
    """A collection that has begun and not ended yet."""

    __slots__ = ("anchor", "data", "end", "height", "key", "key_node", "mapping", "node", "size", "written")

    def __init__(self, node: Mapping | Sequence, data: Any, anchor: str | None) -> None:
        self.node = node
        self.data = data
        self.anchor = anchor
        self.mapping = isinstance(node, Mapping)
        self.key: str | object = _NO_KEY
        self.key_node: Scalar | None = None
        self.end = node.start
        self.size = 1
        self.height = 1
        self.written: set[str] | None = None  # keys of this mapping itself, once something was merged into it


_NO_KEY = object()  # the next child is a key
_MERGE_KEY = object()  # the next child is the value of <<
_UNUSABLE_KEY = object()  # the next child has a key that JSON cannot have


class _Anchored(Record):
    node: Node
    data: Any
    size: int
    height: int


class _Reader:
    """Builds the documents of one source out of libyaml's events, without recursion."""

    def __init__(self, source: Source, limits: ReadLimits, undecodable: _Undecodable | None) -> None:
        self.source = source
        self.limits = limits
        self.undecodable = undecodable
        self.problems: list[Diagnostic] = []
        self.documents: list[Document] = []
        self.stack: list[_Open] = []
        self.anchors: dict[str, _Anchored | _Open] = {}
        self.nodes = 0
        self.root: _Anchored | None = None

    def read(self) -> Reading:
        text = self.source.text
        broken = _NOT_YAML.search(text)
        if broken is not None:
            text = text[: broken.start()]
        is_broken = broken is not None or self.undecodable is not None
        try:
            is_cut_off = self._build(text)
            if is_broken:
                if is_cut_off:  # the last document reaches up to the broken place: it is not whole
                    self.documents.pop()
                self._report_broken_text(broken)
        except _StopReadingError:
            pass
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            if is_broken and (mark is None or mark.index >= len(text.rstrip(_SPACE))):
                self._report_broken_text(broken)  # it did not parse because it was cut off there
            else:
                self._report_parse_error(error)
        return Reading(tuple(self.documents), tuple(self.problems))

    def problem(
        self,
        rule: str,
        message: str,
        start: int,
        end: int,
        hint: str | None = None,
        related: tuple[Related, ...] = (),
        ends_reading: bool = False,
    ) -> None:
        """Report what is wrong with the characters ``[start, end)``, of which the first line is shown.

        After a hundred problems only the one that ends the reading is added: nobody reads more, and a
        hostile file must not cost more.
        """
        if len(self.problems) >= _MOST_PROBLEMS and rule != DOES_NOT_PARSE and not ends_reading:
            return
        end = max(start, min(end, self.source.end_of_line(start)))
        self.problems.append(Diagnostic(rule, Severity.ERROR, message, self.source.span(start, end), hint, related))

    def stop(self, message: str, start: int, end: int, hint: str | None = None) -> NoReturn:
        self.problem(CANNOT_BE_READ, message, start, end, hint, ends_reading=True)
        raise _StopReadingError

    def _build(self, text: str) -> bool:
        """Read all events; True when only the end of the text ended the last document."""
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        try:
            return self._build_from(loader.get_event)
        finally:
            loader.dispose()

    def _build_from(self, get_event: Any) -> bool:
        index = 0
        is_open_ended = False
        source_text = self.source.text
        limits = self.limits
        stack = self.stack
        attach = self.attach
        while True:
            try:
                event = get_event()
            except (ValueError, OverflowError) as error:  # such as a tag of escaped bytes that are no text
                raise yaml.YAMLError(str(error)) from error
            kind = event.__class__
            if kind is ScalarEvent:
                self.count(1, event)
                start = event.start_mark.index
                end = event.end_mark.index
                text = event.value
                style = event.style
                tag = event.tag
                anchor = event.anchor
                if anchor is not None or tag is not None or not (event.implicit[0] or style):
                    start = self._skip_properties(start, end)
                if style == "|" or style == ">":
                    end = start + len(source_text[start:end].rstrip(_SPACE))
                value: ScalarValue = text
                data: ScalarValue = text
                if tag is not None:
                    value = self._tagged_value(tag, text, event)
                    data = value
                elif event.implicit[0] and not style:
                    value = data = resolve_plain(text)
                if data.__class__ is float and not math.isfinite(data):
                    self._not_finite(start, end)
                    data = None
                node = Scalar(start, end, text, _STYLES[style], value)
                if anchor is not None:
                    self.anchors[anchor] = _Anchored(node, data, 1, 0)
                if stack:
                    top = stack[-1]
                    if top.key is _NO_KEY and top.mapping:
                        if text == "<<" and ((tag is None and not style) or tag == _CORE + "merge"):
                            top.key = _MERGE_KEY
                        else:
                            top.key = value if value.__class__ is str else self._key(node)
                        top.key_node = node
                        top.size += 1
                    else:
                        attach(node, data, 1, 0, event.end_mark.index if style != "|" and style != ">" else end)
                else:
                    self.root = _Anchored(node, data, 1, 0)
                    if start == end and tag is None and anchor is None:
                        self.root = None
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self.count(1, event)
                if len(stack) >= limits.max_depth:
                    self._report_nesting(event.start_mark.index)
                    raise _StopReadingError
                start = event.start_mark.index
                if event.anchor is not None or event.tag is not None:
                    start = self._skip_properties(start, len(source_text))
                    self._check_collection_tag(event, kind is MappingStartEvent)
                opened = (
                    _Open(Mapping(start, start), {}, event.anchor)
                    if kind is MappingStartEvent
                    else _Open(Sequence(start, start), [], event.anchor)
                )
                if event.anchor is not None:
                    self.anchors[event.anchor] = opened
                stack.append(opened)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                closed = stack.pop()
                end = max(closed.end, closed.node.start)
                if event.end_mark.index > event.start_mark.index:  # the closing bracket
                    end = event.end_mark.index
                closed.node.end = end
                if closed.anchor is not None and self.anchors.get(closed.anchor) is closed:
                    self.anchors[closed.anchor] = _Anchored(closed.node, closed.data, closed.size, closed.height)
                if stack:
                    attach(closed.node, closed.data, closed.size, closed.height, end)
                else:
                    self.root = _Anchored(closed.node, closed.data, closed.size, closed.height)
            elif kind is AliasEvent:
                self._alias(event)
            elif kind is DocumentStartEvent:
                self.anchors = {}
                self.root = None
            elif kind is DocumentEndEvent:
                if self.root is not None:
                    self.documents.append(Document(self.source, index, self.root.node, self.root.data))
                is_open_ended = self.root is not None and not event.explicit
                index += 1
            elif kind is StreamEndEvent:
                return is_open_ended

    def count(self, nodes: int, event: Any) -> None:
        """Account for more nodes; an alias stands for all nodes it repeats."""
        self.nodes += nodes
        if self.nodes > self.limits.max_nodes:
            repeated = " once its aliases are written out" if nodes > 1 else ""
            self.stop(
                f"The file has more than {self.limits.max_nodes:,} values{repeated}; no real definition or "
                "object has, and loading it would take all memory.",
                event.start_mark.index,
                event.end_mark.index,
                "Leave out the repetition, or split the file.",
            )

    def _report_nesting(self, start: int) -> None:
        self.problem(
            CANNOT_BE_READ,
            f"The nesting is deeper than {self.limits.max_depth} levels; no real definition or object is.",
            start,
            start + 1,
            ends_reading=True,
        )

    def _skip_properties(self, start: int, end: int) -> int:
        match = _PROPERTIES.match(self.source.text, start, end)
        return match.end() if match else start

    def _tagged_value(self, tag: str, text: str, event: Any) -> ScalarValue:
        if tag == "!":  # "not to be resolved"
            return text
        short = tag.removeprefix(_CORE)
        start, end = event.start_mark.index, event.end_mark.index
        if not tag.startswith(_CORE) or short not in _SCALAR_TAGS:
            self._foreign_tag(tag, start, end)
            return text
        try:
            return _resolve_tagged(short, text)
        except ValueError as error:
            self.problem(
                CANNOT_BE_READ,
                f"The tag !!{short} does not fit this value: {error}. Kubernetes refuses the whole document.",
                start,
                end,
                "Remove the tag, or correct the value.",
            )
            return text

    def _foreign_tag(self, tag: str, start: int, end: int) -> None:
        shown = "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
        self.problem(
            CANNOT_BE_READ,
            f"The tag {_shorten(shown)} is unknown to Kubernetes: the value gets no such meaning.",
            start,
            end,
            "Remove the tag and write plain data.",
        )

    def _check_collection_tag(self, event: Any, mapping: bool) -> None:
        if event.tag not in (None, "!", _CORE + ("map" if mapping else "seq")):
            self._foreign_tag(event.tag, event.start_mark.index, self.source.end_of_line(event.start_mark.index))

    def _not_finite(self, start: int, end: int) -> None:
        self.problem(
            CANNOT_BE_READ,
            "Infinity and not-a-number cannot be written as JSON, so Kubernetes refuses the whole document.",
            start,
            end,
            "Quote it if the text is meant.",
        )

    def _key(self, node: Node) -> str | object:
        """The key that a node stands for; what JSON cannot have is reported."""
        if isinstance(node, Scalar):
            if node.value is None:
                self.problem(
                    CANNOT_BE_READ,
                    "The key of this entry is null. JSON has no such key, so Kubernetes refuses it.",
                    node.start,
                    node.end,
                    "Write the key; quote it when its name is null or ~.",
                )
            return _key_text(node)
        text = self.source.text
        start = node.start - 1 if text[max(node.start - 1, 0)] == "{" else node.start
        if text.startswith("{{", start):
            self._report_template(start)
            raise _StopReadingError
        self.problem(
            CANNOT_BE_READ,
            "A mapping or a list is used as a key. JSON has no such key, so Kubernetes refuses it.",
            node.start,
            node.end,
            "Use a string as the key; a value that begins with { or [ needs quotes.",
        )
        return _UNUSABLE_KEY

    def attach(self, node: Node, data: Any, size: int, height: int, end: int) -> None:
        """Put a finished node into the collection it belongs to, which so far reaches up to ``end``."""
        top = self.stack[-1]
        top.size += size
        if height >= top.height:
            top.height = height + 1
        if end > top.end:
            top.end = end
        if not top.mapping:
            top.node.items.append(node)  # type: ignore[union-attr]
            top.data.append(data)
            return
        key = top.key
        if key is _NO_KEY:  # a collection or an alias as key
            top.key = self._key(node)
            top.key_node = node if isinstance(node, Scalar) else None
            return
        top.key = _NO_KEY
        if key is _UNUSABLE_KEY:
            return
        mapping = top.node
        key_node = top.key_node
        assert isinstance(mapping, Mapping)
        assert key_node is not None
        entry = (key_node, node)
        mapping.entries.append(entry)
        if key is _MERGE_KEY:
            self._merge(top, mapping, node, data)
            return
        assert isinstance(key, str)
        if top.written is None:
            if key in mapping.children:
                self._duplicate(key, key_node, mapping)
        elif key in top.written:
            self._duplicate(key, key_node, mapping)
        else:
            top.written.add(key)
        mapping.children[key] = entry
        top.data[key] = data

    def _duplicate(self, key: str, second: Scalar, mapping: Mapping) -> None:
        if len(self.problems) >= _MOST_PROBLEMS:
            return
        first = next((node for node, _ in mapping.entries if _key_text(node) == key), second)
        meaning = "" if second.text == key else f", which reads as {_shorten(key)},"
        self.problem(
            DUPLICATE_KEY,
            f"The key {_shorten(second.text)}{meaning} is given twice in one mapping. Only the last value "
            "counts, and stricter readers refuse the file.",
            second.start,
            second.end,
            "Keep one of the two.",
            (Related(self.source.span(first.start, first.end), "first given here"),),
        )

    def _merge(self, top: _Open, mapping: Mapping, node: Node, data: Any) -> None:
        if top.written is None:
            top.written = set(mapping.children)
        parts: list[tuple[Node, Any]] = [(node, data)]
        if isinstance(node, Sequence):
            parts = list(zip(node.items, data, strict=True))
        for part, values in reversed(parts):
            if not isinstance(part, Mapping):
                assert top.key_node is not None
                self.problem(
                    CANNOT_BE_READ,
                    "The merge key << needs a mapping or a list of mappings; Kubernetes refuses others.",
                    top.key_node.start,
                    top.key_node.end,
                    'Merge an alias of a mapping, such as <<: *defaults; quote "<<" if a name is meant.',
                )
                return
            mapping.children.update(part.children)
            top.data.update(values)

    def _alias(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        anchored = self.anchors.get(event.anchor)
        if anchored is None:
            self.problem(
                DOES_NOT_PARSE,
                f"The alias {_shorten('*' + event.anchor)} refers to an anchor that is not defined here.",
                start,
                end,
                f"Define &{event.anchor[:40]} first; if the text itself is meant, quote the value.",
            )
            raise _StopReadingError
        if isinstance(anchored, _Open):
            self.stop(
                f"The alias {_shorten('*' + event.anchor)} stands inside the value it repeats, without end.",
                start,
                end,
                "Write out what is meant.",
            )
        self.count(anchored.size, event)
        if len(self.stack) + anchored.height > self.limits.max_depth:
            self._report_nesting(start)
            raise _StopReadingError
        if self.stack:
            self.attach(anchored.node, anchored.data, anchored.size, anchored.height, end)

    # ---- what is wrong with a text that does not parse ----

    def _report_broken_text(self, broken: re.Match[str] | None) -> None:
        text = self.source.text
        if broken is None:
            wrong = self.undecodable
            assert wrong is not None
            line = self.source.position(len(text))[0]
            self.problem(
                DOES_NOT_PARSE,
                f"The file is not {wrong.encoding} text: byte 0x{wrong.byte:02X} at byte offset "
                f"{wrong.byte_offset}, in line {line}, cannot be decoded.",
                len(text),
                len(text),
                "Save the file as UTF-8.",
            )
            return
        start = broken.start()
        code = ord(text[start])
        name = "a lone surrogate" if 0xD800 <= code <= 0xDFFF else "a control character"
        self.problem(
            DOES_NOT_PARSE,
            f"There is {name} (U+{code:04X}) here, which YAML does not allow.",
            start,
            start + 1,
            f'Remove it; inside double quotes it can be written as "\\u{code:04X}".' if code < 0xD800 else "Remove it.",
        )

    def _report_template(self, start: int) -> None:
        self.problem(
            DOES_NOT_PARSE,
            "This is a template ({{ … }}), not YAML: it must be rendered before it can be read.",
            start,
            self.source.end_of_line(start),
            "Check the rendered file; if the braces are meant as text, quote the value.",
        )

    def _report_parse_error(self, error: yaml.YAMLError) -> None:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error)
        context = getattr(error, "context", None) or ""
        context_mark = getattr(error, "context_mark", None)
        at = len(self.source.text) if mark is None else min(mark.index, len(self.source.text))
        began = at if context_mark is None else context_mark.index
        if _TOO_NESTED in what:
            self._report_nesting(at)
            return
        start, end, message, hint, related = self._explain(what, context, at, began)
        if "{{" in self.source.line(self.source.position(start)[0]) and "escape" not in what:
            line_start = self.source.offset(self.source.position(start)[0], 1)
            self._report_template(self.source.text.index("{{", line_start))
            return
        self.problem(DOES_NOT_PARSE, message, start, end, hint, related)

    def _explain(
        self, what: str, context: str, at: int, began: int
    ) -> tuple[int, int, str, str | None, tuple[Related, ...]]:
        """The place of a parser's complaint, what is wrong in words, what to write, and where it began.

        ``what`` and ``context`` are libyaml's words (or those of PyYAML's own parser, which differ little);
        ``at`` is where it gave up, ``began`` where the construct that it was in begins.
        """
        source = self.source
        text = source.text
        line = source.position(at)[0]
        line_start = source.line_starts[line - 1]
        before = text[line_start:at]
        here = text[at : at + 1]
        end_of_line = source.end_of_line(at)
        tab = self._indentation_tab(line_start)
        if tab is not None and ("tab" in what or here == "\t" or tab <= at):
            return (
                tab,
                tab + 1,
                "A tab is used for indentation; YAML allows only spaces there.",
                "Replace the tab by spaces.",
                (),
            )
        if "quoted scalar" in context and "escape" in what:
            return (
                at - 1 if here != "\\" and text[at - 1 : at] == "\\" else at,
                at + 1,
                "Inside double quotes a backslash begins an escape, and this is not one that YAML knows.",
                "Write the backslash twice, or use single quotes, in which it is an ordinary character.",
                (),
            )
        if "quoted scalar" in context:
            quote = text[began : began + 1]
            return (
                began,
                source.end_of_line(began),
                f"The quote {quote} that begins here is never closed.",
                f"Add the closing {quote}" + (" (inside single quotes ' is written '')." if quote == "'" else "."),
                (),
            )
        if "simple key" in context or "expected ':'" in what:
            return (
                began,
                source.end_of_line(began),
                "This line is neither a key with a value nor part of a value: a colon is missing.",
                "Write 'key: value', with a space after the colon.",
                (),
            )
        if (
            (context.startswith("while parsing a flow") and "node content" not in what)
            or not text[at:].strip(_SPACE)
            or text.startswith(("---", "..."), at)
        ):
            if text[began : began + 1] in ("[", "{") and context.startswith("while parsing a flow"):
                bracket = text[began]
                return (
                    began,
                    began + 1,
                    f"The bracket {bracket} that begins here is not closed where it should be: "
                    f"a comma or {']' if bracket == '[' else '}'} is missing.",
                    "Close it, or put commas between the items; if it is meant as text, quote the value.",
                    (Related(source.span(at, min(at + 1, end_of_line)), "the parser gives up here"),)
                    if at < len(text)
                    else (),
                )
            opened = self._innermost_bracket()
            if opened is not None:
                return (
                    opened,
                    opened + 1,
                    f"The bracket {text[opened]} that begins here is never closed.",
                    "Close it; if it is meant as text, quote the value.",
                    (),
                )
        if "mapping values are not allowed" in what:
            if _KEY_COLON.search(before):
                return (
                    at,
                    at + 1,
                    "A second colon followed by a space in one line: YAML reads it as another key.",
                    "Quote the whole value.",
                    (),
                )
            previous = self._previous_line(line)
            if previous is not None and _KEY_COLON.search(source.line(previous) + " ") is None:
                start = source.line_starts[previous - 1] + _indentation(source.line(previous))
                return (
                    start,
                    source.end_of_line(start),
                    "This line is neither a key with a value nor part of a value: a colon is missing.",
                    "Write 'key: value', with a space after the colon.",
                    (),
                )
            return (
                line_start + _indentation(before),
                at,
                "The key is indented deeper than the ones beside it, so it reads as part of the value above.",
                "Indent it like its neighbours, or end the line above in a colon if it belongs below it.",
                (),
            )
        if "block sequence entries are not allowed" in what:
            return (at, end_of_line, "A list item cannot begin here.", "Put '- ' on a line of its own.", ())
        if "cannot start any token" in what and here in ("@", "`", "%"):
            return (
                at,
                end_of_line,
                f"A value cannot begin with {here} unless it is quoted.",
                "Quote the value.",
                (),
            )
        if "alphabetic or numeric character" in what or context in (
            "while scanning an alias",
            "while scanning an anchor",
        ):
            sign = text[began : began + 1]
            kind = "an alias" if sign == "*" else "an anchor"
            return (
                began,
                source.end_of_line(began),
                f"A value that begins with {sign} is {kind}, and this is not a name for one.",
                "Quote the value if the text itself is meant.",
                (),
            )
        if "undefined tag handle" in what or "tag" in context:
            return (
                began,
                source.end_of_line(began),
                "A value that begins with ! is a tag, and this is not one that YAML knows.",
                "Quote the value if the text itself is meant.",
                (),
            )
        if "block mapping" in context or "block collection" in context or "block sequence" in context:
            return self._explain_indentation(context, at, began, before)
        if "<document start>" in what:
            return (
                at,
                end_of_line,
                "The document has ended before this line, so it belongs to nothing.",
                "Begin another document with a line '---', or indent it like the rest.",
                (),
            )
        detail = ", ".join(part for part in (context, what) if part)
        return (at, end_of_line, f"This is not YAML that can be parsed: {detail}.", None, ())

    def _explain_indentation(
        self, context: str, at: int, began: int, before: str
    ) -> tuple[int, int, str, str | None, tuple[Related, ...]]:
        source = self.source
        text = source.text
        end = source.end_of_line(at)
        related = (Related(source.span(began, source.end_of_line(began)), "it begins here"),)
        if before.strip(" ") and before.strip(" -"):
            last = before.rstrip()[-1:]
            after = "the closing quote" if last in ("'", '"') else "the value"
            return (
                at,
                max(end, at + 1),
                f"There is more text after {after}, where the line must end.",
                "Quote the whole value; inside single quotes ' is written ''.",
                (),
            )
        if "mapping" in context:
            if text.startswith("-", at):
                return (
                    at,
                    end,
                    "A list item stands where the next key of the mapping is expected.",
                    "Indent the list below its key, or remove the dash.",
                    related,
                )
            return (
                at,
                end,
                "This line is indented differently from the keys of the mapping it should belong to.",
                "Indent it exactly like the keys beside it.",
                related,
            )
        return (
            at,
            end,
            "A key stands at the level of a list, where the next '- ' is expected.",
            "Indent it below its item, or move it out of the list.",
            related,
        )

    def _indentation_tab(self, line_start: int) -> int | None:
        match = _INDENTATION_TAB.match(self.source.text, line_start)
        return match.end() - 1 if match else None

    def _previous_line(self, line: int) -> int | None:
        for number in range(line - 1, 0, -1):
            content = self.source.line(number).strip()
            if content and not content.startswith("#"):
                return number
        return None

    def _innermost_bracket(self) -> int | None:
        for opened in reversed(self.stack):
            if self.source.text.startswith(("[", "{"), opened.node.start):
                return opened.node.start
        return None


_KEY_COLON = re.compile(r":(?:\s)")
_INDENTATION_TAB = re.compile(r" *\t")


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


class _PlainDocuments(Record):
    """The data of some documents, and how many nodes they have."""

    documents: tuple[Any, ...]
    nodes: int


_NEXT_DOCUMENT = re.compile(r"^---[ \t]*\n", re.MULTILINE)
_BEYOND_DOCUMENTS = re.compile(r"^(?:%|\.\.\.|---[ \t]*[^ \t\n])", re.MULTILINE)


def _plain_documents(text: str, limits: ReadLimits, known: KnownDocuments | None) -> tuple[Any, ...] | None:
    """The data of a text that has nothing out of the ordinary; None when it takes a look by :class:`_Reader`."""
    if _NOT_YAML.search(text) is not None:
        return None
    if known is None or _BEYOND_DOCUMENTS.search(text) is not None:
        found = _plain_text(text, limits)
        return None if found is None else found.documents
    documents: list[Any] = []
    nodes = 0
    for position, part in enumerate(_NEXT_DOCUMENT.split(text)):
        if part not in known:
            known[part] = _plain_text(part, limits)
        found = known[part]
        if found is None or (position and not found.documents):
            return None  # a marker with nothing after it is an empty document
        documents += found.documents
        nodes += found.nodes
    return tuple(documents) if nodes <= limits.max_nodes else None


def _plain_text(text: str, limits: ReadLimits) -> _PlainDocuments | None:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        return _plain_documents_from(loader.get_event, limits)
    except (yaml.YAMLError, ValueError, OverflowError):
        return None
    finally:
        loader.dispose()


def _plain_documents_from(get_event: Any, limits: ReadLimits) -> _PlainDocuments | None:
    documents: list[Any] = []
    outer: list[tuple[Any, Any]] = []  # the collections around `current`, each with the key it waits at
    current: Any = None
    key: Any = None
    nodes = 0
    while True:
        event = get_event()
        kind = event.__class__
        value: Any
        if kind is ScalarEvent:
            if event.tag is not None or event.anchor is not None:
                return None
            value = event.value
            if not event.style and event.implicit[0]:
                value = resolve_plain(value)
                if value.__class__ is float and not math.isfinite(value):
                    return None
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            if event.tag is not None or event.anchor is not None or len(outer) >= limits.max_depth:
                return None
            value = {} if kind is MappingStartEvent else []
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            current, key = outer.pop()
            continue
        elif kind is StreamEndEvent:
            return _PlainDocuments(tuple(documents), nodes)
        elif kind is AliasEvent:
            return None
        else:
            continue
        nodes += 1
        if nodes > limits.max_nodes:
            return None
        if current.__class__ is dict:
            if key is None:
                if value.__class__ is not str or value in current or value == "<<":
                    return None
                key = value
                continue
            current[key] = value
            key = None
        elif current is not None:
            current.append(value)
        elif kind is ScalarEvent:
            return None  # a document that is empty or no object
        else:
            documents.append(value)
        if kind is not ScalarEvent:
            outer.append((current, key))
            current = value


# ----------------------------------------------------------------------------------------------------------
# From the characters of a scalar to the characters of the file
# ----------------------------------------------------------------------------------------------------------


class _Characters(Record):
    """Where each decoded character is written: ``starts[i]`` to ``ends[i]``, and one more for the end."""

    starts: AbstractSequence[int]
    ends: AbstractSequence[int]


def character_range(source_text: str, scalar: Scalar, start: int, end: int) -> tuple[int, int]:
    """The offsets in the file of the decoded characters ``[start, end)`` of a scalar.

    An escape counts as its whole writing, a folded line break as the white space it stands for. When the
    characters cannot be told apart, the whole scalar answers.
    """
    characters = scalar._characters
    if characters is None:
        characters = scalar._characters = _characters(source_text, scalar)
    if len(characters.starts) != len(scalar.text) + 1:
        return scalar.start, scalar.end
    start = min(max(start, 0), len(scalar.text))
    end = min(max(end, start), len(scalar.text))
    first = characters.starts[start]
    return first, first if end == start else max(first, characters.ends[end - 1])


_UNKNOWN = _Characters((), ())


def _characters(source_text: str, scalar: Scalar) -> _Characters:
    text = scalar.text
    style = scalar.style
    if style in ("literal", "folded"):
        decoded, starts, ends = _decode_block(source_text, scalar)
    else:
        quote = 0 if style == "plain" else 1
        start, end = scalar.start + quote, scalar.end - quote
        if source_text[start:end] == text and (style != "double-quoted" or "\\" not in text):
            return _Characters(range(start, end + 1), range(start + 1, end + 2))
        decoded, starts, ends = _decode_flow(source_text, start, end, style)
    if decoded != text:
        return _UNKNOWN
    after = ends[-1] if ends else scalar.start + (style not in ("plain", "literal", "folded"))
    return _Characters([*starts, after], [*ends, after])


class _Decoded:
    """Decoded characters and where each was written."""

    __slots__ = ("characters", "ends", "starts")

    def __init__(self) -> None:
        self.characters: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, character: str, start: int, end: int) -> None:
        self.characters.append(character)
        self.starts.append(start)
        self.ends.append(end)

    def copy(self, text: str, start: int, end: int) -> None:
        """Add the characters ``[start, end)`` of the text as they are."""
        self.characters.extend(text[start:end])
        self.starts.extend(range(start, end))
        self.ends.extend(range(start + 1, end + 1))

    def extend(self, other: _Decoded) -> None:
        self.characters.extend(other.characters)
        self.starts.extend(other.starts)
        self.ends.extend(other.ends)

    def clear(self) -> None:
        self.characters.clear()
        self.starts.clear()
        self.ends.clear()

    def result(self, length: int | None = None) -> tuple[str, list[int], list[int]]:
        return "".join(self.characters[:length]), self.starts[:length], self.ends[:length]


def _read_break(text: str, at: int, into: _Decoded) -> int:
    """Read one line break as YAML 1.1 does (all but LS and PS become a newline); the offset after it."""
    end = at + 2 if text.startswith("\r\n", at) else at + 1
    into.add(text[at] if text[at] in "\u2028\u2029" else "\n", at, end)
    return end


_FLOW_CHUNK = {
    "plain": re.compile(rf"[^ \t{_BREAKS}]+"),
    "single-quoted": re.compile(rf"[^' \t{_BREAKS}]+"),
    "double-quoted": re.compile(rf'[^\\" \t{_BREAKS}]+'),
}
_ESCAPES = dict(zip('0abt\tnvfre "/\\N_LP', '\0\a\b\t\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029', strict=True))
_HEXADECIMAL = {"x": 2, "u": 4, "U": 8}


def _decode_flow(text: str, at: int, end: int, style: str) -> tuple[str, list[int], list[int]]:
    """Decode the inside ``[at, end)`` of a plain or quoted scalar, folding its lines."""
    chunk = _FLOW_CHUNK[style]
    decoded = _Decoded()
    blanks, first_break, more_breaks = _Decoded(), _Decoded(), _Decoded()
    while at < end:
        folded_escape = False
        while at < end and text[at] not in _SPACE:
            match = chunk.match(text, at, end)
            if match is not None:
                decoded.copy(text, at, match.end())
                at = match.end()
            elif text[at] == "'":
                decoded.add("'", at, at + 2)
                at += 2
            elif text[at] != "\\":  # a double quote cannot stand here unescaped
                return "", [], []
            elif text[at + 1 : at + 2] in tuple(_BREAKS):
                at = _read_break(text, at + 1, _Decoded())
                folded_escape = True
                break
            else:
                name = text[at + 1 : at + 2]
                width = _HEXADECIMAL.get(name, 0)
                try:
                    character = chr(int(text[at + 2 : at + 2 + width], 16)) if width else _ESCAPES[name]
                except (KeyError, ValueError, OverflowError):
                    return "", [], []
                decoded.add(character, at, at + 2 + width)
                at += 2 + width
        in_breaks = folded_escape
        while at < end and text[at] in _SPACE:
            if text[at] in " \t":
                if not in_breaks:
                    blanks.copy(text, at, at + 1)
                at += 1
            elif not in_breaks:
                blanks.clear()
                at = _read_break(text, at, first_break)
                in_breaks = True
            else:
                at = _read_break(text, at, more_breaks)
        if not in_breaks:
            decoded.extend(blanks)
        elif first_break.characters == ["\n"]:
            if more_breaks.characters:
                decoded.extend(more_breaks)
            else:
                decoded.add(" ", first_break.starts[0], at)
        else:
            decoded.extend(first_break)
            decoded.extend(more_breaks)
        for pending in (blanks, first_break, more_breaks):
            pending.clear()
    return decoded.result()


_BLOCK_LINE = re.compile(rf"[^{_BREAKS}]*")


def _decode_block(text: str, scalar: Scalar) -> tuple[str, list[int], list[int]]:
    """Decode a literal or folded scalar.

    The indentation is not looked up (it may follow from the parent) but inferred: the first line that is not
    blank has as many spaces too many as the decoded text begins that line with. Lines are read until
    there are as many characters as libyaml found, which does away with the chomping indicator.
    """
    length = len(scalar.text)
    folded = scalar.style == "folded"
    header = _BLOCK_LINE.match(text, scalar.start)
    assert header is not None
    lines = _block_lines(text, header.end(), length)
    indentation = _block_indentation(text, lines, scalar.text)
    decoded, break_before, blank_lines = _Decoded(), _Decoded(), _Decoded()
    leading_blank = False
    for start, end in lines:
        spaces = start
        while spaces < end and spaces - start < indentation and text[spaces] == " ":
            spaces += 1
        if spaces == end:
            target = blank_lines
        elif spaces - start < indentation or (indentation == 0 and text.startswith(("---", "..."), start)):
            break
        else:
            trailing_blank = text[spaces] in " \t"
            if folded and break_before.characters == ["\n"] and not leading_blank and not trailing_blank:
                if not blank_lines.characters:
                    decoded.add(" ", break_before.starts[0], spaces)
            else:
                decoded.extend(break_before)
            break_before.clear()
            decoded.extend(blank_lines)
            blank_lines.clear()
            leading_blank = trailing_blank
            decoded.copy(text, spaces, end)
            target = break_before
        if end < len(text):
            _read_break(text, end, target)
    decoded.extend(break_before)
    decoded.extend(blank_lines)
    return decoded.result(length)


def _block_lines(text: str, at: int, length: int) -> list[tuple[int, int]]:
    """The lines after a block scalar's header, enough of them for ``length`` decoded characters."""
    lines = []
    while at < len(text) and length >= 0:
        start = at + 2 if text.startswith("\r\n", at) else at + 1
        match = _BLOCK_LINE.match(text, start)
        assert match is not None
        if start >= len(text):
            break
        at = match.end()
        lines.append((start, at))
        line = text[start:at].lstrip(" ")
        length -= len(line) + 1 if line else 0  # folding takes one break of several away
    return lines


def _block_indentation(text: str, lines: list[tuple[int, int]], decoded: str) -> int:
    first = next((line for line in re.split(f"[{_BREAKS}]", decoded) if line.strip(" ")), None)
    if first is not None:
        for start, end in lines:
            line = text[start:end]
            if line.strip(" "):
                return max(_indentation(line) - _indentation(first), 0)
    deepest = max((_indentation(line) for line in decoded.split("\n")), default=0)
    return max((end - start for start, end in lines), default=0) - deepest
