"""A definition as typed data (floor 1).

:func:`load` never fails: a value of the wrong type reads as absent, an item of the wrong type is left out
(the others keep their positions), and the rules report what was passed over. Everything knows its place in
the file.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Literal, TypeVar

from wmap_lint.diagnostic import Span
from wmap_lint.paths import ABSENT, DocumentOrder, DocumentPath, lookup
from wmap_lint.record import Record
from wmap_lint.source import Document

API_VERSION = "run.ai/v1alpha1"
KINDS = ("WorkloadMap", "Karta")


class ResultType(enum.Enum):
    """What each result of an expression has to be, or consumers fail; null mostly reads as "not said"."""

    STRING = "a string"
    INTEGER = "an integer"
    BOOLEAN = "a boolean"
    STRING_MAP = "a map of strings"
    POD_TEMPLATE_SPEC = "a PodTemplateSpec"
    POD_SPEC = "a PodSpec"
    OBJECT_META = "an ObjectMeta"
    RESOURCE_REQUIREMENTS = "a ResourceRequirements"
    RESOURCE_CLAIMS = "a list of PodResourceClaim"
    POD_AFFINITY = "a PodAffinity"
    NODE_AFFINITY = "a NodeAffinity"
    CONTAINERS = "a list of Container"
    CONTAINER = "a Container"
    CONDITIONS = "a list of conditions"
    TEXT = "anything, compared as text"
    KEY = "one value that is not null, used as text"
    EXISTENCE = "anything, null meaning absent"
    WRITTEN = "a place to write to"


Yield = Literal["one", "per-instance", "any"]


class _Place(Record):
    label: str
    subject: Literal["workload", "pod"]
    result: ResultType
    may_yield: Yield
    written: bool = False


def _spec(label: str, result: ResultType) -> _Place:
    return _Place(label, "workload", result, "per-instance", written=True)


def _count(label: str) -> _Place:
    return _Place(label, "workload", ResultType.INTEGER, "per-instance")


class Slot(enum.Enum):
    """The kind of place an expression stands in, and with it what consumers want of its results."""

    INSTANCE_ID_PATH = _Place("instanceIdPath", "workload", ResultType.STRING, "any")
    POD_TEMPLATE_SPEC_PATH = _spec("podTemplateSpecPath", ResultType.POD_TEMPLATE_SPEC)
    POD_SPEC_PATH = _spec("podSpecPath", ResultType.POD_SPEC)
    METADATA_PATH = _spec("metadataPath", ResultType.OBJECT_META)
    SCHEDULER_NAME_PATH = _spec("schedulerNamePath", ResultType.STRING)
    PRIORITY_CLASS_NAME_PATH = _spec("priorityClassNamePath", ResultType.STRING)
    IMAGE_PATH = _spec("imagePath", ResultType.STRING)
    LABELS_PATH = _spec("labelsPath", ResultType.STRING_MAP)
    ANNOTATIONS_PATH = _spec("annotationsPath", ResultType.STRING_MAP)
    RESOURCES_PATH = _spec("resourcesPath", ResultType.RESOURCE_REQUIREMENTS)
    RESOURCE_CLAIMS_PATH = _spec("resourceClaimsPath", ResultType.RESOURCE_CLAIMS)
    POD_AFFINITY_PATH = _spec("podAffinityPath", ResultType.POD_AFFINITY)
    NODE_AFFINITY_PATH = _spec("nodeAffinityPath", ResultType.NODE_AFFINITY)
    CONTAINERS_PATH = _spec("containersPath", ResultType.CONTAINERS)
    CONTAINER_PATH = _spec("containerPath", ResultType.CONTAINER)
    REPLICAS_PATH = _count("replicasPath")
    MIN_REPLICAS_PATH = _count("minReplicasPath")
    MAX_REPLICAS_PATH = _count("maxReplicasPath")
    PHASE_PATH = _Place("phaseDefinition.path", "workload", ResultType.STRING, "one")
    CONDITIONS_PATH = _Place("conditionsDefinition.path", "workload", ResultType.CONDITIONS, "any")
    MATCHER_EXPRESSION = _Place("byExpression.expression", "workload", ResultType.TEXT, "one")
    SUSPEND_PATH = _Place("suspendActions.path", "workload", ResultType.WRITTEN, "any", written=True)
    RESUME_PATH = _Place("resumeActions.path", "workload", ResultType.WRITTEN, "any", written=True)
    TYPE_KEY_PATH = _Place("componentTypeSelector.keyPath", "pod", ResultType.EXISTENCE, "any")
    INSTANCE_KEY_PATH = _Place("componentInstanceSelector.idPath", "pod", ResultType.KEY, "one")
    REPLICA_KEY_PATH = _Place("replicaSelector.keyPath", "pod", ResultType.KEY, "one")
    GROUP_KEY_PATH = _Place("groupByKeyPaths", "pod", ResultType.KEY, "one")
    FILTER = _Place("filters", "pod", ResultType.BOOLEAN, "one")

    def __init__(self, place: _Place) -> None:
        self.label = place.label
        """The field as a message names it."""
        self.subject = place.subject
        """The document the expression reads: always from its root."""
        self.result = place.result
        """What each result has to be."""
        self.may_yield = place.may_yield
        """How many results are right: one, one for each instance id of the component, or any number."""
        self.written = place.written
        """Whether consumers assign through the expression, so that it has to be a path."""


class Located(Record):
    """A part of a definition that knows where it stands."""

    document: Document
    path: DocumentPath

    def span(self, *keys: str | int) -> Span:
        """The value at ``keys`` below this part (the nearest thing there is, when it is absent)."""
        return self.document.span((*self.path, *keys))

    def key_span(self, *keys: str | int) -> Span:
        """The key that leads to the value at ``keys`` below this part."""
        return self.document.key_span((*self.path, *keys))

    def has(self, *keys: str | int) -> bool:
        """Whether there is a key ``keys`` below this part, even an empty or null one."""
        return lookup(self.document.data, (*self.path, *keys)) is not ABSENT

    def present(self, *keys: str | int) -> bool:
        """Whether consumers see a value at ``keys``: the key is there and not null (empty counts)."""
        value = lookup(self.document.data, (*self.path, *keys))
        return value is not ABSENT and value is not None


class Expression(Record):
    """One jq text of a definition.

    ``text`` is what consumers run (decoded, with its line breaks); it may be empty, which every presence test
    counts as present and every evaluation fails on. ``component`` is the name of the component it belongs to,
    None for those of the gang section.
    """

    text: str
    slot: Slot
    component: str | None
    path: DocumentPath
    document: Document

    def span(self, start: int | None = None, end: int | None = None) -> Span:
        """The whole scalar as written, or the characters ``[start, end)`` of :attr:`text` in the file."""
        if start is None and end is None:
            return self.document.span(self.path)
        begin = 0 if start is None else start
        return self.document.text_span(self.path, begin, len(self.text) if end is None else end)


class GroupVersionKind(Located):
    """A Kubernetes kind; what is absent reads as ''.

    Consumers find a definition by the root's; a child's is shown and never used to fetch anything.
    """

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """``group/version``, or the version alone for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self) -> tuple[str, str, str]:
        """Group, version and kind, to compare with others."""
        return (self.group, self.version, self.kind)

    def __str__(self) -> str:
        return f"{self.api_version} {self.kind}"


class FragmentedPodSpec(Located):
    """A pod spec spelled in single fields.

    Consumers line the longest of the lists of results up with the instances and pad the others at the end.
    """

    scheduler_name_path: Expression | None
    labels_path: Expression | None
    annotations_path: Expression | None
    resources_path: Expression | None
    resource_claims_path: Expression | None
    pod_affinity_path: Expression | None
    node_affinity_path: Expression | None
    containers_path: Expression | None
    container_path: Expression | None
    priority_class_name_path: Expression | None
    image_path: Expression | None


class SpecDefinition(Located):
    """Where pods are described. Consumers extract requests from them, and write whole objects back."""

    pod_template_spec_path: Expression | None
    pod_spec_path: Expression | None
    metadata_path: Expression | None
    fragmented: FragmentedPodSpec | None


class ScaleDefinition(Located):
    """Where counts are. The command line shows them; gang scheduling takes min, else replicas, never max."""

    replicas_path: Expression | None
    min_replicas_path: Expression | None
    max_replicas_path: Expression | None


class ConditionsDefinition(Located):
    """Where conditions are, and how the keys of one are called: None when not stated."""

    expression: Expression | None
    type_field_name: str | None
    status_field_name: str | None
    message_field_name: str | None
    reason_field_name: str | None


class ConditionMatcher(Located):
    """A condition that must be there. A ``status`` or ``reason`` of None or '' is not looked at."""

    type: str | None
    status: str | None
    reason: str | None


class ExpressionMatcher(Located):
    """An expression whose first result, as text, must be ``expected_result``; an error fails all statuses."""

    expression: Expression | None
    expected_result: str | None


class Matcher(Located):
    """One way to recognise a status: phase, conditions and expression must all hold, where they are set."""

    by_phase: str | None
    by_conditions: tuple[ConditionMatcher, ...]
    by_expression: ExpressionMatcher | None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is set, which consumers read as "always"."""
        return not self.by_phase and not self.by_conditions and self.by_expression is None


class StatusMapping(Located):
    """The matchers of one status: any one suffices. ``status`` is the key as written, in lower case."""

    status: str
    matchers: tuple[Matcher, ...]

    @property
    def normalized(self) -> str:
        """The status as consumers report it: ``Running``."""
        return self.status[:1].upper() + self.status[1:]


class StatusDefinition(Located):
    """How a state is read. Only the root's is evaluated; every mapping that matches is reported.

    Read from a file, missing field names stay missing and nothing matches through them; read from the API
    server they are ``type``, ``status``, ``message`` and ``reason``.
    """

    phase: Expression | None
    conditions: ConditionsDefinition | None
    mappings: tuple[StatusMapping, ...]

    @cached_property
    def reads_phase(self) -> bool:
        """Whether consumers read a phase: there is a ``phaseDefinition``, even one without a path."""
        return self.phase is not None or self.present("phaseDefinition")


class SuspendAction(Located):
    """One assignment of ``value`` (JSON in a string) to every place that ``expression`` gives."""

    expression: Expression | None
    value: str | None


class SuspendDefinition(Located):
    """The native switch; consumers apply the actions in order, without a transaction."""

    suspend_actions: tuple[SuspendAction, ...]
    resume_actions: tuple[SuspendAction, ...]


class ComponentTypeSelector(Located):
    """Which pods play a role: ``key_path`` (with or without ``value``) and ``match_labels``, ANDed."""

    key_path: Expression | None
    value: str | None
    match_labels: Mapping[str, str] | None


class PodSelector(Located):
    """How pods are attributed to a component, to one of its instances and to one of its replicas."""

    type_selector: ComponentTypeSelector | None
    instance_id_path: Expression | None
    replica_key_path: Expression | None


class Component(Located):
    """A role or a level of the workload.

    Consumers build the tree from ``owner_ref``, extract instances, counts and pod specs from the workload's
    root, and attribute pods by ``pod_selector``. An absent name reads as ''.
    """

    is_root: bool
    name: str
    kind: GroupVersionKind | None
    owner_ref: str | None
    spec_definition: SpecDefinition | None
    scale_definition: ScaleDefinition | None
    status_definition: StatusDefinition | None
    suspend_definition: SuspendDefinition | None
    instance_id_path: Expression | None
    pod_selector: PodSelector | None

    @cached_property
    def pod_spec_shapes(self) -> tuple[str, ...]:
        """Those fields of ``specDefinition`` that are there and describe pods; right is one at most."""
        return tuple(shape for shape in POD_SPEC_SHAPES if self.present("specDefinition", shape))

    @cached_property
    def is_pod_bearing(self) -> bool:
        """Whether pods are described here: presence counts, even of an empty path."""
        return bool(self.pod_spec_shapes)


POD_SPEC_SHAPES = ("podTemplateSpecPath", "podSpecPath", "fragmentedPodSpecDefinition")
"""The three ways to describe pods, of which a component uses one."""


class Topology(Located):
    """Placement of a gang: the scheduler wants the name and one level that is not empty."""

    topology_name: str | None
    preferred_topology_level: str | None
    required_topology_level: str | None


class SubGroup(Located):
    """The pods of a component and its descendants; the scheduler makes a flat subgroup of that name."""

    component_name: str | None
    topology: Topology | None


class PodGroup(Located):
    """The gang of a workload; without subgroups all its pods are one gang."""

    name: str | None
    sub_groups: tuple[SubGroup, ...]
    topology: Topology | None


class PodGroupMember(Located):
    """A component of a deprecated, key-split pod group; keys and filters read one pod."""

    component_name: str | None
    group_by_key_paths: tuple[Expression, ...]
    filters: tuple[Expression, ...]


class KeyedPodGroup(Located):
    """A deprecated (alpha) pod group, split by the values of grouping keys."""

    name: str | None
    members: tuple[PodGroupMember, ...]


class GangScheduling(Located):
    """Which pods start together; ``pod_group`` wins where both forms are there."""

    pod_group: PodGroup | None
    pod_groups: tuple[KeyedPodGroup, ...]


class Definition(Located):
    """A whole definition. Names resolve to the first component that has them, as consumers do it."""

    api_version: str | None
    kind: str | None
    name: str | None
    labels: Mapping[str, str]
    root: Component | None
    children: tuple[Component, ...]
    additional_child_kinds: tuple[GroupVersionKind, ...]
    gang: GangScheduling | None

    @cached_property
    def components(self) -> tuple[Component, ...]:
        """The root, then the children in document order."""
        return self.children if self.root is None else (self.root, *self.children)

    @cached_property
    def pod_bearing(self) -> tuple[Component, ...]:
        """The components that describe pods."""
        return tuple(component for component in self.components if component.is_pod_bearing)

    @property
    def gvk(self) -> GroupVersionKind | None:
        """The kind the definition is about."""
        return None if self.root is None else self.root.kind

    @cached_property
    def expressions(self) -> tuple[Expression, ...]:
        """Every expression, in document order; those that are an empty string are left out."""
        order = DocumentOrder(self.document.data)
        found = (expression for expression in _expressions(self) if expression.text)
        return tuple(sorted(found, key=lambda expression: order.key(expression.path)))

    @cached_property
    def _by_name(self) -> Mapping[str, Component]:
        return {component.name: component for component in reversed(self.components) if component.name}

    def component(self, name: str) -> Component | None:
        """The first component called ``name``."""
        return self._by_name.get(name)

    @cached_property
    def _children(self) -> Mapping[str, tuple[Component, ...]]:
        found: dict[str, list[Component]] = {}
        for child in self.children:
            if child.owner_ref:
                found.setdefault(child.owner_ref, []).append(child)
        return {name: tuple(children) for name, children in found.items()}

    def children_of(self, name: str) -> tuple[Component, ...]:
        """The components whose owner is ``name``, in document order."""
        return self._children.get(name, ())

    def subtree_of(self, name: str) -> tuple[Component, ...]:
        """Component ``name`` and its descendants, each once, parents first; nothing for an unknown name."""
        start = self.component(name)
        found = [] if start is None else [start]
        seen = {name}
        for component in found:
            for child in self.children_of(component.name):
                if child.name not in seen:
                    seen.add(child.name)
                    found.append(child)
        return tuple(found)


def _expressions(part: object) -> Iterator[Expression]:
    if isinstance(part, Expression):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from _expressions(item)
    elif isinstance(part, Record):
        for name in part.record_fields:
            if name not in {"document", "path"}:
                yield from _expressions(getattr(part, name))


Part = TypeVar("Part")


class _Reader(Record):
    """A place of the document, and tolerant ways to read what is below it."""

    document: Document
    path: DocumentPath
    data: object
    component: str | None = None

    def below(self, *keys: str) -> _Reader | None:
        """The mapping at ``keys``, if it is one."""
        data = lookup(self.data, keys)
        if not isinstance(data, dict):
            return None
        return _Reader(self.document, (*self.path, *keys), data, self.component)

    def items(self, key: str) -> Iterator[_Reader]:
        """The mappings in the list at ``key``."""
        data = lookup(self.data, (key,))
        for position, item in enumerate(data if isinstance(data, list) else ()):
            if isinstance(item, dict):
                yield _Reader(self.document, (*self.path, key, position), item, self.component)

    def text(self, *keys: str) -> str | None:
        """The string at ``keys``, if it is one."""
        data = lookup(self.data, keys)
        return data if isinstance(data, str) else None

    def text_map(self, key: str) -> Mapping[str, str] | None:
        """The strings in the mapping at ``key``, if it is one."""
        data = lookup(self.data, (key,))
        if not isinstance(data, dict):
            return None
        texts = {name: value for name, value in data.items() if isinstance(name, str) and isinstance(value, str)}
        return MappingProxyType(texts)

    def expression(self, slot: Slot, *keys: str) -> Expression | None:
        """The expression at ``keys``, if there is a string."""
        text = self.text(*keys)
        if text is None:
            return None
        return Expression(text, slot, self.component, (*self.path, *keys), self.document)

    def expressions(self, slot: Slot, key: str) -> tuple[Expression, ...]:
        """The expressions in the list at ``key``."""
        data = lookup(self.data, (key,))
        return tuple(
            Expression(item, slot, self.component, (*self.path, key, position), self.document)
            for position, item in enumerate(data if isinstance(data, list) else ())
            if isinstance(item, str)
        )

    def group_version_kind(self, key: str) -> GroupVersionKind | None:
        """The kind at ``key``."""
        reader = self.below(key)
        return None if reader is None else reader.as_group_version_kind()

    def as_group_version_kind(self) -> GroupVersionKind:
        """This place as a kind."""
        return GroupVersionKind(
            document=self.document,
            path=self.path,
            group=self.text("group") or "",
            version=self.text("version") or "",
            kind=self.text("kind") or "",
        )


def load(document: Document) -> Definition:
    """``document`` as a definition, whatever it holds."""
    reader = _Reader(document, (), document.data)
    structure = reader.below("spec", "structureDefinition")
    root = None if structure is None else structure.below("rootComponent")
    gang = reader.below("spec", "optimizationInstructions", "gangScheduling")
    metadata = reader.below("metadata")
    return Definition(
        document=document,
        path=(),
        api_version=reader.text("apiVersion"),
        kind=reader.text("kind"),
        name=reader.text("metadata", "name"),
        labels=(metadata.text_map("labels") if metadata else None) or MappingProxyType({}),
        root=None if root is None else _component(root, is_root=True),
        children=tuple(
            _component(child, is_root=False) for child in (structure.items("childComponents") if structure else ())
        ),
        additional_child_kinds=tuple(
            item.as_group_version_kind() for item in (structure.items("additionalChildKinds") if structure else ())
        ),
        gang=None if gang is None else _gang(gang),
    )


def _component(place: _Reader, is_root: bool) -> Component:
    name = place.text("name") or ""
    reader = _Reader(place.document, place.path, place.data, name)
    spec = reader.below("specDefinition")
    scale = reader.below("scaleDefinition")
    status = reader.below("statusDefinition")
    suspend = reader.below("suspendDefinition")
    selector = reader.below("podSelector")
    return Component(
        document=reader.document,
        path=reader.path,
        is_root=is_root,
        name=name,
        kind=reader.group_version_kind("kind"),
        owner_ref=reader.text("ownerRef"),
        spec_definition=None if spec is None else _spec_definition(spec),
        scale_definition=None if scale is None else _scale_definition(scale),
        status_definition=None if status is None else _status_definition(status),
        suspend_definition=None if suspend is None else _suspend_definition(suspend),
        instance_id_path=reader.expression(Slot.INSTANCE_ID_PATH, "instanceIdPath"),
        pod_selector=None if selector is None else _pod_selector(selector),
    )


def _spec_definition(reader: _Reader) -> SpecDefinition:
    fragments = reader.below("fragmentedPodSpecDefinition")
    return SpecDefinition(
        document=reader.document,
        path=reader.path,
        pod_template_spec_path=reader.expression(Slot.POD_TEMPLATE_SPEC_PATH, "podTemplateSpecPath"),
        pod_spec_path=reader.expression(Slot.POD_SPEC_PATH, "podSpecPath"),
        metadata_path=reader.expression(Slot.METADATA_PATH, "metadataPath"),
        fragmented=None if fragments is None else _fragmented(fragments),
    )


def _fragmented(reader: _Reader) -> FragmentedPodSpec:
    return FragmentedPodSpec(
        document=reader.document,
        path=reader.path,
        scheduler_name_path=reader.expression(Slot.SCHEDULER_NAME_PATH, "schedulerNamePath"),
        labels_path=reader.expression(Slot.LABELS_PATH, "labelsPath"),
        annotations_path=reader.expression(Slot.ANNOTATIONS_PATH, "annotationsPath"),
        resources_path=reader.expression(Slot.RESOURCES_PATH, "resourcesPath"),
        resource_claims_path=reader.expression(Slot.RESOURCE_CLAIMS_PATH, "resourceClaimsPath"),
        pod_affinity_path=reader.expression(Slot.POD_AFFINITY_PATH, "podAffinityPath"),
        node_affinity_path=reader.expression(Slot.NODE_AFFINITY_PATH, "nodeAffinityPath"),
        containers_path=reader.expression(Slot.CONTAINERS_PATH, "containersPath"),
        container_path=reader.expression(Slot.CONTAINER_PATH, "containerPath"),
        priority_class_name_path=reader.expression(Slot.PRIORITY_CLASS_NAME_PATH, "priorityClassNamePath"),
        image_path=reader.expression(Slot.IMAGE_PATH, "imagePath"),
    )


def _scale_definition(reader: _Reader) -> ScaleDefinition:
    return ScaleDefinition(
        document=reader.document,
        path=reader.path,
        replicas_path=reader.expression(Slot.REPLICAS_PATH, "replicasPath"),
        min_replicas_path=reader.expression(Slot.MIN_REPLICAS_PATH, "minReplicasPath"),
        max_replicas_path=reader.expression(Slot.MAX_REPLICAS_PATH, "maxReplicasPath"),
    )


STATUSES = (
    "initializing",
    "running",
    "completed",
    "failed",
    "degraded",
    "suspended",
    "suspending",
    "resuming",
)
"""The keys of ``statusMappings``."""


def _status_definition(reader: _Reader) -> StatusDefinition:
    conditions = reader.below("conditionsDefinition")
    mappings = reader.below("statusMappings")
    return StatusDefinition(
        document=reader.document,
        path=reader.path,
        phase=reader.expression(Slot.PHASE_PATH, "phaseDefinition", "path"),
        conditions=None
        if conditions is None
        else ConditionsDefinition(
            document=conditions.document,
            path=conditions.path,
            expression=conditions.expression(Slot.CONDITIONS_PATH, "path"),
            type_field_name=conditions.text("typeFieldName"),
            status_field_name=conditions.text("statusFieldName"),
            message_field_name=conditions.text("messageFieldName"),
            reason_field_name=conditions.text("reasonFieldName"),
        ),
        mappings=() if mappings is None else tuple(_status_mappings(mappings)),
    )


def _status_mappings(reader: _Reader) -> Iterator[StatusMapping]:
    assert isinstance(reader.data, dict)
    for status, matchers in reader.data.items():
        if status in STATUSES and isinstance(matchers, list):
            yield StatusMapping(
                document=reader.document,
                path=(*reader.path, status),
                status=status,
                matchers=tuple(_matcher(matcher) for matcher in reader.items(status)),
            )


def _matcher(reader: _Reader) -> Matcher:
    expression = reader.below("byExpression")
    return Matcher(
        document=reader.document,
        path=reader.path,
        by_phase=reader.text("byPhase"),
        by_conditions=tuple(
            ConditionMatcher(
                document=condition.document,
                path=condition.path,
                type=condition.text("type"),
                status=condition.text("status"),
                reason=condition.text("reason"),
            )
            for condition in reader.items("byConditions")
        ),
        by_expression=None
        if expression is None
        else ExpressionMatcher(
            document=expression.document,
            path=expression.path,
            expression=expression.expression(Slot.MATCHER_EXPRESSION, "expression"),
            expected_result=expression.text("expectedResult"),
        ),
    )


def _suspend_definition(reader: _Reader) -> SuspendDefinition:
    return SuspendDefinition(
        document=reader.document,
        path=reader.path,
        suspend_actions=tuple(_suspend_action(item, Slot.SUSPEND_PATH) for item in reader.items("suspendActions")),
        resume_actions=tuple(_suspend_action(item, Slot.RESUME_PATH) for item in reader.items("resumeActions")),
    )


def _suspend_action(reader: _Reader, slot: Slot) -> SuspendAction:
    return SuspendAction(
        document=reader.document,
        path=reader.path,
        expression=reader.expression(slot, "path"),
        value=reader.text("value"),
    )


def _pod_selector(reader: _Reader) -> PodSelector:
    kind = reader.below("componentTypeSelector")
    return PodSelector(
        document=reader.document,
        path=reader.path,
        type_selector=None
        if kind is None
        else ComponentTypeSelector(
            document=kind.document,
            path=kind.path,
            key_path=kind.expression(Slot.TYPE_KEY_PATH, "keyPath"),
            value=kind.text("value"),
            match_labels=kind.text_map("matchLabels"),
        ),
        instance_id_path=reader.expression(Slot.INSTANCE_KEY_PATH, "componentInstanceSelector", "idPath"),
        replica_key_path=reader.expression(Slot.REPLICA_KEY_PATH, "replicaSelector", "keyPath"),
    )


def _gang(reader: _Reader) -> GangScheduling:
    group = reader.below("podGroup")
    return GangScheduling(
        document=reader.document,
        path=reader.path,
        pod_group=None
        if group is None
        else PodGroup(
            document=group.document,
            path=group.path,
            name=group.text("name"),
            sub_groups=tuple(
                SubGroup(
                    document=item.document,
                    path=item.path,
                    component_name=item.text("componentName"),
                    topology=_topology(item),
                )
                for item in group.items("subGroups")
            ),
            topology=_topology(group),
        ),
        pod_groups=tuple(
            KeyedPodGroup(
                document=item.document,
                path=item.path,
                name=item.text("name"),
                members=tuple(
                    PodGroupMember(
                        document=member.document,
                        path=member.path,
                        component_name=member.text("componentName"),
                        group_by_key_paths=member.expressions(Slot.GROUP_KEY_PATH, "groupByKeyPaths"),
                        filters=member.expressions(Slot.FILTER, "filters"),
                    )
                    for member in item.items("members")
                ),
            )
            for item in reader.items("podGroups")
        ),
    )


def _topology(reader: _Reader) -> Topology | None:
    place = reader.below("topology")
    if place is None:
        return None
    return Topology(
        document=place.document,
        path=place.path,
        topology_name=place.text("topologyName"),
        preferred_topology_level=place.text("preferredTopologyLevel"),
        required_topology_level=place.text("requiredTopologyLevel"),
    )
