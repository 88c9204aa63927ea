"""Scenarios: faults of a simulated cluster, and claims that must hold in the meantime."""
