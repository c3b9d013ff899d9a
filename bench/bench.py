"""Time `wmap-lint check` beside `check-jsonschema`, the interpreter over many workloads,
and the proof over all states.

`check-jsonschema` reads the same files and looks at their shape only. Prints tables and asserts nothing: a loaded
machine is not a bug.
"""

from __future__ import annotations

import argparse
import copy
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wmap_lint.catalog import Request

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = "schema/workloadmap.schema.json"
OTHER_FILES = (".expected.yaml", "status-model.yaml")


def seconds(command: Sequence[str]) -> float:
    """Wall time of one run; its output is thrown away."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    elapsed = time.perf_counter() - start
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return elapsed


def workloads(count: int) -> Iterator[Request]:
    """So many workloads with their pods, of mixed kinds: those of the fixtures, under names of their own."""
    from wmap_lint.catalog import Catalog
    from wmap_lint.inspection import read_objects, select

    catalog = Catalog.builtin()
    files = [path for path in sorted((ROOT / "fixtures").glob("*/*.yaml")) if not path.name.endswith(OTHER_FILES)]
    found = [
        request for path in files for request in select(read_objects(path.read_bytes(), path.name), catalog).requests
    ]
    for index in range(count):
        request = copy.deepcopy(found[index % len(found)].workload)
        request["metadata"]["name"] += f"-{index}"
        original = found[index % len(found)]
        yield type(original)(original.definition, request, original.pods, original.owners)


def resolve(count: int) -> None:
    """Time views: the first of a process, one by one, and many at once, with the memory that takes."""
    sys.path.insert(0, str(ROOT))
    from wmap_lint.catalog import Resolver

    requests = list(workloads(count))
    with Resolver() as resolver:
        start = time.perf_counter()
        list(resolver.resolve_many(requests[:1]))
        first = time.perf_counter() - start
        list(resolver.resolve_many(requests[:200]))
        single = []
        for request in requests[:200]:
            start = time.perf_counter()
            resolver.resolve(request.definition, request.workload, request.pods, request.owners)
            single.append(time.perf_counter() - start)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start, used = time.perf_counter(), time.process_time()
        pods = sum(view.totals.present for view in resolver.resolve_many(requests))
        elapsed, used = time.perf_counter() - start, time.process_time() - used
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1024 if sys.platform.startswith("linux") else 1024 * 1024
    print(f"\nresolve, {count:,} workloads with {pods:,} pods")
    print(f"together                      {count / elapsed:6.0f} per second")
    print(f"this process, of each         {used / count * 1000:6.2f} ms (the worker's time is not in it)")
    print(f"one alone, median             {statistics.median(single) * 1000:6.2f} ms")
    print(f"the very first                {first * 1000:6.0f} ms")
    print(f"memory before and after       {before / unit:6.1f} and {after / unit:.1f} MiB at most")


def state_space() -> None:
    """Time the states of each status model: all of them read, and everything that is asked of them."""
    sys.path.insert(0, str(ROOT))
    from wmap_lint.definition import load
    from wmap_lint.fixtures import load_corpus
    from wmap_lint.jq.engine import Engine
    from wmap_lint.resolve.evaluation import evaluate
    from wmap_lint.source import read_file
    from wmap_lint.statespace.exploration import explore
    from wmap_lint.statespace.model import condition_names, load_model

    print("\nstate space                          combinations  possible   seconds  states per second")
    with Engine() as engine:
        engine.evaluate(["1"], [{}])
        for path in sorted((ROOT / "catalog").glob("*.yaml")):
            definition = load(read_file(path).documents[0])
            root = definition.root
            status = None if root is None else root.status_definition
            folder = ROOT / "fixtures" / path.stem
            model = load_model(folder, condition_names(status), definition.gvk).model
            if model is None or status is None:
                continue
            workloads = [scenario.workload for scenario in load_corpus(folder, definition.gvk).scenarios]
            start = time.perf_counter()
            found = explore(
                definition,
                status,
                model,
                workloads,
                lambda text, objects: [each(text) for each in evaluate(engine, [text], objects, checked=True)],
            )
            elapsed = time.perf_counter() - start
            assert found is not None
            print(
                f"{path.stem:<36} {found.combinations:12,} {found.states:9,} {elapsed:9.2f} "
                f"{found.combinations / elapsed:18,.0f}"
            )


LARGE = """\
base: running.yaml
vary:
- {path: .spec.suspend, values: [true, false], optional: true}
- {path: .status.desiredWorkerReplicas, values: [0, 1, 2]}
- {path: .status.readyWorkerReplicas, values: [1, 2], optional: true}
- {path: .status.state, values: [ready, suspended], optional: true}
- {condition: HeadPodReady, status: ["True", "False", Unknown], optional: true}
- {condition: RayClusterProvisioned, status: ["True", "False"], optional: true}
- {condition: RayClusterSuspended, status: ["True", "False"], optional: true}
- {condition: RayClusterSuspending, status: ["True", "False"], optional: true}
- {condition: ReplicaFailure, status: ["True"], optional: true}
"""


def large_model(runs: int) -> None:
    """Time a check of a definition whose model has nearly as many states as are looked at completely."""
    name = "ray-io-raycluster-v1"
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        shutil.copytree(ROOT / "fixtures" / name, folder / "fixtures" / name)
        (folder / "catalog").mkdir()
        shutil.copy(ROOT / "catalog" / f"{name}.yaml", folder / "catalog")
        (folder / "fixtures" / name / "status-model.yaml").write_text(LARGE, encoding="utf-8")
        command = [sys.executable, "-m", "wmap_lint", "check", str(folder / "catalog")]
        times = [seconds(command) for _ in range(max(runs, 1))]
    print(
        f"\nwmap-lint check with a model of 17,496 states: {min(times):.2f} s, median {statistics.median(times):.2f} s"
    )


def main() -> None:
    """Run the cases by turns, so that a busy moment hits all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="how often each case is run (default: %(default)s)")
    parser.add_argument("--workloads", type=int, default=1000, help="how many are resolved (default: %(default)s)")
    parser.add_argument("--only-resolve", action="store_true", help="leave the checks out")
    parser.add_argument("--only-states", action="store_true", help="time the state space and nothing else")
    options = parser.parse_args()
    if options.only_states:
        state_space()
        large_model(options.runs)
        return
    if not options.only_resolve:
        check(max(options.runs, 1))
    resolve(max(options.workloads, 1))
    state_space()
    large_model(options.runs)


def check(runs: int) -> None:
    """Time checks."""
    catalog = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "catalog").glob("*.yaml"))
    most = max(catalog, key=lambda name: len(list((ROOT / "fixtures" / Path(name).stem).glob("*.yaml"))))
    python = sys.executable
    check = [python, "-m", "wmap_lint", "check"]
    schema = [python, "-m", "check_jsonschema", "--schemafile", SCHEMA]
    cases = {
        "python -c pass": [python, "-c", "pass"],
        "wmap-lint --version": [python, "-m", "wmap_lint", "--version"],
        f"wmap-lint check {Path(most).name}": [*check, most],
        f"check-jsonschema {Path(most).name}": [*schema, most],
        f"wmap-lint check catalog ({len(catalog)} files)": [*check, "catalog"],
        f"check-jsonschema catalog ({len(catalog)} files)": [*schema, *catalog],
    }
    for command in cases.values():
        seconds(command)  # fills the caches of the interpreter and the disk
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(runs):
        for name, command in cases.items():
            times[name].append(seconds(command))

    width = max(map(len, cases))
    print(f"{'seconds, of ' + str(runs) + ' runs':<{width}}    min  median")
    for name, measured in times.items():
        print(f"{name:<{width}}  {min(measured):5.2f}   {statistics.median(measured):5.2f}")


if __name__ == "__main__":
    main()
