"""Released Kafka judges ours: both get the same requests, replies and records are compared."""
