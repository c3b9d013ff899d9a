"""A CustomResourceDefinition to test with."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def an_object(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def a_list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def a_map(members: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": members}


CONTAINER = an_object(
    name=TEXT,
    image=TEXT,
    resources=an_object(
        requests=a_map({"x-kubernetes-int-or-string": True}), limits=a_map({"x-kubernetes-int-or-string": True})
    ),
)
POD_SPEC = an_object(containers=a_list(CONTAINER), schedulerName=TEXT, nodeSelector=a_map(TEXT))
POD_TEMPLATE = an_object(metadata=an_object(labels=a_map(TEXT), annotations=a_map(TEXT)), spec=POD_SPEC)
CONDITION = an_object(
    type=TEXT, status={"type": "string", "enum": ["True", "False", "Unknown"]}, reason=TEXT, since=NUMBER
)

WIDGET: dict[str, Any] = an_object(
    metadata={"type": "object"},
    spec=an_object(
        paused=FLAG,
        mode={"type": "string", "enum": ["On", "Off"]},
        replicas=NUMBER,
        port={"x-kubernetes-int-or-string": True},
        template=POD_TEMPLATE,
        groups=a_list({**an_object(name=TEXT, size=NUMBER, template=POD_TEMPLATE), "required": ["name"]}),
        roles=a_map(an_object(replicas=NUMBER, template=POD_TEMPLATE)),
        bare=an_object(metadata={"type": "object"}, spec=POD_SPEC),
        free={"x-kubernetes-preserve-unknown-fields": True},
        extra=OPEN,
        embedded={
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    ),
    status=an_object(
        phase={"type": "string", "enum": ["Pending", "Ready", "Failed"]},
        ready=NUMBER,
        conditions=a_list(CONDITION),
    ),
)


def crd(
    schema: Any = WIDGET,
    kind: str = "Widget",
    group: str = "example.com",
    versions: tuple[dict[str, Any], ...] = ({"name": "v1"},),
    **spec: Any,
) -> dict[str, Any]:
    """A CRD of ``kind``; each of ``versions`` is served, stored and has ``schema`` unless it says otherwise."""
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "shortNames": [kind[:2].lower()]},
            "scope": "Namespaced",
            "versions": [
                {"served": True, "storage": True, "schema": {"openAPIV3Schema": copy.deepcopy(schema)}, **version}
                for version in versions
            ],
            **spec,
        },
    }


def write_crds(path: Path, *documents: Any) -> Path:
    """``documents`` as one YAML file, without anchors."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Equal parts would be written as aliases.
    plain = copy.deepcopy(documents)
    path.write_text(yaml.dump_all(plain, Dumper=_Plain), encoding="utf-8")
    return path


class _Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True
