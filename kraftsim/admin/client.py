"""`Admin`, the client: one method for each call."""

from collections.abc import Sequence
from types import TracebackType
from typing import cast

from kraftsim.controller.core import rpc
from kraftsim.controller.core.cluster.quorum_request import QUORUM_REQUEST
from kraftsim.controller.core.node_id import checked_id
from kraftsim.controller.core.rpc.cluster import CONTROLLER_ENDPOINT

from ..service.voter_addresses import address_of, directory_of
from . import results
from .cluster_resource import ClusterResourceListener, ClusterResources
from .connection import VERSIONS_REQUEST
from .errors import AdminError, error_of
from .listeners import Listeners
from .reading import cluster_of, controllers_of, features_of, quorum_of

TIMEOUT_S = 10.0
TIMEOUT_MAX_S = 86_400


class Admin:
    """Asks a Kafka cluster about itself and changes its membership.

    Addresses are `host:port`, separated by commas: of brokers, which forward to the controller, of
    controllers, or of both. Of several controllers the client finds the one that leads. Calls may
    run concurrently; they share a connection for each address, opened at the first call. Every call
    raises AdminError if the server refuses it or if it takes longer than `timeout_s` seconds, and
    ValueError for an argument that no request can hold. `cluster_listener` is called with the
    cluster of every description of a cluster or of its controllers (KIP-78).
    """

    def __init__(
        self,
        bootstrap_servers: str | None = None,
        *,
        bootstrap_controllers: str | None = None,
        timeout_s: float = TIMEOUT_S,
        cluster_listener: ClusterResourceListener | None = None,
    ) -> None:
        given = {
            "bootstrap_servers": bootstrap_servers,
            "bootstrap_controllers": bootstrap_controllers,
        }
        if not 0 < timeout_s <= TIMEOUT_MAX_S:
            raise ValueError(
                f"timeout_s: expected seconds above 0 and at most {TIMEOUT_MAX_S}, got {timeout_s}"
            )
        listeners = [
            Listeners([address_of(name, text) for text in texts.split(",")], timeout_s)
            for name, texts in given.items()
            if texts is not None
        ]
        if not listeners:
            raise ValueError("expected bootstrap_servers, bootstrap_controllers or both, got none")
        self._timeout_ms = int(timeout_s * 1000)
        self._brokers, self._controllers = listeners[0], listeners[-1]
        self._clusters = ClusterResources(cluster_listener)

    async def __aenter__(self) -> "Admin":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes all connections; later calls raise AdminError."""
        self._brokers.close()
        self._controllers.close()

    async def describe_cluster(self, *, include_fenced: bool = False) -> results.ClusterDescription:
        """Returns the brokers, of which only brokers know (KIP-700); with `include_fenced` also the
        fenced ones (KIP-1073, Kafka 4.0 and later)."""
        request = rpc.DescribeClusterRequest(include_fenced_brokers=include_fenced)
        return cluster_of(await self._described(self._brokers, request, 2 if include_fenced else 0))

    async def describe_controllers(self) -> results.ControllersDescription:
        """Returns the registered controllers, of which only controllers know (KIP-919)."""
        request = rpc.DescribeClusterRequest(endpoint_type=CONTROLLER_ENDPOINT)
        return controllers_of(await self._described(self._controllers, request, 1))

    async def describe_quorum(self) -> results.QuorumDescription:
        """Returns the leader, and the progress of all voters and observers (KIP-595, KIP-836)."""
        response = await self._accepted(self._controllers, QUORUM_REQUEST)
        return quorum_of(cast(rpc.DescribeQuorumResponse, response))

    async def describe_features(self) -> results.FeaturesDescription:
        """Returns the features that the server supports, and their finalized levels (KIP-584)."""
        response = await self._accepted(self._controllers, VERSIONS_REQUEST)
        return features_of(cast(rpc.ApiVersionsResponse, response))

    async def unregister_broker(self, broker_id: int) -> None:
        """Removes the registration of a broker for good (KIP-500).

        BROKER_ID_NOT_REGISTERED is the refusal of an unknown id.
        """
        request = rpc.UnregisterBrokerRequest(broker_id=checked_id("broker_id", broker_id))
        await self._accepted(self._controllers, request)

    async def unregister_controller(self, controller_id: int) -> None:
        """Removes the registration of a controller for good (KIP-1312, Kafka 4.4 and later).

        CONTROLLER_ID_NOT_REGISTERED is the refusal of an unknown id. A controller that still runs
        registers again.
        """
        number = checked_id("controller_id", controller_id)
        request = rpc.UnregisterControllerRequest(controller_id=number)
        await self._accepted(self._controllers, request)

    async def add_voter(
        self, voter_id: int, directory_id: str, endpoints: Sequence[results.Endpoint]
    ) -> None:
        """Makes an observer a voter (KIP-853); returns once the change is committed.

        `directory_id` is the id of the observer's log directory, as `describe_quorum` has it.
        """
        request = rpc.AddRaftVoterRequest(
            timeout_ms=self._timeout_ms,
            voter_id=checked_id("voter_id", voter_id),
            voter_directory_id=directory_of("directory_id", directory_id),
            listeners=tuple(_checked(endpoint) for endpoint in endpoints),
        )
        await self._accepted(self._controllers, request)

    async def remove_voter(self, voter_id: int, directory_id: str) -> None:
        """Removes a voter from the quorum (KIP-853); returns once the change is committed."""
        request = rpc.RemoveRaftVoterRequest(
            voter_id=checked_id("voter_id", voter_id),
            voter_directory_id=directory_of("directory_id", directory_id),
        )
        await self._accepted(self._controllers, request)

    async def _described(
        self, listeners: Listeners, request: rpc.DescribeClusterRequest, min_version: int
    ) -> rpc.DescribeClusterResponse:
        response = cast(
            rpc.DescribeClusterResponse, await self._accepted(listeners, request, min_version)
        )
        self._clusters.update(response.cluster_id)
        return response

    async def _accepted(
        self, listeners: Listeners, request: rpc.Request, min_version: int = 0
    ) -> rpc.Response:
        """Returns the response; raises AdminError if it is a refusal."""
        response = await listeners.ask(request, min_version)
        code, message = error_of(response)
        if code:
            raise AdminError(code, message)
        return response


def _checked(endpoint: results.Endpoint) -> rpc.QuorumEndpoint:
    """Returns the endpoint for a request; raises ValueError for a port that does not exist."""
    host, port = address_of("endpoints", f"{endpoint.host}:{endpoint.port}")
    return rpc.QuorumEndpoint(name=endpoint.listener, host=host, port=port)
