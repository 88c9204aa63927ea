"""The causes of events, the picture of a cluster, and its events in sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..argument_checks import PAGE, check_page, expect_int
from ..views.slices import in_slices
from .added_faults import AddedFaults
from .live import Live

if TYPE_CHECKING:
    from kraftsim.scenarios.running.beside_rows import BesideRows
    from kraftsim.simulation.event_row import EventRow

    from ...lessons.documents import Picture, StoryPage
    from ...lessons.traffic import Traffic


class Telling:
    """Tells what happened in a cluster, and what it looks like now."""

    _traffic: "Traffic | None" = None

    def __init__(self, live: Live, faults: AddedFaults) -> None:
        self._live, self._faults = live, faults

    async def explain(self, event: int) -> list[str]:
        """Returns the causes of an event, the first cause first, one line each."""
        expect_int("event", event)
        from ...explanation import explanation

        rows = self._live.world.journal.since(0)
        return explanation(rows, event, self.beside(rows))

    async def scene(self, from_: int | None = None) -> "Picture":
        """Returns the picture of the cluster now, with the messages that ended since `from_`."""
        check_page(from_, PAGE)
        from ...lessons.scene import scene_of

        timeline, faults = self._live.world.timeline, self._faults.begun
        return {
            "atUs": timeline.now_us,
            "timeMs": timeline.wall_ms,
            "scene": scene_of(self._live.world, faults),
            "traffic": None if from_ is None else self._traffic_now().since(from_),
        }

    def _traffic_now(self) -> "Traffic":
        """Returns the traffic of the world, which is another world after a reset."""
        if self._traffic is None or self._traffic.world is not self._live.world:
            from ...lessons.traffic import Traffic

            self._traffic = Traffic(self._live.world, lambda: self._faults.begun)
        return self._traffic

    async def story(self, from_: int = 0, limit: int = PAGE) -> "StoryPage":
        """Returns the events of the journal from number `from_` on, in sentences."""
        check_page(from_, limit)
        from ...lessons.story_events import story_events

        rows = self._live.world.journal.since(from_, limit)
        events = await in_slices(story_events(rows, self.beside(rows)))
        return {"events": events, "next": rows[-1].seq + 1 if rows else from_}

    def beside(self, rows: "Sequence[EventRow]") -> "BesideRows":
        """Returns the facts that the rows of the journal lack."""
        from kraftsim.scenarios.running.beside_rows import beside_rows

        return beside_rows(self._live.world, self._faults.begun, rows)
