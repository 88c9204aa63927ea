"""Compiles a schema for one version into functions that encode and decode."""
