"""Profiles: the behaviour in which Kafka's releases differ, as values in one table.

A profile describes the software. The finalized levels of metadata.version and the other features
are data in the log, and decide the same things as in Kafka.
"""

from collections.abc import Mapping
from dataclasses import field, replace

from .apis import newest_versions
from .feature_levels import (
    ELIGIBLE_LEADER_REPLICAS,
    FIRST_BOOTSTRAP_LEVEL,
    KRAFT_VERSION,
    METADATA_VERSION,
)
from .settings import Settings
from .value import value


@value
class Profile:
    """The behaviour of one Kafka release, of a proposal, or of Kafka's development branch."""

    name: str
    supported_features: tuple[tuple[str, int, int], ...]
    """(name, min, max) in the order in which ApiVersions lists them (rule 5.50)."""
    unlisted_features: tuple[str, ...] = ()
    """5.56: features at level 0 only, which ApiVersions leaves out; UpdateFeatures knows them."""
    contacts_by_epoch: bool = True
    """2.44: contact is kept per (id, epoch), fenced brokers included, and blocks a second
    incarnation (1.12). Otherwise only an unfenced broker has a session (1.11)."""
    expiry_checks_per_session: int | None = 8
    """2.47: leases are examined every session/8. None: exactly when the oldest runs out (2.34)."""
    cleans_up_at_registration: bool = True
    """1.37: a registration removes the previous incarnation from ISRs and ELRs."""
    metadata_version_required: bool = True
    """1.22: refuse a registration without metadata.version (119). False: it means [1, 1]."""
    unregister_explains: bool = True
    """3.4: the refusal of an unknown broker id has a message."""
    mentions_cordoned: bool = True
    """4.43: the message about too large a replication factor mentions cordoned directories."""
    checks_cordoned_directories: bool = True
    """4.61a: a client of a controller cordons no directories that no broker has checked."""
    bounds_config_values: bool = True
    """4.61a: a configuration has at most 32,767 characters, from 4.0 on."""
    spares_cordoned_brokers: bool = False
    """4.55: a manual assignment may not name a broker whose directories are all cordoned."""
    known_metadata_version: int = 31
    """5.65: the newest metadata.version that the release knows, unstable levels included. When a
    newer one is committed, a controller of the release ends with a fatal fault."""
    assumes_lowest_level: bool = True
    """5.13, 5.52: before a metadata.version is finalized, a node acts as at the lowest that the
    release supports, and lists it. From 4.4 on it lists none."""
    bootstraps_by_snapshot: bool = False
    """KIP-1170: formatting writes the first records into the snapshot 0-0, from 4.4 on."""
    api_versions_max: int = 4
    """5.46: 5 from 4.4 on, where the request names the intended cluster and node (KIP-1242)."""
    newest_versions: Mapping[int, int] = field(default_factory=dict)
    """5.1: the newest version by API key, where it is not the newest of the table of APIs."""
    writes_zk_migration_state: bool = False
    """0A.11: the bootstrap has a ZkMigrationStateRecord, and controllers report readiness."""
    topic_configs: str = "4.3"
    """4.54, 7.1: the release whose tables of configurations apply, of topics and of nodes."""
    skips_unknown_configs: bool = True
    """7.9: replay skips configurations that the release does not know, from 4.3 on."""
    has_draft_names: bool = False
    """7.1: configurations of a node also have their names in the text of KIP-631."""
    has_group_configs: bool = True
    """KIP-848: groups have configurations from 4.0 on."""
    names_brokers_of_groups: bool = True
    """7.1: the synonyms of a group's configuration are the brokers', from 4.3 on."""
    shows_lists_once: bool = True
    """7.1: a node's own lists are described without repeated elements, from 4.3 on (KIP-1161)."""
    describes_metrics_defaults: bool = True
    """7.1: a client metrics subscription is described with its defaults, from 4.1 on."""
    parses_metrics_configs: bool = True
    """7.1: values of client metrics are parsed by their types. 3.9 fails for a bad interval, blanks
    included, and refuses an empty `match`."""
    refuses_empty_metrics: bool = True
    """7.1: lists of client metrics have no empty elements, from 4.3 on (KIP-1161)."""
    names_other_nodes: bool = True
    """7.1: a change of another node's loggers is refused with its id; in 3.9 with the own one."""
    telemetry_ends_with_connection: bool = True
    """KIP-714: a client instance is forgotten with the connection that named it, from 4.0 on."""
    renews_refused_telemetry: bool = True
    """KIP-714: a client whose push had an unknown subscription id or compression may ask for its
    subscription at once, from 4.0 on."""
    controllers_have_configs: bool = True
    """7.1: a registered controller is a node whose configurations can change. Before 4.3 only a
    static voter is."""
    acl_operations_max: int = 15
    """7.1: the highest number of an ACL's operation: TWO_PHASE_COMMIT, which 3.9 does not have."""
    checks_acl_hosts: bool = False
    """KIP-1276: an ACL's host is an address, or a network from 4.4-IV1 on, and not empty."""
    refuses_infinite_quotas: bool = False
    """4.65: a client quota is a finite number, from 4.4 on."""
    bounds_added_partitions: bool = False
    """4.59: a request adds at most 10,000 partitions, from 4.4 on. Before, a topic that exceeds the
    records of an operation is answered -1, and what fits of it is written."""
    updates_features_together: bool = True
    """5.55: one refused update refuses all of a request. False: each has its own result."""
    names_downgraded_levels: bool = True
    """5.57: a refused downgrade of metadata.version names both levels from 4.3 on."""
    upgrades_kraft_version: bool = True
    """KIP-853 from 4.1 on: UpdateFeatures upgrades static voters to kraft.version 1;
    each voter first sends its supported versions in UpdateRaftVoter."""
    voter_changes_say_none: bool = False
    """10.51, 10.52: before 4.3 an added or removed voter is answered with the text NONE."""
    prints_optional_ids: bool = False
    """10.51, 10.52: 3.9 prints the directory id of a voter as Optional[...]."""
    reassignment_awaits_every_replica: bool = False
    """4.36: before 4.3 a replica that stays and is out of sync blocks a reassignment."""
    assignment_keeps_elr: bool = True
    """4.38: AssignReplicasToDirs keeps the ELR of a partition, from 4.3 on."""
    checks_group_configs_at_brokers: bool = False
    """4.70: a broker validates the configurations of groups before it forwards them."""
    refuses_unreachable_min_isr: bool = False
    """4.72: a topic's min.insync.replicas may not exceed its replication factor (KIP-1372)."""
    bounds_groups_by_range: bool = False
    """7.1: a value of a group out of its bounds is refused with both of them, from 4.4 on."""
    retries_at_heartbeat_interval: bool = True
    """1.46: after a failure a broker waits one heartbeat interval. False: it backs off."""
    has_pre_votes: bool = True
    """10.18: a voter asks for pre-votes before it raises its epoch, from 4.0 on (KIP-996)."""
    bounds_quorum_fetches: bool = True
    """10.58: a member asks for as many bytes as its configuration says, and gets no more, from 4.3
    on. False: it asks for 8 MiB, and a leader reads so many, whatever a Fetch asks for."""
    survives_policies: bool = True
    """4.60: from 4.3 on an exception of the policy about new topics refuses its topic. False: it
    refuses the whole request, and the active controller resigns."""
    settings: Settings = field(default_factory=Settings)

    @property
    def checks_properties(self) -> bool:
        """4.52: up to 4.1 configurations are checked in the order of java.util.Properties."""
        return self.topic_configs in ("3.9", "4.1")

    @property
    def least_metadata_version(self) -> int:
        """The lowest metadata.version that a cluster may finalize (rule 5.57)."""
        return max(self.lowest_metadata_version, FIRST_BOOTSTRAP_LEVEL)

    @property
    def lowest_metadata_version(self) -> int:
        """The lowest metadata.version that the release supports (rule 5.50)."""
        return min(low for name, low, _ in self.supported_features if name == METADATA_VERSION)

    @property
    def metadata_version(self) -> int:
        """The highest metadata.version, which an empty log finalizes."""
        return max(high for name, _, high in self.supported_features if name == METADATA_VERSION)


_FEATURES_4_3 = (
    ("group.version", 0, 1),
    (KRAFT_VERSION, 0, 1),
    (METADATA_VERSION, 7, 30),
    ("share.version", 0, 1),
    ("streams.version", 0, 1),
    ("transaction.version", 0, 2),
    (ELIGIBLE_LEADER_REPLICAS, 0, 1),
)

KAFKA_4_3 = Profile(
    name="kafka-4.3", supported_features=_FEATURES_4_3, newest_versions=newest_versions("4.3")
)

KAFKA_4_4 = Profile(
    name="kafka-4.4",
    supported_features=(
        ("group.version", 0, 1),
        (KRAFT_VERSION, 0, 1),
        (METADATA_VERSION, 7, 33),
        ("share.version", 0, 2),
        ("streams.version", 0, 1),
        ("transaction.version", 0, 2),
        (ELIGIBLE_LEADER_REPLICAS, 0, 1),
    ),
    known_metadata_version=34,
    assumes_lowest_level=False,
    spares_cordoned_brokers=True,
    bootstraps_by_snapshot=True,
    checks_acl_hosts=True,
    refuses_infinite_quotas=True,
    bounds_added_partitions=True,
    bounds_groups_by_range=True,
    api_versions_max=5,
    topic_configs="4.4",
)

KAFKA_4_1 = Profile(
    name="kafka-4.1",
    unlisted_features=("streams.version",),
    supported_features=(
        ("group.version", 0, 1),
        (KRAFT_VERSION, 0, 1),
        (METADATA_VERSION, 7, 27),
        ("share.version", 0, 1),
        ("transaction.version", 0, 2),
        (ELIGIBLE_LEADER_REPLICAS, 0, 1),
    ),
    known_metadata_version=29,
    mentions_cordoned=False,
    checks_cordoned_directories=False,
    names_downgraded_levels=False,
    skips_unknown_configs=False,
    names_brokers_of_groups=False,
    shows_lists_once=False,
    refuses_empty_metrics=False,
    controllers_have_configs=False,
    assignment_keeps_elr=False,
    newest_versions=newest_versions("4.1"),
    voter_changes_say_none=True,
    reassignment_awaits_every_replica=True,
    bounds_quorum_fetches=False,
    survives_policies=False,
    topic_configs="4.1",
)

KAFKA_3_9 = Profile(
    name="kafka-3.9",
    supported_features=((KRAFT_VERSION, 0, 1), (METADATA_VERSION, 1, 21)),
    known_metadata_version=23,
    contacts_by_epoch=False,
    expiry_checks_per_session=None,
    cleans_up_at_registration=False,
    metadata_version_required=False,
    unregister_explains=False,
    mentions_cordoned=False,
    checks_cordoned_directories=False,
    bounds_config_values=False,
    newest_versions=newest_versions("3.9"),
    writes_zk_migration_state=True,
    topic_configs="3.9",
    skips_unknown_configs=False,
    has_group_configs=False,
    shows_lists_once=False,
    describes_metrics_defaults=False,
    parses_metrics_configs=False,
    refuses_empty_metrics=False,
    names_other_nodes=False,
    telemetry_ends_with_connection=False,
    renews_refused_telemetry=False,
    controllers_have_configs=False,
    acl_operations_max=14,
    updates_features_together=False,
    names_downgraded_levels=False,
    upgrades_kraft_version=False,
    voter_changes_say_none=True,
    reassignment_awaits_every_replica=True,
    prints_optional_ids=True,
    retries_at_heartbeat_interval=False,
    has_pre_votes=False,
    bounds_quorum_fetches=False,
    survives_policies=False,
)

KIP_631 = Profile(
    name="kip-631",
    skips_unknown_configs=False,
    has_group_configs=False,
    supported_features=KAFKA_3_9.supported_features,
    known_metadata_version=KAFKA_3_9.known_metadata_version,
    contacts_by_epoch=False,
    expiry_checks_per_session=None,
    cleans_up_at_registration=False,
    metadata_version_required=False,
    mentions_cordoned=False,
    checks_cordoned_directories=False,
    bounds_config_values=False,
    updates_features_together=False,
    names_downgraded_levels=False,
    upgrades_kraft_version=False,
    reassignment_awaits_every_replica=True,
    retries_at_heartbeat_interval=False,
    has_draft_names=True,
    settings=Settings(broker_session_timeout_ms=18000, broker_heartbeat_interval_ms=3000),
)

KAFKA_TRUNK = replace(
    KAFKA_4_4,
    name="kafka-trunk",
    supported_features=tuple(
        (name, low, 34 if name == METADATA_VERSION else high)
        for name, low, high in KAFKA_4_4.supported_features
    ),
    checks_group_configs_at_brokers=True,
)
"""The branch on which 4.5 is developed, with unstable.feature.versions.enable."""

KIP_1372 = replace(KAFKA_TRUNK, name="kip-1372", refuses_unreachable_min_isr=True)

DEFAULT_PROFILE = KAFKA_4_4
"""The profile that applies unless a command, a scenario or a test names another."""

PROFILES = {
    profile.name: profile
    for profile in (KAFKA_4_4, KAFKA_4_3, KAFKA_4_1, KAFKA_3_9, KIP_631, KAFKA_TRUNK, KIP_1372)
}
