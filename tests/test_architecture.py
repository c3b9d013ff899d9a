"""Imports only run down the floors of docs/architecture.md."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "wmap_lint"
FLOORS = {
    name.rstrip("/"): int(floor)
    for floor, name in re.findall(
        r"^\| (\d) \| `([a-z_]+/?)` \|", (ROOT / "docs" / "architecture.md").read_text("utf-8"), re.MULTILINE
    )
}
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"))


def part(name: str) -> str:
    """The module, or the package, of ``wmap_lint`` that a dotted name belongs to."""
    return name.split(".")[1] if "." in name else ""


def imported(path: Path) -> Iterator[tuple[str, bool]]:
    """The names of ``wmap_lint`` that a file imports, and whether only a type checker does."""
    tree = tree_of(path)
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "wmap_lint":
            names = [node.module] if node.module != "wmap_lint" else [f"wmap_lint.{each.name}" for each in node.names]
            yield from ((name or "", id(node) in for_types) for name in names)
        elif isinstance(node, ast.Import):
            yield from ((each.name, id(node) in for_types) for each in node.names if each.name.startswith("wmap_lint."))


def test_every_module_has_a_floor() -> None:
    parts = {path.parts[0].removesuffix(".py") for path in MODULES} - {"__init__", "__main__"}
    assert parts == set(FLOORS)


@pytest.mark.parametrize(
    "path", [path for path in MODULES if path.parts[0] not in ("__init__.py", "__main__.py")], ids=str
)
def test_imports_run_downwards(path: Path) -> None:
    own = path.parts[0].removesuffix(".py")
    for name, for_types in imported(PACKAGE / path):
        other = part(name)
        if for_types or other == own or other not in FLOORS:
            continue
        assert FLOORS[other] <= FLOORS[own], f"{own} (floor {FLOORS[own]}) imports {other} (floor {FLOORS[other]})"


@pytest.mark.parametrize("heavy", ["jsonschema", "rich", "hypothesis", "kubernetes", "ruamel", "jq"])
def test_heavy_libraries_are_imported_late(heavy: str) -> None:
    for path in MODULES:
        tree = tree_of(PACKAGE / path)
        for node in tree.body:
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert heavy not in {name.split(".")[0] for name in names}, path


def test_jq_is_imported_by_the_worker_alone() -> None:
    users = [
        str(path)
        for path in MODULES
        if re.search(r"^\s*(?:import jq\b|from jq\b)", (PACKAGE / path).read_text("utf-8"), re.MULTILINE)
    ]
    assert users == ["jq/worker.py"]
