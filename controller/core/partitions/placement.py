"""Placement of replicas: striped over racks, live brokers first within a rack (rules 4.40 to 4.49).

The first replica is always on an unfenced broker; for the others, rack spread takes precedence over
liveness (rule 4.49). All entropy comes from `random()`.
"""

from collections.abc import Callable, Iterable, MutableSequence, Sequence
from typing import Any

from ..errors import ApiError, ErrorCode, Impossible
from ..state import State
from ..value import value

Random = Callable[[], float]


@value(kw_only=False)
class Candidate:
    """A broker on which replicas may be placed."""

    broker_id: int
    rack: str | None
    fenced: bool


def candidates(state: State) -> list[Candidate]:
    """Returns all registered brokers, fenced brokers included, that may get replicas (rule 4.40).

    Brokers in controlled shutdown (soft state) and brokers with only cordoned directories are left
    out.
    """
    brokers = []
    for broker_id, broker in state.image.brokers.items():
        liveness = state.leases.liveness[broker_id]
        if not liveness.is_shutting_down and not broker.is_cordoned:
            brokers.append(Candidate(broker_id, broker.rack, liveness.fenced))
    return brokers


@value(kw_only=False)
class Rack:
    """The ids of a rack's brokers, in ascending order."""

    unfenced: tuple[int, ...]
    fenced: tuple[int, ...]


@value(kw_only=False)
class Layout:
    """The racks for placement, sorted by name; brokers without a rack come first."""

    racks: tuple[Rack, ...]
    brokers: int
    unfenced: int


def layout_of(brokers: Iterable[Candidate]) -> Layout:
    """Groups the brokers by rack."""
    by_name: dict[str | None, tuple[list[int], list[int]]] = {}
    for broker in brokers:
        unfenced, fenced = by_name.setdefault(broker.rack, ([], []))
        (fenced if broker.fenced else unfenced).append(broker.broker_id)
    names = sorted(by_name, key=lambda name: (name is not None, name or ""))
    racks = tuple(
        Rack(tuple(sorted(unfenced)), tuple(sorted(fenced)))
        for unfenced, fenced in (by_name[name] for name in names)
    )
    unfenced_count = sum(len(rack.unfenced) for rack in racks)
    fenced_count = sum(len(rack.fenced) for rack in racks)
    return Layout(racks, unfenced_count + fenced_count, unfenced_count)


class _Brokers:
    """A rotating list of broker ids.

    A partition gets each broker at most once, and each partition starts at another broker (rule
    4.48).
    """

    __slots__ = ("_ids", "_in_order", "_index", "_offset", "_turn")

    def __init__(self, ids: tuple[int, ...]) -> None:
        self._in_order = ids
        self._ids: Sequence[int] = ids
        self._offset = self._index = self._turn = 0

    def restart(self, random: Random) -> None:
        """Begin at a random position of the brokers in ascending order."""
        ids = self._ids = self._in_order
        if ids:
            self._offset = int(random() * len(ids))
            self._index = self._turn = 0

    def shuffle(self, random: Random) -> None:
        ids = list(self._ids)
        _shuffle(ids, random)
        self._ids = ids

    def next(self, turn: int) -> int | None:
        ids = self._ids
        if not ids:
            return None
        if self._turn != turn:
            self._turn, self._index = turn, 0
            self._offset = (self._offset + 1) % len(ids)
        index = self._index
        if index >= len(ids):
            return None
        self._index = index + 1
        return ids[(index + self._offset) % len(ids)]


class Placer:
    """Places replicas on the brokers of a layout, at random positions for each topic."""

    def __init__(self, layout: Layout, random: Random, *, mentions_cordoned: bool = True) -> None:
        self._layout = layout
        self._random = random
        self._mentions_cordoned = mentions_cordoned
        # The fenced and the unfenced brokers of each rack.
        self._in_order = [(_Brokers(rack.fenced), _Brokers(rack.unfenced)) for rack in layout.racks]
        self._racks = self._in_order
        self._turn = 0
        self._offset = 0

    def place(self, *, partitions: int, replication_factor: int) -> list[tuple[int, ...]]:
        """Returns the replicas of `partitions` new partitions of a topic.

        Raises INVALID_REPLICATION_FACTOR if the brokers do not suffice (rule 4.43).
        """
        self._restart()
        if refusal := self._refusal(replication_factor):
            raise ApiError(ErrorCode.INVALID_REPLICATION_FACTOR, refusal)
        return [self._replicas(replication_factor) for _ in range(partitions)]

    def _restart(self) -> None:
        """Draw new positions, in the brokers of each rack and among the racks."""
        random = self._random
        self._racks = self._in_order.copy()
        for fenced, unfenced in self._racks:
            fenced.restart(random)
            unfenced.restart(random)
        self._turn = 0
        self._offset = _below(len(self._racks), random) if self._racks else 0

    def _refusal(self, replication_factor: int) -> str | None:
        """Returns why there are no such replicas; None if there are."""
        layout, mentions = self._layout, self._mentions_cordoned
        if replication_factor <= 0:
            return (
                f"Invalid replication factor {replication_factor}: the replication factor must be "
                "positive."
            )
        if layout.unfenced == 0:
            cordoned = ", or have all their log directories cordoned" if mentions else ""
            return f"All brokers are currently fenced{cordoned}."
        if replication_factor > layout.brokers:
            cordoned = " or some brokers have all their log directories cordoned"
            return (
                f"The target replication factor of {replication_factor} cannot be reached because "
                f"only {layout.brokers} broker(s) are registered{cordoned if mentions else ''}."
            )
        return None

    def _replicas(self, replication_factor: int) -> tuple[int, ...]:
        if self._turn == self._layout.unfenced > 1:
            self._shuffle()  # it has placed as many partitions as there are live brokers (4.45)
            self._turn = 0
        self._offset %= len(self._racks)
        first_rack, leader = self._first()
        replicas = (leader, *self._other_replicas(first_rack, replication_factor - 1))
        self._turn += 1
        self._offset += 1
        return replicas

    def _first(self) -> tuple[int, int]:
        """Returns (rack, broker) of the first replica: the next live broker (rule 4.46)."""
        count = len(self._racks)
        for position in range(self._offset, self._offset + count):
            _, unfenced = self._racks[position % count]
            broker_id = unfenced.next(self._turn)
            if broker_id is not None:
                return position % count, broker_id
        raise Impossible(f"no live broker in any of {count} racks")

    def _other_replicas(self, first_rack: int, count: int) -> list[int]:
        """Goes round the racks, skipping the first replica's rack once (rule 4.47)."""
        broker_ids: list[int] = []
        racks, turn = self._racks, self._turn
        position, skip = self._offset, first_rack
        while len(broker_ids) < count:
            if position == skip:
                skip = -1
            else:
                fenced, unfenced = racks[position]
                broker_id = unfenced.next(turn)
                if broker_id is None:
                    broker_id = fenced.next(turn)
                if broker_id is not None:
                    broker_ids.append(broker_id)
            position = (position + 1) % len(racks)
        return broker_ids

    def _shuffle(self) -> None:
        _shuffle(self._racks, self._random)
        for fenced, unfenced in self._racks:
            fenced.shuffle(self._random)
            unfenced.shuffle(self._random)


def _below(bound: int, random: Random) -> int:
    return int(random() * bound)


def _shuffle(items: MutableSequence[Any], random: Random) -> None:
    """Fisher-Yates shuffle: `random.shuffle` may change between Python versions."""
    for last in range(len(items) - 1, 0, -1):
        chosen = _below(last + 1, random)
        items[last], items[chosen] = items[chosen], items[last]
