"""How far the replicas of a partition are behind the log of their leader."""

from kraftsim.controller.core.image.partition import Partition, PartitionKey

from ..hosted_agent import HostedAgent
from ..replication.followers import NEVER_FETCHED


def lags(hosted: HostedAgent | None, key: PartitionKey, partition: Partition) -> list[int | None]:
    """Returns how many records each replica lacks of the leader's log, in the order of replicas.

    None if that is not known, as of all without a simulated leader.
    """
    if hosted is None:
        return [None] * len(partition.replicas)
    log = hosted.store.logs.get(key)
    end = 0 if log is None else log.end_offset
    return [_lag(hosted, key, broker_id, end) for broker_id in partition.replicas]


def _lag(hosted: HostedAgent, key: PartitionKey, broker_id: int, end: int) -> int | None:
    followers, peer = hosted.agent.followers, hosted.peer(broker_id)
    if broker_id == hosted.agent.config.broker_id:
        return 0
    if peer is not None:
        log = peer.store.logs.get(key)
        return max(end - (0 if log is None else log.end_offset), 0)
    fetched = followers.fetched(key, broker_id)
    return None if fetched is NEVER_FETCHED else max(end - fetched.end_offset, 0)
