"""The short path from the bytes of a request to a log: without decoding, without a response object.

A client that produces to one partition, or fetches from one, repeats its request: only the batch or
the offset changes, and the correlation id. So a connection learns, from a request that took the
general path, the bytes around those, in the request and in its reply. The next request with the
same bytes there is answered from its batch or its offset.

There are no rules here. The replica is looked at each time (`known_replica.py`), and it and its log
are asked as on the general path. Whatever is refused, fails or is unusual is left to the general
path, which finds it again, because nothing was changed before it was found.
"""

from collections.abc import Callable

from kraftsim.controller.core.rpc import FetchRequest, Request
from kraftsim.controller.core.rpc.stored_messages import ProduceRequest
from kraftsim.controller.wire.frames import Exchange

from ..log.log import Instant
from .fetch import Fetching
from .produce import Producing
from .quotas import ByteQuotas
from .replicas import Replicas
from .short_fetch import ShortFetch, is_short_fetch
from .short_produce import ShortProduce, is_short_produce

ShortPath = ShortProduce | ShortFetch


class ShortPaths:
    """Makes the short paths of one listener."""

    def __init__(
        self,
        producing: Producing,
        fetching: Fetching,
        replicas: Replicas,
        quotas: ByteQuotas,
        now: Callable[[], Instant],
    ) -> None:
        self._producing, self._fetching = producing, fetching
        self._replicas, self._quotas, self._now = replicas, quotas, now

    def of(self, exchange: Exchange, request: Request) -> ShortPath | None:
        """Returns the short path for requests like this one, if they have one."""
        replicas, now = self._replicas, self._now
        if isinstance(request, ProduceRequest) and is_short_produce(request, exchange.version):
            return ShortProduce(self._producing, replicas, self._quotas, now, exchange, request)
        if isinstance(request, FetchRequest) and is_short_fetch(request, exchange.version):
            return ShortFetch(self._fetching, replicas, now, exchange, request)
        return None
