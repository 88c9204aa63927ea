"""The verbs of `storage`: ids, and log directories as Kafka's `kafka-storage` formats them."""
