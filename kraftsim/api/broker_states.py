"""The states of a broker that `wait` accepts: states of its registration and of its process."""

from kraftsim.simulation.world import World

STATES = (
    "registered",
    "unregistered",
    "fenced",
    "unfenced",
    "in-controlled-shutdown",
    "starting",
    "recovery",
    "running",
    "pending-controlled-shutdown",
    "not-running",
    "paused",
)


def states_of(world: World, broker_id: int) -> set[str]:
    """Returns every state in which the broker is now, out of STATES."""
    states: set[str] = set()
    registered = world.committed.brokers.get(broker_id)
    if registered is None:
        states.add("unregistered")
    else:
        states |= {"registered", "fenced" if registered.fenced else "unfenced"}
        if registered.in_controlled_shutdown:
            states.add("in-controlled-shutdown")
    agent = world.agents.get(broker_id)
    if agent is not None:
        states.add(agent.state.lower().replace("_", "-"))
    return states
