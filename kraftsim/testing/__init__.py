"""What the pytest fixtures consist of: a cluster in a thread, its options, reports of failures."""
