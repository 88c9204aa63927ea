"""Who runs the shards: processes of this machine, or tasks of Spark."""
