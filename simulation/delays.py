"""Distributions of message delays, drawn from a random stream, in integer microseconds."""

from collections.abc import Callable
from functools import partial
from math import exp, log
from random import Random

Draw = Callable[[], int]
P99 = 2.326  # standard deviations from the median to the 99th percentile of a normal distribution


def constant(of_us: int) -> Draw:
    """Returns a draw that always gives `of_us` microseconds."""
    return partial(_constant, of_us)


def _constant(of_us: int) -> int:
    return of_us


def uniform(low_us: int, high_us: int, stream: Random) -> Draw:
    """Returns a draw that is uniform from `low_us` to `high_us` microseconds, both included."""
    return partial(_uniform, stream.random, low_us, high_us - low_us + 1)


def _uniform(draw: Callable[[], float], low_us: int, span_us: int) -> int:
    return low_us + int(draw() * span_us)


def exponential(mean_us: int, stream: Random) -> Draw:
    """Returns an exponentially distributed draw with mean `mean_us` microseconds."""
    return partial(_exponential, stream.random, mean_us)


def _exponential(draw: Callable[[], float], mean_us: int) -> int:
    return int(-mean_us * log(1.0 - draw()))


def lognormal(median_us: int, p99_us: int, stream: Random) -> Draw:
    """Returns a lognormal draw with the given median and 99th percentile, in microseconds.

    Round trips in a data centre are distributed like this.
    """
    return partial(_lognormal, stream, median_us, log(p99_us / median_us) / P99)


def _lognormal(stream: Random, median_us: int, sigma: float) -> int:
    return int(median_us * exp(sigma * stream.gauss(0.0, 1.0)))


def bimodal(fast_us: int, slow_us: int, part_slow: float, stream: Random) -> Draw:
    """Returns a draw of `slow_us` with probability `part_slow`, and of `fast_us` otherwise."""
    return partial(_bimodal, stream.random, fast_us, slow_us, part_slow)


def _bimodal(draw: Callable[[], float], fast_us: int, slow_us: int, part_slow: float) -> int:
    return slow_us if draw() < part_slow else fast_us
