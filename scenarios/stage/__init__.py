"""The state of a running scenario: world, bound names, open faults, awaited conditions."""
