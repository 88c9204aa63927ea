"""The table of all APIs: key, versions, schemas, and listeners (rule 5.1)."""

from collections.abc import Callable
from types import ModuleType

from ...core.value import value
from ..codec.schema import Message
from ..data_plane.schemas import TextApi, text_apis
from . import (
    api_01_fetch,
    api_03_metadata,
    api_18_api_versions,
    api_19_create_topics,
    api_20_delete_topics,
    api_29_describe_acls,
    api_30_create_acls,
    api_31_delete_acls,
    api_32_describe_configs,
    api_33_alter_configs,
    api_35_describe_log_dirs,
    api_37_create_partitions,
    api_43_elect_leaders,
    api_44_incremental_alter_configs,
    api_45_alter_partition_reassignments,
    api_46_list_partition_reassignments,
    api_48_describe_client_quotas,
    api_49_alter_client_quotas,
    api_50_describe_user_scram_credentials,
    api_51_alter_user_scram_credentials,
    api_52_vote,
    api_53_begin_quorum_epoch,
    api_54_end_quorum_epoch,
    api_55_describe_quorum,
    api_56_alter_partition,
    api_57_update_features,
    api_58_envelope,
    api_59_fetch_snapshot,
    api_60_describe_cluster,
    api_62_broker_registration,
    api_63_broker_heartbeat,
    api_64_unregister_broker,
    api_67_allocate_producer_ids,
    api_70_controller_registration,
    api_71_get_telemetry_subscriptions,
    api_72_push_telemetry,
    api_73_assign_replicas_to_dirs,
    api_74_list_config_resources,
    api_75_describe_topic_partitions,
    api_80_add_raft_voter,
    api_81_remove_raft_voter,
    api_82_update_raft_voter,
    api_94_unregister_controller,
)

API_VERSIONS = 18
ENVELOPE = 58
SERVED_SINCE = {("controller", 1): 13}
"""The oldest version that a listener serves, by listener and key, if its schema has older ones."""
LISTED_SINCE = SERVED_SINCE | {("broker", 0): 0}
"""The oldest version in ApiVersions; Kafka 4 lists Produce from 0 on and serves it from 3 on."""

TELEMETRY = frozenset({71, 72})
"""The APIs of client telemetry: a broker without a telemetry plugin serves them, and does not list
them in ApiVersions."""
OWN_QUORUM = frozenset({1, 52})
"""Fetch and Vote, which kraftsim's controllers exchange in the newest version in every profile: all
of them ask for pre-votes (KIP-996), which older versions of Vote do not have."""


@value(kw_only=False)
class Api:
    """One API: its versions, its schemas, and the listeners on which Kafka offers it.

    `name` is Kafka's, without Request or Response: "BrokerRegistration". `messages` returns the
    schemas of request and response.
    """

    key: int
    name: str
    min_version: int
    max_version: int
    flexible_since: int
    listeners: frozenset[str]
    messages: Callable[[], tuple[Message, Message]]

    @property
    def request(self) -> Message:
        """The schema of requests."""
        return self.messages()[0]

    @property
    def response(self) -> Message:
        """The schema of responses."""
        return self.messages()[1]

    def speaks(self, version: int) -> bool:
        """True if the version is supported."""
        return self.min_version <= version <= self.max_version

    def is_flexible(self, version: int) -> bool:
        """True if the version uses compact lengths and tagged fields."""
        return version >= self.flexible_since


CONTROLLER = frozenset({"controller"})
BROKER = frozenset({"broker"})
BOTH = CONTROLLER | BROKER
_OF_CONTROLLERS_TOO = frozenset({17, 36, 38, 39, 40, 41})
"""The APIs of SASL and delegation tokens, of those that are text."""


def api_of(
    key: int, name: str, request: Message, response: Message, listeners: frozenset[str]
) -> Api:
    """Returns the API with these schemas; `listeners` are those on which Kafka offers it."""
    versions = (request.min_version, request.max_version, request.flexible_since)
    return Api(key, name, *versions, listeners, lambda: (request, response))


def _api(key: int, name: str, module: ModuleType, listeners: frozenset[str]) -> Api:
    return api_of(key, name, module.REQUEST, module.RESPONSE, listeners)


def _of_text(api: TextApi) -> Api:
    listeners = BOTH if api.key in _OF_CONTROLLERS_TOO else BROKER
    return Api(*api[:5], listeners, api.messages)


APIS: dict[int, Api] = {
    api.key: api
    for api in (
        _api(1, "Fetch", api_01_fetch, BOTH),
        _api(3, "Metadata", api_03_metadata, BROKER),
        _api(API_VERSIONS, "ApiVersions", api_18_api_versions, BOTH),
        _api(19, "CreateTopics", api_19_create_topics, BOTH),
        _api(20, "DeleteTopics", api_20_delete_topics, BOTH),
        _api(29, "DescribeAcls", api_29_describe_acls, BOTH),
        _api(30, "CreateAcls", api_30_create_acls, BOTH),
        _api(31, "DeleteAcls", api_31_delete_acls, BOTH),
        _api(35, "DescribeLogDirs", api_35_describe_log_dirs, BROKER),
        _api(37, "CreatePartitions", api_37_create_partitions, BOTH),
        _api(43, "ElectLeaders", api_43_elect_leaders, BOTH),
        _api(45, "AlterPartitionReassignments", api_45_alter_partition_reassignments, BOTH),
        _api(46, "ListPartitionReassignments", api_46_list_partition_reassignments, BOTH),
        _api(32, "DescribeConfigs", api_32_describe_configs, BOTH),
        _api(33, "AlterConfigs", api_33_alter_configs, BOTH),
        _api(44, "IncrementalAlterConfigs", api_44_incremental_alter_configs, BOTH),
        _api(48, "DescribeClientQuotas", api_48_describe_client_quotas, BROKER),
        _api(49, "AlterClientQuotas", api_49_alter_client_quotas, BOTH),
        _api(50, "DescribeUserScramCredentials", api_50_describe_user_scram_credentials, BOTH),
        _api(51, "AlterUserScramCredentials", api_51_alter_user_scram_credentials, BOTH),
        _api(52, "Vote", api_52_vote, CONTROLLER),
        _api(53, "BeginQuorumEpoch", api_53_begin_quorum_epoch, CONTROLLER),
        _api(54, "EndQuorumEpoch", api_54_end_quorum_epoch, CONTROLLER),
        _api(55, "DescribeQuorum", api_55_describe_quorum, BOTH),
        _api(56, "AlterPartition", api_56_alter_partition, CONTROLLER),
        _api(57, "UpdateFeatures", api_57_update_features, BOTH),
        _api(ENVELOPE, "Envelope", api_58_envelope, CONTROLLER),
        _api(59, "FetchSnapshot", api_59_fetch_snapshot, CONTROLLER),
        _api(60, "DescribeCluster", api_60_describe_cluster, BOTH),
        _api(62, "BrokerRegistration", api_62_broker_registration, CONTROLLER),
        _api(63, "BrokerHeartbeat", api_63_broker_heartbeat, CONTROLLER),
        _api(64, "UnregisterBroker", api_64_unregister_broker, BOTH),
        _api(67, "AllocateProducerIds", api_67_allocate_producer_ids, CONTROLLER),
        _api(70, "ControllerRegistration", api_70_controller_registration, CONTROLLER),
        _api(75, "DescribeTopicPartitions", api_75_describe_topic_partitions, BROKER),
        _api(71, "GetTelemetrySubscriptions", api_71_get_telemetry_subscriptions, BROKER),
        _api(72, "PushTelemetry", api_72_push_telemetry, BROKER),
        _api(73, "AssignReplicasToDirs", api_73_assign_replicas_to_dirs, CONTROLLER),
        _api(74, "ListConfigResources", api_74_list_config_resources, BROKER),
        _api(80, "AddRaftVoter", api_80_add_raft_voter, BOTH),
        _api(81, "RemoveRaftVoter", api_81_remove_raft_voter, BOTH),
        _api(82, "UpdateRaftVoter", api_82_update_raft_voter, CONTROLLER),
        _api(94, "UnregisterController", api_94_unregister_controller, BOTH),
        *map(_of_text, text_apis()),
    )
}
