"""Prints the digest of a history."""

import hashlib
import logging
import sys
from functools import partial

from kraftsim import simulated_loop

from . import chance, failover, rolling_restart, ten_deadlines, two_waiters

HISTORIES = {
    "chance": chance.history,
    "two-waiters": two_waiters.history,
    "ten-deadlines": ten_deadlines.history,
    "failover": failover.history,
    "rolling-restart": rolling_restart.history,
}


def digest(name: str, seed: int, *arguments: int) -> str:
    """Returns the digest of what a history yields."""
    rows = simulated_loop.run(partial(HISTORIES[name], seed, *arguments), seed=seed)
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]


if __name__ == "__main__":
    logging.disable()
    print(digest(sys.argv[1], *map(int, sys.argv[2:])))
