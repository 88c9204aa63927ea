"""The description of a cluster for clients and for the Python API."""

from kraftsim.controller.core.rpc import DescribeClusterBroker, DescribeClusterRequest
from kraftsim.controller.core.value import value
from kraftsim.simulation.world import World

from ..errors import UnknownBroker
from .client_view import ClientView


@value
class BrokerDescription:
    """A broker as clients see it.

    `start_time_ms` is the time at which the controller accepted this incarnation, in milliseconds
    since the epoch; 0 if unknown (KIP-436).
    """

    broker_id: int
    host: str
    port: int
    rack: str | None
    fenced: bool
    start_time_ms: int


@value
class ClusterDescription:
    """A cluster as clients see it: its brokers, and the id of the active controller."""

    cluster_id: str
    controller_id: int
    brokers: tuple[BrokerDescription, ...]

    def broker(self, broker_id: int) -> BrokerDescription:
        """Returns the broker of that id; raises UnknownBroker if it is not described."""
        for broker in self.brokers:
            if broker.broker_id == broker_id:
                return broker
        raise UnknownBroker(broker_id, [broker.broker_id for broker in self.brokers])


def describe(world: World, include_fenced: bool) -> ClusterDescription:
    """Describes the cluster from its committed metadata; `include_fenced` adds fenced brokers."""
    request = DescribeClusterRequest(include_fenced_brokers=include_fenced)
    reply = client_view(world).brokers(world.committed, request)
    return ClusterDescription(
        cluster_id=reply.cluster_id,
        controller_id=world.controller.node.leader_id,
        brokers=tuple(_broker(broker) for broker in reply.brokers),
    )


def client_view(world: World) -> ClientView:
    """Returns the functions that answer Metadata and DescribeCluster for this world."""
    topology = world.topology
    random = world.streams.draw_of("clients")
    return ClientView(topology.cluster_id, topology.profile, random, settings=topology.settings)


def _broker(broker: DescribeClusterBroker) -> BrokerDescription:
    return BrokerDescription(
        broker_id=broker.broker_id,
        host=broker.host,
        port=broker.port,
        rack=broker.rack,
        fenced=broker.is_fenced,
        start_time_ms=broker.start_time_ms,
    )
