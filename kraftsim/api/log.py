"""The committed metadata log of a cluster, and the logs of its topics."""

from importlib import import_module

from kraftsim.controller.wire.json.document import Document

from ..errors import UnknownBroker
from .administration.checks import check_log_export
from .administration.documents import LogPart
from .administration.refusals import topic_of
from .argument_checks import PAGE, check_page
from .documents import LogEndDocument
from .running.live import Live
from .views.list_pages import Page
from .views.log_views import committed_records, log_end_view, start_in
from .views.slices import in_slices


class Log:
    """The logs of a cluster: `await kraft.log.show()` returns records of the metadata log."""

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

    async def export(
        self, name: str, partition: int, from_: int = 0, broker: int | None = None
    ) -> LogPart:
        """Returns stored batches of a partition from offset `from_` on, and what describes its log.

        They are those of the leader, or of the replica of `broker`; a part has at most 1 MiB of
        batches, and at least one batch. Raises UnknownTopic, ApiError for an unknown partition, or
        UnknownBroker for a broker without the partition, which is -1 if it has no leader.
        """
        check_log_export(name, partition, from_, broker)
        world = self._live.world
        topic = topic_of(world.committed, name, partition)
        replicas = topic.partitions[partition].replicas
        chosen = topic.partitions[partition].leader if broker is None else broker
        if chosen not in replicas:
            raise UnknownBroker(chosen, replicas)
        module = import_module("kraftsim.api.views.log_parts")  # not needed at every start
        part: LogPart = module.log_part(world, topic, partition, chosen, from_)
        return part
