"""One controller: its quorum, its committed image, and the state of the active controller."""
