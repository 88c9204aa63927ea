"""`kraftsim scenario ...`: run, list, show, lint, explore and shrink scenarios."""
