"""Elections that an active controller runs periodically (rules 4.30 and 4.31).

A run has at most 1,000 elections; the next run follows at once if more may be left.
"""

from collections.abc import Iterable

from ..image.partition import PartitionKey
from ..log.records import Record
from ..state import State
from . import broker_changes
from .elect_leaders import election_record
from .target import Election

ELECTIONS_PER_RUN_MAX = 1_000  # Kafka's own bound


def balanced_leaders(state: State) -> tuple[Record, ...]:
    """Returns the preferred elections of partitions that their first replica does not lead."""
    return _elections(state, state.image.index.imbalanced(), Election.PREFERRED)


def unclean_leaders(state: State) -> tuple[Record, ...]:
    """Returns the elections of partitions without a leader whose topics allow an unclean one."""
    topics = state.image.topics
    allowed = (
        key
        for key in state.image.index.leaderless()
        if broker_changes.allows_unclean(state, topics[key[0]].name)
    )
    return _elections(state, allowed, Election.UNCLEAN)


def _elections(
    state: State, keys: Iterable[PartitionKey], election: Election
) -> tuple[Record, ...]:
    records: list[Record] = []
    rules_of = broker_changes.rules_by_topic(state, election)
    for topic_id, partition_id in keys:
        topic = state.image.topics[topic_id]
        record = election_record(state, rules_of(topic), topic, partition_id)
        if record is not None:
            records.append(record)
            if len(records) >= ELECTIONS_PER_RUN_MAX:
                break
    return tuple(records)
