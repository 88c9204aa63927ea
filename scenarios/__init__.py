"""Scenarios: what befalls a simulated cluster, and what must hold of it meanwhile."""
