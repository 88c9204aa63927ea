"""How sure a number is: intervals of 95 % for shares and quantiles, and the sign test.

Everything here is for counts of independent runs. Sources: Wilson 1927 and Newcombe 1998 (intervals
for shares and their differences), Agresti and Min 2005 (paired shares), Chao 1987 and Colwell
and others 2012 (what has not been seen yet).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, sqrt

Z = 1.959964  # of 95 %, two-sided
TAIL = 0.025  # on either side of it


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of so many; the true share lies between `low` and `high`, 19 times of 20."""

    hits: int
    of: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Of two shares, the second taken from the first; 95 %."""

    by: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        return self.low > 0 or self.high < 0

    @property
    def least(self) -> float:
        """How large it is at least, where it is clear; at most 0 where it is not."""
        return max(self.low, -self.high)


def share_of(hits: int, of: int) -> Share:
    """Wilson's interval: right for few runs too, and for shares near 0 and 1."""
    if of == 0:
        return Share(0, 0, 0.0, 0.0, 1.0)
    share = hits / of
    middle = (share + Z * Z / (2 * of)) / (1 + Z * Z / of)
    half = Z * sqrt(share * (1 - share) / of + Z * Z / (4 * of * of)) / (1 + Z * Z / of)
    low = 0.0 if hits == 0 else middle - half  # exactly, without what rounding leaves
    high = 1.0 if hits == of else middle + half
    return Share(hits, of, share, low, high)


def difference(one: Share, other: Share) -> Difference:
    """Newcombe's interval (his method 10), of shares of different runs."""
    by = one.share - other.share
    down = sqrt((one.share - one.low) ** 2 + (other.high - other.share) ** 2)
    up = sqrt((one.high - one.share) ** 2 + (other.share - other.low) ** 2)
    return Difference(by, by - down, by + up)


def paired_difference(more: int, less: int, pairs: int) -> Difference:
    """Of two shares of the same runs, of which `more` have it only in the second, `less` only in
    the first: Agresti and Min's interval around it."""
    if pairs == 0:
        return Difference(0.0, -1.0, 1.0)
    more_too, less_too, all_too = more + 0.5, less + 0.5, pairs + 2
    middle = (more_too - less_too) / all_too
    spread = (more_too + less_too) / all_too - middle * middle
    half = Z * sqrt(spread / all_too)
    return Difference((more - less) / pairs, max(-1.0, middle - half), min(1.0, middle + half))


def sign_test(more: int, less: int) -> float:
    """How likely a split as uneven as this one is, if both were as likely; two-sided, exact."""
    of, most = more + less, max(more, less)
    if of > 1000:
        return _sign_test_of_many(of, most)
    tail = sum(comb(of, number) for number in range(most, of + 1))
    return min(1.0, 2 * tail / (1 << of))


def _sign_test_of_many(of: int, most: int) -> float:
    from math import erfc

    return min(1.0, erfc((most - 0.5 - of / 2) / sqrt(of / 4) / sqrt(2)))


def quantile_bounds(quantile: float, of: int) -> tuple[float | None, float | None]:
    """The quantiles between which the true one lies, whatever the numbers are like. None where even
    the least or the largest of so few may be on the wrong side of it."""
    half = Z * sqrt(quantile * (1 - quantile) / of) if of else 1.0
    low = None if (1 - quantile) ** of > TAIL else max(0.0, quantile - half)
    high = None if quantile**of > TAIL else min(1.0, quantile + half)
    return low, high


def expected_new(once: int, twice: int, runs: int, more: int) -> float:
    """How many kinds `more` runs will add to what `runs` have shown, when `once` kinds were seen in
    one of them alone and `twice` in two."""
    if not once:
        return 0.0
    unseen = (runs - 1) / runs * (once * once / 2 / twice if twice else once * (once - 1) / 2)
    if not unseen:
        return more * once / runs
    return unseen * (1 - (1 - once / (runs * unseen + once)) ** more)


def counted(numbers: Iterable[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for number in numbers:
        found[number] = found.get(number, 0) + 1
    return found
