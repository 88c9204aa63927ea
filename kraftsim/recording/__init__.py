"""What came into a cluster from outside, in order: kept while it runs, and written to a file."""
