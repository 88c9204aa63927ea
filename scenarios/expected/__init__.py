"""What Kafka's rules say that a request does: requests to ask, and what must come of each."""
