"""Released Kafka: its jars, and its controllers as processes on loopback."""
