"""Properties of messages, S50 to S54: of what clients sent, were told and read."""

from kraftsim.simulation.message import Exchange

from ...oracles.committed import OfTheCommittedLog
from ...oracles.property import Broken, Property
from ...oracles.written_messages import (
    CHANGES,
    DELETIONS,
    DUPLICATES,
    LOSSES,
    REPEATS,
    WrittenMessages,
)


class OfMessages(OfTheCommittedLog):
    """A property of messages; `messages` has been called before it."""

    messages: WrittenMessages

    def exchanged(self, exchange: Exchange) -> None:
        self.exercised = self.messages.checked[self.name]
        found = self.messages.broken.get(self.name)
        if found is not None:
            raise Broken(found)


class OffsetsNeverRepeat(OfMessages):
    """Compares the batches that are acknowledged and served with an offset in one leader epoch."""

    number = "S50"
    name = REPEATS
    claim = "Within a leader epoch an offset is given to one batch, which never changes."


class AsProduced(OfMessages):
    """Compares each batch that is served with that of the producer; `log.corrupt` damages some."""

    number = "S51"
    name = CHANGES
    claim = "A fetched batch is the produced one, but for the fields that Kafka writes over."


class NoDuplicates(OfMessages):
    """Compares acknowledgements of repeated batches, and looks for two copies in one reading."""

    number = "S52"
    name = DUPLICATES
    claim = "A batch that an idempotent producer sends again is stored once."


class RetentionKeeps(OfMessages):
    """Judges each rise of the log start; not with `clock.*`, which moves the clocks of brokers."""

    number = "S53"
    name = DELETIONS
    claim = "Retention deletes only batches that are old, or exceed the bytes of their topic."


class AcknowledgedStay(OfMessages):
    """Compares what is served with what the ISR acknowledged, and with what consumers have read.

    A fault of disks, and an unclean election, may lose messages.
    """

    number = "S54"
    name = LOSSES
    claim = (
        "A batch that the ISR has acknowledged, or that a consumer has read, keeps its offset "
        "until retention deletes it."
    )


CLASSES: tuple[type[Property], ...] = (
    OffsetsNeverRepeat,
    AsProduced,
    NoDuplicates,
    RetentionKeeps,
    AcknowledgedStay,
)
