"""The part of `Cluster` that adds simulated brokers."""

from abc import abstractmethod

from kraftsim.controller.server.runtime import Runtime
from kraftsim.simulation.ports import PORT_MAX
from kraftsim.simulation.topology import (
    FIRST_BROKER_ID,
    BrokerSpec,
    expect_free,
    unbound_port,
)

from ..errors import CommandError
from ..options import ClusterOptions, listeners_at
from ..service.listeners import Service
from .argument_checks import check_broker, expect_int
from .reading import Reading

SIMULATED_MAX = 10_000  # simulated brokers of one cluster, including those added later


class NewBrokers(Reading):
    """The method of `Cluster` that starts another broker."""

    options: ClusterOptions
    _service: Service

    @property
    @abstractmethod
    def _runtime(self) -> Runtime: ...

    @property
    @abstractmethod
    def _advertised(self) -> str: ...

    async def add_broker(self, rack: str | None = None, broker_id: int | None = None) -> int:
        """Starts another simulated broker and returns its id.

        Raises CommandError if the id is taken or no int, if the rack is no text of Kafka's
        protocol, or if the cluster has 10,000 simulated brokers.
        """
        world = self.world
        try:
            check_broker(rack)
        except ValueError as error:
            raise CommandError(str(error)) from None
        if broker_id is not None:
            expect_int("broker_id", broker_id)
        chosen = self._free_id(broker_id)
        self._service.arriving.add(
            chosen
        )  # binding a port awaits; another call must not choose this id
        try:
            port = await self._broker_port(chosen)
            ports = await self._service.open_named(chosen, self.options.listeners)
            if world is not self.world:
                raise CommandError(f"broker {chosen}: the cluster was reset meanwhile")
            self.recorder.verb("add_broker", {"broker_id": chosen, "rack": rack, "port": port})
            with self._entered():
                world.add_broker(
                    BrokerSpec(
                        broker_id=chosen,
                        host=self._advertised,
                        port=port,
                        rack=rack,
                        more_listeners=listeners_at(self._advertised, ports),
                    )
                )
                if self.options.kafka_port is not None:
                    self._service.serve_broker(chosen, self._runtime)
        finally:
            self._service.arriving.discard(chosen)
        return chosen

    def _free_id(self, requested: int | None) -> int:
        """Returns the requested id if it is free, else the next id above the simulated brokers."""
        world = self.world
        taken = {*world.agents, *self._service.arriving}
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

    async def _broker_port(self, broker_id: int) -> int:
        """Returns the bound port of the broker's listener; without sockets, any valid port."""
        first = self.options.kafka_port
        if first is None:
            return unbound_port(broker_id)
        port = first and first + broker_id - FIRST_BROKER_ID
        if not 0 <= port <= PORT_MAX:
            raise CommandError(
                f"broker {broker_id}: expected a port of at most {PORT_MAX}, got {port}; "
                "start with --kafka-port 0 to let the system choose"
            )
        return await self._service.open_broker(broker_id, port)
