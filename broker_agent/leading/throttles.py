"""How much may be replicated now: the throttles of KIP-73 (rules B5.50-B5.53).

A topic lists the replicas that are throttled on each side, a broker has a rate for each side. All
that is replicated of listed partitions counts; only a replica that is behind waits for the rate. A
third rate is that of all replicas that move between the directories of a broker.
"""

from typing import TYPE_CHECKING

from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.log.records import BROKER_RESOURCE

from ..hosted_agent import HostedAgent

if TYPE_CHECKING:
    from ..log.byte_rate import SimpleByteRate
    from ..log.settings import LogSettings

LEADER_RATE = "leader.replication.throttled.rate"
FOLLOWER_RATE = "follower.replication.throttled.rate"
MOVING_RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
WINDOWS = {
    LEADER_RATE: "replication.quota.window",
    FOLLOWER_RATE: "replication.quota.window",
    MOVING_RATE: "alter.log.dirs.replication.quota.window",
}
SAMPLES, SAMPLE_S = 11, 1  # the number of samples, and their size in seconds


def are_listed(hosted: HostedAgent, peer: HostedAgent, index: int, settings: "LogSettings") -> bool:
    """True if the leader or the follower of a partition of the topic is throttled."""
    return _is_listed(settings.throttled_at_leader, index, hosted) or _is_listed(
        settings.throttled_at_follower, index, peer
    )


def holds_back(
    hosted: HostedAgent, index: int, partition: Partition, follower: int, settings: "LogSettings"
) -> bool:
    """True if a leader gives a follower nothing now, since it is not in the ISR (B5.50)."""
    return (
        follower not in partition.isr
        and _is_listed(settings.throttled_at_leader, index, hosted)
        and _is_exceeded(hosted, LEADER_RATE)
    )


def holds_itself_back(peer: HostedAgent, index: int, settings: "LogSettings") -> bool:
    """True if a follower that is behind the high watermark asks for nothing now (B5.51)."""
    is_listed = _is_listed(settings.throttled_at_follower, index, peer)
    return is_listed and _is_exceeded(peer, FOLLOWER_RATE)


def note_sent(hosted: HostedAgent, index: int, size: int, settings: "LogSettings") -> None:
    """Counts bytes that a leader has sent to a follower."""
    if _is_listed(settings.throttled_at_leader, index, hosted):
        _note(hosted, LEADER_RATE, size)


def note_taken(peer: HostedAgent, index: int, size: int, settings: "LogSettings") -> None:
    """Counts bytes that a follower has taken."""
    if _is_listed(settings.throttled_at_follower, index, peer):
        _note(peer, FOLLOWER_RATE, size)


def holds_moves_back(hosted: HostedAgent) -> bool:
    """True if a broker copies nothing now of the replicas that move between its directories."""
    return _is_exceeded(hosted, MOVING_RATE)


def note_moved(hosted: HostedAgent, size: int) -> None:
    """Counts bytes that a broker has copied of a replica that moves."""
    _note(hosted, MOVING_RATE, size)


def _is_listed(listed: frozenset[str], index: int, hosted: HostedAgent) -> bool:
    if not listed:
        return False
    return "*" in listed or f"{index}:{hosted.agent.config.broker_id}" in listed


def _is_exceeded(hosted: HostedAgent, name: str) -> bool:
    if name not in hosted.usage.replication_rates:
        return False  # nothing was replicated yet
    configs = hosted.agent.image.configs
    resources = (str(hosted.agent.config.broker_id), "")  # of this broker, of all
    for resource in resources:
        limit = configs.get((BROKER_RESOURCE, resource), {}).get(name)
        if limit is not None:
            return _rate(hosted, name).per_second(hosted.clock.now_ms) > int(limit)
    return False


def _note(hosted: HostedAgent, name: str, size: int) -> None:
    _rate(hosted, name).note(size, hosted.clock.now_ms)


def _rate(hosted: HostedAgent, name: str) -> "SimpleByteRate":
    """Returns a rate as it is now.

    A leader counts every Fetch of a follower, throttled or not, so that its window is never new. A
    follower counts only what it takes of listed partitions. (4.3.1: 6 MB at 200 kB/s took 12 s
    while another topic was replicated, and 23 s while none was, and at the follower.)
    """
    from ..log.byte_rate import SimpleByteRate  # with the first throttle

    now_ms, rate = hosted.clock.now_ms, hosted.usage.replication_rates.get(name)
    is_polled = name == LEADER_RATE and _has_followers(hosted)
    if rate is None:
        number = hosted.agent.config.number
        samples = number(f"{WINDOWS[name]}.num", SAMPLES)
        sample_s = number(f"{WINDOWS[name]}.size.seconds", SAMPLE_S)
        began_ms = hosted.started_ms if is_polled else now_ms
        rate = hosted.usage.replication_rates[name] = SimpleByteRate(
            samples, 1000 * sample_s, began_ms
        )
    if is_polled:
        rate.note_polls(now_ms)
    return rate


def _has_followers(hosted: HostedAgent) -> bool:
    """True if the broker leads a partition with a follower in its ISR, which fetches."""
    me, image = hosted.agent.config.broker_id, hosted.agent.image
    led = (image.partition(key) for key in image.index.hosted(me))
    return any(partition.leader == me and len(partition.isr) > 1 for partition in led)
