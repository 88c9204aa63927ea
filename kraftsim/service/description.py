"""The description of a cluster for clients and for the Python API."""

from dataclasses import dataclass

from kraftsim.controller.core.rpc import DescribeClusterBroker, DescribeClusterRequest
from kraftsim.simulation.world import World

from ..errors import UnknownBroker
from .facades import ClientView


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDescription:
    """A cluster as clients see it: its brokers, and the id of the active controller."""

    cluster_id: str
    controller_id: int
    brokers: tuple[BrokerDescription, ...]

    def broker(self, broker_id: int) -> BrokerDescription:
        """Returns the broker of that id; raises UnknownBroker if it is not described."""
        for one in self.brokers:
            if one.broker_id == broker_id:
                return one
        raise UnknownBroker(broker_id, [one.broker_id for one in self.brokers])


def describe(world: World, include_fenced: bool) -> ClusterDescription:
    """Describes the cluster from its committed metadata; `include_fenced` adds fenced brokers."""
    request = DescribeClusterRequest(include_fenced_brokers=include_fenced)
    reply = client_view(world).brokers(world.committed, request)
    return ClusterDescription(
        cluster_id=reply.cluster_id,
        controller_id=world.controller.node.leader_id,
        brokers=tuple(_broker(one) for one in reply.brokers),
    )


def client_view(world: World) -> ClientView:
    """Returns the functions that answer Metadata and DescribeCluster for this world."""
    topology = world.topology
    return ClientView(topology.cluster_id, topology.profile, world.streams.draw_of("clients"))


def _broker(one: DescribeClusterBroker) -> BrokerDescription:
    return BrokerDescription(
        broker_id=one.broker_id,
        host=one.host,
        port=one.port,
        rack=one.rack,
        fenced=one.is_fenced,
        start_time_ms=one.start_time_ms,
    )
