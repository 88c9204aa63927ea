"""Partition changes when a broker is fenced, unfenced, shuts down or unregisters (rules 4.3-4.5).

Each function returns change records and changes no state. Records are in the order of the
partitions' keys: Kafka's order is that of a hash set and unspecified (rule 4.22).
"""

from collections.abc import Callable, Sequence
from functools import cache, partial

from .. import feature_levels
from ..image.broker import BrokerRegistration
from ..image.partition import Partition, PartitionKey, Topic
from ..java_text import parse_integer, trim
from ..log.records import BROKER_RESOURCE, NO_LEADER, TOPIC_RESOURCE, Record
from ..state import State
from ..uuid import LOST_DIRECTORY, MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY, Uuid
from .change import build
from .target import Election, Rules

NOBODY = NO_LEADER


def without_broker(state: State, broker_id: int) -> list[Record]:
    """Remove a fenced or stopping broker from every ISR and leadership (rules 2.21, 2.23)."""
    keys = state.image.index.in_isr(broker_id)
    return leader_and_isr_changes(state, keys, remove=broker_id)


def without_unclean_broker(state: State, broker_id: int) -> list[Record]:
    """Remove a broker that may have lost data from every ISR, then from every ELR (rule 1.37)."""
    keys = state.image.index.in_isr(broker_id)
    in_isr = leader_and_isr_changes(state, keys, unclean=broker_id)
    only_elr = [key for key in state.image.index.in_elr(broker_id) if key not in set(keys)]
    return in_isr + leader_and_isr_changes(state, only_elr, unclean=broker_id)


def without_directory(state: State, broker_id: int, directory: Uuid) -> list[Record]:
    """Remove the broker from the partitions that it stores in an offline directory (rule 2.30).

    Every such partition is checked for an election, also if another broker leads it.
    """
    keys = state.image.index.hosted(broker_id)
    lost = [key for key in keys if state.image.partition(key).directory_of(broker_id) == directory]
    return leader_and_isr_changes(state, lost, remove=broker_id)


def with_broker(state: State, broker_id: int) -> list[Record]:
    """Run elections for all leaderless partitions, as if the broker were unfenced (rule 2.22).

    If the image is settled, only partitions of this broker are tried: the last unfence already
    tried all others. Otherwise each of 1,000 brokers that return after an outage would try 100,000
    partitions.
    """
    index = state.image.index
    keys = index.leaderless_of(broker_id) if state.image.is_settled else index.leaderless()
    return leader_and_isr_changes(state, keys, add=broker_id)


def leader_and_isr_changes(
    state: State,
    keys: Sequence[PartitionKey],
    *,
    remove: int = NOBODY,
    add: int = NOBODY,
    unclean: int = NOBODY,
) -> list[Record]:
    """Returns the changes of the partitions `keys`.

    The broker `remove` leaves ISR and leadership. The broker `add` may lead although it is fenced.
    The broker `unclean` leaves ISR, leadership and ELR.
    """
    changes: list[Record] = []
    if not keys:  # for example the first registration of a broker
        return changes

    @cache
    def may_lead(replica: int) -> bool:  # rule 4.3
        if replica in (remove, unclean):
            return False
        return replica == add or state.image.is_active(replica)

    rules = rules_by_topic(state)
    leaving = () if unclean == NOBODY else (unclean,)
    topics = state.image.topics
    for key in keys:
        topic = topics[key[0]]
        partition = topic.partitions[key[1]]
        change = build(
            key,
            partition,
            rules(topic),
            target_isr=tuple([r for r in partition.isr if r != remove and r != unclean]),
            acceptable=acceptor(state, partition, may_lead),
            unclean_shutdown=leaving,
        )
        if change is not None:
            changes.append(change)
    return changes


def acceptor(
    state: State, partition: Partition, may_lead: Callable[[int], bool]
) -> Callable[[int], bool]:
    """Returns a predicate: `may_lead` accepts the replica and its directory is online.

    Rules 4.3 and 4.4 of elections.
    """
    return lambda replica: may_lead(replica) and has_online_directory(state, partition, replica)


def has_online_directory(state: State, partition: Partition, replica: int) -> bool:
    """True if the broker is registered and its replica's directory is online or unknown."""
    broker = state.image.brokers.get(replica)
    if broker is None or replica not in partition.replicas:
        return False
    directory = partition.directory_of(replica)
    return directory is None or is_online(broker, directory)


def is_online(broker: BrokerRegistration, directory: Uuid) -> bool:
    """True if the directory is online or unknown (rule 4.4)."""
    if directory in broker.log_dirs or directory in (UNASSIGNED_DIRECTORY, MIGRATING_DIRECTORY):
        return True
    return directory != LOST_DIRECTORY and not broker.log_dirs


def rules_by_topic(state: State, election: Election | None = None) -> Callable[[Topic], Rules]:
    """Returns `rules_of` for one operation on many topics, with its own `election` if it has one.

    All topics without own configurations and with the same number of replicas share their rules.
    """
    rules, configs = cache(partial(_rules, state, election=election)), state.image.configs

    def rules_of_topic(topic: Topic) -> Rules:
        configured = topic.name if (TOPIC_RESOURCE, topic.name) in configs else None
        return rules(configured, replica_count(topic))

    return rules_of_topic


def rules_of(state: State, topic: Topic) -> Rules:
    """Returns the values that decide a change of a topic's partition, such as its min ISR."""
    return _rules(state, topic.name, replica_count(topic))


def replica_count(topic: Topic) -> int:
    """Returns the number of replicas of partition 0, which stands for the topic's (rule 4.24)."""
    return len(topic.partitions[0].replicas)


def _rules(
    state: State, topic: str | None, replicas: int, election: Election | None = None
) -> Rules:
    """Returns the rules of a topic; with `topic` None, of a topic without own configurations."""
    if election is None:
        election = Election.UNCLEAN if allows_unclean(state, topic) else Election.ONLINE
    return Rules(
        metadata_version=state.image.metadata_version,
        elr_enabled=feature_levels.elr_enabled(state.image.features),
        min_isr=effective_min_isr(state, topic, replicas),
        election=election,
        awaits_every_replica=state.profile.reassignment_awaits_every_replica,
        directory_of=lambda broker_id: default_directory(state, broker_id),
    )


def effective_min_isr(state: State, topic: str | None, replicas: int) -> int:
    """Returns min(min.insync.replicas, replica count) (rule 4.24).

    Brokers refuse 0; a controller accepts it for all brokers, and takes it as it is (4.3.1).
    White space around a topic's number is valid; Kafka's active controller resigns on it, this
    controller parses it.
    """
    configured = parse_integer(trim(topic_config(state, topic, "min.insync.replicas") or ""), 32)
    least = state.settings.min_insync_replicas if configured is None else configured
    return min(least, replicas)


def allows_unclean(state: State, topic: str | None) -> bool:
    """True if unclean elections are enabled (rule 4.5).

    A value with white space around it is valid, but counts as false.
    """
    configured = topic_config(state, topic, "unclean.leader.election.enable")
    if configured is None:
        return state.settings.unclean_leader_election_enable
    return configured.lower() == "true"


def topic_config(state: State, topic: str | None, name: str) -> str | None:
    """Returns a configuration's value, or None.

    The topic's own value comes first, then this node's dynamic one, then the cluster's dynamic
    default.
    """
    configs = state.image.configs
    own = () if topic is None else ((TOPIC_RESOURCE, topic),)
    for resource in (*own, (BROKER_RESOURCE, str(state.node_id)), (BROKER_RESOURCE, "")):
        value = configs.get(resource, {}).get(name)
        if value is not None:
            return value
    return None


def default_directory(state: State, broker_id: int) -> Uuid:
    """Returns the directory of a new replica (rule 4.39).

    UNASSIGNED if the broker is not registered or has several directories, MIGRATING if it has none,
    otherwise its only directory.
    """
    broker = state.image.brokers.get(broker_id)
    if broker is None or len(broker.log_dirs) > 1:
        return UNASSIGNED_DIRECTORY
    return broker.log_dirs[0] if broker.log_dirs else MIGRATING_DIRECTORY
