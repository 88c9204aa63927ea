"""The cluster in Python: `Cluster`, what it shows, and how a caller waits for it."""
