"""The table of operations, from which HTTP routes, OpenAPI, CLI verbs and help texts are built.

`operation.py` says what a row of the table is; modules beside it have the rows of other nouns.
"""

from typing import TYPE_CHECKING

from kraftsim.controller.wire.json.log_paths import LOG, LOG_END

from ..api.argument_checks import (
    check_broker,
    check_install,
    check_page,
    check_requests,
    check_transfer,
    check_wait,
)
from ..api.documents import (
    AddedBroker,
    BrokerDocument,
    BrokerList,
    ClusterDocument,
    ControllerDocument,
    ControllerList,
    EndingCluster,
    EventPage,
    Explanation,
    LeaderDocument,
    LogEndDocument,
    LogPage,
    QuorumDocument,
    RequestCount,
    RequestPage,
    ResetCluster,
)
from ..api.states import BrokerStatesDocument
from .clock import CLOCK_OPERATIONS
from .configs import CONFIG_OPERATIONS
from .faults import FAULT_OPERATIONS
from .lessons import LESSON_OPERATIONS
from .log import EXPORT_LOG
from .nodes import NODE_OPERATIONS
from .operation import Operation
from .reassignments import REASSIGNMENT_OPERATIONS
from .snapshots import SNAPSHOT_OPERATIONS
from .topics import TOPIC_OPERATIONS

if TYPE_CHECKING:
    from ..api.cluster import Cluster


async def show_cluster(kraft: "Cluster") -> ClusterDocument:
    """Show the cluster: id, active controller, features and end of the log."""
    return await kraft.show()


async def show_quorum(kraft: "Cluster") -> QuorumDocument:
    """Show the quorum as its leader describes it: voters and observers with offsets and times."""
    return await kraft.quorum.show()


async def transfer_leadership(
    kraft: "Cluster", to: int = -1, timeout: str | float = "20s"
) -> LeaderDocument:
    """Make the leader resign, and return once its successor is active."""
    await kraft.quorum.transfer_leadership(to, timeout)
    return kraft.quorum.leader()


async def list_controllers(kraft: "Cluster") -> ControllerList:
    """List the controllers with process state, role in the quorum and end of the log."""
    return {"controllers": [*await kraft.controllers.list()]}


async def show_controller(kraft: "Cluster", id: int) -> ControllerDocument:
    """Show a controller: process state, role in the quorum and end of the log."""
    return await kraft.controllers.show(id)


async def list_brokers(kraft: "Cluster", from_: int = 0, limit: int | None = None) -> BrokerList:
    """List the registered and the simulated brokers, in order of id."""
    page = await kraft.brokers.list(from_, limit)
    return {"brokers": page, "next": page.next}


async def show_broker(kraft: "Cluster", id: int) -> BrokerDocument:
    """Show a broker: registration, fencing, process, and what an outage of it would cost."""
    return await kraft.brokers.show(id)


async def show_log(kraft: "Cluster", from_: int | None = None, limit: int = 1000) -> LogPage:
    """Print committed records of the metadata log as Kafka's own decoder prints them.

    Starts at the first offset of the log unless `from` is given. The response is one JSON object
    per line if the client accepts application/x-ndjson.
    """
    page, log = await kraft.log.show(from_, limit), kraft.world.committed_log
    return {
        "records": page,
        "next": page.next,
        "startOffset": log.start_offset,
        "highWatermark": log.end_offset,
    }


async def show_log_end(kraft: "Cluster") -> LogEndDocument:
    """Show the first and the end offset of the committed log, and the cluster id."""
    return await kraft.log.end()


async def list_events(kraft: "Cluster", from_: int = 0, limit: int = 1000) -> EventPage:
    """List events from number `from` on, as server-sent events if the client accepts them.

    A stream begins at the newest event unless `from` is given.
    """
    page = await kraft.events.list(from_, limit)
    return {"events": page, "next": page.next}


async def list_requests(
    kraft: "Cluster",
    api: str | None = None,
    where: str | None = None,
    from_: int = 0,
    limit: int = 1000,
) -> RequestPage:
    """List the requests that clients have sent, without those of the simulated brokers."""
    page = await kraft.requests.list(api, where, from_, limit)
    return {"requests": page, "next": page.next}


async def count_requests(
    kraft: "Cluster", api: str | None = None, where: str | None = None
) -> RequestCount:
    """Count the requests that clients have sent; if none meets the conditions, show near misses."""
    return await kraft.requests.count(api, where)


async def explain(kraft: "Cluster", event: int) -> Explanation:
    """Print the causes of an event in order, the first cause first, in at most twenty lines."""
    return {"event": event, "lines": await kraft.explain(event)}


async def add_broker(
    kraft: "Cluster", rack: str | None = None, profile: str | None = None
) -> AddedBroker:
    """Start another simulated broker, with the next free id."""
    broker_id = await kraft.brokers.add(rack, profile=profile)
    return {"brokerId": broker_id}


async def install_broker(kraft: "Cluster", id: int, profile: str) -> BrokerDocument:
    """Install another release on a broker's host; the broker runs it from its next start on."""
    await kraft.brokers.install(id, profile)
    return await kraft.brokers.show(id)


async def install_controller(kraft: "Cluster", id: int, profile: str) -> ControllerDocument:
    """Install another release on a controller's host; it runs it from its next start on."""
    await kraft.controllers.install(id, profile)
    return await kraft.controllers.show(id)


async def restart_broker(
    kraft: "Cluster", id: int, wait: str | float | None = None
) -> BrokerStatesDocument:
    """Kill the process of a broker if it runs, and start a new incarnation.

    With `wait`, responds once the new start time of the broker is registered and unfenced.
    """
    await kraft.brokers.restart(id, wait)
    return kraft.brokers.states(id)


async def wait(
    kraft: "Cluster",
    broker: int | None = None,
    state: str | None = None,
    leader: str | None = None,
    timeout: str | float = "20s",
) -> BrokerStatesDocument | LeaderDocument:
    """Wait until a broker is in a state, or until a controller is active."""
    seen: BrokerStatesDocument | LeaderDocument
    # The overloads of `wait` know which arguments go together; at run time it checks them itself.
    seen = await kraft.wait(broker, state, timeout, leader=leader)  # type: ignore[call-overload]
    return seen


async def reset(kraft: "Cluster", seed: int | None = None) -> ResetCluster:
    """Replace the cluster by a new one with the same options, addresses and seed."""
    return await kraft.reset(seed)


async def down(kraft: "Cluster") -> EndingCluster:
    """End the `kraftsim up` that serves the cluster."""
    kraft.request_end()
    return {"clusterId": kraft.cluster_id}


def _on_controller(verb: str, summary: str) -> Operation:
    async def run(kraft: "Cluster", id: int) -> ControllerDocument:
        await getattr(kraft.controllers, verb)(id)
        return await kraft.controllers.show(id)

    run.__name__, run.__doc__ = f"{verb}_controller", summary
    path = f"/sim/controllers/{{id}}/{verb}"
    return Operation("POST", path, ("controller", verb), run, changes=True)


def _on_broker(verb: str, summary: str) -> Operation:
    async def run(kraft: "Cluster", id: int) -> BrokerStatesDocument:
        await getattr(kraft.brokers, verb)(id)
        return kraft.brokers.states(id)

    run.__name__, run.__doc__ = f"{verb}_broker", summary
    return Operation("POST", f"/sim/brokers/{{id}}/{verb}", ("broker", verb), run, changes=True)


# Operations that the router or the command line treats specially, or calls by themselves.
SHOW_CLUSTER = Operation("GET", "/v1/cluster", ("cluster", "show"), show_cluster)
SHOW_QUORUM = Operation("GET", "/v1/quorum", ("quorum", "show"), show_quorum)
LIST_CONTROLLERS = Operation("GET", "/v1/controllers", ("controller", "list"), list_controllers)
LIST_BROKERS = Operation("GET", "/v1/brokers", ("broker", "list"), list_brokers, check=check_page)
SHOW_LOG = Operation("GET", LOG, ("log", "show"), show_log, check=check_page)
LIST_EVENTS = Operation("GET", "/v1/events", ("events",), list_events, check=check_page)
LIST_REQUESTS = Operation(
    "GET", "/v1/requests", ("request", "list"), list_requests, check=check_requests
)
EXPLAIN = Operation("GET", "/sim/explain/{event}", ("explain",), explain)

RESET = Operation("POST", "/sim/reset", ("reset",), reset, changes=True)
DOWN = Operation("POST", "/sim/down", ("down",), down, changes=True)

OPERATIONS: tuple[Operation, ...] = (
    SHOW_CLUSTER,
    SHOW_QUORUM,
    Operation(
        "POST",
        "/sim/quorum/transfer-leadership",
        ("quorum", "transfer-leadership"),
        transfer_leadership,
        changes=True,
        check=check_transfer,
    ),
    LIST_CONTROLLERS,
    Operation("GET", "/v1/controllers/{id}", ("controller", "show"), show_controller),
    _on_controller(
        "kill",
        "Kill a controller (SIGKILL); its disk survives, and the other voters elect a leader.",
    ),
    _on_controller(
        "start", "Start a new process of a controller on the disk of the previous process."
    ),
    _on_controller(
        "pause",
        "Pause a controller (SIGSTOP): the process stays alive and handles no messages.",
    ),
    _on_controller("resume", "Resume a paused controller (SIGCONT)."),
    Operation(
        "POST",
        "/sim/controllers/{id}/install",
        ("controller", "install"),
        install_controller,
        changes=True,
        check=check_install,
    ),
    LIST_BROKERS,
    Operation("GET", "/v1/brokers/{id}", ("broker", "show"), show_broker),
    *TOPIC_OPERATIONS,
    *REASSIGNMENT_OPERATIONS,
    *CONFIG_OPERATIONS,
    SHOW_LOG,
    Operation("GET", LOG_END, ("log", "end"), show_log_end),
    EXPORT_LOG,
    LIST_EVENTS,
    LIST_REQUESTS,
    Operation(
        "GET",
        "/v1/requests/count",
        ("request", "count"),
        count_requests,
        check=check_requests,
    ),
    EXPLAIN,
    Operation(
        "POST",
        "/sim/brokers",
        ("broker", "add"),
        add_broker,
        changes=True,
        check=check_broker,
    ),
    _on_broker(
        "stop", "Stop a broker (SIGTERM): it hands over its leaderships, is fenced and exits."
    ),
    _on_broker("kill", "Kill a broker (SIGKILL); the controller fences it when its lease expires."),
    _on_broker(
        "pause", "Pause a broker (SIGSTOP): the process stays alive and handles no messages."
    ),
    _on_broker("resume", "Resume a paused broker (SIGCONT)."),
    Operation(
        "POST", "/sim/brokers/{id}/restart", ("broker", "restart"), restart_broker, changes=True
    ),
    Operation(
        "POST",
        "/sim/brokers/{id}/install",
        ("broker", "install"),
        install_broker,
        changes=True,
        check=check_install,
    ),
    _on_broker("mute", "Drop everything that a broker sends to controllers and to other brokers."),
    _on_broker("unmute", "Deliver what a muted broker sends again."),
    _on_broker("deafen", "Drop everything that controllers and other brokers send to a broker."),
    _on_broker("undeafen", "Deliver what is sent to a deafened broker again."),
    *NODE_OPERATIONS,
    *CLOCK_OPERATIONS,
    RESET,
    *FAULT_OPERATIONS,
    *SNAPSHOT_OPERATIONS,
    *LESSON_OPERATIONS,
    DOWN,
    Operation("GET", "/v1/wait", ("wait",), wait, moves_time=True, check=check_wait),
)
