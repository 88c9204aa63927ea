"""Readers of files that users write: scenarios in YAML, pins, includes, `.properties`."""
