"""One state of the nodes that are explored, as a few numbers."""

from typing import NamedTuple

from .limits import Spent


class State(NamedTuple):
    """`answers`: by line, what is on its way (-1: nothing); `late`: a mask of the requests that may
    arrive unawaited; `spent`: of each of the limits that there are."""

    nodes: tuple[int, ...]
    answers: tuple[int, ...]
    history: int
    late: int
    spent: Spent
