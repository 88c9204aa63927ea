"""Chooses events that lead a world to a state from which a search begins."""

from collections.abc import Callable
from typing import Any

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.raft.quorum import Quorum

from .state import State
from .steps import Action
from .world import World

TRIES_MAX = 9  # a pre-vote, a vote and their replies


def quorum_at(world: World, state: State, index: int) -> Quorum:
    """Returns the quorum of the node at `index`."""
    return world.steps.nodes[state.nodes[index]].quorum


def led(world: World, state: State, leader: int, follower: int) -> State:
    """Returns a state in which `leader` has just been elected with the vote of `follower`.

    `follower` does not know the new leader yet. Both are indexes of nodes. Raises Impossible if
    `leader` is not elected.
    """

    def leads(state: State) -> bool:
        return quorum_at(world, state, leader).is_leader

    for _ in range(TRIES_MAX):
        (state, *_) = world.let(state, leader, ("role_times_out",))
        state = delivered(world, state, {leader, follower}, until=leads)
        if leads(state):
            return state
    raise Impossible(f"{quorum_at(world, state, leader).role} does not lead")


def delivered(
    world: World,
    state: State,
    among: set[int],
    *,
    until: Callable[[State], bool] = lambda state: False,
) -> State:
    """Returns the state after the messages between the nodes `among` (indexes) are delivered.

    Delivery ends when `until` holds, or when it leads to no new state.
    """
    visited: set[State] = set()
    while state not in visited and not until(state):
        visited.add(state)
        continuations = (
            following
            for index, action in world.actions(state)
            if index in among and _sender(world, action) in among
            for following in world.let(state, index, action)
        )
        state = next((following for following in continuations if following not in visited), state)
    return state


def _sender(world: World, action: Action) -> Any:
    steps = world.steps
    match action:
        case "receives", request:
            return steps.requests[request].sender
        case "receives_response", line, _:
            index, conversation = steps.ends[line]
            return steps.index(conversation) if isinstance(conversation, int) else index
        case _:
            return None
