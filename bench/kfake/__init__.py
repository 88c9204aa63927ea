"""A peer in Go: kfake, the fake cluster of franz-go."""
