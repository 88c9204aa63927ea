"""Fetches that wait for new records (rule 10.35).

Each is stored with the response as of its arrival, which it gets when its waiting time is over.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

from ..core.rpc import FetchRequest, FetchResponse
from ..time.timeline import NEVER_MS

Token = TypeVar("Token")
FETCHES_MAX = 20_000  # more followers than any metadata log has; beyond it fetches do not wait


class ParkedFetches(Generic[Token]):
    """The waiting fetches of a leader, by time of expiry."""

    def __init__(self) -> None:
        self._parked: dict[int, tuple[Token, FetchRequest, FetchResponse]] = {}
        self._expiries: list[tuple[int, int]] = []  # heap of (expires_ms, number)
        self._number = 0

    def __len__(self) -> int:
        return len(self._parked)

    def has_room(self) -> bool:
        """True if another fetch may wait."""
        return len(self._parked) < FETCHES_MAX

    def add(
        self, token: Token, request: FetchRequest, response: FetchResponse, now_ms: int
    ) -> None:
        """Let a fetch wait for at most its `max_wait_ms`."""
        self._number += 1
        self._parked[self._number] = (token, request, response)
        heappush(self._expiries, (now_ms + request.max_wait_ms, self._number))

    def released(
        self, answer: Callable[[FetchRequest], FetchResponse | None]
    ) -> list[tuple[Token, FetchResponse]]:
        """Removes and returns the fetches for which `answer` returns a response.

        A fetch for which it returns None continues to wait.
        """
        replies = []
        for number, (token, request, _) in list(self._parked.items()):
            response = answer(request)
            if response is not None:
                del self._parked[number]
                replies.append((token, response))
        if len(self._expiries) > 2 * len(self._parked):
            self._expiries = [expiry for expiry in self._expiries if expiry[1] in self._parked]
            heapify(self._expiries)
        return replies

    def expired(self, now_ms: int) -> list[tuple[Token, FetchResponse]]:
        """Removes and returns the fetches whose waiting time is over, with their responses."""
        replies = []
        while self._expiries and self._expiries[0][0] <= now_ms:
            waiting = self._parked.pop(heappop(self._expiries)[1], None)
            if waiting is not None:
                token, _, response = waiting
                replies.append((token, response))
        return replies

    def next_expiry_ms(self) -> int:
        """Returns the earliest expiry.

        It may belong to a fetch that was already answered.
        """
        return self._expiries[0][0] if self._expiries else NEVER_MS
