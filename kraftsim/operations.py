"""The table of operations, from which HTTP routes, OpenAPI, CLI verbs and help texts are built.

The parameters of an operation are those of its function after the cluster: their names, types and
defaults are read from the signature. Its summary is the first line of the function's docstring.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kraftsim.controller.wire.codec.schema import lower_camel
from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.json.log_paths import LOG, LOG_END
from kraftsim.scenarios.language.suggestions import nearest, whole_number

from .api.log_views import log_end_view, log_view
from .api.views import (
    broker_view,
    brokers_view,
    cluster_view,
    controller_view,
    controllers_view,
    event_view,
    quorum_view,
    topics_view,
)
from .errors import CommandError, UnknownBroker
from .explanation import explanation
from .parameter_texts import PARAMETER_TEXTS

if TYPE_CHECKING:
    from .api.cluster import Cluster

LOG_LIMIT_MAX = 10_000  # records per response
EVENTS_LIMIT_MAX = 10_000  # rows per response

Run = Callable[..., Awaitable[Document]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation.

    `kind` is int, bool or str. A `default` of `inspect.Parameter.empty` makes the parameter
    required.
    """

    name: str
    kind: type
    default: object

    @property
    def is_required(self) -> bool:
        """True if the parameter has no default."""
        return self.default is inspect.Parameter.empty

    @property
    def json_name(self) -> str:
        """The parameter's name in lowerCamel, as JSON documents and HTTP queries spell it."""
        return lower_camel(self.name)

    @property
    def help(self) -> str:
        """The help text, with the default and the unit."""
        return PARAMETER_TEXTS[self.name]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its HTTP route, the words of its CLI verb, and the function that runs it.

    `changes` marks an operation that changes the cluster: it belongs to the control side, which is
    served on loopback only. `moves_time` marks an operation that advances a virtual clock: it
    belongs to the control side only on a virtual clock.
    """

    method: Literal["GET", "POST"]
    path: str
    words: tuple[str, ...]
    run: Run
    changes: bool = False
    moves_time: bool = False

    @property
    def name(self) -> str:
        """The name of the function that runs the operation."""
        return self.run.__name__

    @property
    def summary(self) -> str:
        """The first line of the function's docstring, a sentence: the summary in OpenAPI."""
        return (inspect.getdoc(self.run) or "").split("\n")[0]

    @property
    def help(self) -> str:
        """The summary as a phrase, without capital and full stop, as other verbs' help texts."""
        return self.summary[:1].lower() + self.summary[1:].removesuffix(".")

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters of the function after the cluster, in order."""
        signature = inspect.signature(self.run)
        named = list(signature.parameters.values())[1:]
        return [
            Parameter(parameter.name, _kind(parameter.annotation), parameter.default)
            for parameter in named
        ]

    @property
    def path_names(self) -> list[str]:
        """The names of the parameters that are part of the HTTP path."""
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]


def _kind(annotation: object) -> type:
    text = (
        annotation
        if isinstance(annotation, str)
        else getattr(annotation, "__name__", str(annotation))
    )
    return {"int": int, "bool": bool}.get(str(text).split(" ")[0], str)


async def cluster(kraft: "Cluster") -> Document:
    """Show the cluster: id, active controller, features and end of the log."""
    return cluster_view(kraft.world)


async def quorum(kraft: "Cluster") -> Document:
    """Show the quorum as its leader describes it: voters and observers with offsets and times."""
    return quorum_view(kraft.world, await kraft.describe_quorum())


async def transfer_leadership(kraft: "Cluster", to: int = -1, timeout: str = "20s") -> Document:
    """Make the leader resign, and return once its successor is active."""
    await kraft.transfer_leadership(to, timeout)
    return _leader(kraft)


async def list_controllers(kraft: "Cluster") -> Document:
    """List the controllers with process state, role in the quorum and end of the log."""
    return controllers_view(kraft.world)


async def kill_controller(kraft: "Cluster", id: int) -> Document:
    """Kill a controller (SIGKILL); its disk survives, and the other voters elect a leader."""
    await kraft.kill_controller(id)
    return controller_view(kraft.world, id)


async def start_controller(kraft: "Cluster", id: int) -> Document:
    """Start a new process of a controller on the disk of the previous process."""
    await kraft.start_controller(id)
    return controller_view(kraft.world, id)


async def pause_controller(kraft: "Cluster", id: int) -> Document:
    """Pause a controller (SIGSTOP): the process stays alive and handles no messages."""
    await kraft.pause_controller(id)
    return controller_view(kraft.world, id)


async def resume_controller(kraft: "Cluster", id: int) -> Document:
    """Resume a paused controller (SIGCONT)."""
    await kraft.resume_controller(id)
    return controller_view(kraft.world, id)


async def list_brokers(kraft: "Cluster") -> Document:
    """List the registered and the simulated brokers."""
    return brokers_view(kraft.world.committed, kraft.world.agents)


async def show_broker(kraft: "Cluster", id: int) -> Document:
    """Show a broker: registration, fencing, start time and simulated process."""
    world = kraft.world
    ids = {*world.committed.brokers, *world.agents}
    if id not in ids:
        raise UnknownBroker(id, sorted(ids))
    return broker_view(world.committed, world.agents, id)


async def list_topics(kraft: "Cluster") -> Document:
    """List the topics with leader, replicas and in-sync replicas of every partition."""
    return topics_view(kraft.world.committed)


async def read_log(kraft: "Cluster", from_: int | None = None, limit: int = 1000) -> Document:
    """Print committed records of the metadata log as Kafka's own decoder prints them.

    Starts at the first offset of the log unless `from` is given. The response is one JSON object
    per line if the client accepts application/x-ndjson.
    """
    check_page(from_ or 0, limit, LOG_LIMIT_MAX)
    return log_view(kraft.world.committed_log, from_, limit)


async def end_of_log(kraft: "Cluster") -> Document:
    """Show the first and the end offset of the committed log, and the cluster id."""
    return log_end_view(kraft.world)


async def list_events(kraft: "Cluster", from_: int = 0, limit: int = 1000) -> Document:
    """List events from number `from` on, as server-sent events if the client accepts them."""
    check_page(from_, limit, EVENTS_LIMIT_MAX)
    rows = kraft.world.journal.since(from_)[:limit]
    following = rows[-1].seq + 1 if rows else from_
    return {"events": [event_view(row) for row in rows], "next": following}


async def explain(kraft: "Cluster", event: int) -> Document:
    """Print the causes of an event in order, the first cause first, in at most twenty lines."""
    return {"event": event, "lines": explanation(kraft.world.journal.since(0), event)}


async def add_broker(kraft: "Cluster", rack: str | None = None) -> Document:
    """Start another simulated broker, with the next free id."""
    broker_id = await kraft.add_broker(rack)
    return {"brokerId": broker_id}


async def stop_broker(kraft: "Cluster", id: int) -> Document:
    """Stop a broker (SIGTERM): it hands over its leaderships, is fenced and exits."""
    await kraft.stop(id)
    return _states(kraft, id)


async def kill_broker(kraft: "Cluster", id: int) -> Document:
    """Kill a broker (SIGKILL); the controller fences it when its lease expires."""
    await kraft.kill(id)
    return _states(kraft, id)


async def pause_broker(kraft: "Cluster", id: int) -> Document:
    """Pause a broker (SIGSTOP): the process stays alive and handles no messages."""
    await kraft.pause(id)
    return _states(kraft, id)


async def resume_broker(kraft: "Cluster", id: int) -> Document:
    """Resume a paused broker (SIGCONT)."""
    await kraft.resume(id)
    return _states(kraft, id)


async def restart_broker(kraft: "Cluster", id: int) -> Document:
    """Kill the process of a broker if it runs, and start a new incarnation."""
    await kraft.restart(id)
    return _states(kraft, id)


async def mute_broker(kraft: "Cluster", id: int, on: bool = True) -> Document:
    """Drop every request from a broker to the controllers, or deliver requests again."""
    await kraft.mute(id, on)
    return _states(kraft, id)


async def deafen_broker(kraft: "Cluster", id: int, on: bool = True) -> Document:
    """Drop every response from the controllers to a broker, or deliver responses again."""
    await kraft.deafen(id, on)
    return _states(kraft, id)


async def wait(
    kraft: "Cluster",
    broker: int | None = None,
    state: str | None = None,
    leader: str | None = None,
    timeout: str = "20s",
) -> Document:
    """Wait until a broker is in a state, or until a controller is active."""
    await kraft.wait(broker, state, timeout, leader=leader)
    return _leader(kraft) if broker is None else _states(kraft, broker)


def check_page(start: int, limit: int, limit_max: int) -> None:
    """Raises CommandError if `start` is negative or `limit` is not in 1 to `limit_max`."""
    if start < 0:
        raise CommandError(f"from: expected 0 or above, got {start}")
    if not 1 <= limit <= limit_max:
        raise CommandError(f"limit: expected 1 to {limit_max}, got {limit}")


def _leader(kraft: "Cluster") -> Document:
    node = kraft.world.controller.node
    return {"leaderId": node.leader_id, "leaderEpoch": node.epoch}


def _states(kraft: "Cluster", broker_id: int) -> Document:
    return {"brokerId": broker_id, "states": sorted(kraft.states_of(broker_id))}


def _process_verbs(word: str, path: str, *runs: Run) -> Iterator[Operation]:
    """Yields the operations on one process; the verb is the first word of the function's name."""
    for run in runs:
        verb = run.__name__.partition("_")[0]
        yield Operation("POST", f"{path}/{{id}}/{verb}", (word, verb), run, changes=True)


# Operations that the router or the command line treats specially, or calls by themselves.
SHOW_CLUSTER = Operation("GET", "/v1/cluster", ("cluster", "show"), cluster)
LIST_BROKERS = Operation("GET", "/v1/brokers", ("broker", "ls"), list_brokers)
READ_LOG = Operation("GET", LOG, ("log", "show"), read_log)
LIST_EVENTS = Operation("GET", "/v1/events", ("events",), list_events)
EXPLAIN = Operation("GET", "/sim/explain/{event}", ("explain",), explain)

OPERATIONS: tuple[Operation, ...] = (
    SHOW_CLUSTER,
    Operation("GET", "/v1/quorum", ("quorum", "show"), quorum),
    Operation(
        "POST", "/sim/quorum/transfer", ("quorum", "transfer"), transfer_leadership, changes=True
    ),
    Operation("GET", "/v1/controllers", ("controllers", "ls"), list_controllers),
    *_process_verbs(
        "controllers",
        "/sim/controllers",
        kill_controller,
        start_controller,
        pause_controller,
        resume_controller,
    ),
    LIST_BROKERS,
    Operation("GET", "/v1/brokers/{id}", ("broker", "show"), show_broker),
    Operation("GET", "/v1/topics", ("topic", "ls"), list_topics),
    READ_LOG,
    Operation("GET", LOG_END, ("log", "end"), end_of_log),
    LIST_EVENTS,
    EXPLAIN,
    Operation("POST", "/sim/brokers", ("broker", "add"), add_broker, changes=True),
    *_process_verbs(
        "broker",
        "/sim/brokers",
        stop_broker,
        kill_broker,
        pause_broker,
        resume_broker,
        restart_broker,
        mute_broker,
        deafen_broker,
    ),
    Operation("GET", "/v1/wait", ("wait",), wait, moves_time=True),
)


def arguments(operation: Operation, values: dict[str, object]) -> dict[str, object]:
    """Checks the values that a user gave, and converts them to the operation's parameters.

    Raises CommandError, with the parameter's name, for an invalid, unknown or missing value.
    """
    parameters = {parameter.json_name: parameter for parameter in operation.parameters}
    for name in values:
        if name not in parameters:
            raise CommandError(
                f"{operation.name}: expected {nearest(name, parameters)}, got {name!r}"
            )
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.is_required and name not in values
    ]
    if missing:
        raise CommandError(
            f"{operation.name}: expected the parameters {', '.join(missing)}, got none of them"
        )
    return {
        parameters[name].name: converted(parameters[name], value) for name, value in values.items()
    }


def converted(parameter: Parameter, value: object) -> object:
    """Converts a JSON value or a text to the parameter's type; raises CommandError if it cannot."""
    if value is None and parameter.default is None:
        return None
    if parameter.kind is str and isinstance(value, str):
        return value
    if parameter.kind is bool and str(value).lower() in ("true", "false"):
        return str(value).lower() == "true"
    if parameter.kind is int and (number := whole_number(str(value))) is not None:
        return number
    kinds = {int: "a whole number", bool: "true or false", str: "a text"}
    raise CommandError(f"{parameter.json_name}: expected {kinds[parameter.kind]}, got {value!r}")
