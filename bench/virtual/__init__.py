"""Benchmarks of virtual time: the simulation, and the searches that run in it."""
