"""The event loop of a service: how late it is, and what blocks it."""
