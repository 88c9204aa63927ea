"""The controller of two brokers and their partition in a search."""

from collections.abc import Hashable
from typing import Any, ClassVar

from kraftsim.controller.raft.protocol import Turn

from ..explore.controller_life import ControllerLife
from ..explore.identities import FIRST_ID
from ..explore.limits import Limits
from ..explore.lone_controller import LoneController
from ..explore.steps import Steps
from ..explore.world import World
from . import partition_safety
from .partition_life import BROKERS, EVENTS, PartitionLife, config, settled_disk


class LonePartition(LoneController):
    """An immutable controller, to which everything happens that two brokers may send."""

    life_type: ClassVar[type[ControllerLife]] = PartitionLife

    def _checked(
        self, life: ControllerLife, event: str, arguments: tuple[Any, ...], next_peer: int
    ) -> Turn:
        assert isinstance(life, PartitionLife), life
        before = partition_safety.Before.of(life)
        turn = life.apply(event, arguments, next_peer)
        partition_safety.check(before, event, life, turn.replies)
        turn.sends = ()  # the controller registers with nobody: it is alone
        return turn

    @property
    def may(self) -> tuple[tuple[Any, ...], ...]:
        """Every event that the limits of a search allow."""
        return tuple((event, *arguments) for event, every in EVENTS.items() for arguments in every)

    def _guesses_key(self) -> Hashable:
        life = self.life
        assert isinstance(life, PartitionLife), life
        sessions = tuple(life.is_in_session(number) for number in BROKERS)
        return super()._guesses_key(), sessions


def partition_of(limits: Limits) -> World:
    """Returns a world of one controller, two unfenced brokers, and the partition of both."""
    disk = settled_disk()
    steps = Steps((FIRST_ID,), 1, limits.epoch, lambda _: LonePartition.unstarted(config(), disk))
    return World(steps, limits, has_twins=False)
