"""The documents of the committed state, in pages and slices where they may be many."""
