"""Programs in virtual time, of which a seed gives one history in every process and Python.

`python -m tests.simulated_loop.histories NAME SEED [MINUTES]` prints the digest of one; `MINUTES`
is how long messages are sent in `failover`.
"""
