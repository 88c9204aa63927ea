"""The directories of a node on disk: formatted as Kafka's `kafka-storage format` does, and read."""
