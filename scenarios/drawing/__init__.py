"""Draws whole scenarios: shape, release, settings, network, faults, and what an admin does."""
