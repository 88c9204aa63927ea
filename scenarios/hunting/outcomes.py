"""The outcome of a reply, as one small value: its errors, a vote, or what a fetch makes do."""

from kraftsim.controller.core.rpc import FetchResponse, VoteResponse
from kraftsim.controller.raft.protocol import Reply

from ..conditions.occurrences import error_code_of

Outcome = tuple[object, ...]
CLOSED: Outcome = ("closed",)  # the connection failed


def outcome_of(reply: Reply | None) -> Outcome:
    """Returns the error of a reply, with a granted vote, and a truncation or snapshot to fetch."""
    if reply is None:
        return CLOSED
    code = error_code_of(reply)
    if code:
        return (code,)
    if isinstance(reply, FetchResponse):
        return next(
            (
                (data.error_code, data.diverging_epoch.epoch >= 0, data.snapshot_id.epoch >= 0)
                for topic in reply.responses
                for data in topic.partitions
            ),
            (),
        )
    if isinstance(reply, VoteResponse):
        partitions = (part for topic in reply.topics for part in topic.partitions)
        return next(((part.error_code, part.vote_granted) for part in partitions), ())
    return _first_error(reply)


def _first_error(reply: Reply) -> Outcome:
    """Returns the first error of a partition within a reply."""
    for topic in getattr(reply, "topics", ()):
        for partition in getattr(topic, "partitions", ()):
            code = getattr(partition, "error_code", 0)
            if code:
                return (code,)
    return ()
