"""What the live page shows of a cluster at one time."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.wire.json.document import Document
from kraftsim.simulation.world import World

from ...api.cluster import Cluster
from ...api.documents import EventDocument
from ...api.views.state_views import broker_view, controller_view, event_view
from ...service.event_loop.lag import LoopLag
from ..tables import broker_rows
from .log_lines import clock_time

EVENTS_MAX = 50  # events on a page; a terminal seldom has more lines
CHANGES = (
    "broker_registered",
    "broker_unregistered",
    "broker_fenced",
    "broker_unfenced",
    "broker_in_controlled_shutdown",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The rows of the page: controllers, brokers, events (the newest last) and lines of the log.

    `brokers` has the brokers in trouble first, and at most as many rows as the page has lines;
    `broker_count` counts all brokers.
    """

    heading: Sequence[str]
    controllers: Sequence[Document]
    brokers: Sequence[Document]
    broker_count: int
    events: Sequence[Document]
    log_lines: Sequence[str]


class Observer:
    """Follows a cluster: its newest events, and since when each broker has its state."""

    def __init__(self, kraft: Cluster) -> None:
        self._kraft = kraft
        self._lag = LoopLag()
        self._next_seq = 0
        self._events: deque[Document] = deque(maxlen=EVENTS_MAX)
        self._changed_ms: dict[int, int] = {}

    def close(self) -> None:
        """Stops measuring."""
        self._lag.close()

    def overview(self, log_lines: Sequence[str], brokers_max: int) -> Overview:
        """Returns what the page shows now; `log_lines` are the newest lines of the log."""
        world = self._kraft.world
        for row in world.journal.since(self._next_seq):
            self._note(event_view(row, world.timeline.wall_ms_at(row.t_us)))
        ids = {*world.committed.brokers, *world.agents}
        return Overview(
            heading=self._heading(),
            controllers=[_controller_row(world, node_id) for node_id in world.controllers],
            brokers=self._broker_rows(world, ids, brokers_max),
            broker_count=len(ids),
            events=tuple(self._events),
            log_lines=log_lines,
        )

    def _note(self, event: EventDocument) -> None:
        self._next_seq = event["seq"] + 1
        broker_id, time_ms = event["brokerId"], event["timeMs"]
        if broker_id is not None and event["kind"] in CHANGES:
            self._changed_ms[broker_id] = time_ms
        broker = {} if broker_id is None else {"broker": broker_id}
        self._events.append(
            {
                "time": clock_time(time_ms),
                "event": event["seq"],
                "kind": event["kind"],
                "detail": broker | event["detail"],
                "node": event["node"],
            }
        )

    def _heading(self) -> Sequence[str]:
        kraft = self._kraft
        lag = f"loop lag {self._lag.worst_s * 1000:.0f} ms (1 min)"
        return (
            f"{kraft.options.profile}, {lag}, cluster {kraft.cluster_id}",
            f"{kraft.http_url}, Kafka {kraft.bootstrap_servers or 'without a broker'}",
        )

    def _broker_rows(self, world: World, ids: set[int], brokers_max: int) -> list[Document]:
        """Returns the rows of at most `brokers_max` brokers, those in trouble first."""
        ordered = sorted(ids, key=lambda broker_id: (_is_well(world, broker_id), broker_id))
        image, agents = world.committed, world.agents
        rows = broker_rows(
            [broker_view(image, agents, broker_id) for broker_id in ordered[:brokers_max]]
        )
        return [
            {"broker": row["id"]}
            | {key: row[key] for key in ("state", "epoch", "rack", "process")}
            | {"since": _since(self._changed_ms, row)}
            for row in rows
        ]


def _since(changed_ms: Mapping[int, int], row: Document) -> str | None:
    broker_id = row["id"]
    assert isinstance(broker_id, int), row
    return clock_time(changed_ms[broker_id]) if broker_id in changed_ms else None


def _is_well(world: World, broker_id: int) -> bool:
    broker, agent = world.committed.brokers.get(broker_id), world.agents.get(broker_id)
    is_serving = broker is not None and not broker.fenced and not broker.in_controlled_shutdown
    return is_serving and (agent is None or agent.state is ProcessState.RUNNING)


def _controller_row(world: World, node_id: int) -> Document:
    view = controller_view(world, node_id)
    return {
        "controller": node_id,
        "role": view["role"],
        "epoch": view["epoch"],
        "offset": view["logEndOffset"],
        "process": view["state"],
    }
