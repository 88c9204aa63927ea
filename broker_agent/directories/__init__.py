"""The log directories of a simulated broker, and in which of them its replicas are."""
