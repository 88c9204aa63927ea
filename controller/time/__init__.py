"""The timeline of future actions, and the clock of a node."""
