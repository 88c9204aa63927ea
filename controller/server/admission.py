"""Which connections a listener admits: at most so many, and at most so many from one address."""

import logging
from collections import Counter

log = logging.getLogger(__name__)


class Admission:
    """Counts the open connections of the listener `name`, by address."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._per_address: Counter[str] = Counter()

    def admit(self, address: str, connections_max: int, per_address_max: int) -> bool:
        """Counts a new connection; returns False if there are too many."""
        counts = self._per_address
        if counts.total() >= connections_max or counts[address] >= per_address_max:
            log.warning(
                "%s: refused a connection from %s: expected at most %d connections, of which %d "
                "from one address",
                self._name,
                address,
                connections_max,
                per_address_max,
            )
            return False
        counts[address] += 1
        return True

    def forget(self, address: str) -> None:
        """Uncounts an admitted connection that has ended."""
        self._per_address[address] -= 1
        if not self._per_address[address]:
            del self._per_address[address]
