"""What is told of the committed log, once for each batch, and in order."""

from collections.abc import Callable
from typing import Any

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import NoOpRecord

from .property import Property
from .shadow import Key, Shadow


class OfTheCommittedLog(Property):
    """`read` comes for each record in front of what it does to `shadow`, `done` after the batch:
    a batch is one decision, and what lies between its records nobody sees. All of a world's share
    one shadow, which whoever tells them folds."""

    shadow: Shadow

    def read(self, record: Any, offset: int) -> None:
        """The next record that is committed."""

    def done(self, batch: Batch, touched: set[Key]) -> None:
        """What `touched` names may be another thing now."""


class CommittedLog:
    """Who tells them: `tell` passes a hook and what it is told on to those who have it."""

    def __init__(self, tell: Callable[..., None]) -> None:
        self.shadow = Shadow()
        self._tell = tell

    def take(self, batch: Batch) -> None:
        """A controller tells of a batch; those that another one has told of are known. Batches of
        an idle cluster say nothing, and most are."""
        if batch.base_offset != self.shadow.end_offset:
            return
        if isinstance(batch.records[0], NoOpRecord) and len(batch.records) == 1:
            self.shadow.fold(batch)
            return
        if not batch.is_control:
            for offset, record in enumerate(batch.records, batch.base_offset):
                self._tell("read", record, offset)
        self._tell("done", batch, self.shadow.fold(batch))
