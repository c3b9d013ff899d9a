"""The page about the catalog lists what is in it."""

from __future__ import annotations

from pathlib import Path

from wmap_lint.checker import definitions_in
from wmap_lint.definition import Definition

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "catalog.md"


def row(path: Path, definition: Definition) -> str:
    root = definition.root
    assert root is not None
    assert root.kind is not None
    assert root.status_definition is not None
    statuses = ", ".join(mapping.normalized for mapping in root.status_definition.mappings)
    roles = ", ".join(each.name for each in definition.components if each.is_pod_bearing)
    switch = "native" if any(each.suspend_definition is not None for each in definition.components) else "none"
    gang = definition.gang
    form = "none" if gang is None else "one" if gang.pod_group is not None else "several"
    folder = ROOT / "fixtures" / path.stem
    expected = "expected.yaml"
    count = f"{len([*folder.glob(f'*.{expected}')])} + {len([*folder.glob(f'*/*.{expected}')])}"
    kind = f"[{root.kind.kind}](../catalog/{path.name})"
    return f"| {kind} | `{root.kind.api_version}` | {roles} | {statuses} | {switch} | {form} | {count} |"


def test_the_page_lists_every_definition() -> None:
    rows = [row(path, definition) for path, definition in definitions_in([ROOT / "catalog"])]
    listed = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| [")]
    assert listed == rows, "\n".join(rows)
