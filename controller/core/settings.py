"""The settings of a controller, under Kafka's own configuration names (rules 7.1 to 7.3)."""

from .value import value

STANDARD_AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"


@value
class Settings:
    """The settings of a controller; raises ValueError for a value below its minimum."""

    broker_session_timeout_ms: int = 9000
    """With 0 or less every lease expires at the next check, as in Kafka (rule 7.5)."""
    broker_heartbeat_interval_ms: int = 2000
    initial_broker_registration_timeout_ms: int = 60000
    metadata_max_idle_interval_ms: int = 500
    controller_quorum_election_timeout_ms: int = 1000
    controller_quorum_fetch_timeout_ms: int = 2000
    controller_quorum_election_backoff_max_ms: int = 1000
    controller_quorum_request_timeout_ms: int = 2000
    controller_quorum_retry_backoff_ms: int = 20
    controller_quorum_fetch_max_bytes: int = 1024 * 1024
    """Bytes of batches that a member requests in one Fetch, from 4.3 on (rule 10.58)."""
    controller_quorum_fetch_snapshot_max_bytes: int = 1024 * 1024
    """Bytes that a member requests in one FetchSnapshot, from 4.3 on (rule 10.58)."""
    controller_quorum_auto_join_enable: bool = False
    metadata_log_max_record_bytes_between_snapshots: int = 20 * 1024 * 1024
    metadata_log_max_snapshot_interval_ms: int = 3_600_000
    num_partitions: int = 1
    default_replication_factor: int = 1
    auto_create_topics_enable: bool = True
    delete_topic_enable: bool = True
    controller_quota_window_num: int = 11
    controller_quota_window_size_seconds: int = 1
    min_insync_replicas: int = 1
    unclean_leader_election_enable: bool = False
    unclean_leader_election_interval_ms: int = 300_000
    auto_leader_rebalance_enable: bool = True
    leader_imbalance_check_interval_seconds: int = 300
    authorizer_class_name: str = ""
    """The class of the authorizer, STANDARD_AUTHORIZER or none: ACLs are stored with one only."""
    offsets_topic_num_partitions: int = 50
    offsets_topic_replication_factor: int = 3
    offsets_topic_segment_bytes: int = 104_857_600
    transaction_state_log_num_partitions: int = 50
    transaction_state_log_replication_factor: int = 3
    transaction_state_log_min_isr: int = 2
    transaction_state_log_segment_bytes: int = 104_857_600
    share_coordinator_state_topic_num_partitions: int = 50
    share_coordinator_state_topic_replication_factor: int = 3
    share_coordinator_state_topic_min_isr: int = 2
    share_coordinator_state_topic_segment_bytes: int = 104_857_600
    replica_lag_time_max_ms: int = 30_000
    replica_fetch_wait_max_ms: int = 500
    replica_fetch_backoff_ms: int = 1_000
    decommission_slice_records: int = 1_000
    """Not in Kafka: most records in one batch of a DecommissionBroker (KIP-631).

    A thousand take 30 ms to decide, in which no heartbeat is answered.
    """
    start_time_tag: bool = False
    """Not in Kafka (`kraftsim.start.time.tag`): also send startTimeMs on the wire (KIP-436)."""

    def __post_init__(self) -> None:
        if self.authorizer_class_name not in ("", STANDARD_AUTHORIZER):
            name, text = "authorizer.class.name", self.authorizer_class_name
            raise ValueError(f"{name}: expected {STANDARD_AUTHORIZER} or nothing, got {text}")
        for name, least in LEAST.items():
            if getattr(self, name) < least:
                key = name.replace("_", ".")
                raise ValueError(f"{key}: expected {least} or more, got {getattr(self, name)}")


OF_COORDINATORS = (
    *("offsets_topic_num_partitions", "offsets_topic_replication_factor"),
    "offsets_topic_segment_bytes",
    *("transaction_state_log_num_partitions", "transaction_state_log_replication_factor"),
    *("transaction_state_log_min_isr", "transaction_state_log_segment_bytes"),
    "share_coordinator_state_topic_num_partitions",
    "share_coordinator_state_topic_replication_factor",
    *("share_coordinator_state_topic_min_isr", "share_coordinator_state_topic_segment_bytes"),
)
"""The settings of the topics that a broker creates for its coordinators."""
LEAST = {
    "broker_heartbeat_interval_ms": 1,
    "initial_broker_registration_timeout_ms": 1,
    "metadata_max_idle_interval_ms": 0,
    "controller_quorum_election_timeout_ms": 1,
    "controller_quorum_fetch_timeout_ms": 1,
    "controller_quorum_election_backoff_max_ms": 0,
    "controller_quorum_request_timeout_ms": 1,
    "controller_quorum_retry_backoff_ms": 0,
    "controller_quorum_fetch_max_bytes": 1,
    "controller_quorum_fetch_snapshot_max_bytes": 1,
    "metadata_log_max_record_bytes_between_snapshots": 1,
    "metadata_log_max_snapshot_interval_ms": 0,
    "num_partitions": 1,
    "default_replication_factor": 1,
    "min_insync_replicas": 1,
    "unclean_leader_election_interval_ms": 1,
    "leader_imbalance_check_interval_seconds": 1,
    "controller_quota_window_num": 1,
    "controller_quota_window_size_seconds": 1,
    **dict.fromkeys(OF_COORDINATORS, 1),
    "replica_lag_time_max_ms": 1,
    "replica_fetch_wait_max_ms": 0,
    "replica_fetch_backoff_ms": 1,
    "decommission_slice_records": 2,
}
