"""Family WM0: is it a definition at all, and does YAML read it as it was meant?

Most of these are reported while a file is read or its documents are sorted out, before there is a context to
give to a rule: they are declared here, and :func:`classify` and :func:`several_definitions` say what the
pipeline reports of them.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Iterator, Sequence

from wmap_lint.definition import API_VERSION, KINDS
from wmap_lint.diagnostic import Edit, Fix, Related, Severity
from wmap_lint.paths import DocumentPath, lookup
from wmap_lint.record import Record
from wmap_lint.rules.context import Context
from wmap_lint.rules.registry import Finding, declare, rule
from wmap_lint.schema import ProblemKind, SchemaProblem
from wmap_lint.source import Document
from wmap_lint.spelling import edit_distance

OLD_API_GROUP = "optimization.nvidia.com"
OLD_KIND = "ResourceInterface"

YAML_SYNTAX = declare("WM001", "yaml-syntax", Severity.ERROR, "The file is not YAML.")
DUPLICATE_KEY = declare("WM002", "duplicate-key", Severity.ERROR, "A key is written twice in one mapping.")
UNREADABLE_FILE = declare(
    "WM003", "unreadable-file", Severity.ERROR, "The file cannot be read, or holds what JSON cannot say."
)
UNKNOWN_KIND = declare(
    "WM004",
    "unknown-kind",
    Severity.ERROR,
    "The document is nearly a definition: its apiVersion or kind is off.",
)
NO_DEFINITION = declare("WM005", "no-definition", Severity.NOTE, "The file holds no definition.")
SEVERAL_DEFINITIONS = declare(
    "WM007",
    "several-definitions",
    Severity.WARNING,
    "The file holds more than one definition; validators read the first.",
)


class Relation(enum.Enum):
    """What a document is to us."""

    OURS = "a definition"
    NEARLY = "meant as a definition, with an apiVersion or kind that no consumer looks up"
    FOREIGN = "something else"


class Classification(Record):
    """What a document is, and for a near miss what to report (under WM004)."""

    relation: Relation
    finding: Finding | None = None


def classify(document: Document) -> Classification:
    """Whether ``document`` is a definition, is meant as one, or has nothing to do with us."""
    api_version = lookup(document.data, ("apiVersion",))
    kind = lookup(document.data, ("kind",))
    if api_version == API_VERSION and kind in KINDS:
        return Classification(Relation.OURS)
    finding = _near_miss(document, api_version, kind)
    return Classification(Relation.FOREIGN) if finding is None else Classification(Relation.NEARLY, finding)


def _near_kind(kind: object) -> str | None:
    if not isinstance(kind, str):
        return None
    for ours in KINDS:
        # Two letters of "Karta" are half of another word; only longer names may be two letters off.
        if edit_distance(kind.lower(), ours.lower()) <= len(ours) // 5:
            return ours
    return None


def _near_group(group: str) -> bool:
    return edit_distance(group.lower(), "run.ai") <= 2 or group.lower().endswith(".run.ai")


def _near_miss(document: Document, api_version: object, kind: object) -> Finding | None:
    group = api_version.partition("/")[0] if isinstance(api_version, str) else ""
    near_kind = _near_kind(kind)
    # No other kind has this; whatever the envelope says, the author describes a workload.
    has_structure = isinstance(lookup(document.data, ("spec", "structureDefinition")), dict)

    if kind == OLD_KIND or (group == OLD_API_GROUP and (near_kind or has_structure)):
        return _older_api(document, api_version, kind)
    if api_version == API_VERSION and (near_kind or has_structure):
        return _misspelt_kind(document, kind, near_kind or KINDS[0])
    if (near_kind and (_near_group(group) or not group)) or has_structure:
        edits: list[Edit] = []
        if isinstance(api_version, str):
            wrong = f"apiVersion {api_version!r}"
            edits.append(Edit(document.span(("apiVersion",)), API_VERSION))
        else:
            wrong = "no apiVersion"
        if kind in KINDS:
            hint = f"Write `apiVersion: {API_VERSION}`."
        else:
            wanted = near_kind or KINDS[0]
            wrong += f" and kind {kind!r}" if isinstance(kind, str) else " and no kind"
            hint = f"Write `apiVersion: {API_VERSION}` and `kind: {wanted}`."
            if isinstance(kind, str):
                edits.append(Edit(document.span(("kind",)), wanted))
        complete = isinstance(api_version, str) and isinstance(kind, str)
        return Finding(
            document.span(("apiVersion",) if isinstance(api_version, str) else ()),
            f"This document looks like a definition but has {wrong}; consumers only look up {API_VERSION}, "
            "so nothing reads it and none of its contents was checked.",
            hint,
            fix=Fix(hint.rstrip(".").replace("`", ""), tuple(edits)) if complete else None,
        )
    return None


def _older_api(document: Document, api_version: object, kind: object) -> Finding:
    edits = tuple(
        Edit(document.span((key,)), text)
        for key, text in (("apiVersion", API_VERSION), ("kind", KINDS[0]))
        if isinstance(lookup(document.data, (key,)), str)
    )
    return Finding(
        document.span(("kind",) if kind == OLD_KIND else ("apiVersion",)),
        f"This is the older form of a definition ({OLD_API_GROUP}/v1alpha1 {OLD_KIND}); today's consumers "
        f"look up {API_VERSION} {KINDS[0]} only. Validators that do not check apiVersion and kind accept it "
        "all the same.",
        f"Write `apiVersion: {API_VERSION}` and `kind: {KINDS[0]}`, then check the fields again: gang "
        "scheduling and suspension have changed since.",
        fix=Fix("Move the document to the current API", edits) if len(edits) == 2 else None,
    )


def _misspelt_kind(document: Document, kind: object, wanted: str) -> Finding:
    names = " or ".join(KINDS)
    if not isinstance(kind, str):
        return Finding(
            document.span(("kind",)),
            f"This document looks like a definition but has no kind; {API_VERSION} knows {names}, and "
            "nothing else is read.",
            f"Write `kind: {wanted}`.",
        )
    case = " (kinds are case-sensitive)" if kind.lower() == wanted.lower() else ""
    return Finding(
        document.span(("kind",)),
        f"Kind {kind!r} is not known in {API_VERSION}, which has {names}{case}; the API server refuses it "
        "and its contents were not checked.",
        f"Did you mean `kind: {wanted}`?",
        fix=Fix(f"Change the kind to {wanted}", (Edit(document.span(("kind",)), wanted),)),
    )


def several_definitions(definitions: Sequence[Document]) -> Iterator[Finding]:
    """What to report (under WM007) when the definitions of one file are these."""
    for other in definitions[1:]:
        yield Finding(
            other.key_span(()),
            "This file holds more than one definition: upstream's validate command reads the first document "
            "only, so this one goes unvalidated there.",
            "Give each definition a file of its own.",
            related=(Related(definitions[0].key_span(()), "The first definition is here."),),
        )


@rule(
    "WM006",
    "string-meant",
    Severity.ERROR,
    "YAML reads an unquoted word as a boolean, number or null; a string is meant.",
)
def string_meant(context: Context) -> Iterable[Finding]:
    """A scalar without quotes where the format has a string."""
    for problem in context.schema_problems:
        if is_string_meant(context.document, problem):
            yield _string_meant(context.document, problem)


def is_string_meant(document: Document, problem: SchemaProblem) -> bool:
    """Whether the wrong type of ``problem`` comes from missing quotes (an empty value is something else)."""
    return (
        problem.kind is ProblemKind.WRONG_TYPE
        and problem.expected == ("string",)
        and (problem.value is None or isinstance(problem.value, bool | int | float))
        and document.raw(problem.path) != ""
    )


def _string_meant(document: Document, problem: SchemaProblem) -> Finding:
    raw = document.raw(problem.path)
    value = problem.value
    if value is None:
        made = "null"
    elif isinstance(value, bool):
        made = f"the boolean {json.dumps(value)}"
    else:
        made = f"the number {json.dumps(value)}"
    meant = _text_meant(problem.path, raw, value)
    quoted = json.dumps(meant, ensure_ascii=False)
    label = _label(problem.path)
    message = (
        f"`{raw}` without quotes is {made} in YAML, but {label} is a string: the API server refuses the "
        "definition and local tools cannot decode it."
    )
    if problem.path[-1] == "status" and "byConditions" in problem.path:
        message += " Kubernetes writes the status of a condition as the text True, False or Unknown."
    elif problem.path[-1] == "expectedResult" and meant != raw:
        message += f" The result of an expression is compared as text, which is {meant} in lower case."
    span = document.span(problem.path)
    return Finding(span, message, f"Write {quoted}.", fix=Fix(f"Quote the value as {quoted}", (Edit(span, quoted),)))


def _label(path: DocumentPath) -> str:
    last = path[-1]
    if isinstance(last, int):
        return f"an item of `{path[-2]}`"
    if len(path) >= 2 and path[-2] in {"matchLabels", "labels", "annotations"}:
        return f"a value of `{path[-2]}`"
    return f"`{last}`"


def _text_meant(path: DocumentPath, raw: str, value: object) -> str:
    """The string the author of ``raw`` has in mind, which for a few fields is spelled one way only."""
    field = path[-1]
    in_condition = field == "status" and "byConditions" in path
    if in_condition and isinstance(value, bool):
        return "True" if value else "False"
    in_action = field == "value" and ("suspendActions" in path or "resumeActions" in path)
    if field == "expectedResult" or in_action:
        if value is None or isinstance(value, bool):
            return json.dumps(value)
        if in_action:
            try:
                json.loads(raw)
            except ValueError:
                return json.dumps(value)
    return raw
