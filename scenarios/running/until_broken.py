"""A run that ends early: at the first check after a violation."""

from itertools import repeat

from .run import Run

CHECK_INTERVAL_US = 1_000_000  # virtual time between two checks


class Violated(Exception):
    """Ends a run at its first violation."""


class UntilBroken(Run):
    """A run that checks every second of virtual time for a violation, and raises Violated."""

    def move(self, by_us: int) -> None:
        whole, rest_us = divmod(by_us, CHECK_INTERVAL_US)
        for piece_us in (*repeat(CHECK_INTERVAL_US, whole), rest_us):
            super().move(piece_us)
            if self.watch.violations or self.assertion:
                raise Violated
