"""Status models: ``fixtures/<definition>/status-model.yaml``, read, validated and made into a space (floor 3).

The format is described in ``schema/status-model.schema.json``. A model with a fault is not used; every fault has its
place in the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wmap_lint.definition import GroupVersionKind, StatusDefinition
from wmap_lint.diagnostic import Span
from wmap_lint.jq import ast
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.paths import ABSENT, DocumentPath, lookup
from wmap_lint.record import Record
from wmap_lint.resolve.writes import Place, static_place
from wmap_lint.schema import ProblemKind, SchemaProblem, problems, worded
from wmap_lint.source import DataReading, read_data_file
from wmap_lint.spelling import nearest
from wmap_lint.statespace.space import MOST_CHOICES, Choice, ConditionNames, Dimension, Space, conditions_of

FILE = "status-model.yaml"
SCHEMA = "status-model"
"""Name of the schema of status models."""

STATUSES = ("True", "False", "Unknown")
"""The statuses a condition can have, by the conventions of the Kubernetes API."""

_WHAT = "a status model"
_MOST_PLACES = 1000


class ModelProblem(Record):
    """One fault of a model, with its place."""

    span: Span
    message: str
    hint: str | None = None


class Program(Record):
    """A jq program of a model; ``path`` is where in the model it stands."""

    text: str
    path: DocumentPath


class Impossible(Record):
    """States that the operator never writes."""

    when: Program
    because: str


class Truth(Record):
    """What states are, whatever the definition reads."""

    when: Program
    status: str
    because: str


class Transition(Record):
    """A step of the operator: in states where ``when`` holds, each dimension of ``changes`` gets one of its choices.

    ``changes_spec`` says that it is the user who changes something, which may bring a final state back to life.
    """

    when: Program
    changes: tuple[tuple[int, tuple[int, ...]], ...]
    because: str
    changes_spec: bool


class StatusModel(Record):
    """A model that can be used. ``vary`` gives for each dimension of ``space`` the entries it was made of."""

    file: str
    content: DataReading
    space: Space
    vary: tuple[tuple[int, ...], ...]
    impossible: tuple[Impossible, ...]
    truths: tuple[Truth, ...]
    transitions: tuple[Transition, ...]

    def span(self, path: DocumentPath = ()) -> Span:
        """The value at ``path`` in the file."""
        return self.content.reading.documents[0].span(path)

    @property
    def programs(self) -> tuple[Program, ...]:
        """All programs of the model."""
        sections: tuple[Sequence[Impossible | Truth | Transition], ...] = (
            self.impossible,
            self.truths,
            self.transitions,
        )
        return tuple(each.when for section in sections for each in section)


class ModelReading(Record):
    """What a folder has: a model, or what is wrong with it, or nothing."""

    model: StatusModel | None = None
    problems: tuple[ModelProblem, ...] = ()
    programs: tuple[Program, ...] = ()
    content: DataReading | None = None


NO_MODEL = ModelReading()


def condition_names(status: StatusDefinition | None) -> ConditionNames:
    """Where ``status`` looks for conditions, and how it calls their keys: as the API server if it does not say."""
    definition = None if status is None else status.conditions
    if definition is None:
        return ConditionNames()
    place = None if definition.expression is None else static_place(definition.expression.text)
    return ConditionNames(
        place or None,
        definition.type_field_name or "type",
        definition.status_field_name or "status",
        definition.reason_field_name or "reason",
    )


def load_model(
    folder: Path | None, names: ConditionNames | None = None, kind: GroupVersionKind | None = None
) -> ModelReading:
    """The model in ``folder``; nothing, and nothing wrong, where there is none."""
    if folder is None:
        return NO_MODEL
    path = next((each for each in (folder / FILE, folder / "status-model.yml") if each.is_file()), None)
    if path is None:
        return NO_MODEL
    return _Loader(folder, read_data_file(path), names or ConditionNames(), kind).load()


class _Loader:
    def __init__(
        self, folder: Path, content: DataReading, names: ConditionNames, kind: GroupVersionKind | None
    ) -> None:
        self.folder = folder
        self.content = content
        self.names = names
        self.kind = kind
        self.problems: list[ModelProblem] = []
        self.is_of_another_kind = False

    def problem(self, path: DocumentPath, message: str, hint: str | None = None, key: bool = False) -> None:
        document = self.content.reading.documents[0]
        self.problems.append(ModelProblem(document.key_span(path) if key else document.span(path), message, hint))

    def load(self) -> ModelReading:
        for fault in self.content.problems:
            self.problems.append(ModelProblem(fault.span, fault.message, fault.hint))
        data = self.content.documents[0] if self.content.documents else None
        if not self.problems and not isinstance(data, dict):
            self.problems.append(
                ModelProblem(Span.whole(self.content.file), "The status model is empty.", "Write `base` and `vary`.")
            )
        if self.problems:
            return ModelReading(None, tuple(self.problems))
        assert isinstance(data, dict)
        for broken in problems(SCHEMA, data):
            self.schema_problem(broken, data)
        if self.problems:
            return ModelReading(None, tuple(self.problems))
        model = self.model(data)
        programs = () if self.is_of_another_kind else tuple(self.programs(data))
        return ModelReading(None if self.problems else model, tuple(self.problems), programs, self.content)

    def schema_problem(self, broken: SchemaProblem, data: Mapping[str, Any]) -> None:
        message, hint = worded(broken, _WHAT)
        if broken.keyword == "oneOf":
            both = isinstance(broken.value, dict) and "path" in broken.value
            message = (
                f"`{_written(broken.path)}` says {'both `path` and' if both else 'neither `path` nor'} `condition`"
            )
            hint = "Write one entry for each." if both else "Say what varies: `path` or `condition`."
        elif broken.path and broken.path[-1] != "value" and broken.kind is ProblemKind.WRONG_TYPE:
            value = broken.value
            if isinstance(value, bool) and "string" in broken.expected:
                hint = f'Write it in quotes: `"{value}"`.'
        container = isinstance(broken.value, dict | list) or broken.kind in (
            ProblemKind.UNKNOWN_FIELD,
            ProblemKind.MISSING_FIELD,
        )
        self.problem(broken.path, f"{message}, so the model is not used.", hint, key=container)

    @staticmethod
    def programs(data: Mapping[str, Any]) -> Iterable[Program]:
        for section in ("impossible", "truths", "transitions"):
            for position, entry in enumerate(data.get(section, ())):
                yield Program(str(entry["when"]), (section, position, "when"))

    # -- the base ---------------------------------------------------------------------------------------------

    def base(self, name: str) -> Mapping[str, Any] | None:
        if name != Path(name).name or not (self.folder / name).is_file():
            files = [each.name for each in self.folder.glob("*.yaml") if ".expected" not in each.name]
            close = nearest(name, files)
            self.problem(
                ("base",),
                f"There is no scenario `{name}` in {self.folder.name}, so there is nothing to vary.",
                f"Did you mean `{close[0]}`?" if close else "Name the file of a scenario beside the model.",
            )
            return None
        documents = read_data_file(self.folder / name).documents
        found = documents[0] if documents else None
        if not isinstance(found, dict):
            self.problem(("base",), f"`{name}` holds no object.", "Name the file of a scenario.")
            return None
        if self.kind is not None and self.kind.kind and found.get("kind") != self.kind.kind:
            self.is_of_another_kind = True  # which is told of the fixture
            return None
        return found

    # -- what varies --------------------------------------------------------------------------------------------

    def model(self, data: Mapping[str, Any]) -> StatusModel | None:
        base = self.base(data["base"])
        if base is None:
            return None
        merged: dict[tuple[str, str], list[int]] = {}
        for position, entry in enumerate(data["vary"]):
            key = ("condition", entry["condition"]) if "condition" in entry else ("path", entry["path"].strip())
            merged.setdefault(key, []).append(position)
        dimensions: list[Dimension] = []
        vary: list[tuple[int, ...]] = []
        for (what, name), positions in merged.items():
            entries = [(position, data["vary"][position]) for position in positions]
            made = self.condition(name, entries, base) if what == "condition" else self.path(name, entries, base)
            if made is not None:
                dimensions.append(made)
                vary.append(tuple(positions))
        if self.problems:
            return None
        impossible = tuple(
            Impossible(Program(each["when"], ("impossible", position, "when")), each["because"])
            for position, each in enumerate(data.get("impossible", ()))
        )
        truths = tuple(
            Truth(Program(each["when"], ("truths", position, "when")), each["status"], each["because"])
            for position, each in enumerate(data.get("truths", ()))
        )
        space = Space(base, dimensions, self.names)
        transitions = tuple(
            self.transition(space, each, ("transitions", position))
            for position, each in enumerate(data.get("transitions", ()))
        )
        return StatusModel(self.content.file, self.content, space, tuple(vary), impossible, truths, transitions)

    def condition(
        self, name: str, entries: Sequence[tuple[int, Mapping[str, Any]]], base: Mapping[str, Any]
    ) -> Dimension | None:
        first = entries[0][0]
        if self.names.place is None:
            self.problem(
                ("vary", first, "condition"),
                f"The definition does not say of one place that conditions are there, so {name} cannot be varied.",
                "Let `conditionsDefinition.path` be plain fields, or vary paths.",
            )
            return None
        own = [each for each in conditions_of(base, self.names) if isinstance(each, dict)]
        template = next((each for each in own if each.get(self.names.type) == name), {self.names.type: name})
        values: list[Any] = []
        for position, entry in entries:
            if "values" in entry:
                self.problem(
                    ("vary", position, "values"),
                    "A condition has no `values`, so the model is not used.",
                    "Write `status`, and `reason` where it matters.",
                    key=True,
                )
            if "status" not in entry:
                self.problem(
                    ("vary", position),
                    f"Nothing says which statuses {name} can have, so the model is not used.",
                    'Add `status: ["True", "False"]`, and `optional: true` if it can be absent.',
                    key=True,
                )
                return None
            for index, status in enumerate(entry["status"]):
                if status not in STATUSES:
                    self.problem(
                        ("vary", position, "status", index),
                        f"A condition is True, False or Unknown, not {status!r}, so the model is not used.",
                    )
                for reason in entry.get("reason", (None,)):
                    made = {**template, self.names.status: status}
                    if status != template.get(self.names.status):
                        made.pop(self.names.reason, None)  # it is the reason of the other status
                        made.pop("message", None)
                    if reason is not None:
                        made[self.names.reason] = reason
                    values.append(made)
        return self.dimension(name, (self.names.place,), values, entries, name)

    def path(
        self, text: str, entries: Sequence[tuple[int, Mapping[str, Any]]], base: Mapping[str, Any]
    ) -> Dimension | None:
        first = entries[0][0]
        analysis = analyse(text)
        where = ("vary", first, "path")
        if not isinstance(analysis, Analysis):
            document = self.content.reading.documents[0]
            span = document.text_span(where, analysis.start, analysis.end)
            self.problems.append(ModelProblem(span, f"This is no jq path: {analysis.message}."))
            return None
        places = places_in(analysis.program.body, base)
        if places is None:
            self.problem(
                where,
                f"`{text}` is more than a path, so the model is not used.",
                "Write fields, `[]` and positions: `.status.roles[0].ready`.",
            )
            return None
        if () in places:
            self.problem(where, "The object as a whole cannot vary.", "Name a field of it.")
            return None
        if not places or len(places) > _MOST_PLACES:
            whither = "nowhere" if not places else f"to {len(places):,} places"
            self.problem(where, f"`{text}` leads {whither} in the base, so nothing varies.", "Correct it, or the base.")
            return None
        values: list[Any] = []
        for position, entry in entries:
            for wrong in ("status", "reason"):
                if wrong in entry:
                    self.problem(
                        ("vary", position, wrong),
                        f"Only a condition has a `{wrong}`, so the model is not used.",
                        "Write `values`.",
                        key=True,
                    )
            if entry.get("optional") and any(isinstance(place[-1], int) for place in places):
                self.problem(
                    ("vary", position, "optional"),
                    f"`{text}` is an item of a list, and cannot be absent while others stand.",
                    "Vary the list, or a field of the item.",
                    key=True,
                )
            found: list[Any] | None = entry.get("values")
            if found is None:
                own = lookup(base, places[0])
                if own is ABSENT:
                    self.problem(
                        ("vary", position),
                        f"The base has no `{text}`, and nothing says which values it can have.",
                        "Add `values`.",
                        key=True,
                    )
                    return None
                found = [own]
            values.extend(found)
        return self.dimension(text, places, values, entries, None)

    def dimension(
        self,
        name: str,
        places: tuple[Place, ...],
        values: Sequence[Any],
        entries: Sequence[tuple[int, Mapping[str, Any]]],
        condition: str | None,
    ) -> Dimension | None:
        optional = [position for position, entry in entries if entry.get("optional")]
        distinct = {json.dumps(value, sort_keys=True): value for value in values}
        choices = [*distinct.values(), *([ABSENT] if optional else [])]
        position = entries[0][0]
        if len(choices) > MOST_CHOICES:
            message = f"{name} has {len(choices):,} values, and at most {MOST_CHOICES} are taken."
            self.problem(("vary", position), message, key=True)
            return None
        return Dimension(name, places, tuple(map(Choice, choices)), condition, position)

    # -- transitions ----------------------------------------------------------------------------------------------

    def transition(self, space: Space, data: Mapping[str, Any], path: DocumentPath) -> Transition:
        changes: list[tuple[int, tuple[int, ...]]] = []
        spec = False
        for position, change in enumerate(data["change"]):
            where = (*path, "change", position)
            name = change.get("condition", change.get("path", "")).strip()
            kind = "condition" if "condition" in change else "path"
            of_the_kind = {
                each.name: index
                for index, each in enumerate(space.dimensions)
                if (each.condition is not None) == (kind == "condition")
            }
            if name not in of_the_kind:
                close = nearest(name, of_the_kind)
                self.problem(
                    (*where, kind),
                    f"`{name}` does not vary, so it cannot change.",
                    f"Did you mean `{close[0]}`?" if close else "Add it to `vary`.",
                )
                continue
            dimension = space.dimensions[of_the_kind[name]]
            fitting = tuple(
                index for index, choice in enumerate(dimension.choices) if self.is_meant(choice, change, kind)
            )
            if not fitting:
                self.problem(where, f"This is none of the values that `{name}` has under `vary`.", key=True)
            spec = spec or any(place[:1] == ("spec",) for place in dimension.places)
            changes.append((of_the_kind[name], fitting))
        return Transition(Program(data["when"], (*path, "when")), tuple(changes), data["because"], spec)

    def is_meant(self, choice: Choice, change: Mapping[str, Any], kind: str) -> bool:
        if change.get("absent"):
            return choice.is_absent
        if choice.is_absent:
            return False
        if kind == "path":
            return "value" in change and _same(choice.value, change["value"])
        return bool(
            choice.value.get(self.names.status) == change.get("status")
            and change.get("reason") in (None, choice.value.get(self.names.reason))
        )


def _same(one: object, other: object) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _written(path: DocumentPath) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def places_in(node: ast.Node, workload: Any) -> tuple[Place, ...] | None:
    """The places to which a path of fields, positions and ``[]`` leads in ``workload``; None for any other program.

    A field leads on even where it is absent, ``[]`` only to what is there.
    """
    match node:
        case ast.Identity():
            return ((),)
        case ast.Optional(target):
            return places_in(target, workload)
        case ast.Pipe(left, right):
            found: list[Place] = []
            for place in places_in(left, workload) or ():
                below = lookup(workload, place)
                inner = places_in(right, None if below is ABSENT else below)
                if inner is None:
                    return None
                found.extend((*place, *each) for each in inner)
            return None if places_in(left, workload) is None else tuple(found)
        case ast.Index(target, ast.String() as key) if key.literal is not None:
            outer = places_in(target, workload)
            return None if outer is None else tuple((*place, key.literal) for place in outer)
        case ast.Index(target, ast.Literal(int() as position)) if not isinstance(position, bool):
            outer = places_in(target, workload)
            return None if outer is None else tuple((*place, position) for place in outer)
        case ast.Iterate(target):
            outer = places_in(target, workload)
            if outer is None:
                return None
            members: list[Place] = []
            for place in outer:
                value = lookup(workload, place)
                if isinstance(value, list):
                    members.extend((*place, index) for index in range(len(value)))
                elif isinstance(value, dict):
                    members.extend((*place, key) for key in value)
            return tuple(members)
    return None


__all__ = [
    "FILE",
    "NO_MODEL",
    "SCHEMA",
    "Impossible",
    "ModelProblem",
    "ModelReading",
    "Program",
    "StatusModel",
    "Transition",
    "Truth",
    "condition_names",
    "load_model",
    "places_in",
]
