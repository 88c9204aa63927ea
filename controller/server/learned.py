"""The short path that a connection has learned for its requests, if they repeat."""

from collections.abc import Mapping

from ..core.rpc import Request
from ..wire.frames import Exchange
from .listener import Shorten, ShortPath, Whole

TIMES_LEARNED_MAX = 8  # of a connection: it takes some 0.1 ms, for nothing if requests vary


class Learned:
    """What a connection has learned last."""

    def __init__(self) -> None:
        self._short: ShortPath | None = None
        self._times = 0

    def find(self, whole: Whole, intercepted: Mapping[type, object]) -> ShortPath | None:
        """Returns the short path of a frame; None if there is none, or a fault is about it."""
        short = self._short
        if short is None or not short.matches(whole) or type(short.request) in intercepted:
            return None
        return short

    def learn(
        self, exchange: Exchange, request: Request, whole: Whole, shortened: Mapping[type, Shorten]
    ) -> None:
        """Prepares a short path for requests like this one."""
        shorten = shortened.get(type(request))
        if shorten is not None and self._times < TIMES_LEARNED_MAX:
            short = shorten(exchange, request)
            if short is not None and short.matches(whole):
                self._short = short
                self._times += 1
