"""Which programs consumers run for a definition, and their outcomes on many objects at once (floor 2).

The engine is C jq; consumers embed gojq and compile an expression before they run it. What gojq would refuse is
refused here (:func:`refusal`), so that an outcome is what a consumer would have got.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

from wmap_lint.definition import ComponentTypeSelector, Definition, Expression, ResultType, Slot
from wmap_lint.jq import ast, builtins
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.engine import Engine, Failure, FailureKind, Outcome, Values, normalise
from wmap_lint.jq.parser import JqSyntaxError
from wmap_lint.jq.plain import plain_path, reader
from wmap_lint.record import Record
from wmap_lint.resolve import Outcomes

Programs = Callable[[str], Outcome]
"""The outcome of each program on one pod."""

# Of what reads the outside these compile in gojq: the environment is empty there, and here.
_HARMLESS = frozenset({"env/0", "now/0", "localtime/0", "strflocaltime/1", "builtins/0"})
_REGEX_DIFFERENCES = ("the regex uses", "gojq takes no regex", "gojq does not know the regex flag")


@functools.lru_cache(maxsize=4096)
def refusal(text: str) -> Failure | None:
    """Why a consumer could not compile and run ``text``, or why it is not run here; None when it can be run."""
    analysis = analyse(text)
    if isinstance(analysis, JqSyntaxError):
        return Failure(FailureKind.COMPILE, f"not jq: {analysis.message}")
    if analysis.names.unknown:
        unknown = analysis.names.unknown[0]
        # An unknown format compiles, and fails when it is reached.
        kind = FailureKind.ERROR if unknown.kind == "format" else FailureKind.COMPILE
        return Failure(kind, f"nothing defines the {unknown.kind} {unknown.name}")
    for read in analysis.outside:
        if isinstance(read.node, ast.Import):
            return Failure(FailureKind.COMPILE, "consumers load no modules")
        if isinstance(read.node, ast.Call) and read.node.signature not in _HARMLESS:
            return Failure(FailureKind.COMPILE, f"consumers have no {read.node.name}")
    for call in analysis.names.builtin_calls:
        if call.signature in builtins.NOT_IN_GOJQ:
            return Failure(FailureKind.COMPILE, f"gojq has no {call.name}")
    for difference in analysis.differences:
        if difference.breaks_consumers and difference.message.startswith(_REGEX_DIFFERENCES):
            return Failure(FailureKind.ERROR, difference.message)
        if difference.breaks_consumers and isinstance(difference.node, ast.Location | ast.Format):
            return Failure(FailureKind.COMPILE, difference.message)
    if analysis.writes or analysis.unbounded:
        reason = "it writes" if analysis.writes else "it is not bounded"
        return Failure(FailureKind.SKIPPED, f"consumers refuse the definition: {reason}")
    return None


SWALLOWED = Failure(
    FailureKind.COMPILE, "consumers put it into parentheses, and its comment makes the closing one part of itself"
)


@functools.cache
def swallows(text: str) -> bool:
    """Whether a comment at the end of an expression hides the parenthesis that consumers put there."""
    if "#" not in text:
        return False
    alone = analyse(text)
    return not isinstance(alone, JqSyntaxError) and isinstance(analyse(f"({text})"), JqSyntaxError)


def selector_program(selector: ComponentTypeSelector) -> str | None:
    """What consumers run to ask whether a pod plays a role: the path, or the path with the value spliced on.

    None when there is no path, so that the labels alone decide.
    """
    if selector.key_path is None or not selector.key_path.text:
        return None
    if selector.value is None:
        return selector.key_path.text
    return _spliced(selector.key_path.text, selector.value)


@functools.lru_cache(maxsize=1024)
def _spliced(path: str, value: str) -> str:
    return f"{path} == {json.dumps(value, ensure_ascii=False)}"


class Plan(Record):
    """The programs of one definition: those that read the workload, and those that read a pod."""

    definition: Definition
    workload: tuple[str, ...]
    pod: tuple[str, ...]
    labels_only: bool
    """Whether the pod programs read nothing but single labels and annotations."""


def plan(definition: Definition) -> Plan:
    """What has to be run to interpret ``definition``: not the paths of suspend actions, which are only written to."""
    workload = [
        each.text
        for each in definition.expressions
        if each.slot.subject == "workload" and each.slot.result is not ResultType.WRITTEN
    ]
    pod = [
        each.text
        for each in definition.expressions
        if each.slot.subject == "pod" and each.slot is not Slot.TYPE_KEY_PATH
    ]
    for component in definition.components:
        selector = component.pod_selector.type_selector if component.pod_selector else None
        if selector is not None and (program := selector_program(selector)) is not None:
            pod.append(program)
    programs = tuple(dict.fromkeys(pod))
    return Plan(definition, tuple(dict.fromkeys(workload)), programs, all(map(_reads_labels_only, programs)))


def _reads_labels_only(text: str) -> bool:
    analysis = analyse(text)
    return isinstance(analysis, Analysis) and _is_of_labels(analysis.program.body)


def _is_of_labels(node: ast.Node) -> bool:
    """Whether ``node`` is a path to one label or annotation, a constant, or built of such by operators."""
    match node:
        case ast.Literal() | ast.String(_, None):
            return not isinstance(node, ast.String) or node.literal is not None
        case ast.Optional(target):
            return _is_of_labels(target)
        case ast.Binary(_, left, right):
            return _is_of_labels(left) and _is_of_labels(right)
    keys = plain_path(node)
    return keys is not None and len(keys) == 3 and tuple(keys[:2]) in _LABELS


_LABELS = frozenset({("metadata", "labels"), ("metadata", "annotations")})


# After one of these an engine has given up on a program, or on all of them, for the inputs that follow.
_CONTAGIOUS = frozenset({FailureKind.TIMEOUT, FailureKind.MEMORY, FailureKind.CRASH, FailureKind.SKIPPED})
_OF_THE_QUEUE = frozenset({FailureKind.MEMORY, FailureKind.SKIPPED})
_MOST_ROUNDS = 10


def evaluate(engine: Engine, programs: Sequence[str], subjects: Sequence[Any], checked: bool = False) -> list[Programs]:
    """The outcomes of all programs on each subject, through as few calls of the engine as there may be.

    Plain programs are answered without the engine. A subject on which a program hangs or runs out of memory spoils
    nothing for the subjects after it. ``checked``: it is known that no program is one that consumers refuse.
    """
    known: list[dict[str, Outcome]] = [{} for _ in subjects]
    left: list[str] = []
    for text in programs:
        failure = None if checked else refusal(text)
        if failure is not None:
            for outcomes in known:
                outcomes[text] = failure
        elif (read := reader(text)) is None:
            left.append(text)
        else:
            doubtful = [index for index, subject in enumerate(subjects) if not _read(read, subject, text, known[index])]
            _evaluate(engine, [text], subjects, doubtful, known)
    _evaluate(engine, left, subjects, range(len(subjects)), known)
    return [outcomes.__getitem__ for outcomes in known]


_SIMPLE = frozenset({str, bool})


def _read(read: Callable[[Any], Sequence[Any] | None], subject: Any, text: str, outcomes: dict[str, Outcome]) -> bool:
    results = read(subject)
    if results is None:
        return False
    try:
        if len(results) == 1:
            result = results[0]
            outcomes[text] = Values((result if type(result) in _SIMPLE else normalise(result),))
        else:
            # The same part, given over and over, is normalised once: it may be the whole object.
            known = {id(each): each if type(each) in _SIMPLE else normalise(each) for each in results}
            outcomes[text] = Values(tuple([known[id(each)] for each in results]))
    except (ValueError, RecursionError):
        return False
    return True


def _evaluate(
    engine: Engine,
    programs: Sequence[str],
    subjects: Sequence[Any],
    indexes: Sequence[int],
    known: Sequence[dict[str, Outcome]],
) -> None:
    """Have the engine evaluate ``programs`` on the subjects at ``indexes``."""
    for _ in range(_MOST_ROUNDS):
        if not programs or not indexes:
            return
        rows = engine.evaluate(programs, [subjects[index] for index in indexes])
        again: set[int] = set()
        for text, row in zip(programs, rows, strict=True):
            spoilt = False
            for position, index in enumerate(indexes):
                outcome = known[index][text] = row[position]
                if isinstance(outcome, Failure) and outcome.kind in _CONTAGIOUS:
                    # The first is at fault, unless it was only too late in the queue.
                    if position and (spoilt or outcome.kind in _OF_THE_QUEUE):
                        again.add(index)
                    spoilt = True
        indexes = [index for index in indexes if index in again]


def by_expression(programs: Programs) -> Outcomes:
    """The same outcomes, looked up by expression."""

    def outcome(expression: Expression) -> Outcome:
        return programs(expression.text)

    return outcome


__all__ = [
    "SWALLOWED",
    "Analysis",
    "Plan",
    "Programs",
    "by_expression",
    "evaluate",
    "plan",
    "refusal",
    "selector_program",
    "swallows",
]
