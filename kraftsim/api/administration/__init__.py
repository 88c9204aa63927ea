"""What an administrator changes: topics, configurations, elections, reassignments."""
