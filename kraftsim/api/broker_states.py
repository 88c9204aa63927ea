"""The states of a broker that `wait` accepts: states of its registration and of its process."""

from kraftsim.broker_agent.process_state import LASTING_STATES, ProcessState
from kraftsim.simulation.world import World


def state_name(state: ProcessState) -> str:
    """Returns the name of a process state in commands and in HTTP, such as `not-running`."""
    return state.lower().replace("_", "-")


STATES = (
    "registered",
    "unregistered",
    "fenced",
    "unfenced",
    "in-controlled-shutdown",
    *map(state_name, LASTING_STATES),
)


def states_of(world: World, broker_id: int) -> set[str]:
    """Returns the current states of the broker's registration and of its process."""
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
        states.add(state_name(agent.state))
    return states
