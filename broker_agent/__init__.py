"""A simulated broker: `agent` is its state machine, `facade` its listener.

`client` and `fleet` do the IO.
"""
