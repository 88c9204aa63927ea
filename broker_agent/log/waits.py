"""The Fetch requests that wait for data, at all brokers of a cluster."""

from collections.abc import Callable

from kraftsim.controller.core.image.partition import PartitionKey

Look = Callable[[], None]


class FetchWaits:
    """Who looks again when something is appended to a partition, or the metadata change.

    `on_append(size)`, if it is set, is called with the bytes of each append, after those who wait.
    """

    def __init__(self) -> None:
        self._waiting: dict[PartitionKey, list[Look]] = {}
        self.on_append: Callable[[int], None] | None = None

    def wait(self, keys: list[PartitionKey], look: Look) -> None:
        """Calls `look` at each append to one of the partitions, until `stop`."""
        for key in keys:
            self._waiting.setdefault(key, []).append(look)

    def stop(self, keys: list[PartitionKey], look: Look) -> None:
        """Ends a wait."""
        for key in keys:
            waiting = self._waiting.get(key)
            if waiting is not None and look in waiting:
                waiting.remove(look)
                if not waiting:
                    del self._waiting[key]

    def look_again(self, key: PartitionKey | None) -> None:
        """Lets those look who wait for a partition whose high watermark has risen.

        None lets all look: partitions may have other leaders, or be deleted (B4.35).
        """
        if not self._waiting:
            return  # as nearly always
        found = self._waiting.values() if key is None else (self._waiting.get(key, ()),)
        for look in dict.fromkeys(look for waiting in found for look in waiting):
            look()

    def appended(self, key: PartitionKey, size: int) -> None:
        """Lets those look who wait for the partition."""
        waiting = self._waiting.get(key)
        if waiting:
            for look in tuple(waiting):
                look()
        if self.on_append is not None:
            self.on_append(size)
