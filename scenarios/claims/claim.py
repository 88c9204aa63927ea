"""The state of a claim in a running scenario."""

from collections.abc import Callable
from dataclasses import dataclass

from ..stage.stage import Stage

Settle = Callable[[], None]  # called at the end of the calm, to decide what the run has left open


@dataclass(slots=True)
class Claim:
    """A claim of the file.

    `broken` is (the message, the time in microseconds) of the first failure; None if the claim
    holds. `occurred` counts how often the claim was tested.
    """

    name: str
    broken: tuple[str, int] | None = None
    occurred: int = 0

    def break_(self, message: str, stage: Stage) -> None:
        """Records that the claim is broken, unless it was broken before."""
        if self.broken is None:
            self.broken = (message, stage.world.timeline.now_us)

    def occurs(self) -> None:
        """Records that the claim was tested."""
        self.occurred += 1


def nothing_more() -> None:
    """Does nothing: settles a claim that was decided during the run."""
