"""Properties of messages: of what clients sent and read, and of the logs of replicas."""
