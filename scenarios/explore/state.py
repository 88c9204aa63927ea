"""One state of the explored nodes, as a few numbers."""

from typing import NamedTuple

from .limits import Spent


class State(NamedTuple):
    """A state of the world, in numbers that `Steps` and `Verdicts` assign to values.

    `nodes` has the number of each node, by index. `answers` has the number of the reply in
    flight on each line (-1: none). `history` is the number of the `Safety` that has observed
    the history. `late` is a mask of the requests that may arrive although their senders do not
    wait. `spent` is the use of each limit, in the order of `Limits.amounts`.
    """

    nodes: tuple[int, ...]
    answers: tuple[int, ...]
    history: int
    late: int
    spent: Spent
