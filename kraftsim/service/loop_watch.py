"""Notices a call that blocks the event loop of a cluster, and names it.

A blocking Kafka client on the loop of the cluster waits for a response that the same loop would
have to send, until its own timeout. A thread looks whether the loop goes on.
"""

import asyncio
import logging
import sys
import threading
import time
import traceback
from pathlib import Path
from sysconfig import get_paths

log = logging.getLogger("kraftsim")

PACKAGE = Path(__file__).resolve().parents[1]
LOOK_S = 0.25
BLOCKED_S = 1.0
IDLE = ("select", "run_until_complete", "run_forever", "_run_once")  # innermost, if nothing blocks


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
        frame = sys._current_frames().get(self._thread_id)
        call = blocking_call(traceback.extract_stack(frame)) if frame is not None else None
        if call is not None:
            log.warning(
                "the event loop of the cluster has been blocked for %.1f s by %s: its listeners "
                "cannot respond meanwhile. Call blocking clients with `await asyncio.to_thread(...)"
                "`; in a pytest test take the fixture kraft_sync",
                blocked_s,
                call,
            )


def blocking_call(stack: traceback.StackSummary) -> str | None:
    """Returns the line of the user's code that the stack is in; None if the loop only waits.

    Where no user's code is in the stack, it is the innermost line.
    """
    innermost = stack[-1]
    if innermost.name in IDLE:
        return None
    frame = next((frame for frame in reversed(stack) if _is_users(frame.filename)), innermost)
    return f"`{frame.line}` ({Path(frame.filename).name}:{frame.lineno})"


def _is_users(filename: str) -> bool:
    paths = get_paths()
    installed = (paths["stdlib"], paths["platlib"], paths["purelib"], str(PACKAGE))
    return not filename.startswith((*installed, "<"))
