"""The sockets of a cluster: listeners of controllers and of brokers, and HTTP."""
