"""Changes of finalized features, and what they write besides."""
