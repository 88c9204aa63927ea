"""Record batches, metadata records, control records and snapshot files in Kafka's encoding."""
