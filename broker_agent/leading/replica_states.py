"""What the leader of a partition knows of its replicas: how far they are behind, and since when.

An idle follower sends no Fetch here. What is shown of it is what it would be if it had polled: a
follower that can fetch has a Fetch waiting at the leader (B5.21).
"""

from typing import NamedTuple

from kraftsim.controller.core.image.partition import Partition, PartitionKey

from ..hosted_agent import HostedAgent
from ..replication.followers import NEVER_FETCHED


class ReplicaState(NamedTuple):
    """A replica as its leader knows it; None of what the leader does not know.

    `lag` is the number of records that it lacks of the leader's log. `last_fetch_ms` and
    `last_caught_up_ms` are when it fetched last, and when it had everything last (B6.21), on the
    monotonic clock of the leader.
    """

    lag: int | None
    last_fetch_ms: int | None
    last_caught_up_ms: int | None


UNKNOWN = ReplicaState(lag=None, last_fetch_ms=None, last_caught_up_ms=None)


def replica_states(
    hosted: HostedAgent | None, key: PartitionKey, partition: Partition
) -> list[ReplicaState]:
    """Returns the state of each replica, in the order of replicas; `hosted` is the leader."""
    if hosted is None:
        return [UNKNOWN] * len(partition.replicas)
    return [_state(hosted, key, broker_id) for broker_id in partition.replicas]


def _state(hosted: HostedAgent, key: PartitionKey, broker_id: int) -> ReplicaState:
    now_ms, followers = hosted.clock.now_ms, hosted.agent.followers
    if broker_id == hosted.agent.config.broker_id:
        return ReplicaState(0, now_ms, now_ms)
    fetched, peer = followers.fetched(key, broker_id), hosted.peer(broker_id)
    caught_up_ms = followers.caught_up_ms(key, broker_id)
    fetched_ms = None if fetched is NEVER_FETCHED else fetched.fetched_ms
    end = _end(hosted, key)
    if peer is None:
        lag = None if fetched_ms is None else max(end - fetched.end_offset, 0)
        return ReplicaState(lag, fetched_ms, caught_up_ms)
    lag = max(end - _end(peer, key), 0)
    if peer.fetcher_faults.since_ms(key) is None and hosted.is_fetched_by(peer, key):
        if not lag and not followers.lags_in(key, broker_id):
            return ReplicaState(0, now_ms, now_ms)
    elif silent_ms := hosted.silent_ms(key, broker_id):
        fetched_ms = now_ms - silent_ms
    known_ms = [at_ms for at_ms in (fetched_ms, caught_up_ms) if at_ms is not None]
    last_fetch_ms = max(known_ms, default=None)
    return ReplicaState(lag, last_fetch_ms, caught_up_ms if lag else last_fetch_ms)


def _end(hosted: HostedAgent, key: PartitionKey) -> int:
    log = hosted.store.logs.get(key)
    return 0 if log is None else log.end_offset
