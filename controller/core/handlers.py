"""The table of handlers by request, and the responses that carry a refusal.

Planted bugs and profiles replace entries of this table, not lines of code. The wire and HTTP use
the same entries, so each API has one implementation.
"""

from collections.abc import Callable, Mapping
from typing import Any

from . import rpc
from .brokers.decommission import decommission
from .brokers.heartbeats import heartbeat
from .brokers.producer_ids import allocate_producer_ids
from .brokers.registration import register
from .brokers.unregistration import unregister
from .cluster import describe_cluster, metadata_responses
from .cluster.controller_registration import register_controller, unregister_controller
from .configs import alteration
from .errors import ApiError
from .features.update_features import update_features
from .partitions.alter_partition import alter_partition
from .partitions.directories import assign_directories
from .partitions.elect_leaders import elect_leaders
from .partitions.reassignment import alter_reassignments
from .quotas import alteration as quota_alteration
from .quotas import describe_client_quotas
from .refusals import answered
from .security import acl_creation, acl_deletion, scram_alteration
from .state import Decision, State
from .topics.creation import create_topics
from .topics.deletion import delete_topics, respond_to_deletion
from .topics.more_partitions import create_partitions

Handler = Callable[[State, Any, int], Decision]

HANDLERS: Mapping[type, Handler] = {
    rpc.BrokerRegistrationRequest: register,
    rpc.BrokerHeartbeatRequest: heartbeat,
    rpc.UnregisterBrokerRequest: unregister,
    rpc.DecommissionBrokerRequest: decommission,
    rpc.CreateTopicsRequest: create_topics,
    rpc.DeleteTopicsRequest: delete_topics,
    rpc.IncrementalAlterConfigsRequest: alteration.incremental_alter_configs,
    rpc.AlterConfigsRequest: alteration.alter_configs,
    rpc.AlterClientQuotasRequest: quota_alteration.alter_client_quotas,
    rpc.AlterUserScramCredentialsRequest: scram_alteration.alter_user_scram_credentials,
    rpc.CreateAclsRequest: acl_creation.create_acls,
    rpc.DeleteAclsRequest: acl_deletion.delete_acls,
    rpc.AlterPartitionRequest: alter_partition,
    rpc.ControllerRegistrationRequest: register_controller,
    rpc.UnregisterControllerRequest: unregister_controller,
    rpc.UpdateFeaturesRequest: update_features,
    rpc.CreatePartitionsRequest: create_partitions,
    rpc.ElectLeadersRequest: elect_leaders,
    rpc.AlterPartitionReassignmentsRequest: alter_reassignments,
    rpc.AllocateProducerIdsRequest: allocate_producer_ids,
    rpc.AssignReplicasToDirsRequest: assign_directories,
}


RESPONSES: Mapping[type, Callable[[Any, rpc.Response | ApiError, int], rpc.Response]] = {
    rpc.AlterClientQuotasRequest: quota_alteration.respond,
    rpc.AlterUserScramCredentialsRequest: scram_alteration.respond,
    rpc.DeleteTopicsRequest: respond_to_deletion,
    rpc.DescribeClientQuotasRequest: describe_client_quotas.respond,
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
