"""Model checking: every history of a few nodes within limits, with the real state machines."""
