"""Queries of a campaign's tables, in SQL that both Spark and DuckDB accept."""
