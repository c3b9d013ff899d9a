"""Time `wmap-lint check` beside `check-jsonschema`, which reads the same files and looks at their shape only.

Prints a table and asserts nothing: a loaded machine is not a bug.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = "schema/workloadmap.schema.json"


def seconds(command: Sequence[str]) -> float:
    """Wall time of one run; its output is thrown away."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    elapsed = time.perf_counter() - start
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return elapsed


def main() -> None:
    """Run the cases by turns, so that a busy moment hits all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="how often each case is run (default: %(default)s)")
    runs = max(parser.parse_args().runs, 1)

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
