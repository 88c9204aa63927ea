"""Readers of files: scenarios in YAML, pins, includes, `.properties`, directories of Kafka."""
