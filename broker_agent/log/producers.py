"""The producers of a log: their epochs, sequences and last batches (rules B3.1-B3.33)."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .batch import NONE, Header

BATCHES_MAX = 5  # of a producer that are known again (B3.1)
_SEQUENCE_MAX = 2**31 - 1


class OutOfOrder(Exception):
    """The sequence does not follow the producer's last one (B3.24, B3.25)."""


class StaleEpoch(Exception):
    """The producer's epoch is below the known one (B3.22)."""


class Appended(NamedTuple):
    """A batch that a producer has appended."""

    first_sequence: int
    last_sequence: int
    base_offset: int
    last_offset: int
    timestamp: int


class Producer(NamedTuple):
    """One producer: its epoch, its last batches, the oldest first, and the time of the last."""

    producer_id: int
    epoch: int
    batches: tuple[Appended, ...]
    last_timestamp: int

    @property
    def last_sequence(self) -> int:
        """The last sequence number; -1 if no batch is known."""
        return self.batches[-1].last_sequence if self.batches else NONE


class Producers:
    """The producers of one log."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, Producer] = {}

    def __iter__(self) -> Iterator[Producer]:
        return iter(self._known.values())

    def find_duplicate(self, header: Header) -> Appended | None:
        """Returns the batch that this one repeats; None if it repeats none of the last five.

        Raises StaleEpoch or OutOfOrder if it must not be appended either (B3.20-B3.25).
        """
        known = self._known.get(header.producer_id)
        if known is None:
            return None  # any first sequence is accepted (B3.23)
        epoch, first = header.producer_epoch, header.base_sequence
        if epoch == known.epoch:
            last = last_sequence_of(header)
            for batch in known.batches:
                if batch.first_sequence == first and batch.last_sequence == last:
                    return batch
        if epoch < known.epoch:
            raise StaleEpoch
        if epoch > known.epoch:
            if first != 0 and known.epoch != NONE:
                raise OutOfOrder
        elif epoch != NONE and known.batches and first != _following(known.last_sequence):
            raise OutOfOrder  # without an epoch, no sequence is checked (B3.5)
        return None

    def note(self, header: Header) -> None:
        """Notes a batch that was appended, also one that a leader has accepted (B3.2, B3.3)."""
        known = self._known.get(header.producer_id)
        kept: tuple[Appended, ...] = ()
        if known is not None and known.epoch == header.producer_epoch:
            kept = known.batches[1 - BATCHES_MAX :]
        batch = Appended(
            header.base_sequence,
            last_sequence_of(header),
            header.base_offset,
            header.last_offset,
            header.max_timestamp,
        )
        self._known[header.producer_id] = Producer(
            header.producer_id, header.producer_epoch, (*kept, batch), header.max_timestamp
        )

    def rebuild(self, first_offset: int, headers: Iterable[Header]) -> None:
        """Notes the batches from an offset on anew; what was known before it stays (B3.33)."""
        before, self._known = self._known, {}
        for number, known in before.items():
            kept = tuple(batch for batch in known.batches if batch.last_offset < first_offset)
            if kept:
                self._known[number] = Producer(number, known.epoch, kept, kept[-1].timestamp)
        for header in headers:
            if header.producer_id != NONE:
                self.note(header)

    def expire(self, before_ms: int) -> None:
        """Forgets producers whose last batch has a timestamp of `before_ms` or less (B3.30)."""
        self._known = {
            number: known
            for number, known in self._known.items()
            if known.last_timestamp > before_ms
        }


def last_sequence_of(header: Header) -> int:
    """Returns the sequence of the last record, which wraps to 0 (B1.5)."""
    last = header.base_sequence + header.last_delta
    return last - 2**31 if last > _SEQUENCE_MAX else last


def _following(sequence: int) -> int:
    return 0 if sequence == _SEQUENCE_MAX else sequence + 1
