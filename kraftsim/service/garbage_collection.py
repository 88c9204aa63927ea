"""Bounds the pauses of Python's garbage collector, and what a process pays for memory.

A full collection visits every object that may be part of a cycle. The metadata of 100,000
partitions has a million such objects: a collection then takes 100 ms or more, and heartbeats wait.

The C library gives large freed blocks back to the kernel. A page that is taken anew costs 0.25 to
3 us, so that a batch of 1 MB costs more to place than to check.
"""

import gc
import time

PAUSE_MAX_S = 0.020  # of processor time: about 150,000 objects, a cluster of 10,000 partitions
NEVER = 1 << 30
KEPT_BYTES_MAX = 256 * 1024 * 1024  # of freed memory at the end of the heap: what logs may hold
LARGE_BYTES = 32 * 1024 * 1024  # blocks from this size on always go back, the most that glibc takes
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # options of mallopt


def bound_pauses() -> None:
    """Enables the collector, but ends full collections once one has taken more than 20 ms.

    Metadata has no reference cycles, so it is freed without full collections. The younger
    generations are collected as before.
    """
    gc.callbacks.append(_Watch().on_collection)
    _Watch.is_on = True
    gc.freeze()  # modules live as long as the process
    gc.enable()


def keep_freed_memory() -> None:
    """Lets the process use the memory of freed messages again, if `bound_pauses` made it ours.

    It is called with the first message: what is loaded for it would delay a start.
    """
    if not _Watch.is_on:
        return
    import ctypes

    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:  # musl and macOS have none
        set_option(_MMAP_THRESHOLD, LARGE_BYTES)
        set_option(_TRIM_THRESHOLD, KEPT_BYTES_MAX)


class _Watch:
    is_on = False  # in this process

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
