"""Fetches that wait for news of the log, each with the time at which it is answered anyway."""

from heapq import heappop, heappush
from typing import Generic, TypeVar

from .core.rpc import FetchRequest

Token = TypeVar("Token")
FETCHES_MAX = 20_000  # more followers than any metadata log has; beyond it nobody is made to wait


class ParkedFetches(Generic[Token]):
    def __init__(self) -> None:
        self._parked: dict[int, tuple[Token, FetchRequest]] = {}
        self._expiries: list[tuple[int, int]] = []  # heap of (expires_ms, number)
        self._number = 0

    def has_room(self) -> bool:
        return len(self._parked) < FETCHES_MAX

    def add(self, token: Token, request: FetchRequest, now_ms: int) -> None:
        self._number += 1
        self._parked[self._number] = (token, request)
        heappush(self._expiries, (now_ms + request.max_wait_ms, self._number))

    def all(self) -> list[tuple[Token, FetchRequest]]:
        """Take every one of them: the log has news."""
        taken = list(self._parked.values())
        self._parked.clear()
        self._expiries.clear()
        return taken

    def expired(self, now_ms: int) -> list[tuple[Token, FetchRequest]]:
        taken = []
        while self._expiries and self._expiries[0][0] <= now_ms:
            taken.append(self._parked.pop(heappop(self._expiries)[1]))
        return taken

    def next_expiry_ms(self) -> int | None:
        return self._expiries[0][0] if self._expiries else None
