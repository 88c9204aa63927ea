"""The log of a replica, in memory and without IO: time is passed in, batches are Kafka's bytes."""
