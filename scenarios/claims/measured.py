"""The result of a measure, and the statistics over its samples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from ..language.durations import duration_text

Take = Callable[[Sequence[int]], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A measured number: `value` is the statistic `take` of `samples` samples.

    `value` is in microseconds if `is_time`.
    """

    name: str
    value: int
    is_time: bool
    take: str
    samples: int
    at_least: int | None = None
    at_most: int | None = None

    @property
    def is_within(self) -> bool:
        """True if the value is within its bounds."""
        is_low = self.at_least is not None and self.value < self.at_least
        is_high = self.at_most is not None and self.value > self.at_most
        return not is_low and not is_high

    def __str__(self) -> str:
        bounds = [
            f"{word} {self._text(bound)}"
            for word, bound in (("at least", self.at_least), ("at most", self.at_most))
            if bound is not None
        ]
        of = f"{self.take} of {self.samples}" if self.is_time else self.take
        return f"{self.name} = {self._text(self.value)} ({'; '.join([of, *bounds])})"

    def _text(self, number: int) -> str:
        """Formats a time, rounded to milliseconds, or a count."""
        return duration_text(round(number, -3)) if self.is_time else str(number)


def percentile(part: float) -> Take:
    """Returns a function for the percentile `part` (0 to 1), by nearest rank."""
    return lambda samples: sorted(samples)[max(ceil(part * len(samples)), 1) - 1]


TAKES: dict[str, Take] = {
    "total": sum,
    "longest": max,
    "shortest": min,
    "mean": lambda samples: round(sum(samples) / len(samples)),
    "median": percentile(0.5),
    "p90": percentile(0.9),
    "p99": percentile(0.99),
}
