"""A metadata log that grows, as a table that grows: Spark's source `kraftlog`, and what it is for.

`pyspark_kraftlog` registers the source; docs/live.md says how to use it.
"""
