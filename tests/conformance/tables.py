"""The cases: what each says, the definition it is about, its object and its pods.

A case is a mapping. What it is about:

``says``      ``<where>: <what>``; ``where`` names places of the specification, separated by commas: a section
              (``2.5``), a row of one of its tables (``8.2#3``), a golden vector (``A12``), an interpreter vector
              (``I5``), a worked example (``W2``), a trap (``trap 31``)
``deviates``  why ours answers otherwise than a consumer would, where it does
``program``   jq, run on ``input``; else there is a definition:
``text``      a file, word for word
``definition``  a definition in full
``root``      fields of the root, over a name, a kind and an empty ``statusDefinition``
``status``    the root's ``statusDefinition``
``component``, ``components``  children; they are called ``worker``, and owned by ``root``, unless they say otherwise
``gang``      ``gangScheduling``
``object``    the workload, over an apiVersion, a kind and metadata
``pods``      pods: ``name``, ``labels``, ``annotations`` and ``owners`` are put where they belong
``admitted``  whether the API server has filled in its defaults
``about``     the component that is asked about, where it is not the first child or the root
``suspend``, ``resume``  makes the change; ``write`` is a path and a value, ``update`` what is to become of pods
``expect``    the answers; only what is named is looked at (see ``test_conformance.py``)
"""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import yaml

from tests.resolve.evaluation import definition_of
from wmap_lint.definition import Component, Definition

FOLDER = Path(__file__).parent / "cases"
FILES = sorted(FOLDER.glob("*.yaml"))
FIELDS = frozenset(
    "says deviates program input text definition root status component components gang object pods owners admitted "
    "about suspend resume write update expect".split()
)
WIDGET = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "n", "uid": "U"}}
_REFERENCE = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "w", "uid": "U", "controller": True}
# A tenth of the time, where PyYAML was built with it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WHERE = re.compile(r"((?:\d\.?\d?(?:#\d+)?|A\d+|I\d+|W\d|trap \d+)(?:, |(?=: )))+: \S")


class Case:
    """One case of a table."""

    def __init__(self, file: str, fields: dict[str, Any]) -> None:
        self.file = file
        self.fields = fields
        self.says: str = fields["says"]
        self.expect: dict[str, Any] = fields["expect"]

    @property
    def name(self) -> str:
        return f"{self.file}: {self.says}"

    @property
    def is_well_formed(self) -> bool:
        return bool(_WHERE.match(self.says) and self.expect) and self.fields.keys() <= FIELDS

    @property
    def where(self) -> list[str]:
        return self.says.partition(": ")[0].split(", ")

    def __getitem__(self, field: str) -> Any:
        return self.fields.get(field)

    @property
    def document(self) -> dict[str, Any]:
        """The definition as data."""
        if self["definition"] is not None:
            return copy.deepcopy(self["definition"])
        root = {
            "name": "root",
            "kind": {"group": "example.com", "version": "v1", "kind": "Widget"},
            "statusDefinition": self["status"] or {"statusMappings": {}},
            **(self["root"] or {}),
        }
        structure: dict[str, Any] = {"rootComponent": {key: each for key, each in root.items() if each != "absent"}}
        children = self["components"] or ([] if self["component"] is None else [self["component"]])
        if children:
            structure["childComponents"] = [
                {key: each for key, each in {"name": "worker", "ownerRef": "root", **child}.items() if each != "absent"}
                for child in children
            ]
        spec: dict[str, Any] = {"structureDefinition": structure}
        if self["gang"] is not None:
            spec["optimizationInstructions"] = {"gangScheduling": self["gang"]}
        return {
            "apiVersion": "run.ai/v1alpha1",
            "kind": "WorkloadMap",
            "metadata": {"name": "example-com-widget-v1"},
            "spec": spec,
        }

    @property
    def text(self) -> str:
        """The definition as a file holds it."""
        return self["text"] or json.dumps(self.document, indent=1, ensure_ascii=False)

    @property
    def definition(self) -> Definition:
        return definition_of(self.document)

    def component(self, definition: Definition) -> Component:
        """The component that the case is about."""
        about = self["about"]
        found = definition.component(about) if about else (definition.children or (definition.root,))[0]
        assert found is not None
        return found

    @property
    def workload(self) -> Any:
        subject = {} if self["object"] is None else self["object"]
        return {**copy.deepcopy(WIDGET), **subject} if isinstance(subject, dict) else subject

    @property
    def pods(self) -> list[dict[str, Any]]:
        return [_pod(each) for each in self["pods"] or ()]


def _pod(short: dict[str, Any]) -> dict[str, Any]:
    rest = {key: each for key, each in short.items() if key not in ("name", "labels", "annotations", "owners")}
    metadata = {key: short[key] for key in ("name", "labels", "annotations") if key in short}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": "n", "ownerReferences": short.get("owners", [_REFERENCE]), **metadata},
        "spec": {"containers": [{"name": "main", "image": "main"}]},
        **rest,
    }


def load_cases() -> list[Case]:
    """All cases, in the order of their files."""
    found = []
    for file in FILES:
        found += [Case(file.stem, fields) for fields in yaml.load(file.read_text(encoding="utf-8"), _LOADER)]
    return found


CASES = load_cases()
