"""Waits until a cluster is healthy: a controller leads, brokers are unfenced, ISRs are full."""

from collections.abc import Iterator
from itertools import islice

from kraftsim.simulation.world import World

from .live import Live
from .waits import roles_text, states_text

SHOWN_MAX = 10  # partitions in the message of a timeout


async def until_healthy(live: Live, timeout: str | float) -> None:
    """Waits until the cluster is healthy; raises TimeoutError with what is not."""
    world = live.world
    await live.until(
        lambda: _is_healthy(world), timeout, "a healthy cluster", lambda: _states_text(world)
    )


def _is_healthy(world: World) -> bool:
    return (
        world.active is not None
        and world.are_unfenced(_registered(world))
        and next(_incomplete(world), None) is None
    )


def _registered(world: World) -> list[int]:
    """Returns the simulated brokers that are registered."""
    return [broker_id for broker_id in world.committed.brokers if broker_id in world.agents]


def _incomplete(world: World) -> Iterator[str]:
    """Yields the partitions that lack a leader, or a simulated and registered broker in the ISR."""
    registered = {*_registered(world)}
    for topic in world.committed.topics.values():
        for number, partition in topic.partitions.items():
            if partition.leader < 0 or not registered & {*partition.replicas} <= {*partition.isr}:
                yield f"{topic.name}-{number}"


def _states_text(world: World) -> str:
    incomplete = ", ".join(islice(_incomplete(world), SHOWN_MAX)) or "none"
    brokers = states_text(world, _registered(world))
    return f"{roles_text(world)}; {brokers}; partitions that lack replicas: {incomplete}"
