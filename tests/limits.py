"""How long tests wait for what must come."""

# Only a test that fails waits so long. How fast something is belongs into `make bench`: the machine
# of a test may be busy with anything.
LIMIT_S = 120.0
