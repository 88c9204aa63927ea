"""Large requests are decided in slices, between which heartbeats are handled.

Kafka decides a request in one event, however large it is. Here a large request takes several steps
of some ten milliseconds each. Nothing is written before the last slice, and the active controller
changes no state until then (`node/undecided.py`), so that reply and records are those of one event.
"""

from abc import ABC, abstractmethod
from functools import partial

from .log.records import Record
from .state import Decision, State

RECORDS_PER_SLICE = 2_500  # about ten milliseconds; also what is written in the step that decides
INDEXED_PER_STEP = 1_250  # changes that the index of a large batch catches up with, some 4 ms
CHANGES_PER_SLICE = 1_000  # partitions that exist, whose changes take longer


class Sliced(ABC):
    """A request of which a part is decided.

    A world may be copied between two slices (`simulation/copying.py`), so that it keeps no closure,
    no cache of `functools` and no generator between them.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []

    @abstractmethod
    def advance(self) -> bool:
        """Decides the next slice; returns True once the whole request is decided."""

    @abstractmethod
    def decision(self) -> Decision:
        """Returns the decision on the whole request."""


def begin(request: Sliced) -> Decision:
    """Decides a request, or the first slice of a large one.

    Thousands of records are written in a step of their own, which takes as long as several slices.
    """
    is_decided = request.advance()
    if is_decided and len(request.records) <= RECORDS_PER_SLICE:
        return request.decision()
    return Decision(rest=partial(_go_on, request, is_decided))


def _go_on(request: Sliced, is_decided: bool, state: State, now_ms: int) -> Decision:
    """Decides the next slice of a request; the state is that of its first slice."""
    if is_decided:
        return request.decision()
    return Decision(rest=partial(_go_on, request, request.advance()))
