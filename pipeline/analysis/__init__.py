"""Questions to a campaign's tables, as SQL that Spark and DuckDB both understand."""
