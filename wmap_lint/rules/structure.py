"""Family WM1: fields, types and how the components of a definition hang together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from wmap_lint.definition import POD_SPEC_SHAPES, Component, ComponentTypeSelector, Definition, Located
from wmap_lint.diagnostic import Edit, Fix, Related, Severity, Span
from wmap_lint.paths import ABSENT, DocumentPath, lookup, written
from wmap_lint.record import Record
from wmap_lint.rules.context import Context
from wmap_lint.rules.registry import Finding, rule
from wmap_lint.rules.source_rules import is_string_meant
from wmap_lint.rules.unknown_fields import UnknownField
from wmap_lint.schema import ProblemKind, SchemaProblem, field_description, field_type, load_schema
from wmap_lint.source import Document, resolve_plain
from wmap_lint.spelling import nearest
from wmap_lint.wording import capitalised, listed

ROOT: DocumentPath = ("spec", "structureDefinition", "rootComponent")


# --- words --------------------------------------------------------------------------------------------------


def place(document: Document, path: DocumentPath) -> str:
    """What the mapping at ``path`` is to a reader: the component by its name, else the field it is under."""
    if not path:
        return "a definition"
    if path == ROOT:
        return "the root component"
    last = path[-1]
    if isinstance(last, int):
        if path[-2] == "childComponents":
            name = lookup(document.data, (*path, "name"))
            return f"child component {name!r}" if isinstance(name, str) and name else "a child component"
        return f"an item of `{path[-2]}`"
    return f"`{last}`"


def value_span(document: Document, path: DocumentPath) -> Span:
    """Where to point for the value at ``path``: the scalar itself, the key of anything longer or empty."""
    value = lookup(document.data, path)
    if isinstance(value, dict | list) and value:
        return document.key_span(path)
    return document.span(path) if document.raw(path) else document.key_span(path)


def yaml_text(text: str) -> str:
    """``text`` as a YAML scalar that reads as this string: plain where safe, else in double quotes."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", text) and isinstance(resolve_plain(text), str):
        return text
    return json.dumps(text, ensure_ascii=False)


# --- single fields ------------------------------------------------------------------------------------------


@rule("WM101", "unknown-field", Severity.ERROR, "A field that the format does not have; consumers pass over it.")
def unknown_field(context: Context) -> Iterable[Finding]:
    """Fields the schema does not know."""
    for unknown in context.unknown_fields:
        if unknown.path == (*ROOT, "ownerRef"):
            continue  # known elsewhere and forbidden here: WM108
        yield _unknown_field(context.document, unknown)


def _unknown_field(document: Document, unknown: UnknownField) -> Finding:
    parent = unknown.path[:-1]
    span = document.key_span(unknown.path)
    message = (
        f"`{unknown.name}` is no field of {place(document, parent)}; local tools ignore it and the API "
        "server drops it, so what it says has no effect."
    )
    same_level = [str(path[-1]) for path in unknown.meant if path[:-1] == parent]
    if [name.lower() for name in same_level] == [unknown.name.lower()]:
        message = (
            f"`{unknown.name}` is no field of {place(document, parent)}, `{same_level[0]}` is: local tools "
            "do not mind the case, but the API server does and drops the field."
        )
    if unknown.rename is not None:
        fix = Fix(f"Rename {unknown.name} to {unknown.rename}", (Edit(span, unknown.rename),))
        return Finding(span, message, f"Did you mean `{unknown.rename}`?", fix=fix)
    if len(same_level) == 1:
        path = (*parent, same_level[0])
        if lookup(document.data, path) is not ABSENT:
            hint = f"Did you mean `{same_level[0]}`, which is here as well?"
        else:
            wanted = _TYPES.get(field_type(path) or "", "something else")
            hint = f"Did you mean `{same_level[0]}`, which is {wanted}?"
    elif same_level:
        hint = f"Did you mean {listed(same_level, 'and' if unknown.name == 'apiVersion' else 'or')}?"
    elif unknown.meant:
        places = list(dict.fromkeys(_place_from(parent, path) for path in unknown.meant))
        target = str(unknown.meant[0][-1])
        if target == unknown.name:
            hint = f"Move it into {' or '.join(places)}."
        else:
            hint = f"Did you mean `{target}` in {' or '.join(places)}?"
    elif unknown.known:
        hint = f"Known here: {listed(unknown.known)}."
    else:
        hint = "Remove it."
    return Finding(span, message, hint)


def _place_from(parent: DocumentPath, path: DocumentPath) -> str:
    """The mapping that holds the field at ``path``, told to someone who stands at ``parent``."""
    common = 0
    while common < min(len(parent), len(path) - 1) and parent[common] == path[common]:
        common += 1
    below = tuple(0 if step == "*" else step for step in path[common:-1])
    if below:
        return f"`{written(below).replace('[0]', '[]')}`"
    fields = [step for step in path[:-1] if isinstance(step, str)]
    if len(path) > 1 and isinstance(path[-2], int):
        return f"the item of `{fields[-1]}` around it"
    return f"`{fields[-1]}`" if fields else "the definition itself"


_WHY_REQUIRED = {
    "ownerRef": "without it the component hangs in the air and every validator refuses the definition",
    "statusDefinition": "without it no status can be read and every validator refuses the definition "
    "(`statusDefinition: {statusMappings: {}}` is enough)",
    "preferredTopologyLevel": "the API server wants all three topology fields, even one that is not used",
    "requiredTopologyLevel": "the API server wants all three topology fields, even one that is not used",
    "componentName": "it says which component is meant",
    "resumeActions": "a workload that can be suspended has to be resumed as well",
    "expectedResult": "the result of the expression is compared with it",
}
_WHAT_TO_WRITE = {
    "preferredTopologyLevel": 'Write `preferredTopologyLevel: ""` if there is no preference.',
    "requiredTopologyLevel": 'Write `requiredTopologyLevel: ""` if nothing is required.',
    "statusMappings": "Write `statusMappings: {}` if there are none yet.",
}


@rule("WM102", "missing-field", Severity.ERROR, "A required field is not there.")
def missing_field(context: Context) -> Iterable[Finding]:
    """Required fields that are absent, except those of the root's kind (WM109)."""
    for problem in context.schema_problems:
        if problem.kind is not ProblemKind.MISSING_FIELD:
            continue
        if problem.path == (*ROOT, "kind") or (problem.path == ROOT and problem.name == "kind"):
            continue
        name = str(problem.name)
        why = _WHY_REQUIRED.get(name, "the API server refuses the definition without it")
        yield Finding(
            context.document.span((*problem.path, name)),
            f"`{name}` is missing in {place(context.document, problem.path)}: {why}.",
            _WHAT_TO_WRITE.get(name) or field_description((*problem.path, name)) or None,
        )


_TYPES = {
    "string": "a string",
    "object": "a mapping (`key: value`)",
    "array": "a list (`- item`)",
}


def _found(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the boolean {json.dumps(value)}"
    if isinstance(value, int | float):
        return f"the number {json.dumps(value)}"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "a mapping"


@rule("WM103", "wrong-type", Severity.ERROR, "A value has the wrong type; the definition cannot be decoded.")
def wrong_type(context: Context) -> Iterable[Finding]:
    """Values of the wrong type, except scalars that only lack quotes (WM006)."""
    for problem in context.schema_problems:
        if problem.kind is not ProblemKind.WRONG_TYPE or is_string_meant(context.document, problem):
            continue
        yield _wrong_type(context.document, problem)


def _wrong_type(document: Document, problem: SchemaProblem) -> Finding:
    wanted = " or ".join(_TYPES.get(name, f"a {name}") for name in problem.expected)
    label = place(document, problem.path)
    span = value_span(document, problem.path)
    if problem.value is None:
        return Finding(
            span,
            f"{capitalised(label)} has no value; {wanted} is wanted here. Local tools read it as absent, the "
            "API server refuses it.",
            "Write a value, or remove the key.",
        )
    hint = None
    if problem.expected == ("string",) and isinstance(problem.value, dict | list):
        hint = "Put jq that begins with `[` or `{` in single quotes: YAML reads these characters as its own."
        if not document.raw(problem.path).startswith(("[", "{")):
            hint = "Write one string."
    elif problem.expected == ("array",) and isinstance(problem.value, dict):
        hint = "Begin each item with `- `."
    elif problem.expected == ("object",) and isinstance(problem.value, list):
        hint = "Write one mapping, without `- `."
    return Finding(
        span,
        f"{capitalised(label)} is {_found(problem.value)}, but {wanted} is wanted here; consumers cannot "
        "decode the definition.",
        hint,
    )


_EMPTY_MAPPING = {
    "scaleDefinition": (
        "an empty `scaleDefinition` counts as present and gives no values, so lining its results up with "
        "the instances fails and the whole workload can no longer be resolved"
    ),
    "fragmentedPodSpecDefinition": (
        "an empty `fragmentedPodSpecDefinition` counts as present and gives no values, so lining its results "
        "up with the instances fails and the whole workload can no longer be resolved"
    ),
    "specDefinition": (
        "an empty `specDefinition` describes no pods, yet the command line counts the component among those "
        "that own pods, so that a component without a type selector loses its pods"
    ),
}


@rule("WM104", "not-allowed", Severity.ERROR, "A value the field cannot have: empty, or none of the choices.")
def not_allowed(context: Context) -> Iterable[Finding]:
    """Values of the right type that are not allowed, except where a rule of its own says more."""
    for problem in context.schema_problems:
        if problem.kind is ProblemKind.NOT_ALLOWED and not _told_elsewhere(context, problem.path):
            yield _not_allowed(context.document, problem)


def _told_elsewhere(context: Context, path: DocumentPath) -> bool:
    if path[: len(ROOT) + 1] == (*ROOT, "kind") or path[-1] == "matchLabels":  # WM109, WM112
        return True
    # A matcher with nothing in it always matches: WM510. It may be the one at path or the one around it.
    definition = context.definition
    status = [component.status_definition for component in definition.components]
    return any(
        matcher.is_empty and path[: len(matcher.path)] == matcher.path
        for one in status
        if one is not None
        for mapping in one.mappings
        for matcher in mapping.matchers
    )


def _not_allowed(document: Document, problem: SchemaProblem) -> Finding:
    path = problem.path
    label = place(document, path)
    span = value_span(document, path)
    if problem.keyword == "minLength":
        if _is_expression(path):
            return Finding(
                span,
                f"{capitalised(label)} is an empty expression: it counts as present everywhere and passes "
                "every validator, and then each evaluation fails.",
                "Write the path, or remove the field.",
            )
        return Finding(span, f"{capitalised(label)} is empty.", field_description(path) or None)
    if problem.keyword == "minItems":
        why = "the API server refuses an empty list here"
        if path[-1] == "byConditions":
            why = "an empty list demands nothing; the matcher holds without it"
        return Finding(span, f"{capitalised(label)} is empty: {why}.", "Write at least one item, or remove the field.")
    if problem.keyword == "minProperties":
        why = _EMPTY_MAPPING.get(str(path[-1]), f"{label} needs at least one field")
        return Finding(span, f"{capitalised(why)}.", "Set at least one field, or remove the key.")
    if problem.expected:
        value = problem.value
        wanted = [json.loads(choice) for choice in problem.expected]
        close = nearest(value, [each for each in wanted if isinstance(each, str)]) if isinstance(value, str) else ()
        hint = f"Did you mean `{close[0]}`?" if len(close) == 1 else None
        return Finding(span, f"{capitalised(label)} must be {listed(map(str, wanted), 'or')}, not {value!r}.", hint)
    return Finding(span, f"{capitalised(label)}: {problem.message}.", field_description(path) or None)


def _is_expression(path: DocumentPath) -> bool:
    """Whether the schema has an expression at ``path``."""
    schema = load_schema()
    descriptions = {schema["$defs"][name]["description"] for name in ("workloadExpression", "podExpression")}
    text = field_description(path)
    return text in descriptions or text.startswith("jq over")


# --- components ---------------------------------------------------------------------------------------------


@rule("WM105", "component-name-not-unique", Severity.ERROR, "Two components have the same name.")
def component_name_not_unique(context: Context) -> Iterable[Finding]:
    """Everything refers to a component by its name; consumers refuse a definition that gives one twice."""
    first: dict[str, Component] = {}
    for component in context.definition.components:
        if not component.name:
            continue
        other = first.setdefault(component.name, component)
        if other is not component:
            yield Finding(
                component.span("name"),
                f"A component named {component.name!r} is there already; names are how components, gangs and "
                "selectors refer to each other, and every validator refuses the definition.",
                "Give it another name.",
                related=(Related(other.span("name"), "The other component of this name."),),
            )


@rule("WM106", "unknown-owner", Severity.ERROR, "ownerRef names no component.")
def unknown_owner(context: Context) -> Iterable[Finding]:
    """An owner that does not exist."""
    definition = context.definition
    if definition.root is None:
        return  # it may be the owner; that it is missing has been told
    names = [component.name for component in definition.components if component.name]
    orphans: dict[str, list[Component]] = {}
    for child in definition.children:
        if child.owner_ref and child.owner_ref not in names:
            orphans.setdefault(child.owner_ref, []).append(child)
    for owner, children in orphans.items():
        first, *others = children
        spans = [child.span("ownerRef") for child in children]
        close = nearest(owner, dict.fromkeys(name for name in names if name != first.name))
        message = (
            f"{capitalised(place(context.document, first.path))} belongs to {owner!r}, which no component is called."
        )
        related = tuple(
            Related(span, f"Component {child.name!r} as well.") for child, span in zip(others, spans[1:], strict=True)
        )
        if len(close) == 1:
            edits = tuple(Edit(span, yaml_text(close[0])) for span in spans)
            fix = Fix(f"Change ownerRef to {close[0]}", edits)
            yield Finding(spans[0], message, f"Did you mean {close[0]!r}?", related, fix)
        else:
            hint = f"Components: {listed(dict.fromkeys(names))}." if names else None
            yield Finding(spans[0], message, hint, related)


@rule("WM107", "ownership-cycle", Severity.ERROR, "Following ownerRef comes back to where it started.")
def ownership_cycle(context: Context) -> Iterable[Finding]:
    """Components that own each other never reach the root."""
    definition = context.definition
    names = [component.name for component in definition.components]
    for cycle in _cycles(definition):
        if any(names.count(component.name) > 1 for component in cycle):
            continue  # which of the two is meant cannot be told before they have different names: WM105
        first = cycle[0]
        if len(cycle) == 1:
            message = (
                f"Component {first.name!r} is its own owner; it never reaches the root and every validator "
                "refuses the definition."
            )
        else:
            path = " → ".join([component.name for component in (*cycle, first)])
            message = (
                f"Components own each other in a circle ({path}); they never reach the root and every "
                "validator refuses the definition."
            )
        yield Finding(
            first.span("ownerRef"),
            message,
            "Let one of them belong to the root, or to a component that leads there.",
            related=tuple(
                Related(component.span("ownerRef"), f"{component.name!r} belongs to {component.owner_ref!r}.")
                for component in cycle[1:]
            ),
        )


def _cycles(definition: Definition) -> Iterator[tuple[Component, ...]]:
    """Each cycle once, from its first component in document order along the owners."""
    told: set[str] = set()
    for start in definition.children:
        trail: dict[str, Component] = {}
        component: Component | None = start
        while component is not None and not component.is_root and component.name not in trail:
            trail[component.name] = component
            component = definition.component(component.owner_ref or "")
        if component is None or component.is_root:
            continue
        members = list(trail)[list(trail).index(component.name) :]
        if told.isdisjoint(members):
            told.update(members)
            first = next(index for index, name in enumerate(members) if name == _first_of(definition, members))
            yield tuple(trail[name] for name in (*members[first:], *members[:first]))


def _first_of(definition: Definition, names: Sequence[str]) -> str:
    return next(component.name for component in definition.children if component.name in names)


@rule("WM108", "root-with-owner", Severity.ERROR, "The root component has an ownerRef.")
def root_with_owner(context: Context) -> Iterable[Finding]:
    """The root belongs to nobody; even an empty ownerRef counts."""
    root = context.definition.root
    if root is not None and root.has("ownerRef"):
        yield Finding(
            root.key_span("ownerRef"),
            "The root component cannot have an owner: it is the workload itself, and every validator "
            "refuses an `ownerRef` here, even an empty one.",
            "Remove it; if this is a role of the workload, make it one of `childComponents`.",
        )


@rule("WM109", "root-kind-incomplete", Severity.ERROR, "The root's kind is not given in full.")
def root_kind_incomplete(context: Context) -> Iterable[Finding]:
    """Group, version and kind of the root; consumers find a definition by them."""
    root = context.definition.root
    if root is None:
        return
    path = (*ROOT, "kind")
    if not root.has("kind"):
        if not context.is_doubtful(path):
            yield Finding(
                root.key_span(),
                "The root component has no `kind`: consumers find a definition by the group, version and "
                "kind of its root.",
                "Write for instance `kind: {group: example.com, version: v1, kind: Widget}`.",
            )
        return
    kind = root.kind
    if kind is None:
        return
    for name in ("group", "version", "kind"):
        if context.is_doubtful((*path, name)):
            continue
        missing = not kind.has(name)
        value = lookup(context.document.data, (*path, name))
        if not missing and value != "":
            continue
        if name == "group" and kind.kind == "Pod":
            if missing:
                yield Finding(
                    root.key_span("kind"),
                    "`group` is missing in the root's `kind`; the API server wants the key even for the core group.",
                    'Write `group: ""`.',
                )
            continue
        span = root.key_span("kind") if missing else value_span(context.document, (*path, name))
        state = "is missing in" if missing else "is empty in"
        why = "consumers find a definition by group, version and kind of its root."
        if name == "group" and not missing:
            why = "of the core group only Pod can be a root, and every validator refuses other kinds without a group."
        yield Finding(span, f"`{name}` {state} the root's `kind`: {why}", field_description((*path, name)) or None)


@rule("WM110", "several-pod-spec-shapes", Severity.ERROR, "A component describes its pods in more than one way.")
def several_pod_spec_shapes(context: Context) -> Iterable[Finding]:
    """At most one of the three shapes may be there."""
    for component in context.definition.components:
        shapes = sorted(component.pod_spec_shapes, key=lambda shape: component.key_span("specDefinition", shape))
        for shape in shapes[1:]:
            yield Finding(
                component.key_span("specDefinition", shape),
                f"{capitalised(place(context.document, component.path))} describes its pods by "
                f"{listed(shapes)}; one of them at most may be there, and every validator refuses more.",
                "Keep the one that fits: `podTemplateSpecPath` for a template, `podSpecPath` (with "
                "`metadataPath`) for a bare pod spec, `fragmentedPodSpecDefinition` for single fields.",
                related=(Related(component.key_span("specDefinition", shapes[0]), "The first description."),),
            )


@rule(
    "WM111",
    "instance-id-without-selector",
    Severity.ERROR,
    "instanceIdPath and podSelector.componentInstanceSelector come together, and one is missing.",
)
def instance_id_without_selector(context: Context) -> Iterable[Finding]:
    """The ids from the workload and the way to read them back from a pod."""
    for component in context.definition.components:
        in_workload = component.present("instanceIdPath")
        in_pod = component.present("podSelector", "componentInstanceSelector")
        if in_workload == in_pod or any(
            context.is_doubtful((*component.path, *keys))
            for keys in (("instanceIdPath",), ("podSelector", "componentInstanceSelector"))
        ):
            continue
        where = place(context.document, component.path)
        if in_workload:
            yield Finding(
                component.key_span("instanceIdPath"),
                f"{capitalised(where)} has `instanceIdPath` but no `podSelector.componentInstanceSelector`: "
                "the instances are known, but not which pod belongs to which, and every validator refuses "
                "the definition.",
                "Add `podSelector.componentInstanceSelector.idPath`, jq over the pod that gives the same id.",
            )
        else:
            yield Finding(
                component.key_span("podSelector", "componentInstanceSelector"),
                f"{capitalised(where)} has `componentInstanceSelector` but no `instanceIdPath`: pods name an "
                "instance, but the workload has none to compare with, and every validator refuses the "
                "definition.",
                "Add `instanceIdPath`, jq over the workload that gives the ids, or remove the selector.",
            )


# Kubernetes' own rules: an optional DNS prefix, then a name that begins and ends with a letter or digit.
_LABEL_PREFIX = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


def label_key_fault(key: str) -> str | None:
    """Why ``key`` is no label key of Kubernetes, or None."""
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > 253 or not _LABEL_PREFIX.fullmatch(prefix)):
        return "the part before the slash must be a DNS name of up to 253 lower-case letters, digits, dots and dashes"
    if len(name) > 63 or not _LABEL_NAME.fullmatch(name):
        return "the name must have 1 to 63 letters, digits, `-`, `_` and `.`, and begin and end with a letter or digit"
    return None


def label_value_fault(value: str) -> str | None:
    """Why ``value`` is no label value of Kubernetes, or None; the empty value is one."""
    if value and (len(value) > 63 or not _LABEL_NAME.fullmatch(value)):
        return "a value has up to 63 letters, digits, `-`, `_` and `.`, and begins and ends with a letter or digit"
    return None


@rule(
    "WM112",
    "component-type-selector",
    Severity.ERROR,
    "A componentTypeSelector that selects nothing or cannot work.",
)
def component_type_selector(context: Context) -> Iterable[Finding]:
    """Nothing to select by, a value without a key, labels that no pod can have."""
    for component in context.definition.components:
        selector = component.pod_selector.type_selector if component.pod_selector else None
        if selector is not None:
            yield from _type_selector(context, selector)


def _type_selector(context: Context, selector: ComponentTypeSelector) -> Iterator[Finding]:
    has_key, has_labels = selector.present("keyPath"), selector.present("matchLabels")
    key_is_doubtful = context.is_doubtful((*selector.path, "keyPath"))
    labels_are_doubtful = context.is_doubtful((*selector.path, "matchLabels"))
    if selector.present("value") and not has_key and not key_is_doubtful:
        yield Finding(
            selector.key_span("value"),
            "`value` without `keyPath`: there is nothing to compare it with, and the API server refuses the "
            "definition.",
            "Add `keyPath`, jq over the pod that gives this value.",
        )
    elif not has_key and not has_labels and not key_is_doubtful and not labels_are_doubtful:
        yield Finding(
            selector.key_span(),
            "`componentTypeSelector` has neither `keyPath` nor `matchLabels`: it selects no pod, and the "
            "API server refuses the definition.",
            "Add one of the two, or remove the selector.",
        )
    labels = selector.match_labels
    if labels is None:
        return
    if not lookup(selector.document.data, (*selector.path, "matchLabels")):
        yield Finding(
            value_span(selector.document, (*selector.path, "matchLabels")),
            "`matchLabels` is empty: the API server refuses it.",
            "Name at least one label, or remove the key.",
        )
    for key, value in labels.items():
        fault = label_key_fault(key)
        if fault is not None:
            span = selector.key_span("matchLabels", key)
            yield Finding(span, f"{key!r} is no label key, so no pod can have it: {fault}.")
            continue
        fault = label_value_fault(value)
        if fault is not None:
            span = selector.span("matchLabels", key)
            yield Finding(span, f"{value!r} is no label value, so no pod can have it: {fault}.")


# --- lists with keys ----------------------------------------------------------------------------------------


class _Keyed(Record):
    """An item of a list, the text it is told apart by, and where that stands."""

    text: str
    span: Span


@rule(
    "WM113",
    "duplicate-list-key",
    Severity.ERROR,
    "Two items of a list have the same key; the API server refuses it.",
)
def duplicate_list_key(context: Context) -> Iterable[Finding]:
    """Lists whose items are told apart by one field, and sets."""
    definition = context.definition
    yield from _duplicates(
        (_Keyed(kind.kind, kind.span("kind")) for kind in definition.additional_child_kinds),
        "additionalChildKinds",
        "the list is keyed by kind alone, so two groups with the same kind cannot both be listed",
    )
    gang = definition.gang
    if gang is None:
        return
    if gang.pod_group is not None:
        yield from _duplicates(_named(gang.pod_group.sub_groups, "componentName"), "subGroups", _KEYED_BY_COMPONENT)
    yield from _duplicates(_named(gang.pod_groups, "name"), "podGroups", "the list is keyed by name")
    for group in gang.pod_groups:
        yield from _duplicates(_named(group.members, "componentName"), "members", _KEYED_BY_COMPONENT)
        for member in group.members:
            for name, expressions in (
                ("groupByKeyPaths", member.group_by_key_paths),
                ("filters", member.filters),
            ):
                yield from _duplicates(
                    (_Keyed(each.text, each.span()) for each in expressions), name, "each may be there once"
                )


_KEYED_BY_COMPONENT = "the list is keyed by componentName, so a component can be there once"


def _named(items: Iterable[Located], field: str) -> Iterator[_Keyed]:
    for item in items:
        name = lookup(item.document.data, (*item.path, field))
        if isinstance(name, str):
            yield _Keyed(name, item.span(field))


def _duplicates(items: Iterable[_Keyed], name: str, why: str) -> Iterator[Finding]:
    first: dict[str, _Keyed] = {}
    for item in items:
        if not item.text:
            continue
        other = first.setdefault(item.text, item)
        if other is not item:
            yield Finding(
                item.span,
                f"{item.text!r} is twice in `{name}`: {why}, and the API server refuses the definition.",
                "Remove one of the two.",
                related=(Related(other.span, "The first one."),),
            )


# --- fields without effect ----------------------------------------------------------------------------------


@rule(
    "WM114",
    "no-effect-field",
    Severity.WARNING,
    "A field that is accepted and does nothing, or not what one expects.",
)
def no_effect_field(context: Context) -> Iterable[Finding]:
    """Fields that pass every validator and change nothing."""
    for component in context.definition.components:
        if not component.is_root and component.present("statusDefinition"):
            yield Finding(
                component.key_span("statusDefinition"),
                "`statusDefinition` on a child is read by no consumer: only the root's status is evaluated.",
                "Remove it, or express the state in the root's `statusDefinition`.",
            )
        spec = component.spec_definition
        if (
            spec is not None
            and spec.present("metadataPath")
            and not component.pod_spec_shapes
            and not any(context.is_doubtful((*spec.path, shape)) for shape in POD_SPEC_SHAPES)
        ):
            yield Finding(
                spec.key_span("metadataPath"),
                "`metadataPath` alone describes no pods: consumers treat the component as a grouping level, "
                "yet the command line counts it as a pod owner, so that a component without a type selector "
                "loses its pods.",
                "Add `podSpecPath`, which it is meant to accompany.",
            )
        if lookup(context.document.data, (*component.path, "podSelector")) == {}:
            yield Finding(
                value_span(component.document, (*component.path, "podSelector")),
                "An empty `podSelector` selects nothing.",
                "Name the pods by `componentTypeSelector`, or remove the key.",
            )
