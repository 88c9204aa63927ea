"""IO: the clock and its timer (`runtime`), and the Kafka listener (`kafka_listener`)."""
