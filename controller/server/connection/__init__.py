"""Parts of one connection to a Kafka listener."""
