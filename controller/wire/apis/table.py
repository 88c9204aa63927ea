"""The schemas of all APIs, with the listeners of their rows (rule 5.1)."""

from collections.abc import Callable
from types import ModuleType

from ...core.apis import ROWS
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


_LISTENERS = ("controller", "broker")


def api_of(key: int, request: Message, response: Message) -> Api:
    """Returns the API with these schemas."""
    versions = (request.min_version, request.max_version, request.flexible_since)
    return _of_row(key, *versions, lambda: (request, response))


def _of_row(
    key: int,
    oldest: int,
    newest: int,
    flexible: int,
    messages: Callable[[], tuple[Message, Message]],
) -> Api:
    row = ROWS[key]
    listeners = frozenset(name for name in _LISTENERS if row.role(name) is not None)
    return Api(key, row.name, oldest, newest, flexible, listeners, messages)


def _api(key: int, module: ModuleType) -> Api:
    return api_of(key, module.REQUEST, module.RESPONSE)


def _of_text(api: TextApi) -> Api:
    return _of_row(api.key, api.min_version, api.max_version, api.flexible_since, api.messages)


APIS: dict[int, Api] = {
    api.key: api
    for api in (
        _api(1, api_01_fetch),
        _api(3, api_03_metadata),
        _api(API_VERSIONS, api_18_api_versions),
        _api(19, api_19_create_topics),
        _api(20, api_20_delete_topics),
        _api(29, api_29_describe_acls),
        _api(30, api_30_create_acls),
        _api(31, api_31_delete_acls),
        _api(35, api_35_describe_log_dirs),
        _api(37, api_37_create_partitions),
        _api(43, api_43_elect_leaders),
        _api(45, api_45_alter_partition_reassignments),
        _api(46, api_46_list_partition_reassignments),
        _api(32, api_32_describe_configs),
        _api(33, api_33_alter_configs),
        _api(44, api_44_incremental_alter_configs),
        _api(48, api_48_describe_client_quotas),
        _api(49, api_49_alter_client_quotas),
        _api(50, api_50_describe_user_scram_credentials),
        _api(51, api_51_alter_user_scram_credentials),
        _api(52, api_52_vote),
        _api(53, api_53_begin_quorum_epoch),
        _api(54, api_54_end_quorum_epoch),
        _api(55, api_55_describe_quorum),
        _api(56, api_56_alter_partition),
        _api(57, api_57_update_features),
        _api(ENVELOPE, api_58_envelope),
        _api(59, api_59_fetch_snapshot),
        _api(60, api_60_describe_cluster),
        _api(62, api_62_broker_registration),
        _api(63, api_63_broker_heartbeat),
        _api(64, api_64_unregister_broker),
        _api(67, api_67_allocate_producer_ids),
        _api(70, api_70_controller_registration),
        _api(75, api_75_describe_topic_partitions),
        _api(71, api_71_get_telemetry_subscriptions),
        _api(72, api_72_push_telemetry),
        _api(73, api_73_assign_replicas_to_dirs),
        _api(74, api_74_list_config_resources),
        _api(80, api_80_add_raft_voter),
        _api(81, api_81_remove_raft_voter),
        _api(82, api_82_update_raft_voter),
        _api(94, api_94_unregister_controller),
        *map(_of_text, text_apis()),
    )
}
