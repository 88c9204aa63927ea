"""A simulated broker: `agent` is its state machine, `metadata_replies` what it tells clients.

`client` and `fleet` do the IO.
"""
