"""Real time that passes while the time of a cluster stands still: a tool may be waiting for it."""

from collections.abc import Iterator
from time import monotonic

NOTICED_S = 1.0  # a shorter stretch is work: of clients, or of the code that waits


class StandingTime:
    """Adds up the stretches of real time, of at least NOTICED_S, in which a clock stands still."""

    def __init__(self) -> None:
        self._since_s: float | None = None
        self._ended_s = 0.0

    def begin(self) -> None:
        """The clock stands still from now on."""
        self._since_s = monotonic()

    def end(self) -> None:
        """The clock has moved, or runs."""
        self._ended_s, self._since_s = self.total_s, None

    @property
    def total_s(self) -> float:
        """The seconds so far."""
        stretch_s = 0.0 if self._since_s is None else monotonic() - self._since_s
        return self._ended_s + (stretch_s if stretch_s >= NOTICED_S else 0.0)


def standing_lines(stood_s: float) -> Iterator[str]:
    """Yields the line of a report about these seconds, if there are any."""
    if stood_s:
        yield (
            f"{stood_s:.0f} s of real time passed while the cluster stood still: if code waits by "
            "itself, see docs/sleeping-tools.md"
        )
