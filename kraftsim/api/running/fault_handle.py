"""One fault of a running cluster, as the program that added it sees it."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

from kraftsim.controller.core.node_id import Kind, NodeId, numbers_of
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.wire.json.document import Document
from kraftsim.scenarios.language.durations import microseconds
from kraftsim.scenarios.language.reading import document_of
from kraftsim.scenarios.language.spelling import as_written
from kraftsim.scenarios.stage.stage import Fault, Stage
from kraftsim.scenarios.verbs import Verb
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.requests.aim import Predicate
from kraftsim.simulation.requests.held_messages import HeldMessages, Holding
from kraftsim.simulation.requests.hit_log import Hit
from kraftsim.simulation.world import World

from ...errors import CommandError
from ..documents import FaultDocument, FaultEvent, HeldRequestDocument
from ..views.state_views import event_view
from .live import Live

OF_REQUESTS = "rpc."
NUMBERS_SHOWN_MAX = 10  # of held messages, in an error
ROWS_MAX = 100  # newest rows of the journal about one fault


@dataclass(frozen=True, slots=True)
class Selecting:
    """The function `when` of a fault, which is called while the cluster handles a request.

    An exception would end the cluster, so it is kept for the handle, and the request is left out.
    Copies of a world share the function.
    """

    when: Predicate
    errors: list[Exception]

    def __call__(self, request: Request) -> bool:
        """Returns True if the fault affects the request."""
        try:
            return bool(self.when(request))
        except Exception as error:  # whatever a test's function raises
            self.errors[:] = [error]
            return False


class FaultHandle:
    """A fault that was added: `hits` counts its effects so far, `verb` is what it does."""

    def __init__(
        self,
        live: Live,
        stage: Stage,
        fault: Fault,
        verb: Verb,
        selecting: Selecting | None = None,
    ) -> None:
        self._live, self._stage, self._fault, self.verb = live, stage, fault, verb
        self._selecting = selecting

    def follow(self, other: "FaultHandle") -> None:
        """Stands for the fault of another handle from now on: the same one in a restored world."""
        self._stage, self._fault, self.verb = other._stage, other._fault, other.verb

    def __await__(self) -> Generator[None, None, "FaultHandle"]:
        """Returns the handle: `await` is allowed where a test cannot know that it needs none."""
        yield from ()
        return self

    @property
    def id(self) -> str:
        """The id of the fault."""
        return self._fault.fault_id

    @property
    def hits(self) -> int:
        """The number of effects so far, such as lost messages.

        Raises CommandError if the function `when` of the fault has raised an exception.
        """
        for error in () if self._selecting is None else self._selecting.errors:
            raise CommandError(f"fault {self.id}: when: {error!r}") from error
        return self._fault.effects()

    @property
    def is_open(self) -> bool:
        """True until the fault is removed or its time is over."""
        return self._fault.is_open

    @property
    def is_spent(self) -> bool:
        """True if the fault has acted as often as its `count` allows."""
        return self._fault.effects() == self.verb.hits_max

    async def wait(self, hits: int = 1, timeout: str | float = "20s") -> int:
        """Waits until the fault has had `hits` effects, and returns the number of its effects.

        Raises TimeoutError after `timeout`. On a virtual clock the wait advances the time.
        """
        limit_us = microseconds(timeout)
        reason = f"hits of fault {self.id}"
        if not await self._live.clock.until(lambda: self.hits >= hits, limit_us, reason):
            raise TimeoutError(
                f"expected {hits} hits of fault {self.id} within {timeout}, got {self.hits}"
            )
        return self.hits

    async def remove(self) -> None:
        """Ends the fault, and undoes it; does nothing if it or its cluster has ended."""
        if self._stage.world is self._live.world:
            self._live.recorder.verb("faults.remove", {"id": self.id})
            with self._live.entered():
                self._stage.lift(self._fault)

    def text(self) -> str:
        """Returns the verb and its words in one line, as a scenario file has them."""
        return f"{self._fault.kind}: {as_written(document_of(self.verb))}"

    @property
    def events(self) -> list[FaultEvent]:
        """The newest events of the fault: each hit, and the journal's events that it caused."""
        return _events_of(self._stage.world, self._fault)

    @property
    def is_of_requests(self) -> bool:
        """True for a fault of requests (`rpc.*`), which acts at listeners."""
        return self._fault.kind.startswith(OF_REQUESTS)

    @property
    def held_count(self) -> int:
        """The number of requests and replies that the fault holds or delays now."""
        return len(self._fault.held)

    def held_messages(self) -> Iterator[HeldRequestDocument]:
        """Yields the requests and replies that the fault holds or delays now, the oldest first."""
        yield from (_of_held(self.id, number, held) for number, held in self._fault.held)

    async def release(self, message: int | None = None) -> int:
        """Releases the held message with this number, or every message that the fault holds now.

        Returns how many it released. Raises CommandError for a number that it does not hold.
        """
        if self._stage.world is not self._live.world:
            raise CommandError(f"fault {self.id}: it ended with the cluster that was reset")
        held = self._fault.held
        if message is not None and message not in dict(held):
            raise CommandError(f"fault {self.id}: {_expected_held(held, message)}")
        self._live.recorder.verb("faults.release", {"id": self.id, "message": message})
        with self._live.entered():
            return held.release_all() if message is None else int(held.release(message))

    def document(self) -> FaultDocument:
        """Returns the fault as HTTP and `--json` show it."""
        fault = self._fault
        return {
            "id": fault.fault_id,
            "verb": fault.kind,
            "words": document_of(self.verb),
            "open": fault.is_open,
            "spent": self.is_spent,
            "hits": fault.effects(),
            "nodes": list(numbers_of(sorted(fault.nodes))),
            "event": -1 if fault.seq is None else fault.seq,
        }


def _events_of(world: World, fault: Fault) -> list[FaultEvent]:
    """Returns the newest hits and the newest rows of a fault, in the order of time."""
    rows = (row for row in reversed(world.journal.since(fault.seq or 0)))
    newest = islice((row for row in rows if row.fault_id == fault.fault_id), ROWS_MAX)
    events = [_of_row(world, row) for row in newest][::-1]
    return sorted(
        [*events, *(_of_hit(world, hit) for hit in fault.log.hits)], key=itemgetter("tUs")
    )


def _of_row(world: World, row: EventRow) -> FaultEvent:
    event = event_view(row, world.timeline.wall_ms_at(row.t_us))
    return {
        "tUs": event["tUs"],
        "timeMs": event["timeMs"],
        "node": event["node"],
        "kind": event["kind"],
        "brokerId": event["brokerId"],
        "detail": event["detail"],
    }


def _of_held(fault_id: str, number: int, held: Holding) -> HeldRequestDocument:
    message, since_us = held.message, held.since_us
    sender, broker_id, until_us = message.sender, message.broker_id, message.until_us
    return {
        "number": number,
        "api": _api(message.request),
        "direction": "reply" if message.is_reply else "request",
        "node": _text(message.receiver),
        "sender": None if sender is None or sender.kind is Kind.OUTSIDE else _text(sender),
        "brokerId": None if broker_id < 0 else broker_id,
        "faultId": fault_id,
        "sinceMs": since_us // 1000,
        "untilMs": None if until_us is None else until_us // 1000,
    }


def _expected_held(held: HeldMessages, number: int) -> str:
    """Says which numbers of held messages there are."""
    numbers = [str(each) for each, _ in islice(held, NUMBERS_SHOWN_MAX)]
    more = ", ..." if len(held) > len(numbers) else ""
    expected = f"the number of a held message ({', '.join(numbers)}{more})"
    return (
        f"expected {expected if numbers else 'a held message, of which it has none'}, got {number}"
    )


def _of_hit(world: World, hit: Hit) -> FaultEvent:
    detail: Document = {"api": _api(hit.request)}
    return {
        "tUs": hit.t_us,
        "timeMs": world.timeline.wall_ms_at(hit.t_us),
        "node": _text(hit.receiver),
        "kind": hit.kind,
        "brokerId": None if hit.broker_id < 0 else hit.broker_id,
        "detail": detail,
    }


def _api(request: type) -> str:
    return request.__name__.removesuffix("Request")


def _text(node: NodeId) -> str:
    return f"{node.kind.name.lower()}-{node.number}"
