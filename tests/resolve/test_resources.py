from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap_lint.resolve.resources import add, gpus, is_gpu, pod_resources, times


def container(name: str = "c", always: bool = False, **requests: Any) -> dict[str, Any]:
    result: dict[str, Any] = {"name": name, "resources": {"requests": requests}}
    if always:
        result["restartPolicy"] = "Always"
    return result


def texts(amounts: Any) -> dict[str, str]:
    return {name: str(amount) for name, amount in amounts.items()}


def requests(**spec: Any) -> dict[str, str]:
    result = pod_resources(spec)
    assert not result.problems
    return texts(result.requests)


def test_containers_run_together() -> None:
    assert requests(containers=[container(cpu="500m"), container(cpu="1", memory="1Gi")]) == {
        "cpu": "1500m",
        "memory": "1Gi",
    }


def test_the_largest_init_container_counts_where_it_is_larger() -> None:
    assert requests(
        containers=[container(cpu="1", memory="1Gi")],
        initContainers=[container(cpu="2"), container(cpu="1500m", memory="512Mi")],
    ) == {"cpu": "2", "memory": "1Gi"}


def test_sidecars_run_beside_the_containers() -> None:
    assert requests(containers=[container(cpu="1")], initContainers=[container(always=True, cpu="200m")]) == {
        "cpu": "1200m"
    }


def test_an_init_container_runs_beside_the_sidecars_before_it_only() -> None:
    before = [container(always=True, cpu="1"), container(cpu="3")]
    after = [container(cpu="3"), container(always=True, cpu="1")]
    assert requests(containers=[container(cpu="1")], initContainers=before) == {"cpu": "4"}
    assert requests(containers=[container(cpu="1")], initContainers=after) == {"cpu": "3"}


def test_a_limit_stands_in_for_a_missing_request() -> None:
    spec = {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "4", "cpu": "2"}, "requests": {"cpu": "1"}}}]}
    assert texts(pod_resources(spec).requests) == {"nvidia.com/gpu": "4", "cpu": "1"}
    assert texts(pod_resources(spec).limits) == {"nvidia.com/gpu": "4", "cpu": "2"}


def test_pod_level_requests_replace_the_sum_and_overhead_is_added() -> None:
    assert requests(
        containers=[container(cpu="1", memory="1Gi", **{"nvidia.com/gpu": 1})],
        resources={"requests": {"cpu": "4", "nvidia.com/gpu": "9"}},
        overhead={"cpu": "100m", "memory": "64Mi"},
    ) == {"cpu": "4100m", "memory": "1088Mi", "nvidia.com/gpu": "1"}


def test_overhead_adds_to_the_limits_there_are() -> None:
    spec = {"containers": [{"resources": {"limits": {"cpu": "1"}}}], "overhead": {"cpu": "1", "memory": "1Gi"}}
    assert texts(pod_resources(spec).limits) == {"cpu": "2"}


def test_claims_are_counted() -> None:
    assert pod_resources({"resourceClaims": [{"name": "gpu"}, {"name": "nic"}]}).claims == 2


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("nvidia.com/gpu", True),
        ("nvidia.com/mig-1g.5gb", True),
        ("amd.com/gpu", True),
        ("gpu.intel.com/i915", True),
        ("gpu.intel.com/xe", True),
        ("gpu.intel.com/i915_monitoring", False),
        ("cpu", False),
        ("rdma/hca", False),
        ("nvidia.com/gpumem", False),
    ],
)
def test_what_counts_as_a_gpu(resource: str, expected: bool) -> None:
    assert is_gpu(resource) is expected


def test_gpus_of_all_vendors_are_summed() -> None:
    spec = {"containers": [container(**{"nvidia.com/gpu": "2", "nvidia.com/mig-1g.5gb": "1", "cpu": "8"})]}
    assert str(gpus(pod_resources(spec).requests)) == "3"


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"containers": "x"}, "containers is no list"),
        ({"containers": [1]}, "containers[0] is no object"),
        ({"containers": [{"name": "a", "resources": []}]}, "resources of container 'a' is no object"),
        (
            {"containers": [{"name": "a", "resources": {"limits": {"cpu": "x"}}}]},
            "limits of container 'a': cpu: 'x' is no quantity",
        ),
        (
            {"containers": [{"name": "a", "resources": {"requests": {"cpu": None}}}]},
            "requests of container 'a': cpu: None is no quantity",
        ),
        ({"containers": [{"resources": {"requests": [1]}}]}, "requests of containers[0] is no object"),
    ],
)
def test_what_cannot_be_read_is_a_problem(spec: dict[str, Any], problem: str) -> None:
    result = pod_resources(spec)
    assert result.problems == (problem,)
    assert result.requests == {}


resource_maps = st.dictionaries(st.sampled_from(["cpu", "memory", "nvidia.com/gpu"]), st.integers(0, 9).map(str))
containers = st.lists(resource_maps.map(lambda amounts: {"resources": {"requests": amounts}}), max_size=4)


@given(containers, st.integers(0, 5))
def test_containers_in_any_order_ask_for_the_same(items: list[dict[str, Any]], rotation: int) -> None:
    rotated = items[rotation:] + items[:rotation]
    assert pod_resources({"containers": items}).requests == pod_resources({"containers": rotated}).requests


@given(containers, st.integers(0, 4))
def test_times_is_repeated_addition(items: list[dict[str, Any]], count: int) -> None:
    amounts = pod_resources({"containers": items}).requests
    total: dict[str, Any] = {name: amount * 0 for name, amount in amounts.items()}
    for _ in range(count):
        total = add(total, amounts)
    assert total == times(amounts, count)


fields = st.sampled_from(
    ["containers", "initContainers", "resources", "limits", "requests", "cpu", "overhead", "name", "restartPolicy"]
)
scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=4)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(fields, inner, max_size=4),
    max_leaves=12,
)


@given(trees)
def test_any_pod_spec_is_read_without_an_exception(value: object) -> None:
    pod_resources(value if isinstance(value, dict) else {"containers": value})
