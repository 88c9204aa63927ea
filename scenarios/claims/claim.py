"""The state of a claim in a running scenario."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ..stage.stage import Stage

Settle = Callable[[], None]  # called at the end of the calm, to decide what the run has left open


class Failure(NamedTuple):
    """The first failure of a claim, at `t_us` microseconds.

    `seq` is the number of the journal row that broke the claim, or after which the claim expected
    another in vain; -1 if no row did.
    """

    what: str
    t_us: int
    seq: int


@dataclass(slots=True)
class Claim:
    """A claim of the file.

    `broken` is None if the claim holds. `occurred` counts how often the claim was tested.
    """

    name: str
    broken: Failure | None = None
    occurred: int = 0

    def break_(self, message: str, stage: Stage, seq: int | None = None) -> None:
        """Records that the row `seq` broke the claim, unless it was broken before."""
        if self.broken is None:
            now_us = stage.world.timeline.now_us
            self.broken = Failure(message, now_us, -1 if seq is None else seq)

    def occurs(self) -> None:
        """Records that the claim was tested."""
        self.occurred += 1


def nothing_more() -> None:
    """Does nothing: settles a claim that was decided during the run."""
