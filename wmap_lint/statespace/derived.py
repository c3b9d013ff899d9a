"""A space without a model (floor 3): guessed from what a definition looks at, and from what fixtures hold.

It is a guess in both directions: an operator need not write all of these states, and writes others. So little is
concluded from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wmap_lint.definition import Definition, Matcher, StatusDefinition
from wmap_lint.jq import ast
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.dependence import dependence
from wmap_lint.jq.flow import Every, Path, path_text
from wmap_lint.paths import ABSENT, lookup
from wmap_lint.resolve.writes import Place, static_place
from wmap_lint.statespace.model import STATUSES, condition_names
from wmap_lint.statespace.space import Choice, Dimension, Space, conditions_of

_MOST_VALUES = 8
_MOST_PLACES = 64
_ANY_REASON = "Unspecified"
# What the Kubernetes API wants of every condition.
_REST = {"lastTransitionTime": "2026-01-01T00:00:00Z", "message": ""}


def derive(definition: Definition, workloads: Sequence[Mapping[str, Any]]) -> Space | None:
    """The space of ``definition``; None when it has no status, or reads nothing that can vary.

    ``workloads`` are what fixtures hold. The first of them is varied, one that has a status if there is one.
    """
    root = definition.root
    status = None if root is None else root.status_definition
    if status is None:
        return None
    base = next((each for each in workloads if each.get("status")), next(iter(workloads), None)) or _bare(definition)
    guess = _Guess(definition, status, base, workloads)
    dimensions = guess.dimensions()
    return Space(base, dimensions, guess.names, is_model=False) if dimensions else None


def _bare(definition: Definition) -> Mapping[str, Any]:
    kind = definition.gvk
    return {
        "apiVersion": "v1" if kind is None else kind.api_version,
        "kind": "Object" if kind is None else kind.kind,
        "metadata": {"name": "demo", "namespace": "default"},
        "spec": {},
        "status": {},
    }


class _Guess:
    def __init__(
        self,
        definition: Definition,
        status: StatusDefinition,
        base: Mapping[str, Any],
        workloads: Sequence[Mapping[str, Any]],
    ) -> None:
        self.definition = definition
        self.status = status
        self.base = base
        self.workloads = workloads
        self.names = condition_names(status)
        self.matchers: tuple[Matcher, ...] = tuple(each for mapping in status.mappings for each in mapping.matchers)
        self.texts = [
            each.by_expression.expression.text
            for each in self.matchers
            if each.by_expression is not None and each.by_expression.expression is not None
        ]
        self.literals = _literals(self.texts)

    def dimensions(self) -> list[Dimension]:
        found = [Dimension(".status", (("status",),), (Choice(self.base.get("status") or {}), Choice(ABSENT)))]
        fields: dict[Place, list[Any]] = {}
        if self.status.phase is not None:
            place = static_place(self.status.phase.text)
            if place:
                phases = [each.by_phase for each in self.matchers if each.by_phase]
                fields[place] = [*dict.fromkeys(phases), *self.seen(place)]
        for place, values in self.switches().items():
            fields.setdefault(place, []).extend(values)
        for place in self.looked_at():
            fields.setdefault(place, []).extend([*self.seen(place), *self.literals.get(place[-1], ())])
        for place, values in fields.items():
            distinct = list({json.dumps(each, sort_keys=True): each for each in values}.values())
            if not distinct:
                continue  # nothing tells what it could be
            if all(isinstance(each, bool) for each in distinct):
                distinct = [True, False]
            elif any(isinstance(each, int | float) and not isinstance(each, bool) for each in distinct):
                distinct = list({json.dumps(each): each for each in [0, 1, 2, *distinct]}.values())
            choices = list(map(Choice, distinct[:_MOST_VALUES]))
            if self.can_be_absent(place):
                choices.append(Choice(ABSENT))
            found.append(Dimension(path_text(place), (place,), tuple(choices)))
        return [*found, *self.conditions()]

    def can_be_absent(self, place: Place) -> bool:
        """Whether a field may be left out: nobody has to write a status, and what a fixture lacks can be lacking."""
        if any(isinstance(step, int) for step in place):
            return False
        return place[0] == "status" or any(lookup(each, place) is ABSENT for each in (self.base, *self.workloads))

    def switches(self) -> dict[Place, list[Any]]:
        found: dict[Place, list[Any]] = {}
        for component in self.definition.components:
            switch = component.suspend_definition
            for action in (*switch.suspend_actions, *switch.resume_actions) if switch is not None else ():
                place = None if action.expression is None else static_place(action.expression.text)
                try:
                    value = json.loads(action.value or "")
                except ValueError:
                    continue
                if place:
                    found.setdefault(place, []).append(value)
        return found

    def looked_at(self) -> list[Place]:
        """The fields that expressions look at, other than conditions."""
        found: dict[Place, None] = {}
        for text in self.texts:
            on = dependence(text)
            for path in sorted((*on.looked_at, *on.tested), key=path_text):
                for place in self.places(path):
                    inside = self.names.place is not None and place[: len(self.names.place)] == self.names.place
                    if len(place) > 1 and not inside and not isinstance(lookup(self.base, place), dict | list):
                        found.setdefault(place)
        places = list(found)[:_MOST_PLACES]
        # What leads to another one is no value of its own.
        return [each for each in places if not any(each == other[: len(each)] != other for other in places)]

    def places(self, path: Path) -> list[Place]:
        found: list[Place] = [()]
        for step in path:
            following: list[Place] = []
            for place in found:
                value = lookup(self.base, place)
                if isinstance(step, Every):
                    if step is Every.MEMBER and isinstance(value, list):
                        following.extend((*place, each) for each in range(len(value)))
                    elif step is Every.MEMBER and isinstance(value, dict):
                        following.extend((*place, each) for each in value)
                elif isinstance(value, list) == isinstance(step, int) or not isinstance(value, dict | list):
                    following.append((*place, step))
            found = following[:_MOST_PLACES]
        return found

    def seen(self, place: Place) -> list[Any]:
        values = [lookup(each, place) for each in (self.base, *self.workloads)]
        return [each for each in values if each is not ABSENT and not isinstance(each, dict | list)]

    def conditions(self) -> list[Dimension]:
        if self.status.conditions is None or self.names.place is None:
            return []
        reasons: dict[str, dict[str, None]] = {}
        for matcher in self.matchers:
            for wanted in matcher.by_conditions:
                own = reasons.setdefault(wanted.type or "", {})
                if wanted.reason:
                    own.setdefault(wanted.reason)
        for name in self.literals.get(self.names.type, ()):
            if isinstance(name, str):
                reasons.setdefault(name, {})
        for workload in self.workloads:
            for entry in conditions_of(workload, self.names):
                name = entry.get(self.names.type) if isinstance(entry, dict) else None
                if isinstance(name, str):
                    reasons.setdefault(name, {})
        found = []
        for name, own in reasons.items():
            entries = [
                {**_REST, self.names.type: name, self.names.status: status, self.names.reason: reason}
                for status in STATUSES
                for reason in (_ANY_REASON, *own)
            ]
            choices = (*map(Choice, entries[: 3 * _MOST_VALUES]), Choice(ABSENT))
            if name:
                found.append(Dimension(name, (self.names.place,), choices, name))
        return found


def _literals(texts: Iterable[str]) -> dict[Any, list[Any]]:
    """What is compared with each field, by the last name of its path."""
    found: dict[Any, list[Any]] = {}
    for text in texts:
        analysis = analyse(text)
        if not isinstance(analysis, Analysis):
            continue
        for node in analysis.program.body.walk():
            if isinstance(node, ast.Binary) and node.operator in ("==", "!=", "<", "<=", ">", ">="):
                for field, other in ((node.left, node.right), (node.right, node.left)):
                    name = _last_name(field)
                    if name is not None:
                        found.setdefault(name, []).extend(_values(other))
    return found


def _last_name(node: ast.Node) -> str | None:
    match node:
        case ast.Index(_, ast.String() as key):
            return key.literal
        case ast.Binary("//", left, _):
            return _last_name(left)
    return None


def _values(node: ast.Node) -> list[Any]:
    match node:
        case ast.String() if node.literal is not None:
            return [node.literal]
        case ast.Literal(value) if value is not None:
            return [value]
        case ast.Comma(left, right):
            return [*_values(left), *_values(right)]
    return []


__all__ = ["derive"]
