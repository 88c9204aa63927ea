"""The time of listeners and waits in a world that somebody else drives."""

from asyncio import events
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from kraftsim.controller.server.runtime import Runtime
from kraftsim.simulation.world import World

from ..errors import CommandError
from ..simulated_loop.timed_loop import TimedLoop


class WorldRuntime(Runtime):
    """Moves nothing: what it enters happens at the time at which the world is."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._then: Callable[[], None] | None = None
        self._looked_us = -1
        super().__init__(world.timeline)

    def enter(self) -> None:
        """Does nothing: the timeline is at the present already."""

    leave = close = _begin = enter

    def present_us(self) -> int:
        """Returns the time of the timeline."""
        return self.timeline.now_us

    def _pause_actions(self) -> None:
        """Leaves the pauses of the timeline to its driver."""

    def set_speed(self, speed: float) -> NoReturn:
        """Raises CommandError: the driver of the world has its speed."""
        raise CommandError("the clock of the cluster is not that of its nodes: expected no change")

    @property
    def on_change(self) -> Callable[[], None] | None:
        """What is called after each time at which something has happened."""
        return self._then

    @on_change.setter
    def on_change(self, then: Callable[[], None] | None) -> None:
        self._then = then
        self.timeline.after_instant = None if then is None else self._after_instant

    def _after_instant(self) -> None:
        """Calls `on_change` once for each time: what it wakes does something at that time, too."""
        if self._then is not None and self.timeline.now_us != self._looked_us:
            self._looked_us = self.timeline.now_us
            self._then()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Context manager: what is changed has as its cause what the node did last that asks."""
        loop, causes = events._get_running_loop(), self._world.journal.causes
        before, own = causes.doing, self._world.own
        if isinstance(loop, TimedLoop) and own.has(loop.name) and before is None:
            causes.doing = causes.newest(own.named(loop.name))
        try:
            yield
        finally:
            causes.doing = before
