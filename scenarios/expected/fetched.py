"""Which replies to a follower's fetches no leader of its epoch could send.

Offsets are dense, epochs never fall and never exceed the leader's, a leader has all that is
committed, and a download goes on where it ended (rules 9.33, 9.40, 9.43, 10.34, 10.45).
"""

from typing import Any

from kraftsim.controller.core.rpc import FetchResponse
from kraftsim.controller.raft.quorum import Quorum

from ..oracles.breach_words import words
from .quorum import sole


def flaw_of(quorum: Quorum, reply: Any) -> str | None:
    """Returns what is impossible in a reply to this replica; None if it may be right."""
    is_fetch = isinstance(reply, FetchResponse)
    data = sole(reply.responses if is_fetch else reply.topics)
    if reply.error_code or data is None or data.error_code:
        return None
    return _flaw_of_data(quorum, data) if is_fetch else _flaw_of_slice(quorum, data)


def _flaw_of_data(quorum: Quorum, data: Any) -> str | None:
    diverging, snapshot, known = data.diverging_epoch, data.snapshot_id, quorum.high_watermark
    if diverging.epoch >= 0:
        return "it truncates what is committed" if diverging.end_offset < known else None
    if snapshot.epoch >= 0 or snapshot.end_offset >= 0:
        is_known = snapshot.end_offset < max(known, 1)
        is_sound = 0 <= snapshot.epoch <= quorum.epoch and not is_known
        return None if is_sound else f"it names the snapshot {words(snapshot)}"
    if not data.records:
        return None
    log = quorum.log
    new = (batch for batch in data.records if batch.base_offset >= log.end_offset)
    first = next(new, None)
    if first is None:
        return None
    follows = first.base_offset == log.end_offset and log.last_epoch <= first.epoch <= quorum.epoch
    return None if follows else f"it has a batch of epoch {first.epoch} at {first.base_offset}"


def _flaw_of_slice(quorum: Quorum, data: Any) -> str | None:
    download = quorum.download
    if download is None:
        return None
    end = data.position + len(data.unaligned_records)
    is_next = data.snapshot_id == download.snapshot_id and data.position == len(download.data)
    return None if is_next and data.position < end <= data.size else "it is not the next slice"
