"""What brokers told of the records that they gave up, from the journal."""

from typing import NamedTuple

from kraftsim.simulation.world import World

Place = tuple[int, str]
"""A broker, and a partition in words."""


class Told(NamedTuple):
    """The first offset of the records that a broker gave up, and how many were committed."""

    start: int
    committed: int


class ToldTruncations:
    """Reads each row of the journal once."""

    def __init__(self, world: World) -> None:
        self._journal = world.journal
        self._next_seq = 0
        self._told: dict[Place, list[Told]] = {}

    def take(self, broker_id: int, partition: str) -> list[Told]:
        """Returns what a broker told of a partition since the last call for both."""
        self._read()
        return self._told.pop((broker_id, partition), [])

    def _read(self) -> None:
        journal = self._journal
        for row in journal.since(self._next_seq, journal.next_seq - self._next_seq):
            if row.kind == "records_truncated" and row.broker_id is not None:
                place = (row.broker_id, str(row.detail["partition"]))
                told = Told(int(str(row.detail["from_offset"])), int(str(row.detail["committed"])))
                self._told.setdefault(place, []).append(told)
        self._next_seq = journal.next_seq
