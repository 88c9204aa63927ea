"""The page in a browser: what a visitor sees, does and is told."""
