"""Hashable keys of roles, logs, disks and messages.

Values with equal keys have the same effects in a search, which so visits fewer states.
"""

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import LeaderChange
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.rpc import EndQuorumEpochRequest, FetchResponse, Request
from kraftsim.controller.raft import roles

from .identities import Disk


def role_key(role: roles.Role, now_ms: int = 0) -> Hashable:
    """Returns the parts of a quorum role that affect its behaviour.

    Of the times of a leader's BeginQuorumEpoch requests it keeps only whether they are past.
    """
    match role:
        case roles.Leader():
            ends = frozenset(
                (peer, progress.end_offset) for peer, progress in role.progress.items()
            )
            unannounced = frozenset(
                peer for peer, due_ms in role.begin_ms.items() if due_ms <= now_ms
            )
            return "leader", role.epoch_start, ends, unannounced
        case roles.Prospective() | roles.Candidate():
            return type(role).__name__, role.granted, role.refused
        case roles.Follower():
            return "follower", role.has_fetched
        case roles.Resigned():
            return "resigned", role.acknowledged
        case _:
            return "unattached"


def log_key(batches: Iterable[Batch]) -> Hashable:
    """Returns the base offset, epoch and effective contents of each batch."""
    return tuple((batch.base_offset, batch.epoch, contents_of(batch)) for batch in batches)


def contents_of(batch: Batch) -> Hashable:
    """Returns the parts of a batch that have an effect.

    They are the leader of a control batch, or the records unless all are NoOpRecords.
    """
    if batch.is_control:
        return leader_in(batch)
    return batch.records if any(not isinstance(r, NoOpRecord) for r in batch.records) else ()


def disk_key(disk: Disk) -> Hashable:
    """Returns the election state and the key of the log on a disk."""
    return disk.election, log_key(disk.batches)


def leader_in(batch: Batch) -> int | None:
    """Returns the leader that a control batch names, or None."""
    first = batch.records[0]
    return first.leader_id if isinstance(first, LeaderChange) else None


def without_grants(batch: Batch) -> Batch:
    """Returns the batch without the granting voters of a LeaderChange, which have no effect."""
    first = batch.records[0]
    if not isinstance(first, LeaderChange) or not first.granting_voters:
        return batch
    first = replace(first, granting_voters=())
    records: Any = (first, *batch.records[1:])
    return replace(batch, records=records)


def without_successors(request: Request) -> Request:
    """Returns a request without its preferred successors, which affect only times (rule 10.40)."""
    if not isinstance(request, EndQuorumEpochRequest):
        return request
    topic = request.topics[0]
    partition = replace(topic.partitions[0], preferred_successors=(), preferred_candidates=())
    return replace(request, topics=(replace(topic, partitions=(partition,)),))


def response_key(response: Any) -> Hashable:
    """Returns an error's code and text, or a response with its batches replaced by their keys."""
    if isinstance(response, ApiError):
        return response.code, str(response)
    if not isinstance(response, FetchResponse) or not response.responses:
        known: Hashable = response
        return known
    data: Any = response.responses[0].partitions[0]
    return replace(data, records=log_key(data.records or ())), response.node_endpoints
