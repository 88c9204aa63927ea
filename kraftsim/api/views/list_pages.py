"""Lists in pages: the items from a key on, and the key at which the next page begins."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", int, str)
Item = TypeVar("Item")
Next = TypeVar("Next", bound=int | str | None)


class Page(list[Item], Generic[Item, Next]):
    """The items of a page. The next page begins at `next`: pass it as `from_`.

    `next` is None after the last broker or topic. Events, requests and records are added at the
    end: after the last of them, `next` is the number or the offset of what comes next.
    """

    def __init__(self, items: Iterable[Item], following: Next) -> None:
        super().__init__(items)
        self.next = following


def keys_of_page(
    keys: Sequence[Key], start: Key, limit: int | None
) -> tuple[Sequence[Key], Key | None]:
    """Returns the keys of a page, and the first key of the next page; None after the last page."""
    first = bisect_left(keys, start)
    end = len(keys) if limit is None else first + limit
    return keys[first:end], keys[end] if end < len(keys) else None
