"""The engines that run shards: local processes, or tasks of Spark."""
