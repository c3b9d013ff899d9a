"""The jq language: reading it, judging it, and running it where it can do no harm (floor 0)."""
