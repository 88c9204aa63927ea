"""The states of a broker that `wait` accepts: states of its registration and of its process."""

from typing import TYPE_CHECKING, get_args

from kraftsim.controller.core.brokers.registration_state import RegistrationState

from .states import BrokerState

if TYPE_CHECKING:
    from kraftsim.simulation.world import World

STATES: tuple[BrokerState, ...] = get_args(BrokerState)


def states_of(world: "World", broker_id: int) -> set[BrokerState]:
    """Returns the current states of the broker's registration and of its process."""
    names = {state.value for state in _registration_states(world, broker_id)}
    agent = world.agents.get(broker_id)
    if agent is not None:
        names.add(agent.state.value)
    return {state for state in STATES if state in names}


def _registration_states(world: "World", broker_id: int) -> set[RegistrationState]:
    broker = world.committed.brokers.get(broker_id)
    if broker is None:
        return {RegistrationState.UNREGISTERED}
    fencing = RegistrationState.FENCED if broker.fenced else RegistrationState.UNFENCED
    states = {RegistrationState.REGISTERED, fencing}
    if broker.in_controlled_shutdown:
        states.add(RegistrationState.IN_CONTROLLED_SHUTDOWN)
    return states
