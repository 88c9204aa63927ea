"""The nodes of a user's own beside a cluster: coroutines in processes of the simulated world."""

import re
from asyncio import sleep
from typing import TYPE_CHECKING

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.simulation.world import World

from ..errors import CommandError, UsageError
from ..service.event_loop.simulated import simulated_loop
from .documents import NodeDocument
from .running.live import Live

NAME = re.compile("[A-Za-z][A-Za-z0-9_.-]*")
TAKEN = re.compile("localhost|(broker|controller)-[0-9]+")

if TYPE_CHECKING:
    from ..simulated_loop.process import Main, SimulatedProcess


class Nodes:
    """The nodes of your own: `kraft.nodes.add(my_operator.main, name="operator")`.

    A node is a process with an event loop, connections and tasks of its own; faults select it as
    `{node: operator}`. Nodes need a simulated loop (docs/simulated-loop.md); without one every verb
    raises CommandError, as it does for a name that no node has.
    """

    def __init__(self, live: Live) -> None:
        self._live = live
        self._world: World | None = None  # a reset begins another one, without these processes
        self._processes: dict[str, SimulatedProcess] = {}

    def add(self, main: "Main", name: str) -> None:
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
        _check_name(name)
        world = self._live.world
        if world.own.has(name):
            raise CommandError(f"name: expected one that no node has, got {name!r}")
        from ..simulated_loop.process import SimulatedProcess

        def report(state: ProcessState, error: BaseException | None) -> None:
            failure = {} if error is None else {"error": repr(error)}
            world.journal.node_state(name, {"state": state.value, **failure})

        process = SimulatedProcess(loop.hosts, name, main, report)
        self._of_world()[name] = world.own.processes[world.own.name(name)] = process
        process.start()

    def _of_world(self) -> "dict[str, SimulatedProcess]":
        """Returns the processes of the present world, by name."""
        if self._world is not self._live.world:
            self._world, self._processes = self._live.world, {}
        return self._processes

    async def list(self) -> list[NodeDocument]:
        """Returns the nodes, in the order in which they were added."""
        return [
            {
                "name": name,
                "state": process.state.value,
                "error": None if process.error is None else repr(process.error),
            }
            for name, process in self._of_world().items()
        ]

    async def stop(self, name: str) -> None:
        """Sends SIGTERM: the coroutine is cancelled, and may clean up."""
        self._process(name).stop()

    async def kill(self, name: str) -> None:
        """Sends SIGKILL: nothing of the node is called any more, its connections are reset."""
        self._process(name).kill()
        await sleep(0)  # a node that does so to itself gets no further

    async def pause(self, name: str) -> None:
        """Sends SIGSTOP: the node does nothing until `resume`, and its time goes on."""
        self._process(name).pause()
        await sleep(0)  # a node that does so to itself gets no further

    async def resume(self, name: str) -> None:
        """Sends SIGCONT."""
        self._process(name).resume()

    async def restart(self, name: str) -> None:
        """Kills the node and starts it anew."""
        process = self._process(name)
        process.kill()
        process.start()
        await sleep(0)  # a node that does so to itself gets no further

    def _process(self, name: str) -> "SimulatedProcess":
        processes = self._of_world()
        if name not in processes:
            known = ", ".join(processes) or "none"
            raise CommandError(f"expected the name of a node of your own ({known}), got {name!r}")
        return processes[name]


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not NAME.fullmatch(name) or TAKEN.fullmatch(name):
        raise UsageError(
            "name: expected the name of a host that is no broker and no controller, of letters, "
            f"digits, '.', '_' and '-', got {name!r}"
        )
