"""What is told of the committed log, once for each batch, and in order."""

from typing import Any

from kraftsim.controller.core.batch import Batch

from ..property import Property
from ..world import World
from .shadow import Key, Shadow


class OfTheCommittedLog(Property):
    """`read` comes for each record in front of what it does to `shadow`, `done` after the batch:
    a batch is one decision, and what lies between its records nobody sees."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.shadow = Shadow()

    def committed(self, node_id: int, batch: Batch) -> None:
        if batch.base_offset != self.shadow.end_offset:
            return  # another controller has told of it
        if not batch.is_control:
            for offset, record in enumerate(batch.records, batch.base_offset):
                self.read(record, offset)
        self.done(batch, self.shadow.fold(batch))

    def read(self, record: Any, offset: int) -> None:
        """The next record that is committed."""

    def done(self, batch: Batch, touched: set[Key]) -> None:
        """What `touched` names may be another thing now."""
