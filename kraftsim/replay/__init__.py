"""Replays a recording in virtual time, and compares the journals."""
