"""Spark's source `kraftlog`, which reads a growing metadata log as a growing table, and its jobs.

`pyspark_kraftlog` registers the source; docs/live.md explains how to use it.
"""
