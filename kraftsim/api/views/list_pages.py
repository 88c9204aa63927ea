"""Lists in pages: the items from a key on, and the key at which the next page begins."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from kraftsim.simulation.world import World

from ..argument_checks import check_page, check_topic_page
from ..documents import BrokerDocument, TopicDocument
from .slices import in_slices
from .state_views import broker_view, topic_view

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


async def broker_page(
    world: World, start: int, limit: int | None
) -> Page[BrokerDocument, int | None]:
    """Returns the brokers that are registered or simulated, from id `start` on.

    Returns at most `limit` brokers (None: all), in order of id. Raises UsageError for a negative
    `start` and a limit outside 1 to LIMIT_MAX.
    """
    check_page(start, limit)
    image, agents = world.committed.copy(), world.agents  # no other task changes the copy
    ids, following = _page(sorted({*image.brokers, *agents}), start, limit)
    views = (broker_view(image, agents, broker_id) for broker_id in ids)
    return Page(await in_slices(views), following)


async def topic_page(
    world: World, start: str, limit: int | None
) -> Page[TopicDocument, str | None]:
    """Returns the topics with their partitions, from name `start` on, in order of name.

    Returns at most `limit` topics (None: all). Raises UsageError for a limit outside 1 to
    LIMIT_MAX.
    """
    check_topic_page(start, limit)
    image = world.committed.copy()
    names, following = _page(sorted(image.topic_ids), start, limit)
    views = (topic_view(image.topics[image.topic_ids[name]]) for name in names)
    return Page(await in_slices(views), following)


def _page(keys: Sequence[Key], start: Key, limit: int | None) -> tuple[Sequence[Key], Key | None]:
    """Returns the keys of a page, and the first key of the next page; None after the last page."""
    first = bisect_left(keys, start)
    end = len(keys) if limit is None else first + limit
    return keys[first:end], keys[end] if end < len(keys) else None
