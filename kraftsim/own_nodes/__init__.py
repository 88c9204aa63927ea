"""The nodes of a user's own in a world that no loop drives, such as that of a scenario."""
