"""The sockets of a cluster: listeners of controllers, facades of brokers, and HTTP."""
