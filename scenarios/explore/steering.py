"""Leads a world to a state from which a search begins."""

from collections.abc import Callable
from typing import Any

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.raft.quorum import Quorum

from .state import State
from .steps import Happening
from .world import World

TRIES_MAX = 9  # a pre-vote, a vote and their replies


def quorum_at(world: World, state: State, place: int) -> Quorum:
    """Returns the quorum of the node at a place."""
    return world.steps.nodes[state.nodes[place]].quorum


def led(world: World, state: State, leader: int, follower: int) -> State:
    """Returns a state in which `leader` leads with the vote of `follower`, which does not know yet.

    Raises Impossible if it is not elected.
    """

    def leads(state: State) -> bool:
        return quorum_at(world, state, leader).is_leader

    for _ in range(TRIES_MAX):
        (state, *_) = world.let(state, leader, ("loses_patience",))
        state = told_all(world, state, {leader, follower}, until=leads)
        if leads(state):
            return state
    raise Impossible(f"{quorum_at(world, state, leader).role} does not lead")


def told_all(
    world: World,
    state: State,
    among: set[int],
    *,
    until: Callable[[State], bool] = lambda state: False,
) -> State:
    """Delivers the messages among some nodes until they repeat, or until `until` holds."""
    seen: set[State] = set()
    while state not in seen and not until(state):
        seen.add(state)
        heard = (
            there
            for place, happening in world.happenings(state)
            if place in among and _speaker(world, happening) in among
            for there in world.let(state, place, happening)
        )
        state = next((there for there in heard if there not in seen), state)
    return state


def _speaker(world: World, happening: Happening) -> Any:
    steps = world.steps
    match happening:
        case "hears", request:
            return steps.requests[request].sender
        case "is_told", line, _:
            place, conversation = steps.ends[line]
            return steps.place(conversation) if isinstance(conversation, int) else place
        case _:
            return None
