"""What a broker does for the followers of the partitions that it leads (rules B5 and B6).

A follower that can fetch has everything in the instant of an append (`messages/replicas.py`), or,
where that takes its time, reply by reply (`send_copy`). One that cannot lags:
its process is dead or paused, the network between the two is closed in a direction, it knows
another leader, or cannot write. While it is in the ISR the high watermark stands still, until the
follower catches up or has left.

The modules of logs are imported with the first message.
"""

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from kraftsim.controller.core.image.partition import Partition, PartitionKey

from ..agent import Agent
from ..hosted_agent import HostedAgent
from ..process_state import FOLLOWS
from ..replication.followers import NEVER_FETCHED, Fetched, Lag, Way
from . import throttles
from .moving import go_on
from .stored_logs import instant, log_of, settings_of

if TYPE_CHECKING:
    from ..log.log import Log
    from ..log.settings import LogSettings


def attach(hosted: HostedAgent) -> HostedAgent:
    """Lets a broker lead and follow."""
    hosted.catches_up = partial(catches_up, hosted)
    hosted.observe_logs = observe
    return hosted


def catches_up(hosted: HostedAgent, key: PartitionKey, broker_id: int) -> bool:
    """Lets a follower fetch; True if it does, and has everything then.

    A broker of another process fetches by itself (`note_fetch`). Of one that never has nothing is
    known: it counts as one that fetches.
    """
    peer, partition = hosted.peer(broker_id), hosted.known(key)
    if peer is None and broker_id in hosted.agent.followers.others:
        return _has_fetched_all(hosted, key, broker_id)
    if peer is None or peer is hosted:
        return True
    if partition is None or partition.leader != hosted.agent.config.broker_id:
        return False
    if not hosted.is_fetched_by(peer, key):
        return False
    if key not in hosted.store.logs and key not in peer.store.logs:
        return True  # without a message nothing is to be copied
    if not peer.can_write_to(partition):
        return False
    log, settings = log_of(hosted, key), settings_of(hosted, key)
    lead(hosted, key, partition, log)
    has_begun = log.end_offset or log_of(peer, key).end_offset  # else its Fetch waits for a message
    if has_begun and takes_time(hosted, peer, key, settings):
        send_copy(hosted, peer, key, log)
        return _has_fetched_all(hosted, key, broker_id)
    if not copy(hosted, peer, key, log, settings):
        return False
    raise_high_watermark(hosted, key, partition, log, settings)
    return True


def takes_time(
    hosted: HostedAgent, peer: HostedAgent, key: PartitionKey, settings: "LogSettings"
) -> bool:
    """True if a follower has what it fetches later, reply by reply.

    The network takes its time, the follower or its disk is slow, or the partition is throttled.
    """
    if (
        hosted.host.network_delays
        or peer.disk.is_slow
        or throttles.are_listed(hosted, peer, key[1], settings)
    ):
        return True
    return peer.fetcher_faults.slow_down(key)


def copy(
    hosted: HostedAgent,
    peer: HostedAgent,
    key: PartitionKey,
    log: "Log",
    settings: "LogSettings",
    reply: "Delayed | None" = None,
) -> bool:
    """Lets the log of a follower become that of its leader; False if it cannot take everything.

    `reply` is what it has to take (None: all that the leader has now).
    """
    from ..log.log import Log
    from ..replication.copying import copy_rest, cut_where_logs_part, follow_marks

    at = instant(hosted)
    logs = peer.store.logs
    if key not in logs:
        logs[key] = Log(at.now_ms)
    follower = logs[key]
    truncated = cut_where_logs_part(log, follower, at.now_ms)
    if truncated is not None:
        peer.report_truncated(key, truncated)
    until, told = (None, None) if reply is None else (reply.end, reply.high_watermark)
    is_whole = copy_rest(log, follower, at, settings, until)
    if is_whole and reply is None:
        hosted.agent.followers.note_copied(key, peer.agent.config.broker_id)
    follow_marks(log, follower, at.now_ms, told)
    return is_whole


class Delayed(NamedTuple):
    """The reply to a follower's Fetch, from the process `agent` to `follower`, while it travels.

    It has the batches up to offset `end`, which are `size` bytes. A new process, or a new leader
    epoch, has a `way` of its own.
    """

    agent: Agent
    follower: Agent
    key: PartitionKey
    epoch: int
    end: int
    size: int
    high_watermark: int
    way: Way


def send_copy(hosted: HostedAgent, peer: HostedAgent, key: PartitionKey, log: "Log") -> None:
    """Answers the Fetch of a follower that takes its time, unless one is answered.

    The follower appends what the reply has as it arrives; its next Fetch acknowledges that, and
    takes its time, too. While a throttle holds, there is nothing but the next Fetch.
    """
    from ..replication.copying import FETCH_BYTES, part_of, start_of

    partition, config = hosted.known(key), peer.agent.config
    if partition is None:
        return
    epoch, high_watermark = partition.leader_epoch, log.high_watermark
    way = (key, epoch, config.broker_id, peer.agent.incarnation_id)
    if way in hosted.agent.followers.under_way:
        return
    hosted.agent.followers.under_way.add(way)
    offset, settings = start_of(log, log_of(peer, key)), settings_of(hosted, key)
    end, size = part_of(log, offset, config.number(*FETCH_BYTES))
    reply = Delayed(hosted.agent, peer.agent, key, epoch, end, size, high_watermark, way)
    is_held = throttles.holds_back(hosted, key[1], partition, config.broker_id, settings) or (
        offset < high_watermark and throttles.holds_itself_back(peer, key[1], settings)
    )
    if is_held:
        # 4.3.1 asks again after about half a second, on either side.
        wait_us = config.replica_fetch_wait_ms * 1000
        hosted.clock.timeline.after(wait_us, partial(_acknowledge, hosted, peer, reply))
        return
    throttles.note_sent(hosted, key[1], size, settings)
    write = partial(peer.disk.write, partial(_arrive, hosted, peer, reply))
    taking_us = peer.fetcher_faults.taking_us(key, size)
    hosted.deliver(config.broker_id, write, is_reply=True, taking_us=taking_us)


def _arrive(hosted: HostedAgent, peer: HostedAgent, reply: Delayed) -> None:
    key, broker_id, log = reply.key, peer.agent.config.broker_id, hosted.store.logs.get(reply.key)
    if log is not None and _still_follows(hosted, peer, reply):
        settings = settings_of(hosted, key)
        if copy(hosted, peer, key, log, settings, reply):
            throttles.note_taken(peer, key[1], reply.size, settings)
            peer.report_change(key)
            acknowledge = partial(_acknowledge, hosted, peer, reply)
            hosted.deliver(broker_id, acknowledge, is_reply=False)
            return
    # `InSync` looks again after replica.fetch.backoff.ms (B5.42).
    reply.agent.followers.under_way.discard(reply.way)


def _acknowledge(hosted: HostedAgent, peer: HostedAgent, reply: Delayed) -> None:
    """Counts the next Fetch of the follower, and answers it as soon as there is more."""
    key, broker_id = reply.key, peer.agent.config.broker_id
    reply.agent.followers.under_way.discard(reply.way)
    log, partition = hosted.store.logs.get(key), hosted.known(key)
    if log is None or partition is None or not _still_follows(hosted, peer, reply):
        return
    offset, broker_epoch = log_of(peer, key).end_offset, reply.follower.broker_epoch
    _count_fetch(hosted, key, partition, log, broker_id, offset, broker_epoch)
    if offset < log.end_offset:
        send_copy(hosted, peer, key, log)


def _count_fetch(
    hosted: HostedAgent,
    key: PartitionKey,
    partition: Partition,
    log: "Log",
    broker_id: int,
    offset: int,
    broker_epoch: int,
) -> None:
    """Counts the Fetch of a follower: the high watermark may rise, the ISR may grow (B6.20)."""
    now_ms, followers = hosted.clock.now_ms, hosted.agent.followers
    followers.note_fetch(key, broker_id, offset, log.end_offset, now_ms, broker_epoch)
    raise_high_watermark(hosted, key, partition, log, settings_of(hosted, key))
    is_outside = broker_id not in partition.isr and not followers.proposal(key, partition)
    if is_outside and _has_fetched_all(hosted, key, broker_id):
        hosted.note_fetched_all(key, broker_id)


def _tell_followers(
    hosted: HostedAgent,
    key: PartitionKey,
    partition: Partition,
    log: "Log",
    settings: "LogSettings",
) -> None:
    """Lets the followers learn a risen high watermark: with the Fetch that waits (B5.21).

    It is answered after its wait, or, where a copy takes no time, at once.
    """
    from ..replication.copying import follow_marks

    for broker_id in partition.replicas:
        peer = hosted.peer(broker_id)
        if peer is None or peer is hosted or not hosted.is_fetched_by(peer, key):
            continue
        follower, way = peer.store.logs.get(key), (key, broker_id)
        if takes_time(hosted, peer, key, settings):
            if way not in hosted.agent.followers.told_later:
                hosted.agent.followers.told_later.add(way)
                wait_us = peer.agent.config.replica_fetch_wait_ms * 1000
                tell = partial(_tell, hosted, hosted.agent, peer, key)
                hosted.clock.timeline.after(wait_us, tell)
        elif follower is not None and follower.high_watermark < log.high_watermark:
            follow_marks(log, follower, hosted.clock.now_ms)
            peer.report_change(key)


def _tell(hosted: HostedAgent, agent: Agent, peer: HostedAgent, key: PartitionKey) -> None:
    """Answers a Fetch that has waited without a new batch."""
    agent.followers.told_later.discard((key, peer.agent.config.broker_id))
    log, follower = hosted.store.logs.get(key), peer.store.logs.get(key)
    partition = hosted.known(key)
    if agent is not hosted.agent or log is None or follower is None or partition is None:
        return
    leads = partition.leader == agent.config.broker_id and hosted.is_fetched_by(peer, key)
    if leads and follower.high_watermark < log.high_watermark:
        send_copy(hosted, peer, key, log)


def _still_follows(hosted: HostedAgent, peer: HostedAgent, reply: Delayed) -> bool:
    """True if the follower may have, and the leader may count, what a reply has."""
    partition = hosted.known(reply.key)
    return (
        hosted.agent is reply.agent
        and peer.agent is reply.follower
        and partition is not None
        and partition.leader_epoch == reply.epoch
        and hosted.is_fetched_by(peer, reply.key)
        and peer.can_write_to(partition)
    )


def note_lag(
    hosted: HostedAgent, key: PartitionKey, partition: Partition, broker_id: int, end_offset: int
) -> None:
    """Notes that a follower, which had everything up to an offset, does not fetch any more."""
    followers = hosted.agent.followers
    if broker_id in followers.members(key, partition):
        _note_joined(hosted, key, partition, end_offset)
        caught_up_ms = hosted.clock.now_ms - hosted.silent_ms(key, broker_id)
        hosted.note_lag(key, broker_id, Lag(end_offset, caught_up_ms))


def _note_joined(
    hosted: HostedAgent, key: PartitionKey, partition: Partition, end_offset: int
) -> None:
    """Notes that members lag which have joined behind an offset; an earlier lag stays."""
    for broker_id, lag in hosted.agent.followers.joined_behind(key, partition, end_offset):
        hosted.note_lag(key, broker_id, lag)


def note_fetch(
    hosted: HostedAgent, key: PartitionKey, broker_id: int, offset: int, broker_epoch: int
) -> None:
    """Counts the Fetch of a follower in another process (B6.20)."""
    partition, log = hosted.known(key), hosted.store.logs.get(key)
    if partition is None or log is None or hosted.peer(broker_id) is not None:
        return
    hosted.agent.followers.others.add(broker_id)
    _count_fetch(hosted, key, partition, log, broker_id, offset, broker_epoch)


def note_lags_of_others(hosted: HostedAgent, key: PartitionKey, partition: Partition) -> None:
    """Notes that followers in other processes lack what was just appended."""
    followers = hosted.agent.followers
    for broker_id in followers.others.intersection(followers.members(key, partition)):
        if hosted.peer(broker_id) is None:
            fetched = followers.fetched(key, broker_id)
            hosted.note_lag(key, broker_id, Lag(fetched.end_offset, fetched.caught_up_ms))


def _has_fetched_all(hosted: HostedAgent, key: PartitionKey, broker_id: int) -> bool:
    """True if a follower that fetches may join the ISR (B6.23), or has everything."""
    followers, log = hosted.agent.followers, hosted.store.logs.get(key)
    if followers.lags_in(key, broker_id):
        return False
    fetched = followers.fetched(key, broker_id)
    if not fetched.is_of(hosted.agent.image.brokers.get(broker_id)):
        return False
    if log is None:
        return fetched is not NEVER_FETCHED
    return fetched.end_offset >= max(log.high_watermark, log.epochs.led_from)


def lead(hosted: HostedAgent, key: PartitionKey, partition: Partition, log: "Log") -> None:
    """Begins to lead, if the leader epoch is new to the process: nobody has fetched yet (B6.50).

    A process leads once it is in service (B6.74).
    """
    epoch = partition.leader_epoch
    if not hosted.is_in_service or not hosted.agent.followers.begin_to_lead(key, epoch):
        return
    log.epochs.begin_to_lead(epoch, log.end_offset)
    others = [other for other in partition.isr if other != hosted.agent.config.broker_id]
    for broker_id in others:
        if hosted.peer(broker_id) is not None or broker_id in hosted.agent.followers.others:
            lag = Lag(NEVER_FETCHED.end_offset, hosted.clock.now_ms)
            hosted.note_lag(key, broker_id, lag)
    for broker_id in others:
        catches_up(hosted, key, broker_id)


def raise_high_watermark(
    hosted: HostedAgent,
    key: PartitionKey,
    partition: Partition,
    log: "Log",
    settings: "LogSettings",
) -> None:
    """Raises the high watermark to what the maximal ISR has, and tells those who wait (B6.30).

    A process that does not lead yet knows nothing of its followers.
    """
    if log.high_watermark >= log.end_offset or not settings.is_enough(partition):
        return
    if not hosted.is_in_service:
        return
    _note_joined(hosted, key, partition, log.end_offset)
    is_joining = partial(_is_joining, hosted)
    end = hosted.agent.followers.end_of_all(key, partition, log.end_offset, is_joining)
    if end > log.high_watermark:
        log.high_watermark = end
        if len(partition.replicas) > 1:
            _tell_followers(hosted, key, partition, log, settings)
        hosted.report_change(key)


def _is_joining(hosted: HostedAgent, broker_id: int, fetched: Fetched) -> bool:
    """True if a follower outside the ISR has caught up lately, and may join it (B6.31)."""
    since_ms = hosted.clock.now_ms - fetched.caught_up_ms
    is_near = fetched.caught_up_ms > 0 and since_ms <= hosted.agent.config.replica_lag_ms
    image = hosted.agent.image
    return is_near and image.is_active(broker_id) and fetched.is_of(image.brokers.get(broker_id))


def take_up(hosted: HostedAgent, key: PartitionKey, partition: Partition, log: "Log") -> None:
    """Leads a partition as the process knows it, if that is new: the high watermark may rise.

    Where nothing but min.insync.replicas has changed, it does not (B6.30).
    """
    followers = hosted.agent.followers
    if partition.leader != hosted.agent.config.broker_id or not hosted.is_in_service:
        return
    if followers.note_seen(key, partition):
        lead(hosted, key, partition, log)
        followers.keep_members(key, partition)
        raise_high_watermark(hosted, key, partition, log, settings_of(hosted, key))


def observe(hosted: HostedAgent) -> None:
    """Begins to lead and to follow as the metadata say that the process has applied."""
    followers, me, logs = hosted.agent.followers, hosted.agent.config.broker_id, hosted.store.logs
    state, image = hosted.agent.state, hosted.agent.image
    if state not in FOLLOWS or not followers.note_looked(image, len(logs), hosted.is_in_service):
        return
    followers.forget_unknown(lambda key: hosted.known(key) is not None)
    for key, log in list(logs.items()):
        partition = hosted.known(key)
        if partition is not None and partition.leader == me:
            take_up(hosted, key, partition, log)
        elif partition is not None and followers.note_seen(key, partition):
            followers.forget(key)
            leader = hosted.peer(partition.leader)
            if me not in partition.replicas:
                hosted.store.forget_removed(hosted.agent.image, me)
            elif leader is not None:
                leader.catches_up(key, me)
    go_on(hosted)
