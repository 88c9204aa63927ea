"""Bugs of the log and its followers: commits, waiting fetches and diverging logs."""

from dataclasses import replace
from typing import Any

from kraftsim.controller.node import deferred
from kraftsim.controller.raft import fetch_answer, following, leading
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.replica_log import ReplicaLog
from kraftsim.controller.raft.roles import leader_role

from .mutant import Swaps, mutant


@mutant(
    "M28",
    "A leader commits records that no majority has",
    defect="textbook: commit by count",
    scenario="active-controller-crash",
    broken="high-watermark",
)
def commits_alone(swaps: Swaps) -> None:
    """Uses the leader's own log end as the log end of every voter."""

    def end_offset(quorum: Quorum, role: Any, node_id: int) -> int:
        return quorum.persisted_offset

    swaps.attribute(leading, "_end_offset", end_offset)


@mutant(
    "M33",
    "A response is sent before its records are committed",
    defect="textbook: reply before commit",
    scenario="steady-heartbeats",
    broken="answer-after-commit",
)
def answers_at_once(swaps: Swaps) -> None:
    """Sends deferred replies at once."""

    def add(_: Any, offset: int, token: Any, reply: Any) -> None:
        token(reply)

    swaps.attribute(deferred.DeferredReplies, "add", add)


@mutant(
    "M37",
    "New records do not wake up parked fetches",
    defect="textbook: lost wake-up of parked fetch",
    scenario="busy-log-unfence",
    broken="leads_to[0]",
)
def parked_fetches_stay_parked(swaps: Swaps) -> None:
    """Does not reply to parked fetches when there are new records."""
    swaps.attribute(leading, "answer_parked", lambda quorum, turn: None)


@mutant(
    "M47",
    "Followers never learn the high watermark",
    defect="Krabka: an observer that does not advance",
    scenario="steady-heartbeats",
    broken="images-converge",
)
def followers_never_commit(swaps: Swaps) -> None:
    """Keeps the high watermark of followers unchanged."""
    swaps.attribute(following, "advance", lambda quorum: None)


@mutant(
    "M48",
    "A follower changes the timestamps of the batches that it appends",
    defect="textbook",
    scenario="steady-heartbeats",
    broken="log-matching",
)
def follower_changes_stamps(swaps: Swaps) -> None:
    """Adds 1 ms to the timestamps that a follower appends."""
    accept = ReplicaLog.accept

    def buggy(quorum: Quorum, batch: Any, turn: Any) -> None:
        changed = replace(batch, timestamp_ms=batch.timestamp_ms + 1)
        accept(quorum, batch if quorum.is_leader else changed, turn)

    swaps.attribute(ReplicaLog, "accept", buggy)


@mutant(
    "M50",
    "A follower with a diverging log does not truncate it",
    defect="robot-head/crabka#1215: truncate to the intersection of epochs",
    scenario="isolated-active-controller",
    broken="log-matching",
)
def never_diverges(swaps: Swaps) -> None:
    """Reports no divergence to a follower."""
    swaps.attribute(fetch_answer, "_diverging", lambda log, wanted: None)


@mutant(
    "M82",
    "A late fetch lowers the high watermark",
    defect="robot-head/crabka#512",
    scenario="duplicate-and-reordered-rpcs",
    broken="high-watermark",
)
def watermark_goes_back(swaps: Swaps) -> None:
    """Lets the high watermark fall."""

    def advance(quorum: Quorum) -> bool:
        role = leader_role(quorum.role)
        ends = sorted(leading._end_offset(quorum, role, node_id) for node_id in quorum.voters.ids)
        candidate = ends[(len(ends) - 1) // 2]
        if candidate <= role.epoch_start or candidate == quorum.high_watermark:
            return False
        quorum.high_watermark = candidate
        return True

    swaps.attribute(leading, "advance", advance)


@mutant(
    "M83",
    "A leader truncates its own log when a fetch diverges",
    defect="Krabka: a leader truncates its own log",
    scenario="isolated-active-controller",
    broken="assertion",
)
def leader_truncates_itself(swaps: Swaps) -> None:
    """Truncates the leader's own log at the divergence that it reports."""
    diverging = fetch_answer._diverging

    def buggy(log: Any, wanted: Any) -> Any:
        divergence = diverging(log, wanted)
        if divergence is not None:
            log.truncate(divergence.end_offset)
        return divergence

    swaps.attribute(fetch_answer, "_diverging", buggy)
