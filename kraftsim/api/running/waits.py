"""Waits until brokers or a controller are in a state; the clock moves meanwhile if it stands."""

from collections.abc import Sequence

from kraftsim.controller.core.node_id import broker_node, controller_node
from kraftsim.scenarios.language.suggestions import whole_number
from kraftsim.simulation.world import World

from ...errors import UnknownController
from ..states import states_of
from .live import Live

LEARNED_MAX_US = 2_000_000  # a broker asks another controller after less than a second
BROKERS_SHOWN_MAX = 10  # brokers whose states are part of the message of a timeout


async def until_broker(live: Live, broker_id: int, state: str, timeout: str | float) -> None:
    """Waits until the broker is in `state`; raises TimeoutError with its states."""
    await live.until(
        lambda: state in states_of(live.world, broker_id),
        timeout,
        f"broker {broker_id} {state}",
        lambda: states_text(live.world, (broker_id,)),
    )


async def until_leader(live: Live, leader: int | str, timeout: str | float) -> None:
    """Waits until the controller `leader`, or "any", is active; raises TimeoutError with roles."""
    world = live.world
    leader_id = None if leader == "any" else whole_number(str(leader))
    if leader_id is not None and leader_id not in world.controllers:
        raise UnknownController(leader_id, sorted(world.controllers))

    def leads() -> bool:
        active = world.active
        return active is not None and leader_id in (None, active.node.config.node_id)

    expected = (
        "an active controller" if leader_id is None else f"controller {leader_id} to be active"
    )
    await live.until(leads, timeout, expected, lambda: roles_text(world))
    await until_known(live)


async def until_known(live: Live) -> None:
    """Waits until the brokers that reach the active controller know it: they tell their clients.

    A fault may keep one from it, so that the wait ends after LEARNED_MAX_US all the same.
    """
    world = live.world

    def is_known() -> bool:
        active = world.active
        if active is None:
            return True  # another election: nobody can know its outcome
        leader_id = active.node.config.node_id
        return all(
            agent.agent.controller_id == leader_id
            for broker_id, agent in world.agents.items()
            if agent.is_running and _reach_each_other(world, broker_id, leader_id)
        )

    await live.clock.until(is_known, LEARNED_MAX_US, "brokers that learn of the new leader")


def _reach_each_other(world: World, broker_id: int, leader_id: int) -> bool:
    broker, leader = broker_node(broker_id), controller_node(leader_id)
    return world.network.is_open(broker, leader) and world.network.is_open(leader, broker)


def states_text(world: World, broker_ids: Sequence[int]) -> str:
    """Returns the states of brokers, and why controllers ended, for the message of a timeout."""
    states = {b: sorted(states_of(world, b)) for b in broker_ids[:BROKERS_SHOWN_MAX]}
    brokers = (f"broker {b}: {', '.join(s)}" for b, s in states.items())
    ended = (str(p.failure) for p in world.controllers.values() if p.failure is not None)
    return "; ".join((*brokers, *ended))


def roles_text(world: World) -> str:
    """Returns the role of every controller, for the message of a timeout."""
    roles = ((number, process.role) for number, process in world.controllers.items())
    return "; ".join(f"controller {number}: {role}" for number, role in roles)
