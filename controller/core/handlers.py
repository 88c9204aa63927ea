"""The table of handlers by request, and the responses that carry a refusal.

Planted bugs and profiles replace entries of this table, not lines of code. The wire and HTTP use
the same entries, so each API has one implementation.
"""

from collections.abc import Callable, Mapping
from typing import Any

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
from .rpc import (
    AllocateProducerIdsRequest,
    AlterPartitionReassignmentsRequest,
    AlterPartitionRequest,
    AssignReplicasToDirsRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    ControllerRegistrationRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DecommissionBrokerRequest,
    DeleteTopicsRequest,
    DescribeClusterRequest,
    ElectLeadersRequest,
    MetadataRequest,
    Request,
    Response,
    UnregisterBrokerRequest,
    UnregisterControllerRequest,
    UpdateFeaturesRequest,
)
from .rpc.acls import CreateAclsRequest, DeleteAclsRequest
from .rpc.configs import AlterConfigsRequest, IncrementalAlterConfigsRequest
from .rpc.quotas import AlterClientQuotasRequest, DescribeClientQuotasRequest
from .rpc.scram import AlterUserScramCredentialsRequest
from .security import acl_creation, acl_deletion, scram_alteration
from .state import Decision, State
from .topics.creation import create_topics
from .topics.deletion import delete_topics, respond_to_deletion
from .topics.more_partitions import create_partitions

Handler = Callable[[State, Any, int], Decision]

HANDLERS: Mapping[type, Handler] = {
    BrokerRegistrationRequest: register,
    BrokerHeartbeatRequest: heartbeat,
    UnregisterBrokerRequest: unregister,
    DecommissionBrokerRequest: decommission,
    CreateTopicsRequest: create_topics,
    DeleteTopicsRequest: delete_topics,
    IncrementalAlterConfigsRequest: alteration.incremental_alter_configs,
    AlterConfigsRequest: alteration.alter_configs,
    AlterClientQuotasRequest: quota_alteration.alter_client_quotas,
    AlterUserScramCredentialsRequest: scram_alteration.alter_user_scram_credentials,
    CreateAclsRequest: acl_creation.create_acls,
    DeleteAclsRequest: acl_deletion.delete_acls,
    AlterPartitionRequest: alter_partition,
    ControllerRegistrationRequest: register_controller,
    UnregisterControllerRequest: unregister_controller,
    UpdateFeaturesRequest: update_features,
    CreatePartitionsRequest: create_partitions,
    ElectLeadersRequest: elect_leaders,
    AlterPartitionReassignmentsRequest: alter_reassignments,
    AllocateProducerIdsRequest: allocate_producer_ids,
    AssignReplicasToDirsRequest: assign_directories,
}


RESPONSES: Mapping[type, Callable[[Any, Response | ApiError, int], Response]] = {
    AlterClientQuotasRequest: quota_alteration.respond,
    AlterUserScramCredentialsRequest: scram_alteration.respond,
    DeleteTopicsRequest: respond_to_deletion,
    DescribeClientQuotasRequest: describe_client_quotas.respond,
    DescribeClusterRequest: describe_cluster.respond,
    MetadataRequest: metadata_responses.respond,
}
"""The functions that return responses which the row of an API does not determine."""
_NEWEST_VERSION = 32767  # versions are int16


def response_to(request: Request, reply: Response | ApiError, version: int) -> Response:
    """Returns the response to `request` as version `version` of its API has it."""
    respond = RESPONSES.get(type(request))
    return answered(request, reply) if respond is None else respond(request, reply, version)


def refusal(request: Request, error: ApiError) -> Response:
    """Returns the response to `request` that has the error code and message of `error`."""
    return response_to(request, error, _NEWEST_VERSION)
