"""The listeners of a cluster, and its present simulation, which a reset replaces."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.raft.identity import LISTENER as CONTROLLER_LISTENER
from kraftsim.scenarios.language.durations import microseconds
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.topology import FIRST_BROKER_ID, FIRST_CONTROLLER_ID
from kraftsim.simulation.world import World

from ...errors import CommandError, UsageError
from ...options import ClusterOptions
from ...recording.recorder import Recorder
from ...releases import profile_of
from ...service.clock.clock_control import ClockControl
from ...service.listeners import Service
from .simulation import Running


class Live:
    """The options, the listeners and the present simulation of a cluster, for its parts.

    `running` is None until the cluster starts. Properties and methods raise CommandError while it
    does not run.
    """

    def __init__(self, options: ClusterOptions) -> None:
        self.options = options
        self.service = Service(options.host, options.http_token(), options.retention_bytes)
        self.running: Running | None = None

    @property
    def now(self) -> Running:
        """The simulation with its driver and its clock."""
        if self.running is None or self.service.is_closed:
            state = "closed" if self.service.is_closed else "not started"
            raise CommandError(f"the cluster is {state}: use `async with Cluster(...)`")
        return self.running

    @property
    def world(self) -> World:
        """The simulation."""
        return self.now.world

    @property
    def clock(self) -> ClockControl:
        """The clock of the simulation."""
        return self.now.clock

    @property
    def recorder(self) -> Recorder:
        """The inputs since the last start or reset."""
        world, recorder = self.world, self.service.recorder
        assert recorder is not None, world
        return recorder

    def advertised(self, name: str) -> str:
        """Returns the advertised `host:port,...` of the bound listeners PLAINTEXT or CONTROLLER."""
        is_controller = name == CONTROLLER_LISTENER
        listeners = self.service.controllers if is_controller else self.service.brokers
        first_id = FIRST_CONTROLLER_ID if is_controller else FIRST_BROKER_ID
        addresses = (
            self.options.address(name, node_id - first_id, listener.port)
            for node_id, listener in sorted(listeners.items())
        )
        return ",".join(f"{host}:{port}" for host, port in addresses)

    def entered(self) -> AbstractContextManager[None]:
        """Enters the timeline for an external change."""
        return self.now.runtime.entered()

    def install(self, node: NodeId, profile: str) -> None:
        """Installs the release of a profile on a node; UsageError if no profile has this name."""
        try:
            release = profile_of(profile)
        except ValueError as error:
            raise UsageError(str(error)) from None
        Processes(self.world).install(node, release)

    async def until(
        self,
        condition: Callable[[], bool],
        timeout: str | float,
        expected: str,
        current: Callable[[], str] | None = None,
    ) -> None:
        """Waits until the condition holds; a clock that stands moves meanwhile.

        Raises TimeoutError after `timeout`, with what was `expected`, what held the clock, and the
        `current` state.
        """
        clock = self.clock
        if not await clock.until(condition, microseconds(timeout), expected):
            held_by = clock.held_by() if clock.is_standing else None
            reason = "" if held_by is None else f", but time stood still: {held_by}"
            state = "" if current is None else f"; {current()}"
            raise TimeoutError(f"expected {expected} within {timeout}{reason}{state}")
