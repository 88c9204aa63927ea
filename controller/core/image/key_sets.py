"""A set of partitions for each broker, of which copies of an image share what neither changes."""

from .partition import PartitionKey

NO_KEYS: set[PartitionKey] = set()


class KeySets:
    """A set of partition keys for each broker.

    Copies share their sets until one is changed (copy on write); `_own` holds the sets of `_sets`
    that no copy shares.
    """

    def __init__(self, sets: dict[int, set[PartitionKey]] | None = None) -> None:
        self._sets: dict[int, set[PartitionKey]] = {} if sets is None else sets
        self._own: dict[int, set[PartitionKey]] = {}

    def of(self, broker_id: int) -> set[PartitionKey]:
        """Returns the broker's keys; callers must not change the set."""
        return self._sets.get(broker_id, NO_KEYS)

    def add(self, broker_id: int, key: PartitionKey) -> None:
        """Add a key to the broker's set."""
        keys = self._own.get(broker_id)
        if keys is None:
            keys = self._owned(broker_id)
        keys.add(key)

    def discard(self, broker_id: int, key: PartitionKey) -> None:
        """Remove a key from the broker's set, if it is present."""
        keys = self._own.get(broker_id)
        if keys is None:
            keys = self._owned(broker_id)
        keys.discard(key)

    def add_all(self, broker_ids: tuple[int, ...], key: PartitionKey) -> None:
        """Add a key to the sets of several brokers."""
        own = self._own
        for broker_id in broker_ids:
            keys = own.get(broker_id)
            if keys is None:
                keys = self._owned(broker_id)
            keys.add(key)

    def discard_all(self, broker_ids: tuple[int, ...], key: PartitionKey) -> None:
        """Remove a key from the sets of several brokers."""
        own = self._own
        for broker_id in broker_ids:
            keys = own.get(broker_id)
            if keys is None:
                keys = self._owned(broker_id)
            keys.discard(key)

    def move(self, key: PartitionKey, old: tuple[int, ...], new: tuple[int, ...]) -> None:
        """Move `key` from the sets of the brokers `old` to those of the brokers `new`."""
        own = self._own
        for broker_id in old:
            if broker_id not in new:
                keys = own.get(broker_id)
                if keys is None:
                    keys = self._owned(broker_id)
                keys.discard(key)
        for broker_id in new:
            if broker_id not in old:
                keys = own.get(broker_id)
                if keys is None:
                    keys = self._owned(broker_id)
                keys.add(key)

    def copy(self) -> "KeySets":
        """Returns an independent copy."""
        self._own = {}
        return KeySets(self._sets.copy())

    def _owned(self, broker_id: int) -> set[PartitionKey]:
        keys = self._sets[broker_id] = self._own[broker_id] = set(self._sets.get(broker_id, ()))
        return keys
