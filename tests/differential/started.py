"""Starts the pair that a sequence asks: controllers, or the listeners of brokers."""

from contextlib import AbstractContextManager

from tests.differential.listener.pair import started_listeners
from tests.differential.pair import Pair, started_pair
from tests.differential.settings import USUAL, USUAL_SESSION_MS, Start
from tests.released.releases import Release


def started_alike(
    release: Release, start: Start = USUAL, *, session_timeout_ms: int = USUAL_SESSION_MS
) -> AbstractContextManager[Pair]:
    if start.has_listener:
        return started_listeners(release, has_follower=start.has_follower)
    return started_pair(release, start, session_timeout_ms=session_timeout_ms)
