"""Passes the committed log to properties, once for each batch, in order."""

from collections.abc import Callable
from typing import Any

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import NoOpRecord

from .property import Property
from .shadow import Key, Shadow


class OfTheCommittedLog(Property):
    """A property of the committed log.

    `read` is called for each record before the batch is applied to `shadow`, and `done` after
    the whole batch, because a batch is one decision and its intermediate states are never
    visible. All properties of a world share one shadow, which `CommittedLog` updates.
    """

    shadow: Shadow

    def read(self, record: Any, offset: int) -> None:
        """Called for the next committed record."""

    def done(self, batch: Batch, touched: set[Key]) -> None:
        """Called after a batch; keys in `touched` may have changed."""


class CommittedLog:
    """Calls the hooks of the properties: `call_hook` gets the name of a hook and its arguments."""

    def __init__(self, call_hook: Callable[..., None]) -> None:
        self.shadow = Shadow()
        self._call_hook = call_hook

    def take(self, batch: Batch) -> None:
        """Takes a batch that a controller reports as committed, unless another one did before.

        Batches of only a NoOpRecord, the usual ones in an idle cluster, call no hook.
        """
        if batch.base_offset != self.shadow.end_offset:
            return
        if isinstance(batch.records[0], NoOpRecord) and len(batch.records) == 1:
            self.shadow.fold(batch)
            return
        if not batch.is_control:
            for offset, record in enumerate(batch.records, batch.base_offset):
                self._call_hook("read", record, offset)
        self._call_hook("done", batch, self.shadow.fold(batch))
