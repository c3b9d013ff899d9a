"""wmap-lint: author, lint and prove WorkloadMap (Karta) definitions.

>>> from pathlib import Path
>>> import wmap_lint
>>> result = wmap_lint.check([Path("catalog/ray-io-raycluster-v1.yaml")])
>>> [finding.rule for finding in result.diagnostics]
[]

>>> with wmap_lint.Resolver() as resolver:
...     view = resolver.resolve(wmap_lint.load_definition("catalog/ray-io-raycluster-v1.yaml"), {"kind": "RayCluster"})
>>> view.status
'Initializing'

The names below are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wmap_lint.catalog import (
        Catalog,
        DefinitionError,
        Match,
        Request,
        Resolver,
        load_definition,
        resolve,
        resume,
        suspend,
        update_pods,
    )
    from wmap_lint.checker import CheckResult, Options, Summary, UsageError, check_text
    from wmap_lint.checker import check_paths as check
    from wmap_lint.definition import Definition
    from wmap_lint.diagnostic import Diagnostic, Severity, Span
    from wmap_lint.resolve.view import ComponentView, PodView, Problem, WorkloadView
    from wmap_lint.resolve.writes import WriteError

__version__ = "0.1.0"

_NAMES = {
    "Catalog": "wmap_lint.catalog",
    "CheckResult": "wmap_lint.checker",
    "ComponentView": "wmap_lint.resolve.view",
    "Definition": "wmap_lint.definition",
    "DefinitionError": "wmap_lint.catalog",
    "Diagnostic": "wmap_lint.diagnostic",
    "Match": "wmap_lint.catalog",
    "Options": "wmap_lint.checker",
    "PodView": "wmap_lint.resolve.view",
    "Problem": "wmap_lint.resolve.view",
    "Request": "wmap_lint.catalog",
    "Resolver": "wmap_lint.catalog",
    "Severity": "wmap_lint.diagnostic",
    "Span": "wmap_lint.diagnostic",
    "Summary": "wmap_lint.checker",
    "UsageError": "wmap_lint.checker",
    "WorkloadView": "wmap_lint.resolve.view",
    "WriteError": "wmap_lint.resolve.writes",
    "check": "wmap_lint.checker:check_paths",
    "check_text": "wmap_lint.checker",
    "load_definition": "wmap_lint.catalog",
    "resolve": "wmap_lint.resolve:",  # the package itself, which can be called
    "resume": "wmap_lint.catalog",
    "suspend": "wmap_lint.catalog",
    "update_pods": "wmap_lint.catalog",
}

__all__ = [
    "Catalog",
    "CheckResult",
    "ComponentView",
    "Definition",
    "DefinitionError",
    "Diagnostic",
    "Match",
    "Options",
    "PodView",
    "Problem",
    "Request",
    "Resolver",
    "Severity",
    "Span",
    "Summary",
    "UsageError",
    "WorkloadView",
    "WriteError",
    "check",
    "check_text",
    "load_definition",
    "resolve",
    "resume",
    "suspend",
    "update_pods",
]


def __getattr__(name: str) -> Any:
    place = _NAMES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = place.partition(":")
    loaded = importlib.import_module(module)
    return loaded if place.endswith(":") else getattr(loaded, attribute or name)
