"""IO: the clock and the one timer (`runtime`), and the one Kafka listener (`kafka_listener`)."""
