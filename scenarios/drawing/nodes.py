"""Draws faults of processes, clocks and disks: the words of each verb, for one node."""

from collections.abc import Callable, Mapping

from .lot import Lot, Words

Draw = Callable[[Lot], Words]


def _long(lot: Lot) -> Words:
    """Returns a duration from a tenth of a second to a minute."""
    return {"for": lot.time(100, 60_000)}


def _crashloop(lot: Lot) -> Words:
    return _long(lot) | {"up": lot.time(500, 20_000), "down": lot.time(100, 10_000)}


def _hiccup(lot: Lot) -> Words:
    return _long(lot) | {"every": lot.time(500, 10_000), "lasting": lot.time(50, 5_000)}


def _strobe(lot: Lot) -> Words:
    return _long(lot) | {"by": lot.time(100, 60_000), "every": lot.time(100, 5_000)}


def _drift(lot: Lot) -> Words:
    # A quartz is wrong by 100 ppm; a virtual machine that steals time, by some per cent.
    return _long(lot) | {"ppm": lot.one_of((-100_000, -30_000, 30_000, 100_000))}


def _step(lot: Lot) -> Words:
    return _long(lot) | {"by": lot.one_of(("-1h", "-10s", "10s", "1h"))}


ANY_NODE: Mapping[str, Draw] = {
    "proc.crash": _long,
    "proc.stop": _long,
    "proc.restart": lambda lot: {},
    "proc.pause": _long,
    "proc.hiccup": _hiccup,
    "proc.crashloop": _crashloop,
    "clock.coarse": lambda lot: _long(lot) | {"tick": lot.time(5, 1_000)},
    "clock.drift": _drift,
    "clock.freeze": lambda lot: {"for": lot.time(100, 5_000)},
    "clock.step": _step,
    "clock.strobe": _strobe,
    "clock.suspend": lambda lot: _long(lot) | {"jumps": lot.chance(0.5)},
}
CONTROLLERS: Mapping[str, Draw] = {
    "proc.slow": lambda lot: _long(lot) | lot.range(1, 100),
    "disk.full": lambda lot: {"for": "60000ms"},  # the process ends, and nobody starts it
    "disk.slow": lambda lot: _long(lot) | lot.range(5, 1_500),
    "disk.stall": lambda lot: {"for": lot.time(100, 10_000)},
    "disk.rot": lambda lot: {"replicated": True, "for": lot.time(100, 30_000)},
    "disk.torn": _long,
}
# A wiped voter has another directory id, so it votes no more (KIP-853), and neither does a removed
# one, unless it is added again; a voter that moves while no controller leads cannot be reached. (A
# wiped voter that keeps its vote may vote twice in an epoch, so static voters get none of these.)
VOTERS: Mapping[str, Draw] = {
    "proc.amnesia": lambda lot: {"for": lot.time(1_000, 30_000)},
    "proc.move": lambda lot: {},
    "quorum.remove": lambda lot: {},
}
BROKERS: Mapping[str, Draw] = {
    "proc.clone": _long,
    "proc.amnesia": lambda lot: {"for": lot.time(1_000, 30_000)},
}
