"""The committed metadata log of a cluster."""

from kraftsim.controller.wire.json.document import Document

from .argument_checks import PAGE, check_page
from .documents import LogEndDocument
from .running.live import Live
from .views.list_pages import Page
from .views.log_views import committed_records, log_end_view, start_in
from .views.slices import in_slices


class Log:
    """The committed metadata log of a cluster: `await kraft.log.show()`."""

    def __init__(self, live: Live) -> None:
        self._live = live

    async def show(self, from_: int | None = None, limit: int = PAGE) -> Page[Document, int]:
        """Returns committed records of the log, from the first offset unless `from_`.

        The `next` of the page is the offset after its last record. Raises OffsetGone if a snapshot
        has replaced the records at `from_`, UsageError for a limit outside 1 to 10,000.
        """
        check_page(from_, limit)
        log = self._live.world.committed_log
        start = start_in(log, from_)
        records = await in_slices(committed_records(log, start, limit))
        return Page(records, start + len(records))

    async def end(self) -> LogEndDocument:
        """Returns the first and the end offset of the committed log, and the cluster id."""
        return log_end_view(self._live.world)
