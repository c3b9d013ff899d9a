"""The kinds that Kubernetes itself serves, as shapes (floor 1).

Their fields come with the package, in ``schema/kubernetes.json``, which ``tools/kubernetes_kinds.py`` writes.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any, Final

from wmap_lint.shape import Shape, ShapeTable
from wmap_lint.shipped import shipped


@functools.cache
def _data() -> Any:
    return json.loads((shipped("schema") / "kubernetes.json").read_text(encoding="utf-8"))


@functools.cache
def _table() -> ShapeTable:
    return ShapeTable(_data()["nodes"])


def release() -> str:
    """The release of Kubernetes the shapes are of, ``v1.37.0``."""
    return str(_data()["release"])


@functools.cache
def kinds() -> Mapping[tuple[str, str, str], Shape]:
    """The kinds that run pods, by group, version and kind."""
    table = _table()
    return {(each["group"], each["version"], each["kind"]): table.shape(each["node"]) for each in _data()["kinds"]}


_SHORT_NAMES: Final = {
    "Pod": "po",
    "Deployment": "deploy",
    "StatefulSet": "sts",
    "DaemonSet": "ds",
    "ReplicaSet": "rs",
    "ReplicationController": "rc",
    "CronJob": "cj",
}


def names(kind: str) -> tuple[str, ...]:
    """What ``kubectl`` calls a kind: in lower case, its plural, its short name."""
    return (kind.lower(), f"{kind.lower()}s", _SHORT_NAMES.get(kind, kind.lower()))


def full_name(group: str, kind: str) -> str:
    """``deployments.apps``; of the core group, the plural alone."""
    return f"{kind.lower()}s.{group}".rstrip(".")


def groups() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The names of all kinds, by group and version."""
    found: Mapping[str, Mapping[str, tuple[str, ...]]] = _data()["groups"]
    return found


def object_meta() -> Shape:
    """``metadata`` of any object."""
    return _table().shape(_data()["metadata"])


def pod() -> Shape:
    """A Pod."""
    return kinds()["", "v1", "Pod"]


def pod_template() -> Shape:
    """A PodTemplateSpec."""
    return _table().shape(_data()["podTemplate"])
