"""What a pod asks for, as the scheduler computes it (floor 2; the Kubernetes scheduler's ``PodRequests``).

A pod needs, for each resource, whatever is larger: all its containers and sidecars at once, or the moment an
init container runs beside the sidecars started before it. Pod-level requests replace that sum; overhead is
added. A limit without a request is a request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from wmap_lint.resolve.quantity import Quantity, QuantityError

Amounts = dict[str, Quantity]

#: Resources that may be set for a pod as a whole.
_POD_LEVEL: Final = ("cpu", "memory")
_POD_LEVEL_PREFIX: Final = "hugepages-"

_GPU_NAMES: Final = frozenset(
    {"nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi", "google.com/tpu"}
)
_GPU_PREFIXES: Final = ("nvidia.com/mig-", "gpu.intel.com/", "nvidia.com/gpu.", "amd.com/gpu_")
# Their siblings that count memory, monitors or shares, not devices.
_NOT_GPUS: Final = frozenset(
    {"gpu.intel.com/i915_monitoring", "gpu.intel.com/xe_monitoring", "gpu.intel.com/memory.max"}
)


@dataclass(frozen=True, slots=True)
class PodResources:
    """Requests and limits of one pod, by resource; ``claims`` counts DRA resource claims.

    ``problems`` names what could not be read; such an amount counts as nothing.
    """

    requests: Mapping[str, Quantity]
    limits: Mapping[str, Quantity]
    claims: int
    problems: tuple[str, ...] = ()


def is_gpu(resource: str) -> bool:
    """Whether a resource counts GPUs (whole ones, MIG slices, other vendors' accelerators)."""
    if resource in _NOT_GPUS:
        return False
    return resource in _GPU_NAMES or resource.startswith(_GPU_PREFIXES)


def gpus(amounts: Mapping[str, Quantity]) -> Quantity:
    """The number of GPUs in ``amounts``, all vendors together."""
    return _total(Quantity(0), (amount for resource, amount in amounts.items() if is_gpu(resource)))


def _total(start: Quantity, amounts: Iterable[Quantity]) -> Quantity:
    for amount in amounts:
        start = start + amount
    return start


def add(one: Mapping[str, Quantity], other: Mapping[str, Quantity]) -> Amounts:
    """The sum, resource by resource."""
    result = dict(one)
    for resource, amount in other.items():
        result[resource] = result[resource] + amount if resource in result else amount
    return result


def times(amounts: Mapping[str, Quantity], count: int) -> Amounts:
    """``amounts``, ``count`` times."""
    return {resource: amount * count for resource, amount in amounts.items()}


def _larger(one: Mapping[str, Quantity], other: Mapping[str, Quantity]) -> Amounts:
    result = dict(one)
    for resource, amount in other.items():
        if resource not in result or amount > result[resource]:
            result[resource] = amount
    return result


def pod_resources(pod_spec: Mapping[str, object]) -> PodResources:
    """What a pod with this spec needs. Values of the wrong type are problems, never exceptions."""
    # The pods of a role ask for the same; the text of what is read here tells whether that is so.
    asked = repr([_asked(pod_spec.get(name)) for name in _READ])
    known = _KNOWN.get(asked)
    if known is None:
        known = _pod_resources(pod_spec)
        if len(asked) <= _LONGEST_KNOWN:
            if len(_KNOWN) >= _MOST_KNOWN:
                _KNOWN.clear()
            _KNOWN[asked] = known
    return known


_READ: Final = ("containers", "initContainers", "resources", "overhead", "resourceClaims")
_READ_OF_CONTAINER: Final = ("name", "resources", "restartPolicy")
_KNOWN: Final[dict[str, PodResources]] = {}
_MOST_KNOWN: Final = 1000
_LONGEST_KNOWN: Final = 2000


def _asked(value: object) -> object:
    if isinstance(value, list):
        return [[each.get(name) for name in _READ_OF_CONTAINER] if isinstance(each, dict) else each for each in value]
    return value


def _pod_resources(pod_spec: Mapping[str, object]) -> PodResources:
    reader = _Reader()
    requests = reader.effective(pod_spec, "requests")
    limits = reader.effective(pod_spec, "limits")
    claims = pod_spec.get("resourceClaims")
    return PodResources(
        requests, limits, len(claims) if isinstance(claims, list) else 0, tuple(dict.fromkeys(reader.problems))
    )


class _Reader:
    def __init__(self) -> None:
        self.problems: list[str] = []

    def effective(self, pod_spec: Mapping[str, object], which: str) -> Amounts:
        running: Amounts = {}
        for where, container in self.containers(pod_spec, "containers"):
            running = add(running, self.amounts(container, where, which))
        sidecars: Amounts = {}
        starting: Amounts = {}
        for where, container in self.containers(pod_spec, "initContainers"):
            amounts = self.amounts(container, where, which)
            if container.get("restartPolicy") == "Always":
                sidecars = add(sidecars, amounts)
                starting = _larger(starting, sidecars)
            else:
                starting = _larger(starting, add(sidecars, amounts))
        total = _larger(add(running, sidecars), starting)
        for resource, amount in self.amounts(pod_spec, "the pod", which).items():
            if resource in _POD_LEVEL or resource.startswith(_POD_LEVEL_PREFIX):
                total[resource] = amount
        overhead = pod_spec.get("overhead")
        if isinstance(overhead, dict):
            extra = self.quantities(overhead, "overhead")
            # A limit that is not set stays unset; overhead alone limits nothing.
            total = add(total, extra if which == "requests" else {name: extra[name] for name in extra if name in total})
        return total

    def containers(self, pod_spec: Mapping[str, object], field: str) -> Iterable[tuple[str, Mapping[str, object]]]:
        containers = pod_spec.get(field)
        if containers is None:
            return
        if not isinstance(containers, list):
            self.problems.append(f"{field} is no list")
            return
        for position, container in enumerate(containers):
            if isinstance(container, dict):
                name = container.get("name")
                yield f"container {name!r}" if isinstance(name, str) else f"{field}[{position}]", container
            else:
                self.problems.append(f"{field}[{position}] is no object")

    def amounts(self, holder: Mapping[str, object], where: str, which: str) -> Amounts:
        """Requests (limits stand in for missing ones) or limits of a container or of a pod."""
        resources = holder.get("resources")
        if resources is None:
            return {}
        if not isinstance(resources, dict):
            self.problems.append(f"resources of {where} is no object")
            return {}
        limits = self.quantities(resources.get("limits"), f"limits of {where}")
        if which == "limits":
            return limits
        return {**limits, **self.quantities(resources.get("requests"), f"requests of {where}")}

    def quantities(self, amounts: object, where: str) -> Amounts:
        if amounts is None:
            return {}
        if not isinstance(amounts, dict):
            self.problems.append(f"{where} is no object")
            return {}
        result: Amounts = {}
        for resource, amount in amounts.items():
            try:
                if not isinstance(amount, str | int | float):
                    raise QuantityError(f"{amount!r} is no quantity")
                result[str(resource)] = Quantity.parse(amount)
            except QuantityError as error:
                self.problems.append(f"{where}: {resource}: {error}")
        return result
