"""The listeners of the brokers of `kraftsim agent`: from `--kafka-port` or from `--config`."""

from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.configuration.configuration import Configuration
from kraftsim.configuration.listeners import ADVERTISED, ANY_ADDRESS, Listener
from kraftsim.controller.core.rpc import BrokerListener
from kraftsim.controller.core.value import value
from kraftsim.simulation.ports import PORT_MAX

from ..service.fleet_listeners import FleetListeners

LOOPBACK = "127.0.0.1"


@value
class AgentListener:
    """A listener of the first broker; each further broker has the next ports, unless they are 0.

    Clients and controllers get the advertised address: a port of 0 is the port that was bound.
    """

    name: str
    host: str
    port: int
    advertised_host: str
    advertised_port: int


@value
class AgentListeners:
    """The listeners of each broker of a process; without any, nothing listens."""

    listeners: tuple[AgentListener, ...] = ()
    inter_broker: str = CLIENT_LISTENER

    async def bind(
        self, fleet_listeners: FleetListeners, broker_id: int, position: int
    ) -> tuple[BrokerListener, ...]:
        """Binds the listeners of the broker at `position`, and returns its registered ones."""
        registered = []
        for listener in self.listeners:
            wanted = listener.port and listener.port + position
            port = await fleet_listeners.bind(broker_id, listener.name, listener.host, wanted)
            advertised = listener.advertised_port and listener.advertised_port + position
            registered.append(
                BrokerListener(
                    name=listener.name, host=listener.advertised_host, port=advertised or port
                )
            )
        return tuple(registered)


def agent_listeners(
    kafka_port: int | None, configuration: Configuration, count: int
) -> AgentListeners:
    """Returns the listeners of `--kafka-port`, else those that the file sets.

    Raises ValueError for a listener that has no host to advertise, or no port left for a broker.
    """
    node = configuration.node
    if kafka_port is not None:
        own = Listener(CLIENT_LISTENER, LOOPBACK, kafka_port)
        return AgentListeners(listeners=(_listener(own, own, count),))
    if node is None or "listeners" not in configuration.of_the_node:
        return AgentListeners()
    bound = {listener.name: listener for listener in node.listeners}
    return AgentListeners(
        listeners=tuple(
            _listener(bound[advertised.name], advertised, count)
            for advertised in node.advertised_broker_listeners
        ),
        inter_broker=node.inter_broker_listener,
    )


def _listener(bound: Listener, advertised: Listener, count: int) -> AgentListener:
    for port in (bound.port, advertised.port):
        if port and port + count - 1 > PORT_MAX:
            expected = f"expected a port of at most {PORT_MAX - count + 1} for {count} brokers"
            raise ValueError(f"{bound.name}: {expected}, got {port}")
    host = advertised.host or bound.host
    if host in ("", ANY_ADDRESS):
        raise ValueError(
            f"--config: {ADVERTISED}: expected a host for {bound.name}, because listeners names "
            "every address of the machine"
        )
    return AgentListener(
        name=bound.name,
        host=bound.host or ANY_ADDRESS,
        port=bound.port,
        advertised_host=host,
        advertised_port=advertised.port,
    )
