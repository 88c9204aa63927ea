"""A campaign: its plan, shards, runs, tables in a folder, and commits."""
