"""The states and clocks of the Python API, as types for checkers and editors; those of a broker."""

from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from kraftsim.controller.core.brokers.registration_state import RegistrationState

if TYPE_CHECKING:
    from kraftsim.simulation.world import World

# The states of a broker that `wait` accepts: of its registration, then of its process.
BrokerState = Literal[
    "registered",
    "unregistered",
    "fenced",
    "unfenced",
    "in_controlled_shutdown",
    "STARTING",
    "RECOVERY",
    "RUNNING",
    "PENDING_CONTROLLED_SHUTDOWN",
    "NOT_RUNNING",
    "PAUSED",
]
# The states of the process of a broker or controller.
ProcessStateName = Literal[
    "STARTING",
    "RECOVERY",
    "RUNNING",
    "PENDING_CONTROLLED_SHUTDOWN",
    "SHUTTING_DOWN",
    "NOT_RUNNING",
    "PAUSED",
]
STATES: tuple[BrokerState, ...] = get_args(BrokerState)
ClockName = Literal["real", "virtual", "auto", "skipping"]


class BrokerStatesDocument(TypedDict):
    """The states of a broker: of its registration and of its process."""

    brokerId: int
    states: list[BrokerState]


class NodeDocument(TypedDict):
    """A process of a user; `error` is what its code raised, after file and line, if it did."""

    name: str
    state: str
    rack: str | None
    error: str | None


class NodeList(TypedDict):
    """The nodes of a user, in the order in which they were added."""

    nodes: list[NodeDocument]


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
