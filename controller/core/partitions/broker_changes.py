"""What happens to partitions when a broker comes, goes or is no longer trusted (rules 4.3-4.5).

Each function returns change records and changes nothing. Records come in the order of the
partitions' keys: Kafka's own order is a hash set's and unspecified (rule 4.22).
"""

from collections.abc import Callable, Sequence
from functools import cache, partial

from .. import feature_levels
from ..image.partition import Partition, PartitionKey
from ..java_text import parse_integer, trim
from ..log.records import BROKER_RESOURCE, NO_LEADER, TOPIC_RESOURCE, Record
from ..state import State
from ..uuid import LOST_DIRECTORY, MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY, Uuid
from .change import build
from .target import Election, Rules

NOBODY = NO_LEADER


def without_broker(state: State, broker_id: int) -> list[Record]:
    """Out of every ISR and leadership: the broker is fenced or shuts down (2.21, 2.23)."""
    keys = state.image.index.in_isr_or_led(broker_id)
    return leader_and_isr_changes(state, keys, remove=broker_id)


def without_unclean_broker(state: State, broker_id: int) -> list[Record]:
    """Out of every ISR, then every ELR: what it had may be gone (1.37)."""
    keys = state.image.index.in_isr_or_led(broker_id)
    in_isr = leader_and_isr_changes(state, keys, unclean=broker_id)
    only_elr = [key for key in state.image.index.in_elr(broker_id) if key not in set(keys)]
    return in_isr + leader_and_isr_changes(state, only_elr, unclean=broker_id)


def without_directory(state: State, broker_id: int, directory: Uuid) -> list[Record]:
    """Every partition that has a replica in that directory elects anew if it must, also one that
    another broker leads who should not (2.30)."""
    keys = state.image.index.hosted(broker_id)
    lost = [key for key in keys if state.image.partition(key).directory_of(broker_id) == directory]
    return leader_and_isr_changes(state, lost, remove=broker_id)


def with_broker(state: State, broker_id: int) -> list[Record]:
    """Elections for all leaderless partitions, the broker counted although still fenced (2.22).

    Of those that the broker has no replica of, the last unfence has tried every one in vain. Unless
    something else may elect by now, they need not be tried again: after an outage of a whole fleet
    each of a thousand brokers would try 100,000 partitions."""
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
    changes: list[Record] = []
    if not keys:  # as of every broker that registers for the first time
        return changes

    @cache
    def may_lead(replica: int) -> bool:  # rule 4.3
        if replica in (remove, unclean):
            return False
        return replica == add or state.image.is_active(replica)

    rules = cache(partial(_rules, state))
    leaving = () if unclean == NOBODY else (unclean,)
    topics, configs = state.image.topics, state.image.configs
    for key in keys:
        topic = topics[key[0]]
        partition = topic.partitions[key[1]]
        configured = topic.name if (TOPIC_RESOURCE, topic.name) in configs else None
        change = build(
            key,
            partition,
            rules(configured, len(partition.replicas)),
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
    """May it lead, and is its directory of this partition online (rules 4.3, 4.4)?"""
    return lambda replica: may_lead(replica) and has_online_directory(state, partition, replica)


def has_online_directory(state: State, partition: Partition, replica: int) -> bool:
    broker = state.image.brokers.get(replica)
    if broker is None:
        return False
    directory = partition.directory_of(replica)
    if directory in broker.log_dirs or directory in (
        None,
        UNASSIGNED_DIRECTORY,
        MIGRATING_DIRECTORY,
    ):
        return True
    return directory != LOST_DIRECTORY and not broker.log_dirs


def rules_of(state: State, key: PartitionKey, partition: Partition) -> Rules:
    return _rules(state, state.image.topics[key[0]].name, len(partition.replicas))


def _rules(state: State, topic: str | None, replicas: int) -> Rules:
    """Of a topic, or of all topics without configurations of their own."""
    return Rules(
        metadata_version=state.image.metadata_version,
        elr_enabled=feature_levels.elr_enabled(state.image.features),
        min_isr=effective_min_isr(state, topic, replicas),
        election=Election.UNCLEAN if allows_unclean(state, topic) else Election.ONLINE,
        directory_of=lambda broker_id: default_directory(state, broker_id),
    )


def effective_min_isr(state: State, topic: str | None, replicas: int) -> int:
    """Rule 4.24: min(min.insync.replicas, replica count).

    White space around a topic's number is valid; Kafka's controller then renounces, ours reads it.
    """
    configured = parse_integer(trim(topic_config(state, topic, "min.insync.replicas") or ""), 32)
    return min(configured or state.settings.min_insync_replicas, replicas)


def allows_unclean(state: State, topic: str | None) -> bool:
    """Rule 4.5; with white space around it the word counts as false, though the value is valid."""
    configured = topic_config(state, topic, "unclean.leader.election.enable")
    if configured is None:
        return state.settings.unclean_leader_election_enable
    return configured.lower() == "true"


def topic_config(state: State, topic: str | None, name: str) -> str | None:
    """Topic's own value, this node's dynamic one, the cluster's dynamic default; first hit wins."""
    configs = state.image.configs
    own = () if topic is None else ((TOPIC_RESOURCE, topic),)
    for resource in (*own, (BROKER_RESOURCE, str(state.node_id)), (BROKER_RESOURCE, "")):
        value = configs.get(resource, {}).get(name)
        if value is not None:
            return value
    return None


def default_directory(state: State, broker_id: int) -> Uuid:
    """Unregistered or several: UNASSIGNED; none known: MIGRATING; one: that one (rule 4.39)."""
    broker = state.image.brokers.get(broker_id)
    if broker is None or len(broker.log_dirs) > 1:
        return UNASSIGNED_DIRECTORY
    return broker.log_dirs[0] if broker.log_dirs else MIGRATING_DIRECTORY
