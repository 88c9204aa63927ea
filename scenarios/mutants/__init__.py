"""Bugs that can be switched on, each with the scenario that kills it (docs/bugs.md)."""

from . import agents, expiry, leases, partitions, registration, replication, states, storage, votes
from .mutant import MUTANTS, Mutant, planted

__all__ = [
    "MUTANTS",
    "Mutant",
    "agents",
    "expiry",
    "leases",
    "partitions",
    "planted",
    "registration",
    "replication",
    "states",
    "storage",
    "votes",
]
