"""The fields of requests for which the walk finds no difference, each with its reason.

The sources of `IGNORED` are the classes of the released jars (3.9.1, 4.1.1, 4.3.1 and 4.4.0): no
class of a release that handles the request calls the method that reads the field.
"""

from collections.abc import Mapping

from kraftsim.controller.core.configs.topic_table import BROKER_NAMES

_NO_READER = "no class of the jars calls {}"
_RAFT = "KafkaRaftClient.handleFetchRequest does not read it; kafka.server.KafkaApis does, of data"
_NO_GROUPS = "GroupCoordinatorService.listGroups: a broker without groups lists none for any filter"
_NO_TRANSACTIONS = (
    "TransactionStateManager.listTransactionStates: a broker without transactions lists none for "
    "any filter"
)

IGNORED: Mapping[str, str] = {
    "AddRaftVoter.timeoutMs": (
        _NO_READER.format("AddRaftVoterRequestData.timeoutMs")
        + ": AddVoterHandler waits for controller.quorum.request.timeout.ms"
    ),
    "ControllerRegistration.zkMigrationReady": (
        _NO_READER.format("ControllerRegistrationRequestData.zkMigrationReady")
        + " since 4.1; ClusterControlManager of 3.9.1 does, and so does the profile of 3.9"
    ),
    "Fetch.forgottenTopicsData": _RAFT,
    "Fetch.forgottenTopicsData.partitions": _RAFT,
    "Fetch.forgottenTopicsData.topic": _RAFT,
    "Fetch.forgottenTopicsData.topicId": _RAFT,
    "Fetch.isolationLevel": _RAFT,
    "Fetch.minBytes": _RAFT,
    "Fetch.rackId": _RAFT,
    "Fetch.replicaState.replicaEpoch": _RAFT,
    "Fetch.sessionEpoch": _RAFT,
    "Fetch.sessionId": _RAFT,
    "Fetch.topics.partitions.logStartOffset": _RAFT,
    "Fetch.topics.partitions.partitionMaxBytes": _RAFT,
    "Fetch.topics.topic": "versions that have it are older than those of a controller (13 to 18)",
    "ListGroups.statesFilter": _NO_GROUPS,
    "ListGroups.typesFilter": _NO_GROUPS,
    "ListTransactions.durationFilter": _NO_TRANSACTIONS,
    "ListTransactions.producerIdFilters": _NO_TRANSACTIONS,
    "ListPartitionReassignments.timeoutMs": _NO_READER.format(
        "ListPartitionReassignmentsRequestData.timeoutMs"
    ),
    "UpdateFeatures.featureUpdates.allowDowngrade": (
        "QuorumController.updateFeatures reads upgradeType alone; UpdateFeaturesRequest.getFeature,"
        " which reads it, has no caller in a controller"
    ),
    "UpdateFeatures.timeoutMs": (
        _NO_READER.format("UpdateFeaturesRequestData.timeoutMs")
        + " in 4.x; in 3.9.1 only KafkaController, of ZooKeeper"
    ),
}
"""Kafka ignores the field too, with the source."""

TESTED: Mapping[str, str] = {
    "AddRaftVoter.ackWhenCommitted": (
        "tests/raft/test_adding_voters.py::"
        "test_whoever_does_not_want_to_wait_for_the_commit_need_not"
    ),
    "BrokerRegistration.previousBrokerEpoch": (
        "tests/core/test_brokers.py::test_in_4_3_a_clean_new_incarnation_stays_eligible"
    ),
    "DecommissionBroker.force": (
        "tests/core/test_decommission.py::"
        "test_forced_a_last_replica_is_placed_anew_on_a_live_broker"
    ),
    "FetchSnapshot.replicaId": (
        "tests/raft/test_leading.py::test_a_voter_that_fetches_a_snapshot_keeps_its_leader"
    ),
    "FetchSnapshot.topics.partitions.replicaDirectoryId": (
        "tests/raft/test_leading.py::test_a_voter_that_fetches_a_snapshot_keeps_its_leader"
    ),
    "Envelope.clientHostAddress": (
        "tests/server/test_envelopes.py::"
        "test_the_journal_has_the_request_of_the_client_and_its_address"
    ),
    "Envelope.requestData": (
        "tests/server/test_envelopes.py::test_a_topic_is_created_through_an_envelope"
    ),
    "Envelope.requestPrincipal": (
        "tests/server/test_envelopes.py::"
        "test_an_envelope_is_answered_as_the_request_in_it_or_refused"
    ),
}
"""The field acts where the walk does not go: the test that fails when the field is ignored."""

OPEN: Mapping[str, str] = {}
"""The field has no effect here, although it has one in Kafka."""

NODE_LIMITS_OF_GROUPS = (
    *(
        f"group.{kind}.{bound}.{name}"
        for kind in ("consumer", "share", "streams")
        for bound in ("min", "max")
        for name in ("session.timeout.ms", "heartbeat.interval.ms", "assignment.interval.ms")
    ),
    *(f"group.{kind}.session.timeout.ms" for kind in ("consumer", "share", "streams")),
    *(f"group.{kind}.heartbeat.interval.ms" for kind in ("consumer", "share", "streams")),
    *(
        f"group.share.{bound}.{name}"
        for bound in ("min", "max")
        for name in (
            "record.lock.duration.ms",
            "delivery.count.limit",
            "partition.max.record.locks",
        )
    ),
    *("group.streams.max.standby.replicas", "group.streams.max.warmup.replicas"),
    "group.streams.min.task.offset.interval.ms",
)
OF_TOPICS = tuple(name for names in BROKER_NAMES.values() for name in names)
"""Texts of a controller's file that are defaults of topics: replies to CreateTopics have them."""

SETTINGS_TESTED: Mapping[str, str] = {
    "replica_lag_time_max_ms": (
        "tests/broker_agent/test_followers_that_lag.py::"
        "test_replica_lag_time_max_ms_says_how_long_a_follower_may_lag"
    ),
    "replica_fetch_wait_max_ms": (
        "tests/broker_agent/test_fetch_settings.py::"
        "test_replica_fetch_wait_max_ms_says_how_long_a_fetch_waits_without_a_batch"
    ),
    "replica_fetch_backoff_ms": (
        "tests/broker_agent/test_fetch_settings.py::"
        "test_replica_fetch_backoff_ms_says_when_a_follower_tries_again"
    ),
    "broker_heartbeat_interval_ms": (
        "tests/broker_agent/test_agent.py::"
        "test_a_refused_heartbeat_is_repeated_after_one_interval_and_never_re_registers"
    ),
    "initial_broker_registration_timeout_ms": (
        "tests/scenarios/test_world.py::"
        "test_a_broker_that_cannot_register_gives_up_after_its_timeout"
    ),
    "controller_quorum_request_timeout_ms": (
        "tests/raft/test_peers.py::"
        "test_an_answer_that_does_not_come_is_lost_after_the_request_timeout"
    ),
    "controller_quorum_fetch_max_bytes": (
        "tests/raft/test_following.py::"
        "test_a_follower_asks_for_as_many_bytes_as_configured_from_4_3_on"
    ),
    "controller_quorum_fetch_snapshot_max_bytes": (
        "tests/raft/test_snapshots.py::test_a_slice_has_as_many_bytes_as_configured_from_4_3_on"
    ),
    "controller_quorum_auto_join_enable": (
        "tests/scenarios/test_voter_verbs.py::test_a_voter_that_was_removed_joins_by_itself"
    ),
    "unclean_leader_election_interval_ms": (
        "tests/core/test_periodic_elections.py::"
        "test_the_unclean_sweep_elects_where_the_topic_allows_it"
    ),
    "decommission_slice_records": (
        "tests/core/test_decommission_slices.py::"
        "test_each_slice_is_a_bounded_batch_and_the_unregistration_is_in_the_last"
    ),
    "controller_quorum_election_backoff_max_ms": (
        "tests/raft/test_resigning.py::test_successors_stand_one_after_the_other"
    ),
    "auto_leader_rebalance_enable": (
        "tests/core/test_periodic_elections.py::test_balancing_can_be_disabled"
    ),
    "start_time_tag": "tests/admin/test_calls.py::test_a_broker_has_address_rack_and_start_time",
    "leader_imbalance_check_interval_seconds": (
        "tests/core/test_periodic_elections.py::"
        "test_balancing_follows_its_interval_also_after_a_failover"
    ),
}
"""A setting acts where the story of the walk does not go: the test that fails without it."""

METRICS_TESTED: Mapping[str, str] = {
    "metrics": (
        "tests/broker_agent/test_telemetry.py::"
        "test_subscriptions_join_their_metrics_and_the_shortest_interval_counts"
    ),
    "interval.ms": (
        "tests/broker_agent/test_telemetry.py::"
        "test_subscriptions_join_their_metrics_and_the_shortest_interval_counts"
    ),
    "match": (
        "tests/broker_agent/test_telemetry.py::test_a_subscription_is_for_the_clients_that_match"
    ),
}
"""Configurations of client metrics act on brokers: the test that fails without each."""

DYNAMIC_ACTING: Mapping[str, tuple[str, ...]] = {
    "topic": (
        *("min.compaction.lag.ms", "max.compaction.lag.ms"),
        *("unclean.leader.election.enable", "min.insync.replicas"),
    ),
    "group": tuple(f"{kind}.session.timeout.ms" for kind in ("consumer", "share", "streams")),
    "broker": OF_TOPICS,
    "client-metrics": tuple(METRICS_TESTED),
}
"""Dynamic configurations that change what a controller replies or writes later."""
OF_LOGS = (
    *("cleanup.policy", "compression.type", "compression.gzip.level", "compression.lz4.level"),
    *("compression.zstd.level", "delete.retention.ms", "flush.messages", "max.compaction.lag.ms"),
    *("max.message.bytes", "message.timestamp.after.max.ms", "min.cleanable.dirty.ratio"),
    "min.compaction.lag.ms",
    *("message.timestamp.before.max.ms", "message.timestamp.type", "min.insync.replicas"),
    *("retention.bytes", "retention.ms", "segment.bytes", "segment.ms"),
    *("follower.replication.throttled.replicas", "leader.replication.throttled.replicas"),
)
"""Configurations of topics that act on what brokers store (tests/broker_agent/test_message_log.py,
test_compression.py, test_log_recovery.py, test_followers_that_take_time.py), whatever a controller
does with them."""
OF_REPLICATION = ("follower.replication.throttled.rate", "leader.replication.throttled.rate")
"""Configurations of brokers that act on what they replicate (test_followers_that_take_time.py)."""
AT_BROKERS: Mapping[str, tuple[str, ...]] = {"topic": OF_LOGS, "broker": OF_REPLICATION}
DYNAMIC_REFUSED: Mapping[str, tuple[str, ...]] = {
    "topic": ("remote.storage.enable",),
    "group": ("streams.assignor.name",),
    "broker": ("cordoned.log.dirs",),
    "client-metrics": (),
}
"""Any other value than the default is refused; directories are cordoned for each broker alone."""
