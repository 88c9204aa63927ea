"""Bugs that nobody has seen: drawn mutants of core, raft and agents, and what kills each."""
