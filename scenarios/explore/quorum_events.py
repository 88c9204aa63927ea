"""Timeouts of a quorum as events, and access to its open requests and parked fetches."""

from typing import NamedTuple

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.raft import conduct, elections, epochs, leading
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.quorum import Quorum

from .lone import Answer, Arrival, Requester


class Line(NamedTuple):
    """An open request to a peer, with its request number."""

    number: int
    request: Request


def lines(quorum: Quorum) -> dict[Requester, Line]:
    """Returns the open requests by peer."""
    known = quorum.peers._lines.items()
    return {
        peer: Line(line.number, line.request) for peer, line in known if line.request is not None
    }


def parked(quorum: Quorum) -> dict[Requester, tuple[Request, Answer]]:
    """Returns the parked fetches by requester, each with the reply that is due at its deadline."""
    waiting = quorum.parked._parked.values()
    return {arrival.requester: (arrival.request, response) for arrival, _, response in waiting}


def unpark(quorum: Quorum, requester: Requester) -> tuple[tuple[Arrival, Answer], ...]:
    """Removes the parked fetch of a requester; returns the fetch with its reply (rule 10.35)."""
    waiting = quorum.parked._parked
    numbers = [
        number for number, (arrival, *_) in waiting.items() if arrival.requester == requester
    ]
    fetches = [waiting.pop(number) for number in numbers]
    return tuple((arrival, response) for arrival, _, response in fetches)


def drop_unawaited_fetches(quorum: Quorum) -> None:
    """Drops parked fetches whose sender no longer waits: their replies have no effect."""
    waiting = quorum.parked
    for number, (arrival, *_) in list(waiting._parked.items()):
        if not arrival.is_awaited:
            del waiting._parked[number]
    waiting._expiries.clear()


def time_out_role(quorum: Quorum, turn: Turn) -> None:
    """Handles the timeout of the current role: a leader resigns, others start an election."""
    if quorum.is_leader:
        leading.resign(quorum, turn)
    else:
        elections.on_role_timeout(quorum, turn)
    conduct.poll(quorum, turn)


def announce_again(quorum: Quorum, peer: int, turn: Turn) -> None:
    """Sends BeginQuorumEpoch to `peer`, which has not fetched for too long (rule 10.22)."""
    voter = quorum.voters.find(peer)
    if voter is not None and quorum.peers.is_free(peer, turn.now_ms):
        epochs.announce(quorum, voter, turn)
        conduct.poll(quorum, turn)
