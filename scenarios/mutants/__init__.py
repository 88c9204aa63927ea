"""Bugs that can be switched on, each with the scenario that kills it (chaos.md c.4)."""

from . import agents, facts, leases, quorum
from .mutant import MUTANTS, Mutant, planted

__all__ = ["MUTANTS", "Mutant", "agents", "facts", "leases", "planted", "quorum"]
