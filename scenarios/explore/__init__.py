"""Every history of a few nodes within limits: the real state machines, stepped by hand."""
