"""How long a message takes: distributions, drawn from a stream, in integer microseconds."""

from collections.abc import Callable
from math import exp, log
from random import Random

Draw = Callable[[], int]
P99 = 2.326  # standard deviations from the median to the 99th percentile of a normal distribution


def constant(of_us: int) -> Draw:
    return lambda: of_us


def uniform(low_us: int, high_us: int, stream: Random) -> Draw:
    """Evenly between both ends."""
    draw, span_us = stream.random, high_us - low_us + 1
    return lambda: low_us + int(draw() * span_us)


def exponential(mean_us: int, stream: Random) -> Draw:
    """Mostly short, now and then long."""
    draw = stream.random
    return lambda: int(-mean_us * log(1.0 - draw()))


def lognormal(median_us: int, p99_us: int, stream: Random) -> Draw:
    """As round trips in a data centre are: a median, and a tail said by its 99th percentile."""
    sigma = log(p99_us / median_us) / P99
    return lambda: int(median_us * exp(sigma * stream.gauss(0.0, 1.0)))


def bimodal(fast_us: int, slow_us: int, part_slow: float, stream: Random) -> Draw:
    """`part_slow` of the messages take the slow way."""
    draw = stream.random
    return lambda: slow_us if draw() < part_slow else fast_us
