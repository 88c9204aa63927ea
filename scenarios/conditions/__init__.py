"""Conditions that a scenario waits for or claims."""
