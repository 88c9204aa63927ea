"""The brokers of a cluster: shows them, adds them, and acts on their processes and links."""

from dataclasses import replace

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.controller.core.node_id import broker_node
from kraftsim.simulation.ports import PORT_MAX
from kraftsim.simulation.topology import (
    FIRST_BROKER_ID,
    expect_free,
    unbound_port,
)

from ..errors import CommandError, UnknownBroker
from ..options import broker_spec
from ..recording.recorded import recorded
from ..releases import profile_of
from .argument_checks import check_broker, check_duration, check_page, expect_int
from .documents import BrokerDocument
from .running.live import Live
from .running.waits import states_text
from .states import BrokerState, BrokerStatesDocument, states_of
from .views.list_pages import Page, keys_of_page
from .views.outage_view import outage_view
from .views.slices import in_slices
from .views.state_views import broker_view

SIMULATED_MAX = 10_000  # simulated brokers of one cluster, including those added later


class Brokers:
    """The brokers of a cluster: `await kraft.brokers.kill(2)`.

    Changes are possible only of simulated brokers. Raises UnknownBroker for an id that no broker
    has.
    """

    def __init__(self, live: Live) -> None:
        self._live = live

    async def list(
        self, from_: int = 0, limit: int | None = None
    ) -> Page[BrokerDocument, int | None]:
        """Returns brokers that are registered or simulated, in order of id, from id `from_` on.

        Returns every such broker without a limit. The `next` of the page is the id at which the
        next page begins, None after the last broker. Raises UsageError for a limit outside 1 to
        10,000.
        """
        check_page(from_, limit)
        world = self._live.world
        image, agents = world.committed.copy(), world.agents  # no other task changes the copy
        ids, following = keys_of_page(sorted({*image.brokers, *agents}), from_, limit)
        views = (broker_view(image, agents, broker_id) for broker_id in ids)
        return Page(await in_slices(views), following)

    async def show(self, broker_id: int) -> BrokerDocument:
        """Returns one broker, with what an outage of it would cost."""
        expect_int("broker_id", broker_id)
        world = self._live.world
        image = world.committed
        ids = {*image.brokers, *world.agents}
        if broker_id not in ids:
            raise UnknownBroker(broker_id, sorted(ids))
        document = broker_view(image, world.agents, broker_id)
        if document["registered"]:
            view = replace(world.controller.node.config_view, image=image)
            document["outage"] = outage_view(view, broker_id)
        return document

    async def add(
        self,
        rack: str | None = None,
        broker_id: int | None = None,
        profile: str | None = None,
    ) -> int:
        """Starts another simulated broker and returns its id.

        It runs the release of `profile`, by default that of the cluster. Raises CommandError if the
        id is taken or no int, if the rack is no text of Kafka's protocol, if no profile has this
        name, or if the cluster has 10,000 simulated brokers.
        """
        live = self._live
        world, service, kafka_port = live.world, live.service, live.options.kafka_port
        try:
            check_broker(rack, profile)
        except ValueError as error:
            raise CommandError(str(error)) from None
        if broker_id is not None:
            expect_int("broker_id", broker_id)
        chosen = self._free_id(broker_id)
        service.arriving.add(chosen)  # binding a port awaits; another call must not choose this id
        try:
            port = await self._bound_port(chosen)
            ports = await service.open_named(chosen, live.options.listeners)
            if world is not live.world:
                raise CommandError(f"broker {chosen}: the cluster was reset meanwhile")
            arguments = {"broker_id": chosen, "rack": rack, "port": port, "profile": profile}
            live.recorder.verb("brokers.add", arguments)
            own = None if profile is None else profile_of(profile)
            with live.entered():
                world.add_broker(broker_spec(live.options, chosen, port, ports, rack, own))
                if kafka_port is not None:
                    service.serve_broker(chosen, live.now.runtime)
        finally:
            service.arriving.discard(chosen)
        return chosen

    def _free_id(self, requested: int | None) -> int:
        """Returns the requested id if it is free, else the next id above the simulated brokers."""
        world = self._live.world
        taken = {*world.agents, *self._live.service.arriving}
        if len(taken) >= SIMULATED_MAX:
            raise CommandError(f"expected at most {SIMULATED_MAX} simulated brokers")
        chosen: int | None = requested
        if chosen is None:
            chosen = max(taken, default=FIRST_BROKER_ID - 1) + 1
            while chosen in world.committed.brokers or chosen in world.controllers:
                chosen += 1
        try:
            return expect_free("broker_id", chosen, world.controllers, taken)
        except ValueError as error:
            raise CommandError(str(error)) from None

    async def _bound_port(self, broker_id: int) -> int:
        """Returns the bound port of the broker's listener; without sockets, any valid port."""
        first = self._live.options.kafka_port
        if first is None:
            return unbound_port(broker_id)
        port = first and first + broker_id - FIRST_BROKER_ID
        if not 0 <= port <= PORT_MAX:
            raise CommandError(
                f"broker {broker_id}: expected a port of at most {PORT_MAX}, got {port}; "
                "start with --kafka-port 0 to let the system choose"
            )
        return await self._live.service.open_broker(broker_id, port)

    async def install(self, broker_id: int, profile: str) -> None:
        """Installs another release, older or newer; the broker runs it from its next start on."""
        self._agent(broker_id)
        arguments = {"broker_id": broker_id, "profile": profile}
        self._live.recorder.verb("brokers.install", arguments)
        self._live.install(broker_node(broker_id), profile)

    @recorded
    async def stop(self, broker_id: int) -> None:
        """Sends SIGTERM: the broker hands over its leaderships, is fenced, and exits."""
        with self._live.entered():
            self._living(broker_id).stop()

    @recorded
    async def kill(self, broker_id: int) -> None:
        """Sends SIGKILL: the process ends at once; the broker is fenced when its lease runs out."""
        with self._live.entered():
            self._agent(broker_id).kill()

    @recorded
    async def pause(self, broker_id: int) -> None:
        """Sends SIGSTOP: the process does nothing and its sockets hang."""
        with self._live.entered():
            self._living(broker_id).pause()

    @recorded
    async def resume(self, broker_id: int) -> None:
        """Sends SIGCONT to a paused process."""
        with self._live.entered():
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
        with self._live.entered():
            agent = self._agent(broker_id)
            agent.kill()
            agent.start()
        if wait is not None:
            await self._live.until(
                lambda: self._serves(broker_id, agent),
                wait,
                f"broker {broker_id} unfenced with its new start time",
                lambda: states_text(self._live.world, (broker_id,)),
            )

    def _serves(self, broker_id: int, agent: HostedAgent) -> bool:
        """Returns whether the committed registration is that of the present process, unfenced."""
        broker = self._live.world.committed.brokers.get(broker_id)
        is_new = broker is not None and broker.incarnation_id == agent.agent.incarnation_id
        return is_new and broker is not None and not broker.fenced

    @recorded
    async def mute(self, broker_id: int) -> None:
        """Drops what the broker sends to controllers and other brokers until `unmute`."""
        self._agent(broker_id)
        self._live.world.network.silence(broker_node(broker_id))

    @recorded
    async def unmute(self, broker_id: int) -> None:
        """Delivers what a muted broker sends again."""
        self._agent(broker_id)
        self._live.world.network.unsilence(broker_node(broker_id))

    @recorded
    async def deafen(self, broker_id: int) -> None:
        """Drops what controllers and brokers send to the broker until `undeafen`."""
        self._agent(broker_id)
        self._live.world.network.deafen(broker_node(broker_id))

    @recorded
    async def undeafen(self, broker_id: int) -> None:
        """Delivers responses to a deafened broker again."""
        self._agent(broker_id)
        self._live.world.network.undeafen(broker_node(broker_id))

    def states(self, broker_id: int) -> BrokerStatesDocument:
        """Returns the states of the broker as a document, in order."""
        return {"brokerId": broker_id, "states": sorted(self.states_of(broker_id))}

    def states_of(self, broker_id: int) -> set[BrokerState]:
        """Returns every state in which the broker is now, of its registration and its process."""
        return states_of(self._live.world, broker_id)

    def _living(self, broker_id: int) -> HostedAgent:
        """Returns the process of a broker; CommandError if it has ended."""
        agent = self._agent(broker_id)
        if not agent.is_alive:
            raise CommandError(
                f"broker {broker_id}: expected a process that runs, got NOT_RUNNING: restart it "
                "first"
            )
        return agent

    def _agent(self, broker_id: int) -> HostedAgent:
        expect_int("broker_id", broker_id)
        agents = self._live.world.agents
        if broker_id not in agents:
            raise UnknownBroker(broker_id, sorted(agents))
        return agents[broker_id]
