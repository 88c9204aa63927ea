"""Words that select requests: their APIs and their broker epochs."""

from dataclasses import dataclass
from typing import Annotated

from kraftsim.simulation.requests.aim import Condition
from kraftsim.simulation.requests.arrival import Arrival
from kraftsim.simulation.world import World

from ..conditions.occurrences import MessageName
from ..language.constraints import Bare
from ..language.reading import Path, Problem, read
from ..language.schema import SWEPT, Schema, SchemaOf, any_of
from ..language.suggestions import nearest

EPOCHS = ("stale", "current", "future")
Names = Annotated[tuple[MessageName, ...], Bare()]


@dataclass(frozen=True, slots=True)
class Epoch:
    """The broker epoch of a request: a number, or stale, current or future.

    The words compare it with the epoch of the broker's committed registration.
    """

    value: int | str

    @staticmethod
    def from_document(value: object, path: Path) -> "Epoch":
        """Reads a number or a word; raises Problem for anything else."""
        if isinstance(value, str) and value not in EPOCHS:
            raise Problem(path, f"expected a number or {nearest(value, EPOCHS)}, got {value!r}")
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise Problem(path, f"expected a number or {', '.join(EPOCHS)}, got {value!r}")
        return Epoch(value)

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of both forms."""
        return any_of({"type": "integer"}, {"enum": list(EPOCHS)}, SWEPT)

    def to_document(self) -> object:
        """Returns the number or the word, as in the file."""
        return self.value

    def condition(self, world: World) -> Condition:
        """Returns the condition that a request has this epoch; many requests have no epoch."""
        if isinstance(self.value, int):
            return Condition("epoch", _epoch_of, frozenset((self.value,)))
        return Condition("epoch compared", EpochWords(world).of, frozenset((self.value,)))


@dataclass(slots=True, eq=False)
class EpochWords:
    """Compares the epochs of requests with the committed registrations of a world."""

    world: World

    def of(self, arrival: Arrival) -> str | None:
        """Returns stale, current or future; None without an epoch or a registration."""
        broker, epoch = self.world.committed.brokers.get(arrival.broker_id), arrival.epoch
        if broker is None or epoch is None:
            return None
        difference = epoch - broker.broker_epoch
        return EPOCHS[(difference > 0) - (difference < 0) + 1]


@dataclass(frozen=True, slots=True)
class Apis:
    """The APIs of requests: a name, a list of names, or an empty list for every API."""

    names: tuple[str, ...] = ()

    @staticmethod
    def from_document(value: object, path: Path) -> "Apis":
        """Reads a name or a list of names; raises Problem for an unknown name."""
        return Apis(read(Names, value, path))

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of both forms."""
        return of(Names)

    def to_document(self) -> object:
        """Returns the only name, or the list of names."""
        return self.names[0] if len(self.names) == 1 else list(self.names)


EVERY_API = Apis()


def _epoch_of(arrival: Arrival) -> int | None:
    return arrival.epoch
