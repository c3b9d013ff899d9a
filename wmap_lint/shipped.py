"""Where the data that comes with the package is: catalog, schemas, fixtures (floor 0)."""

from __future__ import annotations

from pathlib import Path


def shipped(name: str) -> Path:
    """Folder ``name``: in an installed package's data, else in the checkout beside the package.

    Raises FileNotFoundError when there is none.
    """
    package = Path(__file__).parent
    for folder in (package / "data" / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the package came without its folder {name!r}; install it again")
