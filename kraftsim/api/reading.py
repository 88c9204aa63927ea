"""The part of `Cluster` that reads: the documents that HTTP and `--json` print too."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kraftsim.controller.wire.json.document import Document

from ..errors import UnknownBroker, UnknownController, UnknownTopic
from ..service import request_search
from ..service.request_journal import RequestJournal
from ..service.request_search import RequestDocument, conditions_in
from .argument_checks import PAGE, check_page, check_requests, expect_int, expect_text
from .broker_verbs import BrokerVerbs
from .documents import (
    BrokerDocument,
    ClusterDocument,
    ControllerDocument,
    EventDocument,
    LogEndDocument,
    QuorumDocument,
    RequestCount,
    TopicDocument,
)
from .list_pages import Page, broker_page, topic_page
from .log_views import committed_records, log_end_view, start_in
from .slices import in_slices
from .views import (
    broker_view,
    cluster_view,
    controller_view,
    controllers_view,
    event_view,
    quorum_view,
    topic_view,
)

if TYPE_CHECKING:
    from kraftsim.scenarios.running.beside_rows import BesideRows
    from kraftsim.scenarios.stage.stage import Fault
    from kraftsim.simulation.event_row import EventRow

    from ..lessons.documents import Picture, StoryPage
    from ..lessons.traffic import Traffic
    from ..service.listeners import Service


class Reading(BrokerVerbs):
    """The methods of `Cluster` that read the committed state, the log and the journal."""

    _service: "Service"
    _traffic: "Traffic | None" = None

    async def cluster(self) -> ClusterDocument:
        """Returns id, active controller, features and end of the log."""
        service = self._service
        return cluster_view(self.world, service.data_plane, service.refused_versions)

    async def quorum(self) -> QuorumDocument:
        """Returns the quorum as its leader describes it; ApiError without a leader."""
        return quorum_view(self.world, await self.describe_quorum())

    async def controllers(self) -> list[ControllerDocument]:
        """Returns every controller, in order of id."""
        return controllers_view(self.world)

    async def controller(self, node_id: int) -> ControllerDocument:
        """Returns one controller. Raises UnknownController if there is none with this id."""
        expect_int("node_id", node_id)
        if node_id not in self.world.controllers:
            raise UnknownController(node_id, sorted(self.world.controllers))
        return controller_view(self.world, node_id)

    async def brokers(
        self, from_: int = 0, limit: int | None = None
    ) -> Page[BrokerDocument, int | None]:
        """Returns brokers that are registered or simulated, in order of id, from id `from_` on.

        Returns every such broker without a limit. The `next` of the page is the id at which the
        next page begins, None after the last broker. Raises UsageError for a limit outside 1 to
        10,000.
        """
        return await broker_page(self.world, from_, limit)

    async def broker(self, broker_id: int) -> BrokerDocument:
        """Returns one broker. Raises UnknownBroker if no broker with this id is known."""
        expect_int("broker_id", broker_id)
        world = self.world
        ids = {*world.committed.brokers, *world.agents}
        if broker_id not in ids:
            raise UnknownBroker(broker_id, sorted(ids))
        return broker_view(world.committed, world.agents, broker_id)

    async def topics(
        self, from_: str = "", limit: int | None = None
    ) -> Page[TopicDocument, str | None]:
        """Returns topics with their partitions, in order of name, from name `from_` on.

        Returns every such topic without a limit. The `next` of the page is the name at which the
        next page begins, None after the last topic. Raises UsageError for a limit outside 1 to
        10,000.
        """
        return await topic_page(self.world, from_, limit)

    async def topic(self, name: str) -> TopicDocument:
        """Returns one topic. Raises UnknownTopic if there is none with this name."""
        expect_text("name", name)
        image = self.world.committed
        if name not in image.topic_ids:
            raise UnknownTopic(name, sorted(image.topic_ids))
        return topic_view(image.topics[image.topic_ids[name]])

    async def log(self, from_: int | None = None, limit: int = PAGE) -> Page[Document, int]:
        """Returns committed records of the metadata log, from the first offset unless `from_`.

        The `next` of the page is the offset after its last record. Raises OffsetGone if a snapshot
        has replaced the records at `from_`, UsageError for a limit outside 1 to 10,000.
        """
        check_page(from_, limit)
        log = self.world.committed_log
        start = start_in(log, from_)
        records = await in_slices(committed_records(log, start, limit))
        return Page(records, start + len(records))

    async def log_end(self) -> LogEndDocument:
        """Returns the first and the end offset of the committed log, and the cluster id."""
        return log_end_view(self.world)

    async def events(self, from_: int = 0, limit: int = PAGE) -> Page[EventDocument, int]:
        """Returns at most `limit` events of the journal, from number `from_` on.

        The `next` of the page is the number after its last event. Raises UsageError for a limit
        outside 1 to 10,000.
        """
        check_page(from_, limit)
        world = self.world
        rows = world.journal.since(from_, limit)
        views = (event_view(row, world.timeline.wall_ms_at(row.t_us)) for row in rows)
        events = await in_slices(views)
        return Page(events, events[-1]["seq"] + 1 if events else from_)

    @property
    @abstractmethod
    def request_journal(self) -> RequestJournal: ...

    async def requests(
        self, api: str | None = None, where: str | None = None, from_: int = 0, limit: int = PAGE
    ) -> Page[RequestDocument, int]:
        """Returns at most `limit` requests that clients have sent, from number `from_` on.

        The `next` of the page is the number at which the next page begins, never below `from_`.

        `api` is Kafka's name of an API (None: every API), `where` a list of conditions such as
        "brokerId=1,topics.name=orders" (None: no condition). Raises UsageError for an unknown
        API, a condition without "=" or a limit outside 1 to 10,000.
        """
        check_requests(api, where, from_, limit)
        journal = self.request_journal
        following = max(journal.next_number, from_)  # of before the search, during which it grows
        requests: list[RequestDocument] = []
        async for request in request_search.find(journal, api, conditions_in(where), from_):
            requests.append(request)
            if len(requests) == limit:
                return Page(requests, request["number"] + 1)
        return Page(requests, following)

    async def count_requests(
        self, api: str | None = None, where: str | None = None
    ) -> RequestCount:
        """Returns the number of requests that clients have sent, with near misses if it is 0.

        The parameters and errors are those of `requests`. A near miss is a request of the API with
        the conditions that it does not meet.
        """
        check_requests(api, where)
        journal, conditions = self.request_journal, conditions_in(where)
        count = 0
        async for _ in request_search.find(journal, api, conditions, 0):
            count += 1
        misses = [] if count else await request_search.near_misses(journal, api, conditions)
        return {"count": count, "nearMisses": misses}

    async def explain(self, event: int) -> list[str]:
        """Returns the causes of an event, the first cause first, one line each.

        Raises UnknownEvent if the journal does not have the event.
        """
        expect_int("event", event)
        from ..explanation import explanation

        rows = self.world.journal.since(0)
        return explanation(rows, event, self._beside(rows))

    async def scene(self, from_: int | None = None) -> "Picture":
        """Returns the picture of the cluster now: who leads, who has a lease, who believes what.

        With a number `from_` it also has the messages that ended since then: the picture before
        has the number as `next`, and 0 is the first. Raises UsageError for a negative number.
        """
        check_page(from_, PAGE)
        from ..lessons.scene import scene_of

        timeline, faults = self.world.timeline, self._begun_faults()
        return {
            "atUs": timeline.now_us,
            "timeMs": timeline.wall_ms,
            "scene": scene_of(self.world, faults),
            "traffic": None if from_ is None else self._traffic_now().since(from_),
        }

    def _traffic_now(self) -> "Traffic":
        """Returns the traffic of the world, which is another world after a reset."""
        if self._traffic is None or self._traffic.world is not self.world:
            from ..lessons.traffic import Traffic

            self._traffic = Traffic(self.world, self._begun_faults)
        return self._traffic

    def _begun_faults(self) -> "Sequence[Fault]":
        """Returns the faults of the cluster, also those that have ended."""
        return () if self._faults is None else self._faults.kept()[0].faults

    async def story(self, from_: int = 0, limit: int = PAGE) -> "StoryPage":
        """Returns the events of the journal from number `from_` on, in sentences.

        Raises UsageError for a limit outside 1 to 10,000.
        """
        check_page(from_, limit)
        from ..lessons.story_events import story_events

        rows = self.world.journal.since(from_, limit)
        events = await in_slices(story_events(rows, self._beside(rows)))
        return {"events": events, "next": rows[-1].seq + 1 if rows else from_}

    def _beside(self, rows: "Sequence[EventRow]") -> "BesideRows":
        """Returns the facts that the rows of the journal lack."""
        from kraftsim.scenarios.running.beside_rows import beside_rows

        return beside_rows(self.world, self._begun_faults(), rows)
