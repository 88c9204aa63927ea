"""Kafka's configurations of a node: their table, their checks, and what they set here."""
