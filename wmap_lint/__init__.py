"""wmap-lint: author, lint and prove WorkloadMap (Karta) definitions."""

__version__ = "0.1.0"
