"""Statistics: 95 % intervals for shares and quantiles, the sign test, and estimates of the unseen.

All functions assume independent runs. Sources: Wilson 1927 and Newcombe 1998 (intervals for shares
and their differences), Agresti and Min 2005 (paired shares), Chao 1987 and Colwell and others 2012
(species not yet seen).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, sqrt

Z = 1.959964  # normal quantile of a two-sided 95 % interval
TAIL = 0.025  # probability on either side of the interval


@dataclass(frozen=True, slots=True)
class Share:
    """The share of `hits` in `of` trials, with a 95 % interval from `low` to `high`."""

    hits: int
    of: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two shares, `by`, with a 95 % interval."""

    by: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """True if the interval does not contain zero."""
        return self.low > 0 or self.high < 0

    @property
    def least(self) -> float:
        """The smallest size of a difference in the interval; at most 0 if it contains zero."""
        return max(self.low, -self.high)


def share_of(hits: int, of: int) -> Share:
    """Returns a share with Wilson's interval, which holds for few trials and shares near 0 or 1."""
    if of == 0:
        return Share(0, 0, 0.0, 0.0, 1.0)
    share = hits / of
    middle = (share + Z * Z / (2 * of)) / (1 + Z * Z / of)
    half = Z * sqrt(share * (1 - share) / of + Z * Z / (4 * of * of)) / (1 + Z * Z / of)
    low = 0.0 if hits == 0 else middle - half  # exactly 0, without a rounding error
    high = 1.0 if hits == of else middle + half
    return Share(hits, of, share, low, high)


def difference(first: Share, second: Share) -> Difference:
    """Returns `first` minus `second` with Newcombe's interval (method 10).

    The two shares must come from different runs; `paired_difference` is for the same runs.
    """
    by = first.share - second.share
    down = sqrt((first.share - first.low) ** 2 + (second.high - second.share) ** 2)
    up = sqrt((first.high - first.share) ** 2 + (second.share - second.low) ** 2)
    return Difference(by, by - down, by + up)


def paired_difference(more: int, less: int, pairs: int) -> Difference:
    """Returns the difference of two shares of the same runs, with Agresti and Min's interval.

    `more` counts the pairs of runs that hit only on the second side, `less` only on the first.
    """
    if pairs == 0:
        return Difference(0.0, -1.0, 1.0)
    more_too, less_too, all_too = more + 0.5, less + 0.5, pairs + 2
    middle = (more_too - less_too) / all_too
    spread = (more_too + less_too) / all_too - middle * middle
    half = Z * sqrt(spread / all_too)
    return Difference((more - less) / pairs, max(-1.0, middle - half), min(1.0, middle + half))


def sign_test(more: int, less: int) -> float:
    """Returns the two-sided p-value of `more` increases and `less` decreases.

    The null hypothesis is that an increase and a decrease are equally likely. The value is exact
    for up to 1,000 pairs that differ.
    """
    of, most = more + less, max(more, less)
    if of > 1000:
        return _sign_test_of_many(of, most)
    tail = sum(comb(of, number) for number in range(most, of + 1))
    return min(1.0, 2 * tail / (1 << of))


def _sign_test_of_many(of: int, most: int) -> float:
    from math import erfc

    return min(1.0, erfc((most - 0.5 - of / 2) / sqrt(of / 4) / sqrt(2)))


def quantile_bounds(quantile: float, of: int) -> tuple[float | None, float | None]:
    """Returns two levels between 0 and 1, such as 0.44 and 0.57 for the median.

    The values of a sample at these levels bound the true quantile with 95 % confidence, whatever
    the distribution. `of` is the size of the sample. A level is None if the sample is too small.
    """
    half = Z * sqrt(quantile * (1 - quantile) / of) if of else 1.0
    low = None if (1 - quantile) ** of > TAIL else max(0.0, quantile - half)
    high = None if quantile**of > TAIL else min(1.0, quantile + half)
    return low, high


def expected_new(once: int, twice: int, runs: int, more: int) -> float:
    """Returns how many new kinds `more` runs are expected to show, after `runs` runs.

    `once` is the number of kinds that occurred in exactly one run, `twice` in exactly two runs.
    """
    if not once:
        return 0.0
    unseen = (runs - 1) / runs * (once * once / 2 / twice if twice else once * (once - 1) / 2)
    if not unseen:
        return more * once / runs
    return unseen * (1 - (1 - once / (runs * unseen + once)) ** more)


def counted(numbers: Iterable[int]) -> dict[int, int]:
    """Returns how often each number occurs."""
    counts: dict[int, int] = {}
    for number in numbers:
        counts[number] = counts.get(number, 0) + 1
    return counts
