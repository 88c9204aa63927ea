"""The Python API: `Cluster`, its JSON views, and the functions that wait for a state."""
