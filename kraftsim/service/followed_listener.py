"""A Kafka listener that is there as its process is: closed when that is gone, holding when it is
paused, open again on the same port when there is another one."""

import asyncio
import logging
from collections.abc import Callable

from kraftsim.controller.server.kafka_listener import KafkaListener

log = logging.getLogger(__name__)


class FollowedListener(KafkaListener):
    """`port` is the one that was got when it was first bound."""

    def __init__(self, kind: str, name: str, host: str) -> None:
        super().__init__(kind, name)
        self.port = -1
        self._host = host
        self._reopening: asyncio.Task[None] | None = None

    async def bind(self, port: int) -> int:
        """Take the port; nobody is answered before `serve`."""
        self.port = await self.open(self._host, port)
        return self.port

    def follow(self, state: str, is_alive: Callable[[], bool]) -> None:
        """The process is in `state` now; `is_alive` says later whether there still is one."""
        if state == "NOT_RUNNING":
            self.close()
        elif not self.is_open and self._reopening is None:
            self._reopening = asyncio.ensure_future(self._reopen(is_alive))
        self.hold(state == "PAUSED")

    async def _reopen(self, is_alive: Callable[[], bool]) -> None:
        """Unless the process is gone again by then."""
        try:
            await self.open(self._host, self.port)
        except OSError as error:
            log.error("%s: no client can reach it any more: %s", self.name, error)
        finally:
            self._reopening = None
        if not is_alive():
            self.close()

    async def shut(self) -> None:
        """For good."""
        if self._reopening is not None:
            self._reopening.cancel()
            await asyncio.gather(self._reopening, return_exceptions=True)
        self.close()
