"""Clients of the messages that brokers of a world store."""
