"""Interpretation of a definition, by the rules that consumers follow (floor 2)."""
