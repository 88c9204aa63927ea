"""The page of foreign clients, from what the suite records of their calls."""
