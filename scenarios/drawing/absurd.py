"""Draws the values of absurd requests: each fits its field, and few mean anything to the cluster.

A client from outside may know ids and names of the cluster. What it never draws: the id of a
controller as the sender of a request of the quorum; the present epoch of a broker; an address at
which a leader that it invents would be. A cluster without authentication would take it for that
node, as Kafka does, and a voter would follow a second leader of an epoch for ever.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from random import Random
from typing import Any, NamedTuple, TypeVar

from kraftsim.controller.core.topic_name import METADATA_TOPIC
from kraftsim.controller.core.uuid import LOST_DIRECTORY, METADATA_TOPIC_ID, ZERO_UUID, Uuid

T = TypeVar("T")

INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX = ((1 << bits - 1) - 1 for bits in (8, 16, 32, 64))
UUID_BYTES = 16
LONG_NAME = "n" * 300  # a name of a topic has at most 249 characters
ODD_NAMES = ("", ".", "..", "a/b", "\x00", "\u00fc", "null", "-1", METADATA_TOPIC, LONG_NAME)
NEW_NAME = "of-a-stranger"
STRANGERS = (77, 999_999, INT32_MAX)  # ids of no node
FEATURES = (
    "metadata.version",
    "kraft.version",
    "group.version",
    "eligible.leader.replicas.version",
)
HUGE = 100  # elements of a list; a request may have more, and is as slow as it is long
LENGTHS, LENGTH_WEIGHTS = (0, 1, 2, 3, HUGE), (3, 12, 3, 2, 1)
REPEATED = 0.2  # part of the lists whose first element is there twice


class Known(NamedTuple):
    """What a client from outside can learn of a cluster; `log_end` is that of the active log."""

    cluster_id: str
    controllers: Sequence[int]
    brokers: Sequence[int]
    topics: Sequence[str]
    topic_ids: Sequence[Uuid]
    epoch: int
    log_end: int


class Absurd:
    """Draws values of fields from one random stream."""

    def __init__(self, stream: Random, known: Known) -> None:
        self.stream, self.known = stream, known

    def one_of(self, values: Sequence[T]) -> T:
        """Returns one of `values`."""
        return self.stream.choice(values)

    def flag(self) -> bool:
        """Returns True or False."""
        return self.stream.random() < 0.5

    def int8(self) -> int:
        """Returns a small number, or an end of the range of a byte."""
        return self._number(INT8_MAX)

    def int16(self) -> int:
        """Returns a small number, or an end of the range of 16 bits."""
        return self._number(INT16_MAX)

    def int32(self) -> int:
        """Returns a small number, or an end of the range of 32 bits."""
        return self._number(INT32_MAX)

    def int64(self) -> int:
        """Returns a small number, or an end of the range of 64 bits."""
        return self._number(INT64_MAX)

    def _number(self, most: int) -> int:
        return self.one_of((-most - 1, -2, -1, 0, 1, 2, 3, most))

    def epoch(self) -> int:
        """Returns an epoch of the quorum: stale, present, future, negative or the last there is."""
        now = self.known.epoch
        return self.one_of((-INT32_MAX - 1, -1, 0, now - 1, now, now + 1, now + 100, INT32_MAX))

    def broker_epoch(self) -> int:
        """Returns an epoch that no registered broker has; its registration has a later offset."""
        return self.one_of((-INT64_MAX - 1, -2, -1, 0, INT64_MAX))

    def stranger(self) -> int:
        """Returns an id that no controller has."""
        return self.one_of((*STRANGERS, -1, -INT32_MAX - 1, *self.known.brokers))

    def broker(self) -> int:
        """Returns the id of a broker, usually of one that exists."""
        if self.known.brokers and self.stream.random() < 0.7:
            return self.one_of(self.known.brokers)
        return self.node()

    def node(self) -> int:
        """Returns any id."""
        return self.one_of((self.stranger(), *self.known.controllers))

    def uuid(self) -> Uuid:
        """Returns the id of a topic, a reserved id, or one that nothing has."""
        reserved = (ZERO_UUID, METADATA_TOPIC_ID, LOST_DIRECTORY, b"\xff" * UUID_BYTES)
        return self.one_of((*reserved, self.unknown_uuid(), *self.known.topic_ids))

    def unknown_uuid(self) -> Uuid:
        """Returns an id that nothing has."""
        return self.stream.randbytes(UUID_BYTES)

    def cluster_id(self) -> str | None:
        """Returns the id of this cluster, of another, or none."""
        return self.one_of((None, "", "another-cluster", self.known.cluster_id))

    def name(self) -> str:
        """Returns the name of a topic, or one that none may have."""
        return self.one_of((*ODD_NAMES, NEW_NAME, *self.known.topics, *self.known.topics))

    def text(self) -> str | None:
        """Returns any text, or none."""
        return self.one_of((None, *ODD_NAMES))

    def metadata_topic(self) -> str:
        """Returns the name of the metadata log, or sometimes another."""
        return METADATA_TOPIC if self.stream.random() < 0.9 else self.name()

    def feature(self) -> str:
        """Returns the name of a feature, or one that none has."""
        return self.one_of((*FEATURES, *ODD_NAMES))

    def data(self) -> bytes:
        """Returns some bytes."""
        return self.stream.randbytes(self.one_of((0, 1, 32)))

    def many(self, draw: Callable[[], T]) -> tuple[T, ...]:
        """Returns a list of drawn elements: usually one, or none, a few with a repetition, many."""
        (length,) = self.stream.choices(LENGTHS, LENGTH_WEIGHTS)
        drawn = tuple(draw() for _ in range(length))
        return drawn + drawn[:1] if self.stream.random() < REPEATED else drawn

    def spoiled(self, valid: Any, wrong: Any) -> Any:
        """Returns `valid` with one other value of `wrong`, which has the same type.

        A request with several absurd values is refused for the first that is looked at.
        """
        wrongs = {field.name: getattr(wrong, field.name) for field in fields(valid)}
        others = [name for name, value in wrongs.items() if value != getattr(valid, name)]
        name = self.one_of(others)
        return replace(valid, **{name: wrongs[name]})

    def sole(self, draw: Callable[[], T]) -> tuple[T, ...]:
        """Returns a list of one element, where every request has one; sometimes another."""
        return (draw(),) if self.stream.random() < 0.9 else self.many(draw)
