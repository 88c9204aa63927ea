"""Small simulated worlds without a cluster."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from kraftsim.controller.time.timeline import Timeline
from kraftsim.simulated_loop.hosts import Hosts
from kraftsim.simulated_loop.loop import SimulatedLoop
from kraftsim.simulated_loop.process import SimulatedProcess

T = TypeVar("T")


class FaultyLinks:
    """A network whose links can be cut; each segment takes `delay_us`."""

    def __init__(self) -> None:
        self.cut: set[tuple[str, str]] = set()
        self.lag_us = 0

    def is_open(self, sender: str, receiver: str, /) -> bool:
        return (sender, receiver) not in self.cut

    def delay_us(self, sender: str, receiver: str, /) -> int:
        return self.lag_us

    def isolate(self, node: str, other: str) -> None:
        self.cut |= {(node, other), (other, node)}

    def heal(self) -> None:
        self.cut.clear()


class World:
    """Hosts on one timeline; `run` runs a coroutine as the process `test`."""

    def __init__(self) -> None:
        self.links = FaultyLinks()
        self.timeline = Timeline(wall_start_ms=0)
        self.hosts = Hosts(self.timeline, self.links)
        self.loop = SimulatedLoop(self.hosts, "test")
        self.processes: list[SimulatedProcess] = []

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        try:
            return self.loop.run_until_complete(main)
        finally:
            for process in self.processes:
                process.kill()
            self.loop.close()

    def start(self, name: str, main: Callable[[], Coroutine[Any, Any, object]]) -> SimulatedProcess:
        """Starts a process, which reports to nobody."""
        process = SimulatedProcess(self.hosts, name, main, _ignore)
        process.start()
        self.processes.append(process)
        return process


def _ignore() -> None:
    """Nobody asks."""
