"""Changing a workload through its definition (floor 2; SEMANTICS 8): pods, suspend, resume.

All functions return a new object and leave the one given untouched. Unlike consumers' library, which decodes whole
pod templates into Kubernetes types and writes them back, only the leaves that are named change: fields those types
do not know survive.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from wmap_lint.definition import Component, Definition, Expression, SuspendAction
from wmap_lint.jq import ast
from wmap_lint.jq.analysis import Analysis, analyse
from wmap_lint.jq.engine import Engine, Failure
from wmap_lint.resolve.evaluation import SWALLOWED, by_expression, evaluate, refusal, swallows
from wmap_lint.resolve.structure import SINGLE, read_ids

Place = tuple[str | int, ...]
Paths = Callable[[Expression, Any], list[Place]]
"""The places that an expression gives in an object; raises :class:`WriteError` when it is no path there."""


class WriteError(ValueError):
    """A change that cannot be made: which, and why, in one sentence."""


def paths_by(engine: Engine) -> Paths:
    """Find places with ``engine``."""

    def paths(expression: Expression, workload: Any) -> list[Place]:
        refused = refusal(expression.text) or (SWALLOWED if swallows(expression.text) else None)
        if refused is not None:
            raise WriteError(f"`{expression.text.strip()}` cannot be written through: {refused.message}")
        outcome = engine.evaluate([path_program(expression.text)], [workload])[0][0]
        if isinstance(outcome, Failure):
            raise WriteError(f"`{expression.text.strip()}` cannot be written through: {outcome.message}")
        return [tuple(_step(step, expression) for step in path) for path in outcome.values]

    return paths


def _step(step: Any, expression: Expression) -> str | int:
    if isinstance(step, str) or (isinstance(step, int) and not isinstance(step, bool)):
        return step
    raise WriteError(f"`{expression.text.strip()}` leads through a slice, which cannot be written through")


def assign(workload: Any, place: Place, value: Any) -> None:
    """Set ``value`` at ``place`` in ``workload``, in place; missing parents are made, as jq makes them.

    Raises :class:`WriteError` where a parent is a scalar, or a list where an object is needed.
    """
    current = workload
    for depth, step in enumerate(place):
        last = depth == len(place) - 1
        following: Any = value if last else ([] if isinstance(place[depth + 1], int) else {})
        if isinstance(step, str):
            if not isinstance(current, dict):
                raise WriteError(f"there is no field {step!r} in {_noun(current)}")
            if last or current.get(step) is None:
                current[step] = following
            current = current[step]
        else:
            if not isinstance(current, list):
                raise WriteError(f"there is no element {step} in {_noun(current)}")
            if step < -len(current):
                raise WriteError(f"there is no element {step} in a list of {len(current)}")
            current.extend(None for _ in range(len(current), step + 1))
            if last or current[step] is None:
                current[step] = following
            current = current[step]


def assigned(workload: Any, place: Place, value: Any) -> Any:
    """As :func:`assign`, but ``workload`` stays as it is: the result shares with it whatever does not change."""
    if not place:
        return value
    step = place[0]
    if isinstance(step, str):
        if workload is not None and not isinstance(workload, dict):
            raise WriteError(f"there is no field {step!r} in {_noun(workload)}")
        fields = workload or {}
        return {**fields, step: assigned(fields.get(step), place[1:], value)}
    if workload is not None and not isinstance(workload, list):
        raise WriteError(f"there is no element {step} in {_noun(workload)}")
    items = list(workload or ())
    if step < -len(items):
        raise WriteError(f"there is no element {step} in a list of {len(items)}")
    items.extend(None for _ in range(len(items), step + 1))
    items[step] = assigned(items[step], place[1:], value)
    return items


def static_place(text: str) -> Place | None:
    """The one place that a program gives in any object, when it only names fields: ``.spec.suspend``."""
    analysis = analyse(text)
    return _fields(analysis.program.body) if isinstance(analysis, Analysis) else None


def _fields(node: ast.Node) -> Place | None:
    if isinstance(node, ast.Identity):
        return ()
    if isinstance(node, ast.Pipe):
        left, right = _fields(node.left), _fields(node.right)
        return None if left is None or right is None else (*left, *right)
    if isinstance(node, ast.Index) and isinstance(node.key, ast.String) and node.key.literal is not None:
        target = _fields(node.target)
        return None if target is None else (*target, node.key.literal)
    return None


def is_plain(text: str) -> bool:
    """Whether a program only walks down, so that each of its results is at a place of its own."""
    analysis = analyse(text)
    return isinstance(analysis, Analysis) and _walks(analysis.program.body)


def _walks(node: ast.Node) -> bool:
    match node:
        case ast.Identity():
            return True
        case ast.Pipe():
            return _walks(node.left) and _walks(node.right)
        case ast.Index():
            return isinstance(node.key, ast.String | ast.Literal) and _walks(node.target)
        case ast.Iterate() | ast.Optional():
            return _walks(node.target)
    return False


def path_program(text: str) -> str:
    """The program that gives the places of ``text``."""
    return f"path({text}\n)"


def _noun(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    return "an object" if isinstance(value, dict) else f"the value {json.dumps(value)[:40]}"


# -- suspend and resume -------------------------------------------------------------------------------


def suspend(definition: Definition, workload: Any, paths: Paths) -> Any:
    """``workload`` with its native switch set to suspended; raises when the definition knows no switch."""
    return _apply(definition, workload, paths, "suspend")


def resume(definition: Definition, workload: Any, paths: Paths) -> Any:
    """``workload`` with its native switch set to run."""
    return _apply(definition, workload, paths, "resume")


def _apply(definition: Definition, workload: Any, paths: Paths, which: str) -> Any:
    actions: list[SuspendAction] = []
    for component in definition.components:
        if component.suspend_definition is not None:
            found = component.suspend_definition
            actions += found.suspend_actions if which == "suspend" else found.resume_actions
    if not actions:
        raise WriteError(f"the definition says nothing of how to {which} a {definition.gvk or 'workload'}")
    result = copy.deepcopy(workload)
    for position, action in enumerate(actions):
        try:
            value = json.loads(action.value or "", parse_constant=_refuse)
        except ValueError:
            raise WriteError(f"{which}Actions[{position}]: the value {action.value!r} is not JSON") from None
        if action.expression is None:
            raise WriteError(f"{which}Actions[{position}] has no path")
        for place in paths(action.expression, result):
            if not place:
                raise WriteError(f"{which}Actions[{position}]: the path is the whole object")
            assign(result, place, copy.deepcopy(value))
    return result


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


# -- pods ---------------------------------------------------------------------------------------------

#: What can be changed, with the field of a fragmented pod spec that holds it.
_FRAGMENT_OF: dict[str, str] = {
    "schedulerName": "scheduler_name_path",
    "priorityClassName": "priority_class_name_path",
    "image": "image_path",
    "labels": "labels_path",
    "annotations": "annotations_path",
    "resources": "resources_path",
    "podAffinity": "pod_affinity_path",
    "nodeAffinity": "node_affinity_path",
    "resourceClaims": "resource_claims_path",
}
_IN_SPEC = frozenset({"schedulerName", "priorityClassName", "nodeSelector", "tolerations", "resourceClaims"})
_AFFINITIES = frozenset({"podAffinity", "podAntiAffinity", "nodeAffinity"})
_IN_METADATA = frozenset({"labels", "annotations"})
_PER_CONTAINER = frozenset({"image", "resources"})
FIELDS = frozenset(_FRAGMENT_OF) | _IN_SPEC | _AFFINITIES
"""What :func:`update_pods` can change."""


def update_pods(definition: Definition, workload: Any, changes: Mapping[str, Mapping[str, Any]], engine: Engine) -> Any:
    """``workload`` with the pods of some roles changed.

    ``changes`` goes by role, ``worker`` or ``worker[gpu]`` for one instance (a role with instances and no brackets
    means all of them), then by field (:data:`FIELDS`). ``labels`` and ``annotations`` are merged, a value of None
    removes the key; ``image`` and ``resources`` are one value for a pod with one container, else a mapping by container
    name; anything else replaces what is there, None removes it. Raises :class:`WriteError` for an unknown role,
    instance, field or container, and for a field that the definition gives no place to.
    """
    result = copy.deepcopy(workload)
    paths = paths_by(engine)
    for role, fields in changes.items():
        name, _, rest = role.partition("[")
        component = definition.component(name)
        if component is None:
            known = ", ".join(each.name for each in definition.components if each.is_pod_bearing)
            raise WriteError(f"there is no role {name!r}; the roles are {known}")
        for field in fields:
            if field not in FIELDS:
                raise WriteError(f"{field!r} of {role} cannot be changed; what can is {', '.join(sorted(FIELDS))}")
        ids = _instance_ids(component, result, engine)
        wanted = rest.removesuffix("]") if rest else None
        if wanted is not None and wanted not in ids:
            raise WriteError(f"{name!r} has no instance {wanted!r}; its instances are {', '.join(ids) or 'none'}")
        for position, instance in enumerate(ids):
            if wanted is None or instance == wanted:
                _Pod(component, result, position, len(ids), paths).update(fields)
    return result


def _instance_ids(component: Component, workload: Any, engine: Engine) -> Sequence[str]:
    path = component.instance_id_path
    if path is None:
        return (SINGLE,)
    outcomes = by_expression(evaluate(engine, [path.text], [workload])[0])
    ids = read_ids(component, outcomes)
    if not isinstance(ids, tuple):
        raise WriteError(f"the instances of {component.name!r} cannot be read: {ids.message}")
    return ids


class _Pod:
    """The place of one instance's pod description in an object."""

    def __init__(self, component: Component, workload: Any, position: int, count: int, paths: Paths) -> None:
        self.component = component
        self.workload = workload
        self.position = position
        self.count = count
        self.paths = paths

    def place(self, expression: Expression) -> Place:
        places = self.paths(expression, self.workload)
        if len(places) != self.count:
            raise WriteError(
                f"`{expression.text.strip()}` gives {len(places)} places for the {self.count} instances of "
                f"{self.component.name!r}"
            )
        return places[self.position]

    def update(self, fields: Mapping[str, Any]) -> None:
        spec = self.component.spec_definition
        if spec is None:
            raise WriteError(f"component {self.component.name!r} describes no pods")
        if spec.pod_template_spec_path is not None:
            template = self.place(spec.pod_template_spec_path)
            for field, value in fields.items():
                self.change((*template, "spec"), (*template, "metadata"), field, value)
        elif spec.pod_spec_path is not None:
            pod_spec = self.place(spec.pod_spec_path)
            metadata = None if spec.metadata_path is None else self.place(spec.metadata_path)
            for field, value in fields.items():
                self.change(pod_spec, metadata, field, value)
        else:
            for field, value in fields.items():
                self.fragment(field, value)

    def fragment(self, field: str, value: Any) -> None:
        spec = self.component.spec_definition
        fragments = spec.fragmented if spec is not None else None
        attribute = _FRAGMENT_OF.get(field)
        expression = getattr(fragments, attribute, None) if attribute is not None else None
        if isinstance(expression, Expression):
            place = self.place(expression)
            if field in _IN_METADATA:
                self.merge(place, value)
            else:
                self.put(place, value)
            return
        container = fragments.container_path if fragments is not None else None
        containers = fragments.containers_path if fragments is not None else None
        if field in _PER_CONTAINER and container is not None:
            self.put((*self.place(container), field), value)
        elif field in _PER_CONTAINER and containers is not None:
            self.containers(self.place(containers), field, value)
        else:
            raise WriteError(f"the definition gives no place for {field} of {self.component.name!r}")

    def change(self, spec: Place, metadata: Place | None, field: str, value: Any) -> None:
        if field in _IN_METADATA:
            if metadata is None:
                raise WriteError(f"the definition gives no place for {field} of {self.component.name!r}")
            self.merge((*metadata, field), value)
        elif field in _AFFINITIES:
            self.put((*spec, "affinity", field), value)
        elif field in _PER_CONTAINER:
            self.containers((*spec, "containers"), field, value)
        else:
            self.put((*spec, field), value)

    def containers(self, place: Place, field: str, value: Any) -> None:
        containers = _at(self.workload, place)
        named = [each for each in containers if isinstance(each, dict)] if isinstance(containers, list) else []
        if field == "resources":
            by_name = isinstance(value, Mapping) and not set(value) <= {"limits", "requests", "claims"}
        else:
            by_name = isinstance(value, Mapping)
        if not by_name:
            if len(named) != 1:
                raise WriteError(f"{self.component.name!r} has {len(named)} containers: give {field} by container name")
            self.put((*place, 0, field), value)
            return
        positions = {each.get("name"): index for index, each in enumerate(containers) if isinstance(each, dict)}
        for name, each in value.items():
            if name not in positions:
                known = ", ".join(str(known) for known in positions)
                raise WriteError(f"{self.component.name!r} has no container {name!r}; it has {known or 'none'}")
            self.put((*place, positions[name], field), each)

    def merge(self, place: Place, value: Any) -> None:
        if not isinstance(value, Mapping):
            raise WriteError("labels and annotations are mappings of texts")
        for key, each in value.items():
            self.put((*place, key), each)

    def put(self, place: Place, value: Any) -> None:
        if value is None:
            parent = _at(self.workload, place[:-1])
            if isinstance(parent, dict) and isinstance(place[-1], str):
                parent.pop(place[-1], None)
            return
        assign(self.workload, place, copy.deepcopy(value))


def _at(workload: Any, place: Place) -> Any:
    current = workload
    for step in place:
        if isinstance(step, str):
            current = current.get(step) if isinstance(current, dict) else None
        else:
            current = current[step] if isinstance(current, list) and -len(current) <= step < len(current) else None
    return current


__all__ = [
    "FIELDS",
    "Paths",
    "Place",
    "WriteError",
    "assign",
    "assigned",
    "is_plain",
    "path_program",
    "paths_by",
    "resume",
    "static_place",
    "suspend",
    "update_pods",
]
