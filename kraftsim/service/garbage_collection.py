"""Bounds the pauses of Python's garbage collector.

A full collection visits every object that may be part of a cycle. The metadata of 100,000
partitions has a million such objects: a collection then takes 100 ms or more, and heartbeats wait.
"""

import gc
import time

PAUSE_MAX_S = 0.020  # of processor time: about 150,000 objects, a cluster of 10,000 partitions
NEVER = 1 << 30


def bound_pauses() -> None:
    """Enables the collector, but ends full collections once one has taken more than 20 ms.

    Metadata has no reference cycles, so it is freed without full collections. The younger
    generations are collected as before.
    """
    gc.callbacks.append(_Watch().on_collection)
    gc.freeze()  # modules live as long as the process
    gc.enable()


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
