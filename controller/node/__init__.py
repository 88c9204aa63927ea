"""One controller: its quorum, its committed image, and what only an active one has."""
