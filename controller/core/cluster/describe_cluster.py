"""DescribeCluster: the brokers or controllers of the cluster (rules 5.5 to 5.19)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from .. import feature_levels
from ..errors import ApiError, ErrorCode
from ..feature_levels import METADATA_VERSION
from ..image.image import Image
from ..profile import Profile
from ..refusals import answered
from ..rpc import DescribeClusterBroker, DescribeClusterRequest, DescribeClusterResponse, Response
from ..rpc.cluster import BROKER_ENDPOINT, CONTROLLER_ENDPOINT, OPERATIONS_ABSENT

ALL_CLUSTER_OPERATIONS = 8096  # with no authorizer, bits 5 and 7 to 12 (rule 5.11)
_NAMES = {BROKER_ENDPOINT: "BROKER", CONTROLLER_ENDPOINT: "CONTROLLER"}


def describe_controllers(
    image: Image,
    request: DescribeClusterRequest,
    *,
    profile: Profile,
    cluster_id: str,
    leader_id: int,
    listener: str,
) -> DescribeClusterResponse:
    """Returns the registered controllers that have a listener named `listener`.

    No controller is ever fenced (rules 5.14, 5.15). Raises UNSUPPORTED_VERSION if the finalized
    metadata.version has no controller registrations.
    """
    if not (profile.assumes_lowest_level or METADATA_VERSION in image.features):
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION,
            "There is no finalized MetadataVersion, so direct-to-controller communication is not "
            "supported.",
        )
    if image.metadata_version < feature_levels.CONTROLLER_REGISTRATION_FROM:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION,
            "Direct-to-controller communication is not supported with the current MetadataVersion.",
        )
    _check_endpoint_type(request, CONTROLLER_ENDPOINT)
    nodes = tuple(
        DescribeClusterBroker(broker_id=controller_id, host=endpoint.host, port=endpoint.port)
        for controller_id, controller in image.controllers.items()
        for endpoint in controller.end_points
        if endpoint.name == listener
    )
    return _response(request, CONTROLLER_ENDPOINT, cluster_id, leader_id, nodes)


def describe_brokers(
    image: Image,
    request: DescribeClusterRequest,
    *,
    cluster_id: str,
    listener: str,
    controller_id: int,
) -> DescribeClusterResponse:
    """Returns the brokers that have a listener named `listener`.

    Fenced brokers are included only if the request says so (rules 5.16, 5.17). `controller_id` is
    that of any live broker: every broker forwards to the controller.
    """
    _check_endpoint_type(request, BROKER_ENDPOINT)
    nodes = tuple(
        DescribeClusterBroker(
            broker_id=broker.broker_id,
            host=endpoint.host,
            port=endpoint.port,
            rack=broker.rack,
            is_fenced=broker.fenced,
            start_time_ms=broker.start_time_ms,
        )
        for broker in image.brokers.values()
        if (endpoint := broker.listener(listener)) is not None
        and (request.include_fenced_brokers or not broker.fenced)
    )
    return _response(request, BROKER_ENDPOINT, cluster_id, controller_id, nodes)


def live_brokers(image: Image) -> Sequence[int]:
    """Returns the ids of the unfenced brokers."""
    return [broker.broker_id for broker in image.brokers.values() if not broker.fenced]


def any_broker(live: Sequence[int], random: Callable[[], float]) -> int:
    """Returns a random id of `live`, -1 if there is none (rules 5.16, 5.40)."""
    return live[int(random() * len(live))] if live else -1


def respond(request: DescribeClusterRequest, reply: Response | ApiError, version: int) -> Response:
    """Returns the response to a DescribeCluster request.

    In version 0 errors 114 and 115 become INVALID_REQUEST (rule 5.8).
    """
    response = answered(request, reply)
    if version > 0 or not isinstance(response, DescribeClusterResponse):
        return response
    wrong_type = (ErrorCode.MISMATCHED_ENDPOINT_TYPE, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE)
    if response.error_code in wrong_type:
        return replace(response, error_code=ErrorCode.INVALID_REQUEST)
    return response


def _check_endpoint_type(request: DescribeClusterRequest, own: int) -> None:
    """Refuses a request for an endpoint type other than `own` (rule 5.8).

    A request in version 0 always has the type BROKER.
    """
    requested = request.endpoint_type
    if requested not in _NAMES:
        raise ApiError(
            ErrorCode.UNSUPPORTED_ENDPOINT_TYPE, f"Unsupported endpoint type {requested}"
        )
    if requested != own:
        raise ApiError(
            ErrorCode.MISMATCHED_ENDPOINT_TYPE,
            f"The request was sent to an endpoint of type {_NAMES[own]}, "
            f"but we wanted an endpoint of type {_NAMES[requested]}",
        )


def _response(
    request: DescribeClusterRequest,
    endpoint_type: int,
    cluster_id: str,
    controller_id: int,
    nodes: tuple[DescribeClusterBroker, ...],
) -> DescribeClusterResponse:
    listed = any(node.broker_id == controller_id for node in nodes)
    wants_operations = request.include_cluster_authorized_operations
    return DescribeClusterResponse(
        endpoint_type=endpoint_type,
        cluster_id=cluster_id,
        controller_id=controller_id if listed else -1,  # rule 5.12
        brokers=nodes,
        cluster_authorized_operations=(
            ALL_CLUSTER_OPERATIONS if wants_operations else OPERATIONS_ABSENT
        ),
    )
