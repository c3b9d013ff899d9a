"""From a file of manifests to the workloads in it, each with its pods and the objects between (floor 3)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wmap_lint.catalog import Catalog, Match, Request
from wmap_lint.record import Record
from wmap_lint.resolve.pods import Ownership, by_uid, ownership, possible_owners
from wmap_lint.source import ReadLimits, read_data

LIMITS = ReadLimits(max_bytes=256 * 1024 * 1024, max_depth=300, max_nodes=20_000_000)
"""A whole namespace may be in one file."""

_MOST_NAMED = 3


class UnreadableError(ValueError):
    """A file that is not YAML or JSON, or holds no object: one clear line."""


def read_objects(data: bytes, name: str) -> list[Mapping[str, Any]]:
    """The objects in a YAML stream or a JSON text, those inside a ``List`` one by one; ``name`` is for messages.

    Raises :class:`UnreadableError`.
    """
    return [each for document in _documents(data, name) for each in _objects(document)]


def _documents(data: bytes, name: str) -> Sequence[Any]:
    if data.lstrip()[:1] == b"{":
        try:
            return [json.loads(data)]
        except (ValueError, RecursionError):
            pass  # several JSON texts, or YAML that begins like one
    reading = read_data(data, name, LIMITS)
    fatal = next((each for each in reading.problems if each.rule in ("WM001", "WM003")), None)
    if fatal is not None:
        raise UnreadableError(f"{fatal.span.file}:{fatal.span.line}:{fatal.span.column}: {fatal.message}")
    return reading.documents


def _objects(document: Any) -> Iterator[Mapping[str, Any]]:
    if not isinstance(document, Mapping):
        return
    items = document.get("items")
    if isinstance(items, list) and str(document.get("kind") or "").endswith("List"):
        for item in items:
            yield from _objects(item)
    else:
        yield document


class Selection(Record):
    """What is to be shown: a request a workload. ``notes`` are whole sentences about pods that were left out."""

    requests: tuple[Request, ...]
    notes: tuple[str, ...]


def select(objects: Sequence[Mapping[str, Any]], catalog: Catalog) -> Selection:
    """Find the workloads among ``objects``: those a definition covers and that no other such object owns.

    The pods are given to the workload that their owners lead to; the rest of the objects are those owners. A pod is
    a workload itself if nothing controls it, or if there are pods alone. Where one workload is of another kind, the
    pods that lead nowhere are given to it, which says what is wrong with them.
    """
    covered = [(each, match) for each in objects if (match := catalog.find(each)) is not None]
    owners = [each for each in objects if not _is_pod(each)]
    chain = by_uid(objects)
    referred = {id(each) for each in possible_owners(objects)}
    above = [each for each, _ in covered if id(each) in referred]
    workloads = [
        (each, match)
        for each, match in covered
        if not any(other is not each and ownership(each, other, chain)[0] is Ownership.OWNED for other in above)
        and not (owners and _is_pod(each) and _is_controlled(each, chain))
    ]
    others = [index for index, (each, _) in enumerate(workloads) if not _is_pod(each)]
    shown = {id(each): index for index, (each, _) in enumerate(workloads)}
    own: list[list[Mapping[str, Any]]] = [[] for _ in workloads]
    left = []
    for pod in objects:
        if not _is_pod(pod) or id(pod) in shown:
            continue
        for workload in above:
            index = shown.get(id(workload))
            if index is not None and ownership(pod, workload, chain)[0] is Ownership.OWNED:
                own[index].append(pod)
                break
        else:
            left.append(pod)
    notes: tuple[str, ...] = ()
    if len(others) == 1:
        own[others[0]] += left
        notes = _unknown_owners(left, chain, "are taken for those of the workload")
    elif workloads:
        notes = _unknown_owners(left, chain, "are left out")
    requests = [_request(each, match, mine, owners) for (each, match), mine in zip(workloads, own, strict=True)]
    return Selection(tuple(requests), notes)


def _request(
    workload: Mapping[str, Any], match: Match, pods: Sequence[Mapping[str, Any]], owners: Sequence[Mapping[str, Any]]
) -> Request:
    root = match.definition.root
    kind = None if root is None else root.kind
    if kind is not None and (kind.group, kind.kind) == ("", "Pod"):
        pods = [workload, *pods]  # it is its own pod
    return Request(match.definition, workload, pods, owners, match.note)


def _is_controlled(pod: Mapping[str, Any], chain: Mapping[str, Any]) -> bool:
    return ownership(pod, None, chain) != (Ownership.FOREIGN, "")


def _unknown_owners(pods: Sequence[Mapping[str, Any]], chain: Mapping[str, Any], fate: str) -> tuple[str, ...]:
    chains = [ownership(pod, None, chain) for pod in pods]
    missing = list(dict.fromkeys(last for owned, last in chains if owned is Ownership.UNKNOWN))
    if not missing:
        return ()
    names = ", ".join(missing[:_MOST_NAMED]) + (" and others" if len(missing) > _MOST_NAMED else "")
    count = sum(owned is Ownership.UNKNOWN for owned, _ in chains)
    return (f"{count} pod{'s' * (count != 1)} whose owners are not in the file ({names}) {fate}.",)


def first_uncovered(objects: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The object to name when no definition covers any: the first that is no pod, else the first."""
    return next((each for each in objects if not _is_pod(each)), next(iter(objects), None))


def described(workload: Mapping[str, Any]) -> str:
    """``JobSet jobset.x-k8s.io/v1alpha2``."""
    kind, version = workload.get("kind"), workload.get("apiVersion")
    return " ".join(str(each) for each in (kind, version) if each) or "an object without a kind"


def _is_pod(item: Mapping[str, Any]) -> bool:
    return item.get("apiVersion") == "v1" and item.get("kind") == "Pod"


__all__ = [
    "LIMITS",
    "Selection",
    "UnreadableError",
    "described",
    "first_uncovered",
    "read_objects",
    "select",
]
