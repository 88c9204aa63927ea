"""The Spark data source `kraftlog`, which reads a growing metadata log, and jobs that use it.

`pyspark_kraftlog` registers the source; docs/live.md explains how to use it.
"""
