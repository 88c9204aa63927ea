"""Replies that wait for the commit of their records (rules 0A.5, 0A.6, 0A.13)."""

from collections import deque
from typing import Generic, TypeVar

from ..core.errors import Impossible
from ..core.rpc import Response

Token = TypeVar("Token")


class DeferredReplies(Generic[Token]):
    """Replies in order of offset; each waits until the high watermark is above its offset."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Token, Response]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, offset: int, token: Token, reply: Response) -> None:
        """Add a reply; raises Impossible if `offset` is below that of an earlier reply."""
        if self._waiting and offset < self._waiting[-1][0]:
            raise Impossible(f"a reply waits for {offset}, after {self._waiting[-1][0]}")
        self._waiting.append((offset, token, reply))

    def released(self, high_watermark: int) -> list[tuple[Token, Response]]:
        """Returns the replies whose records are committed, oldest first."""
        ready = []
        while self._waiting and self._waiting[0][0] < high_watermark:
            _, token, reply = self._waiting.popleft()
            ready.append((token, reply))
        return ready

    def failed(self) -> list[Token]:
        """Removes all waiting replies after a loss of leadership; returns their tokens.

        Rule 0A.13.
        """
        tokens = [token for _, token, _ in self._waiting]
        self._waiting.clear()
        return tokens
