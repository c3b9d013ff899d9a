"""The tree, as text."""

from __future__ import annotations

import re
from typing import Any

import pytest

from wmap_lint.report.characters import columns
from wmap_lint.report.style import Style
from wmap_lint.report.tree import TreeOptions, limited, render_tree, status_role
from wmap_lint.resolve.gang import Gang, SubGroupView
from wmap_lint.resolve.quantity import Quantity
from wmap_lint.resolve.resources import add, gpus, times
from wmap_lint.resolve.view import ComponentView, PodView, Problem, Totals, WorkloadView


def pod(name: str, node: str | None = "node-1", requests: dict[str, str] | None = None, **changes: Any) -> PodView:
    fields: dict[str, Any] = {"phase": "Running", "ready": True, "reason": None, "replica": (), "claims": 0}
    return PodView(name=name, node=node, requests=quantities(requests or {}), **{**fields, **changes})


def quantities(amounts: dict[str, str]) -> dict[str, Quantity]:
    return {name: Quantity.parse(amount) for name, amount in amounts.items()}


def node(
    name: str,
    desired: int,
    requests: dict[str, str] | None = None,
    *pods: PodView,
    children: tuple[ComponentView, ...] = (),
    claims: int = 0,
    **changes: Any,
) -> ComponentView:
    total: Any = times(quantities(requests or {}), desired)
    count = desired
    for child in children:
        total, count = add(total, child.total), count + child.desired
    everybody = [*pods, *(each for child in children for each in child.all_pods)]
    fields: dict[str, Any] = {
        "kind": None,
        "instance": None,
        "pod_bearing": True,
        "replicas": desired,
        "min_replicas": None,
        "max_replicas": None,
        "limits": {},
        "nodes": (),
        "scheduler": None,
        "priority_class": None,
        "images": (),
    }
    return ComponentView(
        name=name,
        desired=count,
        ready=sum(each.ready for each in everybody),
        pods=pods,
        requests=quantities(requests or {}),
        claims=claims,
        total=total,
        total_claims=claims * desired,
        children=children,
        **{**fields, **changes},
    )


def view(*components: ComponentView, **changes: Any) -> WorkloadView:
    requests: Any = {}
    for component in components:
        requests = add(requests, component.total)
    totals = Totals(
        sum(component.desired for component in components),
        sum(len(component.all_pods) for component in components),
        sum(component.ready for component in components),
        requests,
        gpus(requests),
        sum(component.total_claims for component in components),
    )
    fields: dict[str, Any] = {
        "api_version": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "name": "demo",
        "namespace": "default",
        "definition": "d",
        "note": None,
        "status": "Running",
        "matched": ("Running",),
        "phase": None,
        "conditions": (),
        "gangs": (),
        "pod_groups": (),
        "unplaced": (),
        "problems": (),
    }
    return WorkloadView(components=components, totals=totals, **{**fields, **changes})


FOUR = {"nvidia.com/gpu": "4"}
LEADER = {**FOUR, "cpu": "8", "memory": "64Gi"}


def demo(pods: bool = True, **changes: Any) -> WorkloadView:
    leaders = [pod("demo-leader-0-0", "node-1", FOUR)] if pods else []
    workers = [pod("demo-worker-0-0", "node-2", FOUR), pod("demo-worker-1-0", "node-3", FOUR)] if pods else []
    fields: dict[str, Any] = {"gangs": (Gang("g", "pg", 3, None, (), (), None, ()),)}
    return view(
        node("replicatedjob", 1, LEADER, *leaders, instance="leader"),
        node("replicatedjob", 2, LEADER, *workers, instance="worker"),
        **{**fields, **changes},
    )


def rendered(shown: WorkloadView, options: TreeOptions | None = None, **style: Any) -> str:
    return render_tree(shown, Style(**style), options)


def test_the_whole() -> None:
    assert (
        rendered(demo())
        == """\
JobSet demo  ·  ns default  ·  Running  ·  3 pods  ·  12 GPU  ·  gang of 3
├─ replicatedjob leader   1/1 ready   4 GPU   8 CPU   64Gi
│  └─ demo-leader-0-0     Running     4 GPU   node-1
└─ replicatedjob worker   2/2 ready   8 GPU   16 CPU  128Gi
   ├─ demo-worker-0-0     Running     4 GPU   node-2
   └─ demo-worker-1-0     Running     4 GPU   node-3
"""
    )


def test_a_manifest_without_pods() -> None:
    assert (
        rendered(demo(pods=False, namespace=None, matched=("Initializing",)))
        == """\
JobSet demo  ·  Initializing  ·  3 pods  ·  12 GPU  ·  gang of 3
├─ replicatedjob leader   1 pod    4 GPU   8 CPU   64Gi
└─ replicatedjob worker   2 pods   8 GPU   16 CPU  128Gi
"""
    )


def test_pods_left_out() -> None:
    assert (
        rendered(demo(), TreeOptions(pods=False))
        == """\
JobSet demo  ·  ns default  ·  Running  ·  3 pods  ·  12 GPU  ·  gang of 3
├─ replicatedjob leader   1/1 ready   4 GPU   8 CPU   64Gi
└─ replicatedjob worker   2/2 ready   8 GPU   16 CPU  128Gi
"""
    )


def test_plain_ascii() -> None:
    text = rendered(demo(), TreeOptions(pod_limit=1), unicode=False)
    assert text.isascii()
    assert (
        text
        == """\
JobSet demo  -  ns default  -  Running  -  3 pods  -  12 GPU  -  gang of 3
|- replicatedjob leader   1/1 ready   4 GPU   8 CPU   64Gi
|  `- demo-leader-0-0     Running     4 GPU   node-1
`- replicatedjob worker   2/2 ready   8 GPU   16 CPU  128Gi
   |- demo-worker-0-0     Running     4 GPU   node-2
   `- ... and 1 more, all ready
"""
    )


def test_colour_only_colours() -> None:
    colored = rendered(demo(), color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == rendered(demo())
    assert "\x1b[32mRunning\x1b[0m" in colored
    assert "\x1b" not in rendered(demo())


@pytest.mark.parametrize(
    ("status", "role"),
    [
        ("Running", "running"),
        ("Completed", "done"),
        ("Failed", "failed"),
        ("Degraded", "troubled"),
        ("Suspended", "troubled"),
        ("Suspending", "troubled"),
        ("Resuming", "troubled"),
        ("Initializing", "starting"),
        ("Undefined", "quiet"),
    ],
)
def test_the_colour_of_a_status(status: str, role: str) -> None:
    assert status_role(status) == role


def test_levels_replicas_and_what_is_wrong_with_pods() -> None:
    leader = node("leader", 2, {"cpu": "1500m"}, pod("w-0", replica=(("group", "0"),)))
    workers = [
        pod("w-0-1", "n", phase="Pending", ready=False, reason="ImagePullBackOff", replica=(("a", "0"), ("b", "1"))),
        pod("w-0-2", None, phase="Pending", ready=False, reason="Unschedulable"),
        pod("w-0-3", "n", ready=False, reason=None),
        pod("w-0-4", "n", phase="Failed", ready=False, reason="OOMKilled"),
        pod("w-0-5", "n", phase="Succeeded", ready=False, reason=None),
    ]
    worker = node("worker", 6, None, *workers)
    group = node("group", 0, children=(leader, worker), pod_bearing=False, replicas=2)
    shown = view(group, namespace=None, unplaced=(pod("lost", "n"),))
    assert (
        rendered(shown)
        == """\
JobSet demo  ·  Running  ·  6/8 pods
├─ group × 2           1/8 ready, 1 done   3 CPU
│  ├─ leader           1/2 ready           3 CPU
│  │  └─ w-0 [0]       Running             node-1
│  └─ worker           1/6 done
│     ├─ w-0-1 [0/1]   Pending             n · ImagePullBackOff
│     ├─ w-0-2         Pending             Unschedulable
│     ├─ w-0-3         Running             n · not ready
│     ├─ w-0-4         Failed              n · OOMKilled
│     └─ w-0-5         Succeeded           n
└─ no component        1 pod
   └─ lost             Running             n
"""
    )


def test_all_kinds_of_devices() -> None:
    shown = view(
        node("a", 2, {"nvidia.com/mig-1g.5gb": "2", "memory": "1536Mi"}, claims=1),
        node("b", 1, {"amd.com/gpu": "1", "nvidia.com/gpu": "1"}),
        node("c", 0, {"nvidia.com/gpu": "8"}),
    )
    assert (
        rendered(shown)
        == """\
JobSet demo  ·  ns default  ·  Running  ·  3 pods  ·  6 GPU  ·  2 claims
├─ a   2 pods   4 GPU   3Gi   2 claims
├─ b   1 pod    2 GPU
└─ c   0 pods
"""
    )


def test_problems_and_notes_come_last_and_are_wrapped() -> None:
    problems = (Problem("pod", "This pod " + "is not where it should be " * 3 + "at all."), Problem("gang", "No."))
    shown = view(problems=problems, note="read by another version", matched=("Running", "Degraded"))
    assert (
        rendered(shown, width=60)
        == """\
JobSet demo  ·  ns default  ·  Running + Degraded  ·  0 pods
note: read by another version
! This pod is not where it should be is not where it should
  be is not where it should be at all.
! No.
"""
    )


def test_not_all_of_many_problems() -> None:
    text = rendered(view(problems=tuple(Problem("pod", f"Problem {index}.") for index in range(25))))
    assert text.count("! Problem") == 20
    assert text.endswith("! … and 5 more problems; -o json lists them all.\n")


def gang(name: str, minimum: int | None, *groups: int) -> Gang:
    sub_groups = tuple(SubGroupView(f"s{index}", count, (), None) for index, count in enumerate(groups))
    return Gang(name, "pg", minimum, len(groups) or None, sub_groups, (), None, ())


@pytest.mark.parametrize(
    ("gangs", "text"),
    [
        ((), None),
        ((gang("a", 3),), "gang of 3"),
        ((gang("a", 0),), None),
        ((gang("a", None, 1, 4),), "gang of 5 in 2 subgroups"),
        ((gang("a", None, 2),), "gang of 2 in 1 subgroup"),
        ((gang("a", 3), gang("b", 4)), "2 gangs"),
    ],
)
def test_gangs_in_the_first_line(gangs: tuple[Gang, ...], text: str | None) -> None:
    first = rendered(view(gangs=gangs)).strip()
    assert first == "JobSet demo  ·  ns default  ·  Running  ·  0 pods" + (f"  ·  {text}" if text else "")


def test_a_limit_hides_healthy_pods_first_and_keeps_the_order() -> None:
    pods = [pod("a"), pod("b", ready=False, phase="Pending"), pod("c"), pod("d", ready=False, phase="Failed")]
    shown, hidden = limited(pods, 3)
    assert [each.name for each in shown] == ["a", "b", "d"]
    assert [each.name for each in hidden] == ["c"]
    assert limited(pods, 0) == limited(pods, 4) == (pods, [])


@pytest.mark.parametrize(
    ("hidden", "text"),
    [
        ([pod("y"), pod("z")], "… and 2 more, all ready"),
        ([pod("y"), pod("z", ready=False, phase="Succeeded")], "… and 2 more, all done or ready"),
        ([pod("y", ready=False), pod("z", ready=False)], "… and 1 more, 1 not ready"),
    ],
)
def test_what_is_hidden(hidden: list[PodView], text: str) -> None:
    first = pod("x", ready=all(each.is_healthy for each in hidden))
    assert text in rendered(view(node("a", 3, None, first, *hidden)), TreeOptions(pod_limit=1 if first.ready else 2))


def test_columns_line_up_whatever_the_names() -> None:
    shown = view(
        node("火", 1, LEADER, pod("模型-0", requests=FOUR), instance="é"), node("role", 1, LEADER, pod("b", None))
    )
    _, *rows = rendered(shown).splitlines()
    states = [row[: re.search(r"1/1 ready|Running", row).start()] for row in rows]  # type: ignore[union-attr]
    assert len({columns(each) for each in states}) == 1
    assert all(row == row.rstrip() for row in rows)


def test_what_strangers_wrote_is_made_visible() -> None:
    shown = view(
        node("a\nb", 1, None, pod("p\x1b[31m", "n\r", reason="\u202e")), name="\x07", namespace="n\tn", kind="K"
    )
    text = rendered(shown)
    assert "\x1b" not in text
    assert len(text.splitlines()) == 3
    assert text.startswith("K ␇  ·  ns n␉n")


def test_an_object_without_anything() -> None:
    assert rendered(view(kind="", name="", namespace=None, matched=(), status="Undefined")) == (
        "(no name)  ·  Undefined  ·  0 pods\n"
    )
