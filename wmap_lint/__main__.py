"""``python -m wmap_lint``."""

from __future__ import annotations

import sys

from wmap_lint.cli import main

if __name__ == "__main__":
    sys.exit(main())
