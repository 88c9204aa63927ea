"""A claim in a running scenario: is it broken, and how often was it tested?"""

from collections.abc import Callable
from dataclasses import dataclass

from ..stage.stage import Stage

Settle = Callable[[], None]  # called at the end of the calm, to decide what the run has left open


@dataclass(slots=True)
class Claim:
    """A claim of the file.

    `broken` says what was expected and when it failed (microseconds); `occurred` counts how
    often the claim was tested.
    """

    name: str
    broken: tuple[str, int] | None = None
    occurred: int = 0

    def break_(self, what: str, stage: Stage) -> None:
        """Records that the claim is broken; only the first time counts."""
        if self.broken is None:
            self.broken = (what, stage.world.timeline.now_us)

    def occurs(self) -> None:
        """Records that the claim was tested."""
        self.occurred += 1


def nothing_more() -> None:
    """Settles a claim that was decided during the run."""
