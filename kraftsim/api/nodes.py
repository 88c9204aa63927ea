"""The nodes of a user's own beside a cluster: coroutines in processes of the simulated world."""

import logging
from asyncio import sleep
from functools import partial
from typing import TYPE_CHECKING

from kraftsim.controller.time.clock import Clock
from kraftsim.simulation.own_process import OwnProcess, check_name
from kraftsim.simulation.topology import check_rack

from ..errors import CommandError, UsageError
from ..service.event_loop.simulated import simulated_loop
from .argument_checks import expect_text
from .running.live import Live
from .states import NodeDocument

if TYPE_CHECKING:
    from ..simulated_loop.process import Main

log = logging.getLogger("kraftsim")

Value = str | int | float | bool | None


class Nodes:
    """The nodes of your own: `kraft.nodes.add(my_operator.main, name="operator")`.

    A node is a process with an event loop, connections and tasks of its own; faults select it as
    `{node: operator}`. Nodes need a simulated loop (docs/simulated-loop.md); without one every verb
    raises CommandError, as it does for a name that no node has.
    """

    def __init__(self, live: Live) -> None:
        self._live = live

    def add(self, main: "Main", name: str, rack: str | None = None) -> None:
        """Starts a node, which runs `main()` until that returns.

        Its host has its name: other nodes reach what it listens at by that name.
        """
        loop = simulated_loop()
        if loop is None:
            raise CommandError(
                "a node of your own needs the simulated loop: mark the test with "
                '@pytest.mark.kraft(loop="simulated"), or run it with kraftsim.simulated_loop.run'
            )
        if not callable(main):
            raise UsageError(f"main: expected a function that returns a coroutine, got {main!r}")
        expect_text("name", name)
        if rack is not None:
            expect_text("rack", rack)
        try:
            check_name(name)
            check_rack(rack or "")
        except ValueError as error:
            raise UsageError(str(error)) from None
        world = self._live.world
        if world.own.has(name):
            raise CommandError(f"name: expected one that no node has, got {name!r}")
        from ..simulated_loop.process import SimulatedProcess

        node = world.own.name(name)
        clock = world.clocks[node] = Clock(loop.hosts.timeline)
        process = SimulatedProcess(loop.hosts, name, main, partial(self._report, name), clock)
        world.own.processes[node] = process
        if rack is not None:
            world.own.racks[node] = rack
        process.start()

    def _report(self, name: str) -> None:
        """Writes a new state of a process to the journal, and to the log what its code raised."""
        own = self._live.world.own
        failure = own.by_name[name].failure
        if failure is not None:
            log.error("node %s failed: %s", name, failure)
        own.note_state(name)

    @property
    def here(self) -> str:
        """The name of the node whose code asks, "test" in a test."""
        loop = simulated_loop()
        if loop is None:
            raise CommandError("expected the code of a node, which has the simulated loop")
        return loop.name

    def report(self, fact: str, **details: Value) -> None:
        """Reports a fact, which stands in the events and the story, and which claims count.

        `{reported: restarted, by: operator, count: 3}` is the condition of a scenario.
        """
        for name, value in (("fact", fact), *details.items()):
            if not isinstance(value, Value):
                raise UsageError(f"{name}: expected a text, a number, true, false or None")
        with self._live.entered():
            self._live.world.own.note_fact(self.here, fact, details)

    async def list(self) -> list[NodeDocument]:
        """Returns the nodes, in the order in which they were added."""
        return [await self.show(name) for name in self._live.world.own.by_name]

    async def show(self, name: str) -> NodeDocument:
        """Returns a node: the state of its process, its rack, and what its code has raised."""
        process, own = self._process(name), self._live.world.own
        return {
            "name": name,
            "state": process.state.value,
            "rack": own.racks.get(own.named(name)),
            "error": process.failure,
        }

    async def stop(self, name: str) -> None:
        """Sends SIGTERM: the coroutine is cancelled, and may clean up."""
        with self._live.entered():
            self._living(name).stop()

    async def kill(self, name: str) -> None:
        """Sends SIGKILL: nothing of the node is called any more, its connections are reset."""
        with self._live.entered():
            self._process(name).kill()
        await sleep(0)  # a node that does so to itself gets no further

    async def pause(self, name: str) -> None:
        """Sends SIGSTOP: the node does nothing until `resume`, and its time goes on."""
        with self._live.entered():
            self._living(name).pause()
        await sleep(0)  # a node that does so to itself gets no further

    async def resume(self, name: str) -> None:
        """Sends SIGCONT to a paused process."""
        with self._live.entered():
            self._process(name).resume()

    async def restart(self, name: str) -> None:
        """Kills the process if it is alive, and starts another one."""
        with self._live.entered():
            process = self._process(name)
            process.kill()
            process.start()
        await sleep(0)  # a node that does so to itself gets no further

    def _living(self, name: str) -> OwnProcess:
        """Returns the process of a node; CommandError if it has ended."""
        process = self._process(name)
        if not process.is_alive:
            raise CommandError(
                f"node {name}: expected a process that runs, got NOT_RUNNING: restart it first"
            )
        return process

    def _process(self, name: str) -> OwnProcess:
        known = self._live.world.own.by_name
        if name not in known:
            names = ", ".join(known) or "none"
            raise CommandError(f"expected the name of a node of your own ({names}), got {name!r}")
        return known[name]
