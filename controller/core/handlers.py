"""The table of handlers by request, and the responses that carry a refusal.

Planted bugs and profiles replace entries of this table, not lines of code. The wire and HTTP use
the same entries, so each API has one implementation.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from . import rpc
from .brokers.heartbeats import heartbeat
from .brokers.registration import register
from .cluster import describe_cluster, metadata_responses
from .cluster.controller_registration import register_controller, unregister_controller
from .errors import ApiError
from .refusals import answered
from .state import Decision, State

Handler = Callable[[State, Any, int], Decision]


def in_core(module: str, name: str) -> Callable[..., Any]:
    """Returns a function that calls the function `name` of a module here, imported when called.

    A cluster starts without the requests of administrators, whose modules are half of the core.
    """

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(import_module(f"{__package__}.{module}"), name)(*arguments, **named)

    return call


HANDLERS: Mapping[type, Handler] = {
    rpc.BrokerRegistrationRequest: register,
    rpc.BrokerHeartbeatRequest: heartbeat,
    rpc.ControllerRegistrationRequest: register_controller,
    rpc.UnregisterControllerRequest: unregister_controller,
    rpc.UnregisterBrokerRequest: in_core("brokers.unregistration", "unregister"),
    rpc.DecommissionBrokerRequest: in_core("brokers.decommission", "decommission"),
    rpc.CreateTopicsRequest: in_core("topics.creation", "create_topics"),
    rpc.DeleteTopicsRequest: in_core("topics.deletion", "delete_topics"),
    rpc.CreatePartitionsRequest: in_core("topics.more_partitions", "create_partitions"),
    rpc.IncrementalAlterConfigsRequest: in_core("configs.alteration", "incremental_alter_configs"),
    rpc.AlterConfigsRequest: in_core("configs.alteration", "alter_configs"),
    rpc.AlterClientQuotasRequest: in_core("quotas.alteration", "alter_client_quotas"),
    rpc.AlterUserScramCredentialsRequest: in_core(
        "security.scram_alteration", "alter_user_scram_credentials"
    ),
    rpc.CreateAclsRequest: in_core("security.acl_creation", "create_acls"),
    rpc.DeleteAclsRequest: in_core("security.acl_deletion", "delete_acls"),
    rpc.AlterPartitionRequest: in_core("partitions.alter_partition", "alter_partition"),
    rpc.UpdateFeaturesRequest: in_core("features.update_features", "update_features"),
    rpc.ElectLeadersRequest: in_core("partitions.elect_leaders", "elect_leaders"),
    rpc.AlterPartitionReassignmentsRequest: in_core(
        "partitions.reassignment", "alter_reassignments"
    ),
    rpc.AllocateProducerIdsRequest: in_core("brokers.producer_ids", "allocate_producer_ids"),
    rpc.AssignReplicasToDirsRequest: in_core("partitions.directories", "assign_directories"),
}


RESPONSES: Mapping[type, Callable[[Any, rpc.Response | ApiError, int], rpc.Response]] = {
    rpc.AlterClientQuotasRequest: in_core("quotas.alteration", "respond"),
    rpc.AlterUserScramCredentialsRequest: in_core("security.scram_alteration", "respond"),
    rpc.DeleteTopicsRequest: in_core("topics.deletion", "respond_to_deletion"),
    rpc.DescribeClientQuotasRequest: in_core("quotas.describe_client_quotas", "respond"),
    rpc.DescribeClusterRequest: describe_cluster.respond,
    rpc.MetadataRequest: metadata_responses.respond,
}
"""The functions that return responses which the row of an API does not determine."""
_NEWEST_VERSION = 32767  # versions are int16


def response_to(request: rpc.Request, reply: rpc.Response | ApiError, version: int) -> rpc.Response:
    """Returns the response to `request` as version `version` of its API has it."""
    respond = RESPONSES.get(type(request))
    return answered(request, reply) if respond is None else respond(request, reply, version)


def refusal(request: rpc.Request, error: ApiError) -> rpc.Response:
    """Returns the response to `request` that has the error code and message of `error`."""
    return response_to(request, error, _NEWEST_VERSION)
