"""Worlds of controllers and one broker, which registers, renews its lease and loses it."""

from kraftsim.broker_agent.process_state import ProcessState

from .identities import BROKER_ID, FIRST_ID, config_of
from .limits import Limits
from .lone import Lone
from .lone_broker import LoneBroker
from .lone_controller import LoneController
from .state import State
from .steering import delivered, led
from .steps import Steps
from .world import World


def cluster_of(controllers: int, limits: Limits) -> World:
    """Returns a world of `controllers` controllers with empty disks, and one broker."""
    ids = tuple(range(FIRST_ID, FIRST_ID + controllers))

    def unstarted(index: int) -> Lone:
        if index == controllers:
            return LoneBroker.unstarted(ids)
        return LoneController.unstarted(config_of(ids[index], ids))

    steps = Steps((*ids, BROKER_ID), controllers, limits.epoch, unstarted)
    return World(steps, limits, has_twins=False)


def led_cluster(world: World) -> State:
    """Returns a state in which the first controller leads and every controller knows the leader.

    No request of the broker has arrived.
    """
    state = world.beginning()
    controllers = set(range(world.steps.voters))
    if len(controllers) > 1:
        state = led(world, state, 0, 1)
    return delivered(world, state, controllers)


def running_cluster(world: World) -> State:
    """Returns a state like `led_cluster`, in which the broker has registered and is unfenced."""
    index = world.steps.voters
    everybody = set(range(index + 1))

    def is_running(state: State) -> bool:
        broker = world.steps.nodes[state.nodes[index]]
        assert isinstance(broker, LoneBroker), broker
        return broker.life.agent.state is ProcessState.RUNNING

    state = delivered(world, led_cluster(world), everybody, until=is_running)
    while not is_running(state):
        (state, *_) = world.let(state, index, ("is_due_to_send", "lease"))
        state = delivered(world, state, everybody, until=is_running)
    return state
