"""How many mechanical faults a check finds: ``python -m tests.mutants [NAME…]``, or ``make mutants``.

Every definition of the catalog, or those named, is made wrong in some hundreds of ways, one at a time, and each is
checked without CRDs and, where that finds nothing and the CRDs of the frameworks are at hand, with them. What nobody
notices is printed: each is either another way to say the same, or a rule or a scenario that is missing.

The exit code is 1 when fewer are found than should be.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.mutants.mutations import KINDS, mutants
from tests.mutants.trial import Trial
from wmap_lint.crd import CrdIndex

ROOT = Path(__file__).parents[2]
CATALOG = ROOT / "catalog"
CRDS = ROOT.parent / "shared" / "crds"
WITHOUT_CRDS, WITH_CRDS = 0.85, 0.95


class Outcome(NamedTuple):
    """What became of one mutant."""

    definition: str
    kind: str
    words: str
    without_crds: str | None
    with_crds: str | None


def outcomes(name: str, part: int, parts: int, crds: Path | None, kinds: Sequence[str]) -> list[Outcome]:
    """What becomes of every ``parts``-th mutant of a definition, from number ``part`` on."""
    found = []
    with Trial(CATALOG / f"{name}.yaml", CrdIndex.of([crds]) if crds else None) as trial:
        unchanged = trial.all_findings(trial.definition.document.data)
        if unchanged:
            raise SystemExit(f"{name} has a finding as it is: {unchanged[0].rule}: {unchanged[0].message}")
        for mutant in [each for each in mutants(trial.definition) if each.kind in kinds][part::parts]:
            code = trial.found_without_crds(mutant.data)
            found.append(Outcome(name, mutant.kind, str(mutant), code, code or trial.found_by_types(mutant.data)))
    return found


def _all(names: Sequence[str], crds: Path | None, kinds: Sequence[str]) -> Iterator[Outcome]:
    processes = os.cpu_count() or 1
    with ProcessPoolExecutor(processes) as pool:
        begun = [
            pool.submit(outcomes, name, part, processes, crds, kinds) for name in names for part in range(processes)
        ]
        for each in begun:
            yield from each.result()


def _share(found: int, total: int) -> str:
    return f"{found:5} {100 * found / total:6.1f} %" if total else "    -        "


def _table(rows: dict[str, list[Outcome]], with_crds: bool) -> str:
    width = max(map(len, rows))
    lines = [f"{'':{width}}  faults   without CRDs" + ("      with CRDs" if with_crds else "")]
    for name, each in rows.items():
        line = f"{name:{width}} {len(each):7}  {_share(sum(1 for o in each if o.without_crds), len(each))}"
        lines.append(f"{line}  {_share(sum(1 for o in each if o.with_crds), len(each))}" if with_crds else line)
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and say whether enough is found."""
    every = sorted(path.stem for path in CATALOG.glob("*.yaml"))
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="definitions of the catalog, by default all")
    parser.add_argument("--crds", type=Path, default=CRDS if CRDS.is_dir() else None, help="where the CRDs are")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only faults of this kind")
    asked = parser.parse_args(arguments)
    names = asked.names or every
    if unknown := sorted(set(names) - set(every)):
        parser.error(f"the catalog has no {', '.join(unknown)}")
    begun = time.monotonic()
    found: list[Outcome] = []
    survivors: list[Outcome] = []
    for each in _all(names, asked.crds, asked.kind or KINDS):
        found.append(each)
        if not (each.with_crds if asked.crds else each.without_crds):
            survivors.append(each)
            print(f"{each.definition}: {each.words}", flush=True)
    print(f"\n{len(survivors)} of {len(found)} faults survive\n")
    by_kind = {kind: own for kind in KINDS if (own := [each for each in found if each.kind == kind])}
    by_name = {name: [each for each in found if each.definition == name] for name in names}
    print(_table(by_kind, bool(asked.crds)))
    print()
    print(_table({**by_name, "all": found}, bool(asked.crds)))
    codes = Counter(each.with_crds for each in found if each.with_crds)
    print(f"\nfound first by {', '.join(f'{code} ({count})' for code, count in codes.most_common(12))}")
    print(f"in {time.monotonic() - begun:.0f} s")
    low = [
        name
        for name, own in by_name.items()
        if sum(1 for each in own if each.without_crds) < WITHOUT_CRDS * len(own)
        or (asked.crds and sum(1 for each in own if each.with_crds) < WITH_CRDS * len(own))
    ]
    if low:
        print(f"too few are found in {', '.join(low)}: {WITHOUT_CRDS:.0%} without CRDs, {WITH_CRDS:.0%} with them")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
