"""Bugs of followers: how a log becomes that of its leader, and what a broker finds on its disk."""

from typing import Any

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.log import recovery
from kraftsim.broker_agent.log.epochs import LeaderEpochs
from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.messages import replicas
from kraftsim.broker_agent.replica_store import ReplicaStore
from kraftsim.broker_agent.replication import copying

from .mutant import Swaps, mutant


@mutant(
    "M129",
    "A follower truncates one batch too few",
    defect="textbook; KAFKA-6361: the end of an epoch is exclusive",
    scenario="fast-leader-changes",
    broken="replicas-agree",
)
def truncates_too_little(swaps: Swaps) -> None:
    """Cuts a log behind the first batch that its leader lacks."""
    truncate = recovery.truncate

    def buggy(log: Log, offset: int) -> None:
        index = log.index_of(offset)
        next_base = log.base_offsets[index + 1] if index + 1 < len(log.batches) else log.end_offset
        truncate(log, next_base)

    swaps.attribute(copying, "truncate", buggy)


@mutant(
    "M130",
    "Leader epochs are not truncated with the log",
    defect="KAFKA-10706: leader epochs that have no record any more",
    scenario="an-epoch-that-was-cut",
    broken="logs-are-whole",
)
def keeps_epochs(swaps: Swaps) -> None:
    """Leaves the entries of leader epochs as they are when a log is cut."""
    swaps.attribute(LeaderEpochs, "cut_end", lambda epochs, offset: None)


@mutant(
    "M131",
    "A follower takes a high watermark beyond its own end",
    defect="textbook; KAFKA-14704: a follower that takes the high watermark before it has appended",
    scenario="followers-that-catch-up-slowly",
    broken="logs-are-whole",
)
def mark_beyond_end(swaps: Swaps) -> None:
    """Takes the high watermark of the leader as it is."""

    def buggy(leads: Log, follower: Log, now_ms: int, high_watermark: int | None = None) -> None:
        follower.high_watermark = leads.high_watermark
        follower.delete_before(min(leads.start_offset, follower.end_offset), now_ms)

    swaps.attribute(copying, "follow_marks", buggy)
    swaps.attribute(replicas, "follow_marks", buggy)


@mutant(
    "M132",
    "A broker that starts truncates its logs to their high watermarks",
    defect="KAFKA-1211, KIP-101: a follower learns the high watermark one Fetch later",
    scenario="fast-leader-changes",
    broken="truncations-are-told",
)
def truncates_to_mark(swaps: Swaps) -> None:
    """Cuts each log at its high watermark as the process begins."""
    begin: Any = ReplicaStore.begin
    truncate = recovery.truncate

    def buggy(store: ReplicaStore, *, is_clean: bool) -> None:
        begin(store, is_clean=is_clean)
        for log in store.logs.values():
            truncate(log, log.high_watermark)

    swaps.attribute(ReplicaStore, "begin", buggy)


@mutant(
    "M133",
    "A follower does not ask which epoch its leader knows instead",
    defect="KIP-279, KAFKA-6361: fast leader changes, and one step of truncation",
    scenario="fast-leader-changes",
    broken="replicas-agree",
)
def ignores_diverging_epoch(swaps: Swaps) -> None:
    """Cuts at the offset that the leader names, of whatever epoch that is."""

    def buggy(epochs: LeaderEpochs, epoch: int, leader_end: int, log_end: int) -> int:
        return min(leader_end, log_end)

    swaps.attribute(LeaderEpochs, "parting", buggy)


@mutant(
    "M134",
    "A recovered replica claims the tail that it has lost",
    defect="textbook: the end of a log from a checkpoint, and not from its batches",
    scenario="power-cut-of-a-follower",
    broken="logs-are-whole",
)
def claims_lost_tail(swaps: Swaps) -> None:
    """Lets a log end where it ended before it lost its tail."""
    lose_tail: Any = recovery.lose_tail

    def buggy(log: Log, records: int | None) -> int:
        end = log.end_offset
        lost = int(lose_tail(log, records))
        log.end_offset = end
        return lost

    swaps.attribute(recovery, "lose_tail", buggy)


@mutant(
    "M135",
    "An unclean election loses records that no row names",
    defect="textbook: a loss that nobody is told of",
    scenario="unclean-election-beside-a-producer",
    broken="truncations-are-told",
)
def loses_in_silence(swaps: Swaps) -> None:
    """Reports no records that a broker gives up."""
    swaps.attribute(HostedAgent, "report_truncated", lambda hosted, key, records: None)
