"""Bugs of leaders: who is in the ISR, what is committed, and who leads."""

from dataclasses import replace
from typing import Any

from kraftsim.broker_agent.leading import leader
from kraftsim.broker_agent.log.epochs import LeaderEpochs
from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.log.settings import LogSettings
from kraftsim.broker_agent.messages.replicas import Replica, Replicas
from kraftsim.broker_agent.replication import in_sync
from kraftsim.broker_agent.replication.followers import NEVER_FETCHED, Fetched, Followers, Lag

from .mutant import Swaps, mutant


@mutant(
    "M118",
    "A follower joins the ISR one batch before the high watermark",
    defect="textbook; KAFKA-7128: an ISR that grows at the wrong offset",
    scenario="followers-that-catch-up-slowly",
    broken="in-sync-replicas-have-it",
)
def joins_too_early(swaps: Swaps) -> None:
    """Takes a follower for caught up where its next Fetch would get the last committed batch."""
    has_all: Any = leader._has_fetched_all

    def buggy(hosted: Any, key: Any, broker_id: int) -> bool:
        log: Log | None = hosted.store.logs.get(key)
        if log is None or len(log.batches) < 2 or hosted.agent.followers.lags_in(key, broker_id):
            return bool(has_all(hosted, key, broker_id))
        last = log.index_of(max(log.high_watermark - 1, log.start_offset))
        fetched: Fetched = hosted.agent.followers.fetched(key, broker_id)
        return fetched.end_offset >= log.base_offsets[last]

    swaps.attribute(leader, "_has_fetched_all", buggy)


@mutant(
    "M119",
    "An ISR grows by a timer",
    defect="kraftsim before followers copied: half a second after a replica is missing it is back",
    scenario="followers-that-catch-up-slowly",
    broken="in-sync-replicas-have-it",
)
def joins_in_time(swaps: Swaps) -> None:
    """Takes a replica outside the ISR for caught up as soon as the leader looks at it."""
    catches_up: Any = leader.catches_up

    def buggy(hosted: Any, key: Any, broker_id: int) -> bool:
        partition = hosted.known(key)
        is_member = partition is not None and broker_id in partition.isr
        return bool(catches_up(hosted, key, broker_id)) if is_member else True

    swaps.attribute(leader, "catches_up", buggy)


@mutant(
    "M120",
    "A record is acknowledged that all of the ISR have but one replica",
    defect="textbook: acks=all that counts a majority",
    scenario="fast-leader-changes",
    broken="in-sync-replicas-have-it",
)
def acknowledges_by_all_but_one(swaps: Swaps) -> None:
    """Leaves the follower that is farthest behind out of the high watermark."""

    def buggy(followers: Followers, key: Any, partition: Any, log_end: int, is_joining: Any) -> int:
        del is_joining
        members = followers.members(key, partition)
        lags, fetched = followers._lags.get(key, {}), followers._fetched.get(key, {})
        ends = [lag.end_offset for other, lag in lags.items() if other in members]
        ends += [
            known.end_offset
            for other, known in fetched.items()
            if other in members and other not in lags
        ]
        return min(sorted(ends)[1:], default=log_end)

    swaps.attribute(Followers, "end_of_all", buggy)


@mutant(
    "M121",
    "A leader counts a smaller ISR before the controller has accepted it",
    defect="KIP-497: only the committed ISR, and who is about to join, decide what is committed",
    scenario="a-smaller-isr-is-not-granted",
    broken="in-sync-replicas-have-it",
)
def shrinks_by_itself(swaps: Swaps) -> None:
    """Takes the proposed ISR for that of the partition, also if it is smaller."""
    request: Any = in_sync.InSync._request

    def buggy(self: Any, image: Any, broker_epoch: int, returned: Any, out: Any) -> Any:
        for key in {key for key, _ in out}:
            partition, leaving = (
                image.partition(key),
                {entry[1] for entry in out if entry[0] == key},
            )
            left = tuple(member for member in partition.isr if member not in leaving)
            self._followers.propose(key, partition, left)
        return request(self, image, broker_epoch, returned, out)

    def members(followers: Followers, key: Any, partition: Any) -> frozenset[int]:
        return frozenset(followers.proposal(key, partition) or partition.isr)

    swaps.attribute(in_sync.InSync, "_request", buggy)
    swaps.attribute(Followers, "members", members)


@mutant(
    "M122",
    "The high watermark rises below min ISR",
    defect="KIP-966, KAFKA-15583: the last replica standing commits alone",
    scenario="last-replica-standing",
    broken="enough-replicas-have-it",
)
def commits_below_min_isr(swaps: Swaps) -> None:
    """Lets the high watermark move whatever the size of the ISR is."""
    raise_mark: Any = leader.raise_high_watermark

    def buggy(hosted: Any, key: Any, partition: Any, log: Any, settings: LogSettings) -> None:
        raise_mark(hosted, key, partition, log, replace(settings, min_insync_replicas=1))

    swaps.attribute(leader, "raise_high_watermark", buggy)


@mutant(
    "M123",
    "A new leader takes all of its log for committed",
    defect="textbook; KIP-101: the high watermark of a new leader waits for its followers",
    scenario="a-leader-returns-to-lead",
    broken="in-sync-replicas-have-it",
)
def commits_at_election(swaps: Swaps) -> None:
    """Begins to lead without the lags of followers that have not fetched yet."""

    def buggy(hosted: Any, key: Any, partition: Any, log: Log) -> None:
        epoch = partition.leader_epoch
        if hosted.is_in_service and hosted.agent.followers.begin_to_lead(key, epoch):
            log.epochs.begin_to_lead(epoch, log.end_offset)
            log.high_watermark = log.end_offset

    swaps.attribute(leader, "lead", buggy)


@mutant(
    "M124",
    "A new term keeps the fetch positions of the former one",
    defect="textbook; KAFKA-13141: the state of followers begins anew with each leader epoch",
    scenario="a-leader-returns-to-lead",
    broken="in-sync-replicas-have-it",
)
def keeps_positions(swaps: Swaps) -> None:
    """Keeps what followers have fetched when the leader changes."""
    note_lag: Any = Followers.note_lag

    def forget(followers: Followers, key: Any) -> None:
        followers._lags.pop(key, None)
        followers._proposed.pop(key, None)
        followers._led.pop(key, None)

    def remembered(followers: Followers, key: Any, broker_id: int, lag: Lag) -> None:
        fetched = followers.fetched(key, broker_id)
        if lag.end_offset == NEVER_FETCHED.end_offset and fetched is not NEVER_FETCHED:
            lag = lag._replace(end_offset=fetched.end_offset)
        note_lag(followers, key, broker_id, lag)

    swaps.attribute(Followers, "forget", forget)
    swaps.attribute(Followers, "note_lag", remembered)


@mutant(
    "M125",
    "A follower outside the ISR lowers the high watermark",
    defect="robot-head/crabka#512 among brokers: a late fetch lowers the high watermark",
    scenario="followers-that-catch-up-slowly",
    broken="high-watermark-never-falls",
)
def mark_falls(swaps: Swaps) -> None:
    """Takes the least end of all who fetch for the high watermark, also if it is lower."""

    def buggy(hosted: Any, key: Any, partition: Any, log: Log, settings: LogSettings) -> None:
        if hosted.is_in_service and settings.is_enough(partition):
            followers = hosted.agent.followers
            end = followers.end_of_all(key, partition, log.end_offset, lambda *_: True)
            has_risen = end > log.high_watermark
            log.high_watermark = max(end, log.start_offset)
            if has_risen:
                hosted.report_change()

    swaps.attribute(leader, "raise_high_watermark", buggy)


@mutant(
    "M126",
    "A leader serves on after another one was elected",
    defect="KIP-320, KAFKA-7395: a zombie leader",
    scenario="clients-with-stale-metadata",
    broken="acknowledged-messages-stay",
)
def serves_on(swaps: Swaps) -> None:
    """Lets a broker that has ever led a partition accept batches."""
    check_leads: Any = Replicas.check_leads

    def buggy(replicas: Replicas, topic: Any, index: int, at: Any) -> Replica:
        replica: Replica = replicas.find(topic, index, at)
        if replica.log.epochs.led < 0:
            check_leads(replicas, replica.partition)
        return replica

    swaps.attribute(Replicas, "led", buggy)


@mutant(
    "M127",
    "A leader counts what a follower has before it gives it up",
    defect="KAFKA-13141: the offset of a Fetch whose reply names a diverging epoch",
    scenario="a-leader-dies-beside-slow-followers",
    broken="logs-are-whole",
)
def counts_what_diverges(swaps: Swaps) -> None:
    """Counts the end of a follower's log as it asks, not once its log is that of its leader."""
    send_copy: Any = leader.send_copy

    def buggy(hosted: Any, peer: Any, key: Any, log: Log) -> None:
        partition, agent = hosted.known(key), peer.agent
        follower = peer.store.logs.get(key)
        if partition is not None and follower is not None:
            broker_id, offset = agent.config.broker_id, follower.end_offset
            epoch, now_ms = agent.broker_epoch, hosted.clock.now_ms
            hosted.agent.followers.note_fetch(key, broker_id, offset, log.end_offset, now_ms, epoch)
        send_copy(hosted, peer, key, log)

    swaps.attribute(leader, "send_copy", buggy)


@mutant(
    "M128",
    "A follower joins the ISR below the offset at which its leader began to lead",
    defect="KAFKA-7128: the high watermark of a new leader is behind what was committed",
    scenario="a-new-leader-knows-less",
    broken="in-sync-replicas-have-it",
)
def ignores_begin_of_term(swaps: Swaps) -> None:
    """Compares a follower with the high watermark alone."""
    begin: Any = LeaderEpochs.begin_to_lead

    def buggy(epochs: LeaderEpochs, epoch: int, end_offset: int) -> bool:
        is_new = bool(begin(epochs, epoch, end_offset))
        epochs.led_from = 0
        return is_new

    swaps.attribute(LeaderEpochs, "begin_to_lead", buggy)
