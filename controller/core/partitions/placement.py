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


def place(
    layout: Layout,
    *,
    partitions: int,
    replication_factor: int,
    random: Random,
    mentions_cordoned: bool = True,
) -> list[tuple[int, ...]]:
    """Returns the replicas of `partitions` new partitions.

    Raises INVALID_REPLICATION_FACTOR if the brokers do not suffice (rule 4.43).
    """
    racks = _Racks(layout, random)
    if replication_factor <= 0:
        raise _refused(
            f"Invalid replication factor {replication_factor}: the replication factor must be "
            "positive."
        )
    if racks.unfenced == 0:
        cordoned = ", or have all their log directories cordoned" if mentions_cordoned else ""
        raise _refused(f"All brokers are currently fenced{cordoned}.")
    if replication_factor > racks.total:
        cordoned = " or some brokers have all their log directories cordoned"
        raise _refused(
            f"The target replication factor of {replication_factor} cannot be reached because "
            f"only {racks.total} broker(s) are registered{cordoned if mentions_cordoned else ''}."
        )
    return [racks.place(replication_factor) for _ in range(partitions)]


def _refused(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REPLICATION_FACTOR, message)


class _Brokers:
    """A rotating list of broker ids.

    A partition gets each broker at most once, and each partition starts at another broker (rule
    4.48).
    """

    __slots__ = ("_index", "_offset", "_turn", "ids")

    def __init__(self, ids: tuple[int, ...], random: Random) -> None:
        """Starts at a random position."""
        self.ids: Sequence[int] = ids
        self._offset = int(random() * len(ids)) if ids else 0
        self._index = 0
        self._turn = 0

    def shuffle(self, random: Random) -> None:
        ids = list(self.ids)
        _shuffle(ids, random)
        self.ids = ids

    def next(self, turn: int) -> int | None:
        ids = self.ids
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


class _Rack:
    __slots__ = ("fenced", "unfenced")

    def __init__(self, rack: Rack, random: Random) -> None:
        self.fenced = _Brokers(rack.fenced, random) if rack.fenced else _NO_BROKERS
        self.unfenced = _Brokers(rack.unfenced, random) if rack.unfenced else _NO_BROKERS

    def next(self, turn: int) -> int | None:
        broker_id = self.unfenced.next(turn)
        return self.fenced.next(turn) if broker_id is None else broker_id


_NO_BROKERS = _Brokers((), lambda: 0.0)


class _Racks:
    __slots__ = ("_offset", "_racks", "_random", "_turn", "total", "unfenced")

    def __init__(self, layout: Layout, random: Random) -> None:
        self.total, self.unfenced = layout.brokers, layout.unfenced
        self._racks = [_Rack(rack, random) for rack in layout.racks]
        self._random = random
        self._turn = 0
        self._offset = _below(len(self._racks), random) if self._racks else 0

    def place(self, replication_factor: int) -> tuple[int, ...]:
        if self._turn == self.unfenced > 1:  # placed as many as live brokers: reshuffle (4.45)
            self._shuffle()
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
            broker_id = self._racks[position % count].unfenced.next(self._turn)
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
                broker_id = racks[position].next(turn)
                if broker_id is not None:
                    broker_ids.append(broker_id)
            position = (position + 1) % len(racks)
        return broker_ids

    def _shuffle(self) -> None:
        _shuffle(self._racks, self._random)
        for rack in self._racks:
            rack.fenced.shuffle(self._random)
            rack.unfenced.shuffle(self._random)


def _below(bound: int, random: Random) -> int:
    return int(random() * bound)


def _shuffle(items: MutableSequence[Any], random: Random) -> None:
    """Fisher-Yates shuffle: `random.shuffle` may change between Python versions."""
    for last in range(len(items) - 1, 0, -1):
        chosen = _below(last + 1, random)
        items[last], items[chosen] = items[chosen], items[last]
