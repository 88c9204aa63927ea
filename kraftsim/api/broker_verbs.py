"""The part of `Cluster` that acts on processes and links of simulated brokers, and its faults."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.controller.core.node_id import broker_node

from ..errors import CommandError, UnknownBroker
from ..recording.recorded import recorded
from .administration.partition_verbs import PartitionVerbs
from .argument_checks import check_duration, expect_int
from .documents import FaultDocument, HeldRequestDocument

if TYPE_CHECKING:
    from .faults import Faults


class BrokerVerbs(PartitionVerbs):
    """The methods of `Cluster` that stop, pause, restart, mute and deafen a simulated broker.

    `faults` has the verbs of scenario files beside them.
    """

    _faults: "Faults | None" = None

    @property
    def faults(self) -> "Faults":
        """The faults of the cluster: `await kraft.faults.add({"net.partition": {"on": 2}})`."""
        if self._faults is None:
            module = import_module("kraftsim.api.faults")  # slow, and not needed at every start
            self._faults = module.Faults(
                lambda: self.world, lambda: self._clock, self._entered, lambda: self.recorder
            )
        return self._faults

    @property
    def added_faults(self) -> Sequence[FaultDocument]:
        """Every fault that was added, also those that have ended."""
        return () if self._faults is None else self._faults.documents()

    @property
    def _held_requests(self) -> Sequence[HeldRequestDocument]:
        return () if self._faults is None else self._faults.held_requests()

    @recorded
    async def stop(self, broker_id: int) -> None:
        """Sends SIGTERM: the broker hands over its leaderships, is fenced, and exits."""
        with self._entered():
            self._living(broker_id).stop()

    def _living(self, broker_id: int) -> HostedAgent:
        """Returns the process of a broker; CommandError if it has ended."""
        agent = self._agent(broker_id)
        if not agent.is_alive:
            raise CommandError(
                f"broker {broker_id}: expected a process that runs, got NOT_RUNNING: restart it "
                "first"
            )
        return agent

    @recorded
    async def kill(self, broker_id: int) -> None:
        """Sends SIGKILL: the process ends at once; the broker is fenced when its lease runs out."""
        with self._entered():
            self._agent(broker_id).kill()

    @recorded
    async def pause(self, broker_id: int) -> None:
        """Sends SIGSTOP: the process does nothing and its sockets hang."""
        with self._entered():
            self._living(broker_id).pause()

    @recorded
    async def resume(self, broker_id: int) -> None:
        """Sends SIGCONT to a paused process."""
        with self._entered():
            self._agent(broker_id).resume()

    @recorded
    async def restart(self, broker_id: int, wait: str | float | None = None) -> None:
        """Kills the process if it is alive and starts another one, with a new incarnation id.

        With `wait`, returns once the controllers have unfenced the registration of the new process,
        which has its start time (KIP-436): the former registration is unfenced, too, until its
        lease expires. Raises TimeoutError with the states of the broker if it takes longer.
        """
        if wait is not None:
            check_duration("wait", wait)
        with self._entered():
            agent = self._agent(broker_id)
            agent.kill()
            agent.start()
        if wait is not None:
            await self._until(
                lambda: self._serves(broker_id, agent),
                wait,
                f"broker {broker_id} unfenced with its new start time",
                lambda: self._states_text((broker_id,)),
            )

    def _serves(self, broker_id: int, agent: HostedAgent) -> bool:
        """Returns whether the committed registration is that of the present process, unfenced."""
        broker = self.world.committed.brokers.get(broker_id)
        is_new = broker is not None and broker.incarnation_id == agent.agent.incarnation_id
        return is_new and broker is not None and not broker.fenced

    @recorded
    async def mute(self, broker_id: int) -> None:
        """Drops the messages from the broker to the controllers until `unmute`."""
        self._agent(broker_id)
        self.world.network.mute.add(broker_node(broker_id))

    @recorded
    async def unmute(self, broker_id: int) -> None:
        """Delivers the messages of a muted broker again."""
        self._agent(broker_id)
        self.world.network.mute.discard(broker_node(broker_id))

    @recorded
    async def deafen(self, broker_id: int) -> None:
        """Drops the responses of the controllers to the broker until `undeafen`."""
        self._agent(broker_id)
        self.world.network.deaf.add(broker_node(broker_id))

    @recorded
    async def undeafen(self, broker_id: int) -> None:
        """Delivers responses to a deafened broker again."""
        self._agent(broker_id)
        self.world.network.deaf.discard(broker_node(broker_id))

    def _agent(self, broker_id: int) -> HostedAgent:
        expect_int("broker_id", broker_id)
        agent = self.world.agents.get(broker_id)
        if agent is None:
            raise UnknownBroker(broker_id, sorted(self.world.agents))
        return agent
