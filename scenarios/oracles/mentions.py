"""Index of the partitions that name a broker as leader, in ISR, in ELR or as replica."""

from collections import defaultdict

from .shadow import Fact, Key, Shadow

MENTIONS = ("leader", "isr", "eligible_leader_replicas", "replicas")


class Mentions:
    """The partitions that name a broker, by kind of mention; a batch updates what it changes."""

    def __init__(self) -> None:
        self._known: dict[Key, Fact] = {}
        self._keys: dict[tuple[str, int], set[Key]] = defaultdict(set)

    def of(self, kind: str, broker_id: int) -> set[Key]:
        """Returns the partitions that name the broker as `kind`, a member of MENTIONS."""
        return self._keys.get((kind, broker_id), set())

    def update(self, shadow: Shadow, touched: set[Key]) -> None:
        """Updates the index for the keys `touched`, which a batch may have changed."""
        for key in touched:
            if key[0] != "Partition":
                continue
            for mention in _mentions(self._known.pop(key, None)):
                self._keys[mention].discard(key)
            fact = shadow.facts.get(key)
            if fact is not None:
                self._known[key] = fact
                for mention in _mentions(fact):
                    self._keys[mention].add(key)


def _mentions(fact: Fact | None) -> set[tuple[str, int]]:
    if fact is None:
        return set()
    return {
        (kind, broker_id)
        for kind in MENTIONS
        for broker_id in ((fact[kind],) if kind == "leader" else fact[kind])
    }
