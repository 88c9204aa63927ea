"""`--kraft-explore`: a test with many seeds, the faults that a failure needs, and the summary."""
