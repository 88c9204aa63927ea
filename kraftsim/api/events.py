"""The events of a cluster, in the order of its journal."""

from .argument_checks import PAGE, check_page
from .documents import EventDocument
from .running.live import Live
from .views.list_pages import Page
from .views.slices import in_slices
from .views.state_views import event_view


class Events:
    """The events of a cluster: `await kraft.events.list()`."""

    def __init__(self, live: Live) -> None:
        self._live = live

    async def list(self, from_: int = 0, limit: int = PAGE) -> Page[EventDocument, int]:
        """Returns at most `limit` events of the journal, from number `from_` on.

        The `next` of the page is the number after its last event. Raises UsageError for a limit
        outside 1 to 10,000.
        """
        check_page(from_, limit)
        world = self._live.world
        rows = world.journal.since(from_, limit)
        views = (event_view(row, world.timeline.wall_ms_at(row.t_us)) for row in rows)
        events = await in_slices(views)
        return Page(events, events[-1]["seq"] + 1 if events else from_)
