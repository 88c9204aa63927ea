"""A Kafka listener that follows the state of a simulated process.

It is closed while the process does not run, reads and answers nothing while the process is paused,
and reopens the same port when the process is started again.
"""

import asyncio
import logging
from collections.abc import Callable

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.server.kafka_listener import KafkaListener

from .event_loop.simulated import simulated_loop

log = logging.getLogger(__name__)


class FollowedListener(KafkaListener):
    """A Kafka listener that follows a process. `port` is -1 before the first `bind`.

    Its connections belong to the event loop of the first `bind`: the code of another node, which
    has a loop of its own, may restart the process.
    """

    _loop: asyncio.AbstractEventLoop

    def __init__(self, kind: str, name: str, host: str) -> None:
        super().__init__(kind, name)
        self.port = -1
        self._host = host
        self._reopening: asyncio.Task[None] | None = None

    async def bind(self, port: int) -> int:
        """Binds the port and returns it; requests are answered only after `serve`."""
        self._loop = asyncio.get_running_loop()
        self.port = await self.open(self._host, port)
        return self.port

    async def open(self, host: str, port: int) -> int:
        """Listens; in a simulated loop the port belongs to the host of the process."""
        bound = await super().open(host, port)
        loop = simulated_loop()
        if loop is not None:
            loop.hosts.claim(bound, self.name)
        return bound

    @property
    def is_reopening(self) -> bool:
        """True while the process runs and its port is not yet open."""
        return self._reopening is not None

    def follow(self, state: ProcessState, is_alive: Callable[[], bool]) -> None:
        """Opens, holds or closes the listener for the process state `state`.

        `is_alive` is called after an asynchronous reopening, because the process may have ended
        meanwhile.
        """
        if state is ProcessState.NOT_RUNNING:
            self.close()
        elif not self.is_open and not self.is_reopening:
            self._reopening = self._loop.create_task(self._reopen(is_alive))
        self.hold(state is ProcessState.PAUSED)

    async def _reopen(self, is_alive: Callable[[], bool]) -> None:
        """Reopens the port, and closes it again if the process has ended meanwhile."""
        try:
            await self.open(self._host, self.port)
        except OSError as error:
            log.error(
                "%s: cannot open its listener again, so no client can connect to it: %s",
                self.name,
                error,
            )
        finally:
            self._reopening = None
        if not is_alive():
            self.close()

    async def clear(self) -> None:
        """Ends every connection, and listens again; requests are answered only after `serve`."""
        await self.reopened()
        self.unserve()
        if not self.is_open:
            await self.open(self._host, self.port)

    async def shut(self) -> None:
        """Closes the listener, after a reopening that is under way."""
        await self.reopened()
        self.close()

    async def reopened(self) -> None:
        """Waits for a reopening that is under way; cancelled, asyncio would lose its socket."""
        if self._reopening is not None:
            await asyncio.gather(self._reopening, return_exceptions=True)
