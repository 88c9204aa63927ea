"""The states of a broker that `wait` accepts: states of its registration and of its process."""

from typing import TYPE_CHECKING

from kraftsim.broker_agent.process_state import LASTING_STATES
from kraftsim.controller.core.brokers.registration_state import RegistrationState

if TYPE_CHECKING:
    from kraftsim.simulation.world import World

STATES = tuple(state.value for state in (*RegistrationState, *LASTING_STATES))


def states_of(world: "World", broker_id: int) -> set[str]:
    """Returns the current states of the broker's registration and of its process."""
    states = {state.value for state in _registration_states(world, broker_id)}
    agent = world.agents.get(broker_id)
    if agent is not None:
        states.add(agent.state.value)
    return states


def _registration_states(world: "World", broker_id: int) -> set[RegistrationState]:
    broker = world.committed.brokers.get(broker_id)
    if broker is None:
        return {RegistrationState.UNREGISTERED}
    fencing = RegistrationState.FENCED if broker.fenced else RegistrationState.UNFENCED
    states = {RegistrationState.REGISTERED, fencing}
    if broker.in_controlled_shutdown:
        states.add(RegistrationState.IN_CONTROLLED_SHUTDOWN)
    return states
