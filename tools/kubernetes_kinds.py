"""Write ``schema/kubernetes.json``: the fields of the kinds that Kubernetes itself serves.

There is no CustomResourceDefinition for them, so their schemas are taken from ``kubernetes-validate``, which ships
the OpenAPI document of every release. Run it again with a newer version of that package, and review the difference:

    python -m tools.kubernetes_kinds

The file holds a table of nodes (see ``wmap_lint/shape.py``), which of them each kind is, and the names of all kinds
of all groups.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from wmap_lint.shape import TableBuilder, reduce_schema

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "schema" / "kubernetes.json"
PREFIX = "#/$defs/"
OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
POD_TEMPLATE = "io.k8s.api.core.v1.PodTemplateSpec"
POD = "io.k8s.api.core.v1.Pod"
#: Types whose JSON is not what their schema says by itself.
SPECIAL: dict[str, dict[str, Any]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"x-kubernetes-int-or-string": True},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"x-kubernetes-int-or-string": True},
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": {"type": "string", "format": "date-time"},
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": {"type": "string", "format": "date-time"},
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
}


def references(schema: object) -> Iterator[str]:
    """The names of the definitions that ``schema`` refers to."""
    if isinstance(schema, Mapping):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix(PREFIX)
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def reachable(name: str, definitions: Mapping[str, Any]) -> set[str]:
    """Everything that ``name`` is made of."""
    found: set[str] = set()
    pending = [name]
    while pending:
        if (each := pending.pop()) not in found:
            found.add(each)
            pending.extend(references(definitions[each]))
    return found


def resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """``schema`` without references, in the form that CustomResourceDefinitions have."""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.removeprefix(PREFIX)
        return SPECIAL.get(name) or resolved(definitions[name], definitions)
    found = dict(schema)
    if isinstance(found.get("type"), list):  # every field may be null here; so it may be absent
        (found["type"],) = (kind for kind in found["type"] if kind != "null")
    if "properties" in found:
        found["properties"] = {name: resolved(field, definitions) for name, field in found["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(found.get(key), Mapping):
            found[key] = resolved(found[key], definitions)
    return found


def table(version: str | None) -> dict[str, Any]:
    """What the file holds."""
    releases = resources.files("kubernetes_validate") / "kubernetes-json-schema"
    names = sorted(
        (folder.name for folder in releases.iterdir() if folder.name.endswith("-local")),
        key=lambda name: [int(part) for part in name.removeprefix("v").removesuffix("-local").split(".")],
    )
    name = names[-1] if version is None else f"v{version}-local"
    document = json.loads((releases / name / "_definitions.json").read_text(encoding="utf-8"))
    definitions = document["$defs"]
    builder = TableBuilder()
    nodes = {
        each: reduce_schema(resolved({"$ref": PREFIX + each}, definitions), builder)
        for each in (OBJECT_META, POD_TEMPLATE, POD)
    }
    kinds, groups = [], {}
    for each, schema in sorted(definitions.items()):
        for kind in schema.get("x-kubernetes-group-version-kind", ()):
            if kind["kind"].endswith("List") or not each.startswith("io.k8s.api"):
                continue
            if "ObjectMeta" not in json.dumps(schema.get("properties", {}).get("metadata", {})):
                continue  # an option or an answer, not an object that is stored
            groups.setdefault(kind["group"], {}).setdefault(kind["version"], []).append(kind["kind"])
            if each == POD or POD_TEMPLATE in reachable(each, definitions):
                nodes[each] = reduce_schema(resolved({"$ref": PREFIX + each}, definitions), builder)
                kinds.append({**kind, "node": nodes[each]})
    return {
        "source": f"kubernetes-validate {metadata.version('kubernetes-validate')}",
        "release": name.removesuffix("-local"),
        "metadata": nodes[OBJECT_META],
        "podTemplate": nodes[POD_TEMPLATE],
        "kinds": kinds,
        "groups": {
            group: {each: sorted(set(names)) for each, names in sorted(found.items())}
            for group, found in sorted(groups.items())
        },
        "nodes": builder.nodes,
    }


def text(release: str | None) -> str:
    """The file for a release; a node a line, so that a difference can be read."""
    found = table(release)
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items() if key != "nodes"]
    nodes = ",\n  ".join(json.dumps(node, separators=(",", ":")) for node in found["nodes"])
    return "{\n " + ",\n ".join(lines) + f',\n "nodes": [\n  {nodes}\n ]\n}}\n'


def main() -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Write schema/kubernetes.json.")
    parser.add_argument("--release", help="the release of Kubernetes, 1.36.0; the newest if not given")
    content = text(parser.parse_args().release)
    OUTPUT.write_text(content, encoding="utf-8")
    print(f"{OUTPUT.relative_to(ROOT)}: {json.loads(content)['release']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
