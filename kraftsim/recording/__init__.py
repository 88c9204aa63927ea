"""The inputs of a cluster, in order: kept while it runs, and written to a file."""
