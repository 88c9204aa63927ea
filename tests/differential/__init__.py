"""Released Kafka judges ours: both get the same random requests, every reply and record is compared."""
