"""Garbage collections that stay short, however large a cluster is.

A full collection of Python's visits every object that may be part of a cycle. The metadata of
100,000 partitions is a million of them: 100 ms and more, while heartbeats wait.
"""

import gc
import time

PAUSE_MAX_S = 0.020  # of the processor's time: some 150,000 objects, a cluster of 10,000 partitions
NEVER = 1 << 30


def bound_pauses() -> None:
    """End full collections after the first of more than 20 ms. Metadata has no cycles: it is freed
    when its last reference goes. The younger generations are collected as before."""
    gc.callbacks.append(_Watch().on_collection)


class _Watch:
    def __init__(self) -> None:
        self._began_s = 0.0

    def on_collection(self, phase: str, info: dict[str, int]) -> None:
        if info["generation"] < 2:
            return
        if phase == "start":
            self._began_s = time.process_time()
        elif time.process_time() - self._began_s > PAUSE_MAX_S:
            first, second, _ = gc.get_threshold()
            gc.set_threshold(first, second, NEVER)
