"""wmap-lint: author, lint and prove WorkloadMap (Karta) definitions.

>>> from pathlib import Path
>>> import wmap_lint
>>> result = wmap_lint.check([Path("catalog")])
>>> [finding.rule for finding in result.diagnostics]
[]

The names below are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wmap_lint.checker import CheckResult, Options, Summary, UsageError, check_text
    from wmap_lint.checker import check_paths as check
    from wmap_lint.definition import Definition
    from wmap_lint.diagnostic import Diagnostic, Severity, Span

__version__ = "0.1.0"

_NAMES = {
    "CheckResult": "wmap_lint.checker",
    "Definition": "wmap_lint.definition",
    "Diagnostic": "wmap_lint.diagnostic",
    "Options": "wmap_lint.checker",
    "Severity": "wmap_lint.diagnostic",
    "Span": "wmap_lint.diagnostic",
    "Summary": "wmap_lint.checker",
    "UsageError": "wmap_lint.checker",
    "check": "wmap_lint.checker:check_paths",
    "check_text": "wmap_lint.checker",
}

__all__ = [
    "CheckResult",
    "Definition",
    "Diagnostic",
    "Options",
    "Severity",
    "Span",
    "Summary",
    "UsageError",
    "check",
    "check_text",
]


def __getattr__(name: str) -> Any:
    place = _NAMES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute or name)
