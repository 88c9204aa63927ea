"""What a reply of the quorum tells, in the form of `quorum.py`."""

from collections.abc import Sequence
from typing import Any

from kraftsim.controller.core.log.batch import Batch

from ..oracles.breach_words import words
from .quorum import Fetched, Outcome, sole


def told_of_vote(reply: Any) -> Outcome:
    """Returns the errors, the leader, its epoch, and whether the vote is granted."""
    result = sole(reply.topics)
    if reply.error_code or result is None:
        return (reply.error_code,)
    epoch, granted = result.leader_epoch, result.vote_granted
    return 0, int(result.error_code), result.leader_id, epoch, granted


def told_of_epoch(reply: Any) -> Outcome:
    """Returns the errors, the leader and its epoch of a Begin- or EndQuorumEpoch response."""
    result = sole(reply.topics)
    if reply.error_code or result is None:
        return (reply.error_code,)
    return 0, int(result.error_code), result.leader_id, result.leader_epoch


def told_of_fetch(reply: Any) -> Outcome:
    """Returns the errors, the leader, its epoch, and what the replica must do with its log."""
    data = sole(reply.responses)
    if reply.error_code or data is None:
        return (reply.error_code,)
    leader, diverging, snapshot = data.current_leader, data.diverging_epoch, data.snapshot_id
    return (
        *(0, int(data.error_code), leader.leader_id, leader.leader_epoch, data.high_watermark),
        (diverging.epoch, diverging.end_offset),
        (snapshot.epoch, snapshot.end_offset),
    )


def told_of_snapshot(reply: Any) -> Outcome:
    """Returns the errors, the leader, its epoch, and the slice with its place in the whole."""
    data = sole(reply.topics)
    if reply.error_code or data is None:
        return (reply.error_code,)
    leader = (data.current_leader.leader_id, data.current_leader.leader_epoch)
    if data.error_code:
        return 0, int(data.error_code), *leader
    return 0, 0, *leader, data.size, data.position, bytes(data.unaligned_records)


def flaw_of_records(expected: Fetched, reply: Any) -> str | None:
    """Returns what is wrong with the reply to a valid fetch; None if nothing is.

    A leader that resigned, or has a newer snapshot, may say something else by then.
    """
    if reply.error_code:
        return f"it is refused: {words(reply)}"
    data = sole(reply.responses)
    is_other = data.error_code or data.snapshot_id.epoch >= 0 or data.diverging_epoch.epoch >= 0
    if is_other:
        return None
    records: Sequence[Batch] = data.records or ()
    if not records and expected.end_offset > expected.offset:
        return f"it has no records, and the log ended at {expected.end_offset}"
    if data.high_watermark < expected.high_watermark:
        return f"it has the high watermark {data.high_watermark}, not {expected.high_watermark}"
    offset = expected.offset
    for batch in records:
        if not batch.base_offset <= offset <= batch.last_offset:
            return f"it has a batch at {batch.base_offset} to {batch.last_offset}, after {offset}"
        offset = batch.last_offset + 1
    return None
