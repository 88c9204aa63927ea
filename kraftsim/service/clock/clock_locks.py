"""Locks of the clock: programs that work hold the time of a cluster still, and let it go."""

import time

from kraftsim.controller.core.value import slotted

from ...errors import CommandError

LOCKS_MAX = 1_000  # owners at one time


@slotted()
class ClockLock:
    """The lock of one owner, who has taken it `count` times; it ends at `expires_s`."""

    owner: str
    count: int
    expires_s: float

    @property
    def expires_in_s(self) -> float:
        """Real seconds until the lock ends by itself."""
        return max(self.expires_s - time.monotonic(), 0.0)


class ClockLocks:
    """The locks that are held, each until its owner has let go as often as it has taken it."""

    def __init__(self) -> None:
        self._by_owner: dict[str, ClockLock] = {}

    def held(self) -> list[ClockLock]:
        """Returns the locks, the oldest first, without those that have expired."""
        now_s = time.monotonic()
        for lock in list(self._by_owner.values()):
            if lock.expires_s <= now_s:
                del self._by_owner[lock.owner]
        return list(self._by_owner.values())

    def take(self, owner: str, expiry_s: float) -> ClockLock:
        """Takes the lock once more for this owner, for at least `expiry_s` real seconds from now.

        Raises CommandError if there are LOCKS_MAX owners.
        """
        held = {lock.owner for lock in self.held()}
        if owner not in held and len(held) >= LOCKS_MAX:
            raise CommandError(f"expected at most {LOCKS_MAX} owners of locks")
        lock = self._by_owner.setdefault(owner, ClockLock(owner, 0, 0.0))
        lock.count += 1
        lock.expires_s = max(lock.expires_s, time.monotonic() + expiry_s)
        return lock

    def let_go(self, owner: str) -> None:
        """Lets go once; CommandError if this owner holds no lock, which may have expired."""
        held = {lock.owner: lock for lock in self.held()}
        if owner not in held:
            owners = ", ".join(held) or "none"
            raise CommandError(f"owner: expected one that holds a lock ({owners}), got {owner!r}")
        held[owner].count -= 1
        if not held[owner].count:
            del self._by_owner[owner]
