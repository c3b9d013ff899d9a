"""A workload's view for people: one line a role and a pod, in columns that run through the whole tree.

::

    JobSet demo  ·  ns default  ·  Running  ·  3 pods  ·  12 GPU  ·  gang of 3
    ├─ replicatedjob leader   1/1 ready   4 GPU   8 CPU   64Gi
    │  └─ demo-leader-0-0     Running     4 GPU   node-1
    └─ replicatedjob worker   2/2 ready   8 GPU   16 CPU  128Gi
       ├─ demo-worker-0-0     Running     4 GPU   node-2
       └─ demo-worker-1-0     Running     4 GPU   node-3
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from wmap_lint.record import Record
from wmap_lint.report.characters import columns, wrap
from wmap_lint.report.style import Style
from wmap_lint.resolve.quantity import Quantity
from wmap_lint.resolve.resources import gpus
from wmap_lint.resolve.view import ComponentView, PodView, WorkloadView

GAP = 3
"""Columns between two cells."""
MOST_PROBLEMS = 20

_ROLES = {
    "Running": "running",
    "Completed": "done",
    "Failed": "failed",
    "Initializing": "starting",
    "Undefined": "quiet",
    # The pods' own phases.
    "Succeeded": "done",
    "Pending": "starting",
    "Unknown": "quiet",
}


class TreeOptions(Record):
    """What is shown: pods at all, and at most ``pod_limit`` of each role (0: all of them)."""

    pods: bool = True
    pod_limit: int = 0


class _Row(Record):
    """A line: what is drawn before the name, the name, the other cells; each cell is a text and its colour."""

    lead: str
    name: str
    cells: tuple[tuple[str, str | None], ...]


def render_tree(view: WorkloadView, style: Style, options: TreeOptions | None = None) -> str:
    """The tree of one workload, then its problems."""
    return "".join(f"{line}\n" for line in _Tree(view, style, options or TreeOptions()).lines())


class _Tree:
    def __init__(self, view: WorkloadView, style: Style, options: TreeOptions) -> None:
        self.view = view
        self.style = style
        self.options = options
        self.has_pods = any(component.all_pods for component in view.components) or bool(view.unplaced)
        self.glyphs = ("├─ ", "└─ ", "│  ", "   ") if style.unicode else ("|- ", "`- ", "|  ", "   ")
        self.times = "×" if style.unicode else "x"
        nodes = list(view.walk())
        amounts = [node.total for node in nodes] + [pod.requests for node in nodes for pod in node.pods]
        amounts += [pod.requests for pod in view.unplaced]
        self.has_gpus = any(gpus(each) for each in amounts)
        self.has_cpu = any(node.total.get("cpu") for node in nodes)
        self.has_memory = any(node.total.get("memory") for node in nodes)
        # Processors and memory belong together.
        self.narrow_after = 1 + self.has_gpus if self.has_cpu and self.has_memory else -1

    def lines(self) -> Iterator[str]:
        yield self.header()
        rows = list(self.rows())
        style = self.style
        depth = max((len(row.cells) for row in rows), default=0)
        name_width = max((columns(row.lead + row.name) for row in rows if row.cells), default=0)
        # The last cell of a line may stick out: it pushes nothing aside.
        widths = [
            max((columns(row.cells[at][0]) for row in rows if at < len(row.cells) - 1), default=0)
            for at in range(depth)
        ]
        for row in rows:
            line = style.paint(row.lead, "frame") + (row.name if row.cells else style.paint(row.name, "quiet"))
            used = columns(row.lead + row.name)
            at = name_width + GAP
            for column, (text, role) in enumerate(row.cells):
                if text:
                    line += " " * (at - used) + (style.paint(text, role) if role else text)
                    used = at + columns(text)
                if widths[column]:
                    at += widths[column] + (GAP if column != self.narrow_after else GAP - 1)
            yield line
        yield from self.remarks()

    # -- the first line --------------------------------------------------------------------------------

    def header(self) -> str:
        view, style = self.view, self.style
        name = style.printable(" ".join(each for each in (view.kind, view.name) if each)) or "(no name)"
        parts = [style.paint(name, "bold")]
        if view.namespace:
            parts.append(f"ns {style.printable(view.namespace)}")
        matched = view.matched or (view.status,)
        parts.append(" + ".join(style.paint(each, status_role(each)) for each in matched))
        totals = view.totals
        pods = _counted(totals.desired, "pod")
        if self.has_pods and totals.present != totals.desired:
            pods = f"{totals.present}/{pods}"
        parts.append(pods)
        if totals.gpus:
            parts.append(f"{_plain(totals.gpus)} GPU")
        if totals.claims:
            parts.append(_counted(totals.claims, "claim"))
        if gang := self.gang():
            parts.append(gang)
        return ("  ·  " if style.unicode else "  -  ").join(parts)

    def gang(self) -> str:
        gangs = self.view.gangs
        if len(gangs) != 1:
            return f"{len(gangs)} gangs" if gangs else ""
        (gang,) = gangs
        if gang.sub_groups:
            groups = _counted(len(gang.sub_groups), "subgroup")
            return f"gang of {sum(group.min_member for group in gang.sub_groups)} in {groups}"
        return f"gang of {gang.min_member}" if gang.min_member else ""

    # -- the rows --------------------------------------------------------------------------------------

    def rows(self) -> Iterator[_Row]:
        last = len(self.view.components) - (0 if self.view.unplaced else 1)
        for index, component in enumerate(self.view.components):
            yield from self.component(component, "", index == last)
        if self.view.unplaced:
            unplaced = self.view.unplaced
            yield _Row(self.glyphs[1], "no component", ((_counted(len(unplaced), "pod"), "troubled"),))
            yield from self.pods(unplaced, self.glyphs[3], more=False)

    def component(self, node: ComponentView, indent: str, is_last: bool) -> Iterator[_Row]:
        name = " ".join(each for each in (node.name, node.instance) if each)
        if not node.pod_bearing and node.replicas is not None and node.children:
            name += f" {self.times} {node.replicas}"
        cells = [self.state(node)]
        if self.has_gpus:
            cells.append((_unit(gpus(node.total), "GPU"), None))
        if self.has_cpu:
            cells.append((_unit(node.total.get("cpu"), "CPU"), None))
        if self.has_memory:
            memory = node.total.get("memory")
            cells.append((str(memory) if memory else "", None))
        if node.total_claims:
            cells.append((_counted(node.total_claims, "claim"), None))
        while cells and not cells[-1][0]:
            cells.pop()
        yield _Row(indent + self.glyphs[1 if is_last else 0], self.style.printable(name), tuple(cells))
        inside = indent + self.glyphs[3 if is_last else 2]
        if self.options.pods:
            yield from self.pods(node.pods, inside, more=bool(node.children))
        for index, child in enumerate(node.children):
            yield from self.component(child, inside, index == len(node.children) - 1)

    def state(self, node: ComponentView) -> tuple[str, str | None]:
        if not self.has_pods:
            return _counted(node.desired, "pod"), None
        done = sum(pod.phase == "Succeeded" for pod in node.all_pods)
        if done and not node.ready:
            return f"{done}/{node.desired} done", "done" if done >= node.desired else "troubled"
        text = f"{node.ready}/{node.desired} ready" + (f", {done} done" if done else "")
        return text, "running" if node.ready + done >= node.desired else "troubled"

    def pods(self, pods: Sequence[PodView], indent: str, more: bool) -> Iterator[_Row]:
        shown, hidden = limited(pods, self.options.pod_limit)
        for index, pod in enumerate(shown):
            is_last = index == len(shown) - 1 and not hidden and not more
            yield self.pod(pod, indent + self.glyphs[1 if is_last else 0])
        if hidden:
            bad = sum(not pod.is_healthy for pod in hidden)
            which = "all ready" if all(pod.ready for pod in hidden) else "all done or ready"
            text = f"{self.style.cut} and {len(hidden)} more, {f'{bad} not ready' if bad else which}"
            yield _Row(indent + self.glyphs[0 if more else 1], text, ())

    def pod(self, pod: PodView, lead: str) -> _Row:
        style = self.style
        name = style.printable(pod.name or "(no name)")
        if pod.replica:
            name += style.printable(f" [{'/'.join(key for _, key in pod.replica)}]")
        troubled = pod.phase == "Running" and not pod.ready
        role = "troubled" if troubled else status_role(pod.phase)
        cells: list[tuple[str, str | None]] = [(style.printable(pod.phase), role)]
        if self.has_gpus:
            cells.append((_unit(gpus(pod.requests), "GPU"), None))
        where = [pod.node] if pod.node else []
        if not pod.is_healthy:
            where.append(pod.reason or ("not ready" if troubled else ""))
        place = style.separator.join(style.printable(each) for each in where if each)
        if place:
            cells.append((place, None if pod.is_healthy else role))
        return _Row(lead, name, tuple(cells))

    # -- below the tree --------------------------------------------------------------------------------

    def remarks(self) -> Iterator[str]:
        view, style = self.view, self.style
        if view.note:
            yield from self.remark("note:", view.note, "quiet", "quiet")
        for problem in view.problems[:MOST_PROBLEMS]:
            yield from self.remark("!", problem.message, "warning", "")
        if len(view.problems) > MOST_PROBLEMS:
            rest = _counted(len(view.problems) - MOST_PROBLEMS, "more problem")
            yield from self.remark("!", f"{style.cut} and {rest}; -o json lists them all.", "warning", "")

    def remark(self, mark: str, text: str, mark_role: str, role: str) -> Iterator[str]:
        style = self.style
        room = style.prose_width - len(mark) - 1
        lead = style.paint(mark, mark_role) + " "
        for line in wrap(style.printable(text), room, room):
            yield lead + (style.paint(line, role) if role else line)
            lead = " " * (len(mark) + 1)


def status_role(status: str) -> str:
    """The colour of a status, or of a pod's phase."""
    return _ROLES.get(status, "troubled")


def limited(pods: Sequence[PodView], limit: int) -> tuple[list[PodView], list[PodView]]:
    """The pods to show and those to hide, both in order. Healthy ones are hidden first; a limit of 0 is none."""
    if limit <= 0 or len(pods) <= limit:
        return list(pods), []
    by_need = sorted(range(len(pods)), key=lambda index: (pods[index].is_healthy, index))
    chosen = set(by_need[:limit])
    shown = [pod for index, pod in enumerate(pods) if index in chosen]
    return shown, [pod for index, pod in enumerate(pods) if index not in chosen]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _unit(amount: Quantity | None, unit: str) -> str:
    return f"{_plain(amount)} {unit}" if amount else ""


def _plain(amount: Quantity) -> str:
    """``1.5`` for ``1500m``."""
    value: Decimal = amount.value.normalize()
    return f"{value:f}"


__all__ = ["TreeOptions", "limited", "render_tree", "status_role"]
