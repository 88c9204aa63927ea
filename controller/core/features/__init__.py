"""Changes of finalized features, and the other records that they require."""
