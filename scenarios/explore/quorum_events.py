"""What can happen to a quorum beside messages, where no time passes, and who waits for whom."""

from typing import NamedTuple

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.raft import conduct, elections, leading
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import leader_role

from .lone import Answer, Asked, Asker


class Line(NamedTuple):
    """What is awaited of one of the others."""

    number: int
    request: Request


def lines(quorum: Quorum) -> dict[Asker, Line]:
    """By peer."""
    known = quorum.peers._lines.items()
    return {peer: Line(one.number, one.request) for peer, one in known if one.request is not None}


def parked(quorum: Quorum) -> dict[Asker, tuple[Request, Answer]]:
    """By asker: the fetch that waits, and what it will be told if nothing comes."""
    waiting = quorum.parked._parked.values()
    return {asked.asker: (asked.request, response) for asked, _, response in waiting}


def unpark(quorum: Quorum, asker: Asker) -> tuple[tuple[Asked, Answer], ...]:
    """The fetch that waited here, with the answer that it gets anyway (10.35)."""
    waiting = quorum.parked._parked
    numbers = [number for number, (asked, *_) in waiting.items() if asked.asker == asker]
    taken = [waiting.pop(number) for number in numbers]
    return tuple((asked, response) for asked, _, response in taken)


def forget_the_unheard(quorum: Quorum) -> None:
    """An answer that nobody waits for changes nothing, nor does a fetch that waits for it."""
    waiting = quorum.parked
    for number, (asked, *_) in list(waiting._parked.items()):
        if not asked.is_awaited:
            del waiting._parked[number]
    waiting._expiries.clear()


def lose_patience(quorum: Quorum, turn: Turn) -> None:
    """Whatever its role waits for has not come."""
    if quorum.is_leader:
        leading.resign(quorum, turn)
    else:
        elections.on_patience_lost(quorum, turn)
    conduct.poll(quorum, turn)


def say_again(quorum: Quorum, peer: int, turn: Turn) -> None:
    """`peer` has not fetched for too long (10.22)."""
    role = leader_role(quorum.role)
    if quorum.peers.is_free(peer, turn.now_ms):
        role.begin_ms[peer] = turn.now_ms
        conduct.poll(quorum, turn)
