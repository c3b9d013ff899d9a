"""What a search found, as a scenario for people to finish (floor 3)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wmap_lint.files import write_new
from wmap_lint.fixtures import CANONICAL
from wmap_lint.statespace.fuzzing import Found, Subject
from wmap_lint.statespace.judging import Fault, FaultKind
from wmap_lint.statespace.properties import PRECEDENCE

_MARK = "fuzz"
_MOST_NUMBERS = 10_000

SCENARIO_OF: Mapping[str, str] = MappingProxyType(
    {**{status: name for name, status in CANONICAL.items() if name != "scaled"}, "Initializing": "starting"}
)
"""The canonical scenario of each status."""

_EXPECTATION = """\
# What is expected of the scenario beside this file. Fill in the status it is in, and the code of the operator that
# writes it (repository@tag:path).
provenance:
  source: authored
  operator: TODO
  version: TODO
  evidence: [TODO]
status: TODO
"""


def headline(fault: Fault) -> str:
    """What is wrong, without a stop."""
    match fault.kind:
        case FaultKind.ERROR:
            return f"the status cannot be read: {fault.cause}"
        case FaultKind.AMBIGUOUS:
            return f"{fault.fired[0].status} and {fault.fired[1].status} both match"
        case FaultKind.UNDEFINED:
            return "no status matches"
        case FaultKind.TERMINAL:
            return f"{fault.fired[0].status} matches, and the operator has written nothing that says so"
        case FaultKind.UNTRUE:
            assert fault.truth is not None
            return f"{fault.fired[0].status} matches, and the model says {fault.truth.status}"


def as_yaml(workload: Mapping[str, Any]) -> str:
    """An object as people write it."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    return yaml.dump(dict(workload), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)


def folder_of(subject: Subject, folder: Path) -> Path:
    """Where below ``folder`` the scenarios of a definition belong."""
    return folder / Path(subject.file).stem


def save(subject: Subject, found: Found, folder: Path) -> tuple[Path, ...]:
    """Write what was found below ``folder``: a scenario, and an expectation to be filled in.

    Gives the two files; none where one of the saved scenarios is this object already. No file is overwritten, and
    there are both or neither. Raises OSError.
    """
    place = folder_of(subject, folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(each == found.workload for each in _saved(place)):
        return ()
    name = _canonical(found)
    notes = "".join(f"# Unusual: {each}.\n" for each in found.notes)
    text = f"# Found by `wmap-lint fuzz`: {_one_line(headline(found.fault))}.\n{notes}{as_yaml(found.workload)}"
    for number in range(1, _MOST_NUMBERS):
        scenario = place / f"{name}-{_MARK}-{number}.yaml"
        expectation = place / f"{name}-{_MARK}-{number}.expected.yaml"
        if os.path.lexists(scenario) or os.path.lexists(expectation):
            continue
        try:
            _write_both({expectation: _EXPECTATION, scenario: text})
        except FileExistsError:
            continue  # somebody else took the name meanwhile
        return scenario, expectation
    raise OSError(f"{place} holds {_MOST_NUMBERS:,} scenarios that were found, which is enough")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _saved(place: Path) -> Iterator[Any]:
    """The objects that were saved before."""
    from wmap_lint.source import read_data_file

    for path in sorted(place.glob(f"*-{_MARK}-*.yaml")):
        if not path.name.endswith(".expected.yaml"):
            yield from read_data_file(path).documents[:1]


def _canonical(found: Found) -> str:
    """The canonical scenario that the object probably is."""
    fault = found.fault
    if fault.truth is not None:
        return SCENARIO_OF[fault.truth.status]
    if fault.kind is FaultKind.AMBIGUOUS:
        return SCENARIO_OF[min((each.status for each in fault.fired), key=PRECEDENCE.index)]
    return "starting" if found.workload.get("status") else "created"


def _write_both(texts: Mapping[Path, str]) -> None:
    written: list[Path] = []
    try:
        for path, text in texts.items():
            write_new(path, text.encode())
            written.append(path)
    except BaseException:
        for path in written:
            with contextlib.suppress(OSError):
                path.unlink()
        raise


__all__ = ["SCENARIO_OF", "as_yaml", "folder_of", "headline", "save"]
