"""The workload of every simulator: brokers send heartbeats to controllers, which keep leases.

Ten brokers, three controllers, 1 to 10 ms each way. A heartbeat sent, its arrival, the response's
arrival and a sweep are one logical event each in any engine: 38 per virtual second.
"""

import gc
import json
import sys
import time
from collections.abc import Callable

BROKERS, CONTROLLERS = 10, 3
BEAT_S, SWEEP_S, LEASE_S = 2.0, 1.0, 9.0
DELAY_S = (0.001, 0.010)
SIMULATED_S = 600.0
SEEDS = (1, 2, 3)


class Tally:
    """The numbers of events and of fenced brokers."""

    def __init__(self) -> None:
        self.events = self.fenced = 0


class LeaseKeeper:
    """The leases that one controller keeps; a heartbeat renews a lease for LEASE_S seconds."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._until_s: dict[int, float] = {}

    def renew(self, broker: int, now_s: float) -> None:
        """Renews a broker's lease."""
        self._tally.events += 1
        self._until_s[broker] = now_s + LEASE_S

    def sweep(self, now_s: float) -> None:
        """Removes leases that have run out."""
        self._tally.events += 1
        for broker in [value for value, until_s in self._until_s.items() if until_s < now_s]:
            del self._until_s[broker]
            self._tally.fenced += 1


def measure(run: Callable[[int], Tally]) -> None:
    """Prints the median processor time over the seeds, and the number of events."""
    took = []
    for seed in SEEDS:
        gc.collect()
        began_s = time.process_time()
        tally = run(seed)
        took.append(time.process_time() - began_s)
        if tally.fenced:
            raise RuntimeError(f"expected no fenced broker, got {tally.fenced}")
    json.dump({"cpu_s": sorted(took)[len(took) // 2], "events": tally.events}, sys.stdout)
