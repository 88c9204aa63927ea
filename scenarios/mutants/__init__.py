"""Bugs that can be switched on, each with the scenario that kills it (docs/bugs.md)."""

from . import (
    agents,
    elections,
    expiry,
    leases,
    partitions,
    promises,
    registration,
    replication,
    sentinels,
    states,
    storage,
    votes,
)
from .mutant import MUTANTS, Mutant, planted

__all__ = [
    "MUTANTS",
    "Mutant",
    "agents",
    "elections",
    "expiry",
    "leases",
    "partitions",
    "planted",
    "promises",
    "registration",
    "replication",
    "sentinels",
    "states",
    "storage",
    "votes",
]
