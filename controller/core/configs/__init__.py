"""Configurations: which exist, what they are, how they change, how they are described."""
