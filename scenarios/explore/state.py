"""One state of the explored nodes, as a few numbers."""

from typing import NamedTuple

from .limits import Spent


class State(NamedTuple):
    """`nodes`: number of each node.

    `answers`: number of the reply in flight on each line (-1: none). `history`: number of its
    `Safety`. `late`: mask of the requests that may arrive without a waiting sender. `spent`:
    use of each limit.
    """

    nodes: tuple[int, ...]
    answers: tuple[int, ...]
    history: int
    late: int
    spent: Spent
