"""Client quotas: entities, limits, changes and descriptions."""
