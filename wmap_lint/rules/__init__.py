"""The rules, one module a family: a rule reads a context and yields findings, never prints, never exits."""

from __future__ import annotations

import importlib

from wmap_lint.rules import registry
from wmap_lint.rules.registry import Finding, Rule

FAMILIES = (
    "source_rules",
    "structure",
    "jq_rules",
    "status",
    "pods",
    "gang",
    "writes",
    "extraction",
    "status_fixtures",
    "pods_fixtures",
    "gang_fixtures",
    "writes_fixtures",
    "status_space",
)
"""The modules that declare rules."""


def all_rules() -> tuple[Rule, ...]:
    """Every rule there is, by code."""
    for family in FAMILIES:
        importlib.import_module(f"wmap_lint.rules.{family}")
    return registry.registered()


__all__ = ["FAMILIES", "Finding", "Rule", "all_rules"]
