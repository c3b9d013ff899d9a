"""Mechanical faults in the definitions of the catalog, and how many of them a check finds: ``make mutants``."""
