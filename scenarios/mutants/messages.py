"""Bugs of stored messages: offsets, bytes, producers, retention and copies."""

from typing import Any

from kraftsim.broker_agent.log.batch import Header
from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.log.producers import Producers
from kraftsim.broker_agent.log.segments import Segment
from kraftsim.broker_agent.log.validation import Accepted
from kraftsim.broker_agent.messages.replicas import Replica, Replicas
from kraftsim.broker_agent.replication import copying
from kraftsim.broker_agent.replication.followers import Followers

from .mutant import Swaps, mutant

FAILOVERS = "messages-outlive-their-leader"
LAGS = "followers-lag-beside-a-producer"


@mutant(
    "M111",
    "A batch takes one offset less than it has records",
    defect="textbook",
    scenario=FAILOVERS,
    broken="offsets-never-repeat",
)
def gives_an_offset_twice(swaps: Swaps) -> None:
    """Lets the log end at the last record of a batch of several, and not behind it."""
    add: Any = Log._add

    def buggy(log: Log, batch: bytes, header: Any, *where: Any) -> None:
        add(log, batch, header, *where)
        log.end_offset -= header.record_count > 1

    swaps.attribute(Log, "_add", buggy)


@mutant(
    "M112",
    "A broker writes over the timestamps of producers",
    defect="textbook",
    scenario=FAILOVERS,
    broken="messages-are-as-produced",
)
def sets_timestamps(swaps: Swaps) -> None:
    """Adds a millisecond to the largest timestamp of each batch."""

    place = Accepted.at

    def buggy(accepted: Accepted, offset: int, epoch: int) -> tuple[bytes, Header]:
        later = accepted._replace(max_timestamp=accepted.max_timestamp + 1)
        return place(later, offset, epoch)

    swaps.attribute(Accepted, "at", buggy)


@mutant(
    "M113",
    "A new leader does not know the producers",
    defect="textbook; KIP-98: followers keep the state of producers",
    scenario=FAILOVERS,
    broken="no-duplicates",
)
def followers_forget_producers(swaps: Swaps) -> None:
    """Lets followers keep no producers, so that a leader stores a batch that is sent again."""
    append_fetched: Any = Log.append_fetched

    def buggy(log: Log, *arguments: Any) -> None:
        append_fetched(log, *arguments)
        log.producers = Producers()

    swaps.attribute(Log, "append_fetched", buggy)


@mutant(
    "M114",
    "Retention takes milliseconds for seconds",
    defect="textbook",
    scenario="retention-by-age",
    broken="retention-keeps",
)
def retains_for_milliseconds(swaps: Swaps) -> None:
    """Makes each segment a thousand times as old."""
    age_ms: Any = Segment.age_ms
    swaps.attribute(Segment, "age_ms", lambda segment, now_ms: age_ms(segment, now_ms) * 1000)


@mutant(
    "M115",
    "A leader acknowledges what no follower has",
    defect="textbook; KIP-101: followers that diverge",
    scenario=FAILOVERS,
    broken="acknowledged-messages-stay",
)
def copies_nothing(swaps: Swaps) -> None:
    """Lets followers get nothing, and the high watermark follow the leader alone."""

    def buggy(_: Replicas, replica: Replica, *__: Any) -> None:
        replica.log.high_watermark = replica.log.end_offset

    swaps.attribute(Replicas, "replicate", buggy)


@mutant(
    "M116",
    "A follower keeps what its new leader lacks",
    defect="KAFKA-1211, KIP-101: logs that part are compared by their ends alone",
    scenario=LAGS,
    broken="replicas-agree",
)
def cuts_nothing(swaps: Swaps) -> None:
    """Lets no follower cut its log."""
    swaps.attribute(copying, "cut_where_logs_part", lambda leader, follower, now_ms: None)


@mutant(
    "M117",
    "The high watermark does not wait for a follower that lags",
    defect="textbook; KIP-497: the ISR that the controller knows decides what is committed",
    scenario=LAGS,
    broken="in-sync-replicas-have-it",
)
def waits_for_nobody(swaps: Swaps) -> None:
    """Takes the end of the leader's log for that of all of the ISR."""

    def buggy(_: Followers, key: object, partition: object, log_end: int, __: object) -> int:
        del key, partition
        return log_end

    swaps.attribute(Followers, "end_of_all", buggy)
