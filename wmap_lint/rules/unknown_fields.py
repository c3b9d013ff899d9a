"""What the author of an unknown field probably meant.

Consumers pass over a field they do not know, so a misspelt one is as good as absent. Knowing what it stands
for makes one finding of two: the unknown field is reported, the field that is therefore missing is not.
"""

from __future__ import annotations

from collections.abc import Iterable

from wmap_lint.paths import DocumentPath
from wmap_lint.record import Record
from wmap_lint.schema import SchemaProblem, field_locations, field_type
from wmap_lint.spelling import nearest

NEAR = 3
"""A field of the same name further away than this (levels up plus levels down) is no suggestion."""

MOST_PLACES = 3
"""With more places than this to choose from, naming them helps nobody."""

# Names that people use for a field, or that it had in earlier versions or in guides; the first ones known at
# the place are meant. Keys are in lower case.
CONFUSIONS: dict[str, tuple[str, ...]] = {
    "active": ("running",),
    "additionalkinds": ("additionalChildKinds",),
    "apiversion": ("group", "version"),
    "children": ("childComponents",),
    "childkinds": ("additionalChildKinds",),
    "complete": ("completed",),
    "component": ("componentName",),
    "componentref": ("componentName",),
    "components": ("childComponents",),
    "componentselector": ("componentTypeSelector",),
    "condition": ("byConditions",),
    "conditions": ("byConditions", "conditionsDefinition"),
    "conditionspath": ("conditionsDefinition",),
    "creating": ("initializing",),
    "error": ("failed",),
    "expected": ("expectedResult",),
    "expectedvalue": ("expectedResult",),
    "filter": ("filters",),
    "fragmentedpoddefinition": ("fragmentedPodSpecDefinition",),
    "fragmentedpodspec": ("fragmentedPodSpecDefinition",),
    "fragmentedpodspecpath": ("fragmentedPodSpecDefinition",),
    "gang": ("gangScheduling",),
    "groupby": ("groupByKeyPaths",),
    "groupbyexpressions": ("groupByKeyPaths",),
    "groupbykeys": ("groupByKeyPaths",),
    "gvk": ("kind",),
    "idpath": ("keyPath", "instanceIdPath"),
    "instanceidspath": ("instanceIdPath",),
    "instancepath": ("instanceIdPath",),
    "instanceselector": ("componentInstanceSelector",),
    "jq": ("expression",),
    "keypath": ("idPath",),
    "labels": ("matchLabels",),
    "mappings": ("statusMappings",),
    "maxreplicas": ("maxReplicasPath",),
    "message": ("messageFieldName",),
    "messagefield": ("messageFieldName",),
    "minreplicas": ("minReplicasPath",),
    "name": ("componentName",),
    "optimization": ("optimizationInstructions",),
    "optimizations": ("optimizationInstructions",),
    "owner": ("ownerRef",),
    "ownername": ("ownerRef",),
    "ownerreference": ("ownerRef",),
    "parent": ("ownerRef",),
    "parentref": ("ownerRef",),
    "path": ("expression", "keyPath", "idPath"),
    "paused": ("suspended",),
    "pending": ("initializing",),
    "phase": ("byPhase", "phaseDefinition"),
    "phasepath": ("phaseDefinition",),
    "podmetadatapath": ("metadataPath",),
    "podtemplate": ("podTemplateSpecPath",),
    "podtemplatepath": ("podTemplateSpecPath",),
    "ready": ("running",),
    "reason": ("reasonFieldName",),
    "reasonfield": ("reasonFieldName",),
    "referencedcomponents": ("childComponents",),
    "replicas": ("replicasPath",),
    "replicapath": ("replicasPath",),
    "resume": ("resumeActions",),
    "root": ("rootComponent",),
    "scale": ("scaleDefinition",),
    "selector": ("podSelector",),
    "spec": ("specDefinition",),
    "status": ("statusDefinition", "statusFieldName"),
    "statusfield": ("statusFieldName",),
    "structure": ("structureDefinition",),
    "succeeded": ("completed",),
    "success": ("completed",),
    "suspend": ("suspendActions", "suspendDefinition"),
    "templatepath": ("podTemplateSpecPath",),
    "type": ("typeFieldName",),
    "typefield": ("typeFieldName",),
    "typeselector": ("componentTypeSelector",),
}


class UnknownField(Record):
    """An unknown field and what it may stand for.

    ``path`` leads to the field. ``meant`` holds the paths of the fields that may be meant, best guess only; a
    list position that is not known is ``"*"``. ``rename`` is the name to use at the same place when there is
    exactly one, it is not taken and it can hold the value.
    """

    path: DocumentPath
    known: tuple[str, ...]
    meant: tuple[DocumentPath, ...]
    rename: str | None

    @property
    def name(self) -> str:
        """The field as written."""
        return str(self.path[-1])


def _elsewhere(name: str, parent: DocumentPath) -> tuple[DocumentPath, ...]:
    """Nearest places of the schema that know a field called ``name``, seen from the mapping at ``parent``."""
    here = tuple("*" if isinstance(step, int) else step for step in parent)
    places: dict[DocumentPath, int] = {}
    for place in field_locations().get(name, ()):
        common = 0
        while common < min(len(here), len(place)) and here[common] == place[common]:
            common += 1
        places[(*parent[:common], *place[common:], name)] = len(here) + len(place) - 2 * common
    best = min(places.values(), default=0)
    if best > NEAR:
        return ()
    return tuple(place for place, distance in places.items() if distance == best)


def explain(problem: SchemaProblem, siblings: Iterable[str]) -> UnknownField:
    """What the unknown field of ``problem`` stands for; ``siblings`` are the keys written beside it."""
    name = str(problem.name)
    parent = problem.path[:-1]
    known = problem.expected
    here = (
        tuple(field for field in known if field.lower() == name.lower())
        or tuple(field for field in CONFUSIONS.get(name.lower(), ()) if field in known)[: _how_many(name)]
        or nearest(name, known, min(2, max(1, len(name) // 4)) if len(name) > 2 else 0)
    )
    meant = tuple((*parent, field) for field in here)
    # What cannot hold such a value is the second choice: `expression` beside `byPhase` belongs into
    # `byExpression`.
    if not any(_can_hold(path, problem.value) for path in meant):
        elsewhere = _elsewhere(name, parent)
        if elsewhere:
            here, meant = (), elsewhere
    if not meant:
        here = nearest(name, known) or tuple(
            field
            for field in known
            if len(name) > 3 and (name.lower() in field.lower() or field.lower() in name.lower())
        )
        meant = tuple((*parent, field) for field in here)
    if not meant:
        meant = tuple(place for other in CONFUSIONS.get(name.lower(), ()) for place in _elsewhere(other, parent))
    if len(meant) > MOST_PLACES:
        meant = ()
    taken = frozenset(siblings)
    fits = len(here) == 1 and meant and here[0] not in taken and _can_hold(meant[0], problem.value)
    rename = here[0] if fits else None
    return UnknownField(problem.path, known, meant, rename)


def _can_hold(path: DocumentPath, value: object) -> bool:
    """Whether the field at ``path`` has the type of ``value``; a scalar counts as the string it may mean."""
    wanted = field_type(path)
    if isinstance(value, dict):
        return wanted == "object"
    if isinstance(value, list):
        return wanted == "array"
    return wanted == "string" or value is None


def _how_many(name: str) -> int:
    # `apiVersion` in a kind stands for two fields at once; all other names stand for one.
    return 2 if name.lower() == "apiversion" else 1
