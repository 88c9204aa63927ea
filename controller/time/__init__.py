"""A heap of future actions, and the clock that a node reads."""
