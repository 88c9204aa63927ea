"""Replies that wait until their records are committed (rules 0A.5, 0A.6, 0A.13)."""

from collections import deque
from typing import Generic, TypeVar

from ..core.errors import Impossible
from ..core.rpc import Response

Token = TypeVar("Token")


class DeferredReplies(Generic[Token]):
    """In order of offset: a reply waits until the high watermark has passed `offset`."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Token, Response]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, offset: int, token: Token, reply: Response) -> None:
        if self._waiting and offset < self._waiting[-1][0]:
            raise Impossible(f"a reply waits for {offset}, after {self._waiting[-1][0]}")
        self._waiting.append((offset, token, reply))

    def released(self, high_watermark: int) -> list[tuple[Token, Response]]:
        """Those whose records lie below the high watermark, oldest first."""
        ready = []
        while self._waiting and self._waiting[0][0] < high_watermark:
            _, token, reply = self._waiting.popleft()
            ready.append((token, reply))
        return ready

    def failed(self) -> list[Token]:
        """Everybody who still waits: leadership is lost, and with it all certainty (0A.13)."""
        tokens = [token for _, token, _ in self._waiting]
        self._waiting.clear()
        return tokens
