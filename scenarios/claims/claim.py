"""A claim of a running scenario: was it broken, and was there anything to it at all?"""

from collections.abc import Callable
from dataclasses import dataclass

from ..stage.stage import Stage

Settle = Callable[[], None]  # what is to be said of a claim at the end of the calm


@dataclass(slots=True)
class Claim:
    """`broken`: what was expected and did not come, and when; `occurred`: how often it was put to
    the test."""

    name: str
    broken: tuple[str, int] | None = None
    occurred: int = 0

    def break_(self, what: str, stage: Stage) -> None:
        """The first time is told."""
        if self.broken is None:
            self.broken = (what, stage.world.timeline.now_us)

    def occurs(self) -> None:
        self.occurred += 1


def nothing_more() -> None:
    """All that there was to say has been said during the run."""
