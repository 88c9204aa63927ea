"""Notices a call that blocks the event loop of a cluster, and names it.

A blocking Kafka client on the loop of the cluster waits for a response that the same loop would
have to send, until its own timeout. A thread looks whether the loop goes on.
"""

import asyncio
import logging
import sys
import threading
import time

log = logging.getLogger("kraftsim")

LOOK_S = 0.25
BLOCKED_S = 1.0


class LoopWatch:
    """Watches the running event loop until `close`."""

    def __init__(self) -> None:
        self._loop, self._thread_id = asyncio.get_running_loop(), threading.get_ident()
        self._ended = threading.Event()
        self._tick()
        threading.Thread(target=self._look, name="kraftsim loop watch", daemon=True).start()

    def close(self) -> None:
        """Stops watching."""
        self._timer.cancel()
        self._ended.set()

    def _tick(self) -> None:
        self._ticked_s = time.monotonic()
        self._timer = self._loop.call_later(LOOK_S, self._tick)

    def _look(self) -> None:
        """Looks until the end whether the loop goes on; reports each blocking call once."""
        reported_s = 0.0
        while not self._ended.wait(LOOK_S):
            ticked_s = self._ticked_s
            blocked_s = time.monotonic() - ticked_s
            if blocked_s > BLOCKED_S and ticked_s != reported_s:
                reported_s = ticked_s
                self._report(blocked_s)

    def _report(self, blocked_s: float) -> None:
        from .blocking_call import blocking_call

        frame = sys._current_frames().get(self._thread_id)
        call = None if frame is None else blocking_call(frame)
        if call is not None:
            log.warning(
                "the event loop of the cluster has been blocked for %.1f s by %s: its listeners "
                "cannot respond meanwhile. Call blocking clients with `await asyncio.to_thread(...)"
                "`; in a pytest test take the fixture kraft_sync",
                blocked_s,
                call,
            )
