"""Verbs of the active controller: it resigns, or forgets what is not in the log."""

from dataclasses import dataclass

from kraftsim.simulation.world import World

from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .verb import Verb, nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer(Verb, word="quorum.transfer"):
    """Makes the active controller resign in favour of another controller."""

    to: Selector

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        successors = stage.controllers_of(self.to)
        effects = int(bool(successors) and resign(stage.world, successors[0].number))
        return lambda: effects, nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget(Verb, word="quorum.forget"):
    """Makes the active controller forget its soft state, as a failover does (rules 2.40, 2.48).

    It forgets the time of each broker's last heartbeat, the metadata offset in it, and which
    brokers are in a controlled shutdown. Each unfenced broker gets a full session.
    """

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        effects = int(forget_soft_state(stage.world))
        return lambda: effects, nothing


def resign(world: World, successor_id: int) -> bool:
    """Makes the active controller resign, -1 for any successor; returns False if none is active."""
    active = world.active
    if active is None:
        return False
    active.hosted.resign(successor_id)
    return True


def forget_soft_state(world: World) -> bool:
    """Empties the soft state of the active controller; returns False if none is active."""
    active = world.active
    if active is None:
        return False
    active.hosted.forget_soft_state()
    return True
