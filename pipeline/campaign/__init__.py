"""A campaign: its plan, shards and runs, its folder of tables, and its commits."""
