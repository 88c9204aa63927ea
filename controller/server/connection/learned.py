"""The short path that a connection has learned for its requests, if they repeat."""

from collections.abc import Mapping

from ...core.rpc import Request
from ...wire.frames import Exchange
from ..listener import Shorten, ShortPath, Whole

TIMES_LEARNED_MAX = 8  # of a connection: it takes some 0.1 ms, for nothing if requests vary


class Learned:
    """What a connection has learned last: `short`, if it has learned anything."""

    def __init__(self) -> None:
        self.short: ShortPath | None = None
        self._times = 0

    def learn(
        self, exchange: Exchange, request: Request, whole: Whole, shortened: Mapping[str, Shorten]
    ) -> None:
        """Prepares a short path for requests like this one."""
        shorten = shortened.get(type(request).__name__)
        if shorten is not None and self._times < TIMES_LEARNED_MAX:
            short = shorten(exchange, request)
            if short is not None and short.matches(whole):
                self.short = short
                self._times += 1
