"""What a process of one release reads of the request of another (rule 5.1).

Processes speak in the newest version that both releases list. A field that this version lacks does
not arrive, and the receiver reads its default. In one release nothing has to be done.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from kraftsim.controller.core.api_row import ABSENT
from kraftsim.controller.core.errors import ClosedConnection, ErrorCode
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    AlterPartitionReassignmentsRequest,
    BrokerHeartbeatRequest,
    FetchRequest,
    Request,
    VoteRequest,
    VoteResponse,
)
from kraftsim.controller.core.rpc.fetch import HIGH_WATERMARK_UNKNOWN
from kraftsim.controller.raft.elections import asks_for_pre_vote
from kraftsim.controller.raft.protocol import Reply

_NEWEST = 2**15 - 1  # stands for the newest version of the schema


class Process(Protocol):
    """A process of a world."""

    @property
    def is_running(self) -> bool:
        """True if the process is in service and not paused."""

    @property
    def profile(self) -> Profile:
        """The release that the process runs."""


Submit = Callable[[Request, Any], None]  # for peers, a reply is never an ApiError


def as_read(sender: Process | None, receiver: Process, submit: Submit) -> Submit:
    """Returns `submit`, or what submits a request as a receiver of another release reads it.

    A sender of None speaks as the receiver does.
    """
    if sender is None or sender.profile.name == receiver.profile.name:
        return submit
    return partial(_submit_as_read, sender.profile, receiver, submit)


def _submit_as_read(
    sender: Profile, receiver: Process, submit: Submit, request: Request, reply_to: Any
) -> None:
    read = read_by(receiver.profile, sender, request) if receiver.is_running else request
    if isinstance(read, Request):
        submit(read, reply_to)
    else:
        reply_to(read)


def read_by(receiver: Profile, sender: Profile, request: Request) -> Request | Reply:
    """Returns the request as the receiver reads it, or the reply if it cannot be expressed.

    A request of which the receiver's release has no version ends the connection.
    """
    newest = [
        profile.newest_versions.get(request.api_key, _NEWEST) for profile in (sender, receiver)
    ]
    version = min(newest)
    if version == ABSENT:
        return ClosedConnection(f"{receiver.name} does not offer {type(request).__name__}")
    since, lower = _LOWERED.get(type(request), (0, _unchanged))
    return request if version >= since else lower(request)


def _unchanged(request: Request) -> Request:
    return request


def _without(**defaults: object) -> Callable[[Any], Request]:
    def lower(request: Any) -> Request:
        is_set = any(getattr(request, name) != default for name, default in defaults.items())
        lowered: Request = replace(request, **defaults) if is_set else request
        return lowered

    return lower


def _without_high_watermark(request: FetchRequest) -> Request:
    return replace(
        request,
        topics=tuple(
            replace(
                topic,
                partitions=tuple(
                    replace(partition, high_watermark=HIGH_WATERMARK_UNKNOWN)
                    for partition in topic.partitions
                ),
            )
            for topic in request.topics
        ),
    )


def _vote_only(request: VoteRequest) -> Request | Reply:
    """Refuses a pre-vote: without the field the receiver would grant a vote (KIP-996)."""
    if asks_for_pre_vote(request):
        return VoteResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    return request


_LOWERED: Mapping[type[Request], tuple[int, Callable[[Any], Request | Reply]]] = {
    AddRaftVoterRequest: (1, _without(ack_when_committed=True)),
    AlterPartitionReassignmentsRequest: (1, _without(allow_replication_factor_change=True)),
    BrokerHeartbeatRequest: (2, _without(cordoned_log_dirs=None)),
    FetchRequest: (18, _without_high_watermark),
    VoteRequest: (2, _vote_only),
}
"""The requests between processes with a field that an older release lacks: the first version that
has it, and what the request is in an older one."""
