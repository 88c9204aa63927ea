"""The operations on a cluster: one row for each HTTP route and verb of the command line."""
