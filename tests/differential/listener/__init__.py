"""A released broker judges ours: its listener gets the same random requests about messages."""
