"""``check --update-expected``: rewrite the computed parts of golden files (floor 5).

What a person has stated stays: the status, the provenance, every comment, and which fields are given at all. Only
values that differ are touched, so that the diff shows what has changed and nothing else.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wmap_lint.checker import Options, concerns_us, discover
from wmap_lint.definition import load
from wmap_lint.diagnostic import Severity
from wmap_lint.expected import BOUNDS, Computed, differences, same
from wmap_lint.files import write
from wmap_lint.fixtures import Scenario, fixtures_folder, load_corpus, split_instance
from wmap_lint.jq.engine import Engine
from wmap_lint.record import Record
from wmap_lint.rules import all_rules
from wmap_lint.rules.context import Context
from wmap_lint.rules.source_rules import Relation, classify
from wmap_lint.source import read_file

_FIELDS = ("replicas", *BOUNDS, "pods", "requests")
# With one of these what is computed is not to be trusted; that it differs (WM404) is the occasion.
_SPOILS = ("WM0", "WM1", "WM2", "WM401", "WM402", "WM403", "WM405", "WM406", "WM408", "WM6", "WM707")
_SKELETON = """\
# What is expected of the scenario beside this file. Say where it comes from, and which status it is in.
provenance:
  source: recorded
  operator: TODO
  version: TODO
status: TODO
"""


class Update(Record):
    """Files that were rewritten, files that are new, and what was left alone, with the reason, as sentences."""

    changed: tuple[Path, ...]
    created: tuple[Path, ...]
    left: tuple[str, ...]


def update_expected(paths: Sequence[Path], options: Options | None = None) -> Update:
    """Rewrite the computed parts of the golden files of all definitions in ``paths``.

    A scenario without a golden file gets one, with a status that a person has to fill in. Raises
    :class:`~wmap_lint.checker.UsageError` for a path that does not exist, OSError for a file that cannot be written.
    """
    options = options or Options()
    changed: list[Path] = []
    created: list[Path] = []
    left: list[str] = []
    with Engine() as engine:
        for path, named in discover(paths):
            if not named and not concerns_us(path):
                continue
            for document in read_file(path, str(path)).documents:
                if classify(document).relation is not Relation.OURS:
                    continue
                definition = load(document)
                folder = fixtures_folder(path, definition.name, options.fixtures)
                context = Context(document, definition, load_corpus(folder, definition.gvk), engine)
                if not context.corpus.scenarios:
                    continue
                spoilt = next(_errors(context), None)
                if spoilt is not None:
                    left.append(f"{path}: its golden files are left alone, because of {spoilt}")
                    continue
                for scenario in context.corpus.scenarios:
                    _scenario(context, scenario, changed, created, left)
    return Update(tuple(changed), tuple(created), tuple(left))


def _errors(context: Context) -> Iterator[str]:
    """The errors because of which nothing is computed, as ``WM401 in line 3``."""
    for rule in all_rules():
        if rule.check is not None and rule.code.startswith(_SPOILS):
            for each in context.diagnostics(rule):
                if each.severity is Severity.ERROR:
                    yield f"{each.rule} in line {each.span.line} of {each.span.file}"


def _scenario(context: Context, scenario: Scenario, changed: list[Path], created: list[Path], left: list[str]) -> None:
    found = context.computed(scenario)
    file = Path(scenario.file)
    path = file.with_name(f"{file.stem}.expected.yaml")
    if scenario.expectation is None:
        if os.path.lexists(path):
            left.append(f"{path}: it is left alone, because it cannot be used as it is")
        elif scenario.journey is None:
            write(path, rewritten(_SKELETON, found, everything=True).encode())
            created.append(path)
        return
    path = Path(scenario.expectation.file)
    if is_current(scenario.expectation.data, found):
        return
    before = path.read_bytes()
    text = before.decode("utf-8-sig")
    after = rewritten(text.replace("\r\n", "\n"), found)
    if "\r\n" in text:
        after = after.replace("\n", "\r\n")
    mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
    content = mark + after.encode()
    if content != before:
        write(path, content)
        changed.append(path)


def is_current(data: Mapping[str, Any], found: Computed) -> bool:
    """Whether nothing in an expectation has to be rewritten."""
    components = data.get("components")
    return (
        components is not None
        and "totals" in data
        and found.with_pods <= set(components)
        and set(components) <= set(found.components)
        and next(differences(data, found), None) is None
        and all(
            field in (part or ())
            for key, part in components.items()
            for field in BOUNDS
            if field in found.components[key]
        )
    )


def rewritten(text: str, found: Computed, everything: bool = False) -> str:
    """The text of an expectation with its computed parts brought up to date, everything else as it was.

    Gangs that are not stated are not added, unless ``everything`` is wanted.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    # Whether lists stand further in than the key they belong to.
    offset = 2 if re.search(r"^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n\1  - ", text, re.MULTILINE) else 0
    yaml.indent(mapping=2, sequence=2 + offset, offset=offset)
    data = yaml.load(text)
    components = data.get("components")
    if components is None:
        components = CommentedMap()
        _insert(data, "components", components, after="status")
    _components(components, found)
    totals = data.get("totals")
    if totals is None:
        totals = _flow({"pods": 0, "requests": {}})
        _insert(data, "totals", totals, after="components")
    _part(totals, found.totals)
    if found.gangs is not None and ("gangs" in data or (everything and found.gangs)):
        _gangs(data, found.gangs)
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()


def _insert(data: Any, key: str, value: Any, after: str) -> None:
    keys = list(data)
    data.insert(keys.index(after) + 1 if after in keys else len(keys), key, value)


def _components(components: Any, found: Computed) -> None:
    stated = [field for field in _FIELDS if any(field in (part or {}) for part in components.values())] or [*_FIELDS]
    for key in [key for key in components if key not in found.components]:
        del components[key]
    for key, part in components.items():
        _part(part, found.components[key])
    for key, computed in found.components.items():
        if key in found.with_pods and key not in components:
            value = _flow({field: computed[field] for field in stated if field in computed})
            _insert(components, key, value, after=_last_of(components, key))


def _last_of(components: Any, key: str) -> str:
    """The last instance of the same component that is there, so that instances stay together."""
    name = split_instance(key)[0]
    return next((each for each in reversed(list(components)) if split_instance(each)[0] == name), "")


def _part(part: Any, computed: Mapping[str, Any]) -> None:
    """Give the fields that are stated their computed values, and bounds if there are any."""
    for field in BOUNDS:
        if field in part and field not in computed:
            del part[field]
        elif field in computed and field not in part:
            before = [*part].index("pods") if "pods" in part else len(part)
            part.insert(before, field, computed[field])
    for field in list(part):
        if field not in computed or same(field, part[field], computed[field]):
            continue
        if field == "requests" and isinstance(part[field], dict):
            amounts = part[field]
            for name in [name for name in amounts if name not in computed[field]]:
                del amounts[name]
            for name, amount in computed[field].items():
                if not same("requests", {name: amounts.get(name, "0")}, {name: amount}):
                    amounts[name] = _quoted(amount)
        else:
            part[field] = _flow(computed[field])


def _gangs(data: Any, computed: Sequence[Mapping[str, Any]]) -> None:
    gangs = data.get("gangs")
    if not gangs:
        from ruamel.yaml.comments import CommentedSeq

        sequence = CommentedSeq([_flow(gang) for gang in computed])
        if not computed:
            sequence.fa.set_flow_style()
        if "gangs" in data:
            data["gangs"] = sequence
        else:
            _insert(data, "gangs", sequence, after="totals")
        return
    with_pods = any("pods" in gang for gang in gangs)
    left = list(range(len(gangs)))
    kept = []
    for gang in computed:
        position = next((at for at in left if gangs[at].get("name") == gang["name"]), None)
        if position is None:
            kept.append(_flow({key: value for key, value in gang.items() if with_pods or key != "pods"}))
            continue
        left.remove(position)
        old = gangs[position]
        for field in [each for each in old if each not in gang and each != "pods"]:
            del old[field]
        for field, value in gang.items():
            if (field in old or field != "pods") and old.get(field) != value:
                old[field] = _flow(value)
        if "pods" in old and "pods" not in gang:
            inside = sorted(name for group in gang.get("subGroups", ()) for name in group.get("pods", ()))
            if sorted(old["pods"]) != inside:
                old["pods"] = _flow(inside)
        kept.append(old)
    if [id(each) for each in kept] != [id(each) for each in gangs]:
        gangs[:] = kept


def _quoted(text: str) -> Any:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    return DoubleQuotedScalarString(text)


def _flow(value: Any, key: str = "") -> Any:
    """A value as golden files write it: everything on one line, amounts in quotes."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, dict):
        mapping = CommentedMap(
            (name, _quoted(each) if key == "requests" or _is_amount(each) else _flow(each, name))
            for name, each in value.items()
        )
        mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, list | tuple):
        sequence = CommentedSeq([_flow(each) for each in value])
        sequence.fa.set_flow_style()
        return sequence
    return value


def _is_amount(value: Any) -> bool:
    return isinstance(value, str) and value[:1].isdigit()


__all__ = ["Update", "is_current", "rewritten", "update_expected"]
