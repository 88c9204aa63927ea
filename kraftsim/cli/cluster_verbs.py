"""The verbs for a running cluster: the operations, and the verbs of Kafka's own tools.

`cluster cluster-id|list-endpoints|unregister|unregister-controller|decommission` take the options
and print the columns of Kafka's `kafka-cluster` (rules 6.26 to 6.28), `controller add|remove` print
its sentences (`quorum/voter_verbs.py`); the other verbs print the response of their operation.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kraftsim.controller.wire.json.document import Document

from ..errors import GOOD, CommandError
from ..http.client import call, service_url
from ..http.paths import kafka_path
from ..operations.log import EXPORT_LOG
from ..operations.operation import Operation
from ..operations.table import (
    DOWN,
    EXPLAIN,
    LIST_BROKERS,
    LIST_EVENTS,
    LIST_REQUESTS,
    OPERATIONS,
    SHOW_CLUSTER,
    SHOW_LOG,
    SHOW_QUORUM,
)
from ..operations.topics import LIST_TOPICS, WRITE_TOPIC
from ..printable import printable
from .arguments.parameters import add_argument
from .held_notice import held_notice
from .journal_verbs import add_event_arguments, print_events, print_requests
from .log.dump import add_dump_arguments, dump_log
from .log.export import add_export_arguments, export_log
from .output import hint_next, is_data, print_data
from .quorum.summary import quorum_summary
from .quorum.tool import add_quorum_tool_arguments, describe_quorum
from .quorum.voter_verbs import (
    add_voter,
    add_voter_arguments,
    remove_voter,
    remove_voter_arguments,
    sender_of,
)
from .service_verbs import end_service
from .tables import print_document, print_rows, print_sentence
from .terminal import width
from .topic_write import add_write_arguments, write_topic

Run = Callable[[argparse.Namespace], int]


@dataclass(frozen=True, slots=True)
class Command:
    """A verb: its words, its help text, its arguments, and the function that runs it."""

    words: tuple[str, ...]
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Run

    @property
    def has_times(self) -> bool:
        """True if the text that it prints has times of day."""
        return " ".join(self.words) in WITH_TIMES


def _of(operation: Operation) -> Command:
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        for parameter in operation.parameters:
            add_argument(parser, operation, parameter)

    def run(arguments: argparse.Namespace) -> int:
        given = {
            parameter: getattr(arguments, parameter.name)
            for parameter in operation.parameters
            if getattr(arguments, parameter.name) is not None
        }
        operation.check(**{parameter.name: value for parameter, value in given.items()})
        values = {parameter.json_name: value for parameter, value in given.items()}
        url = service_url(arguments.url)
        with held_notice(url):
            document = call(url, operation.method, operation.path, values)
        if operation is LIST_REQUESTS:
            print_requests(arguments, document)
        elif operation is SHOW_QUORUM and not is_data(arguments):
            print_document(arguments, quorum_summary(document))
        else:
            print_document(arguments, document)
        if operation is SHOW_LOG and document["records"]:
            _hint_next_records(document)
        if operation in (LIST_BROKERS, LIST_TOPICS) and document["next"] is not None:
            hint_next(document["next"])
        return GOOD

    return Command(operation.words, operation.help, add_arguments, run)


def _hint_next_records(page: Document) -> None:
    if page["next"] != page["highWatermark"]:
        hint_next(page["next"])


def _kafka_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `kafka-cluster`. Requests go to --url; -b only checks the cluster."""
    parser.add_argument(
        "-b",
        "--bootstrap-server",
        metavar="HOST:PORT",
        help="address of a broker; it must belong to the cluster at --url",
    )
    parser.add_argument(
        "-c",
        "--config",
        metavar="FILE",
        help="no effect, with a warning; accepted because Kafka's kafka-cluster has it",
    )


def _warn_of_config(arguments: argparse.Namespace) -> None:
    if arguments.config is not None:
        print("kraftsim: --config has no effect: no listener asks for credentials", file=sys.stderr)


def _cluster_url(arguments: argparse.Namespace) -> str:
    """Returns the URL of the service, from --url, KRAFTSIM_HTTP or the default.

    If --bootstrap-server is given, raises CommandError unless a broker of the service's cluster has
    one of its addresses.
    """
    _warn_of_config(arguments)
    url = service_url(arguments.url)
    if arguments.bootstrap_server is not None:
        brokers = call(url, LIST_BROKERS.method, LIST_BROKERS.path, {})["brokers"]
        assert isinstance(brokers, list), brokers
        addresses = {
            f"{listener['host']}:{listener['port']}"
            for b in brokers
            for listener in b.get("listeners", ())
        }
        requested = arguments.bootstrap_server.replace("localhost:", "127.0.0.1:").split(",")
        if not set(requested) & addresses:
            raise CommandError(
                f"--bootstrap-server: expected one of {', '.join(sorted(addresses))} of the "
                f"cluster at {url}, got {arguments.bootstrap_server}"
            )
    return url


def _id_arguments(parser: argparse.ArgumentParser) -> None:
    _kafka_cluster_arguments(parser)
    _id_argument(parser, "broker")


def _id_argument(parser: argparse.ArgumentParser, node: str) -> None:
    parser.add_argument(
        "-i", "--id", type=int, required=True, metavar=node.upper(), help=f"id of the {node}"
    )


def _controller_id_arguments(parser: argparse.ArgumentParser) -> None:
    _kafka_cluster_arguments(parser)
    parser.add_argument(
        "-C",
        "--bootstrap-controller",
        dest="bootstrap_controllers",
        metavar="HOST:PORT,...",
        help="addresses of controllers, to which the request goes instead of --url",
    )
    _id_argument(parser, "controller")


def _decommission_arguments(parser: argparse.ArgumentParser) -> None:
    _id_arguments(parser)
    parser.add_argument(
        "-f",
        "--force",
        action="store_true",
        help="decommission the broker also if it has the last replica of a partition (data loss)",
    )


def _endpoints_arguments(parser: argparse.ArgumentParser) -> None:
    _kafka_cluster_arguments(parser)
    parser.add_argument(
        "--include-fenced-brokers", action="store_true", help="list fenced brokers too"
    )


def _cluster_id(arguments: argparse.Namespace) -> int:
    document = call(_cluster_url(arguments), SHOW_CLUSTER.method, SHOW_CLUSTER.path, {})
    if is_data(arguments):
        print_data(arguments, {"clusterId": document["clusterId"]})
    else:
        print(f"Cluster ID: {document['clusterId']}")
    return GOOD


def _list_endpoints(arguments: argparse.Namespace) -> int:
    request = {"includeFencedBrokers": arguments.include_fenced_brokers}
    document = call(_cluster_url(arguments), "POST", kafka_path("DescribeCluster"), request)
    if is_data(arguments):
        print_data(arguments, document)
        return GOOD
    brokers = document["brokers"]
    assert isinstance(brokers, list), brokers
    lines = list(endpoint_lines(brokers))
    columns = None if arguments.output == "wide" else width()
    if columns is None or len(lines[0]) <= columns:
        print(*lines, sep="\n")
    else:
        print_rows([_endpoint(broker) for broker in brokers], utc=arguments.utc)
    return GOOD


def _endpoint(broker: Document) -> Document:
    """Returns the row of a broker with the headings of Kafka, for a terminal that is narrower."""
    return {
        "ID": broker["brokerId"],
        "HOST": broker["host"],
        "PORT": broker["port"],
        "STATE": _fenced_state(broker),
        "RACK": broker["rack"],
        "ENDPOINT_TYPE": "broker",
    }


def _fenced_state(broker: Document) -> str:
    return "fenced" if broker["isFenced"] else "unfenced"


def endpoint_lines(brokers: list[Document]) -> Iterator[str]:
    """Yields the lines of `kafka-cluster list-endpoints` (rule 6.27).

    The column RACK is omitted if no broker has a rack.
    """
    has_rack = any(broker["rack"] for broker in brokers)
    host_width = max((len(str(broker["host"])) for broker in brokers), default=100)
    rack_width = max((len(str(broker["rack"])) for broker in brokers if broker["rack"]), default=10)

    def line(id: object, host: object, port: object, rack: object, state: object, kind: str) -> str:
        shown_rack = f"{rack or 'null'!s:<{rack_width}} " if has_rack else ""
        return printable(
            f"{id!s:<10} {host!s:<{host_width}} {port!s:<10} {shown_rack}{state!s:<10} {kind:<15}"
        )

    yield line("ID", "HOST", "PORT", "RACK", "STATE", "ENDPOINT_TYPE")
    for listed_broker in brokers:
        yield line(
            listed_broker["brokerId"],
            listed_broker["host"],
            listed_broker["port"],
            listed_broker["rack"],
            _fenced_state(listed_broker),
            "broker",
        )


def _unregister(arguments: argparse.Namespace) -> int:
    body = {"brokerId": arguments.id}
    document = call(_cluster_url(arguments), "POST", kafka_path("UnregisterBroker"), body)
    print_sentence(arguments, f"Broker {arguments.id} is no longer registered.", document)
    return GOOD


def _unregister_controller(arguments: argparse.Namespace) -> int:
    given = (arguments.bootstrap_server, arguments.bootstrap_controllers)
    if all(addresses is not None for addresses in given):
        raise ValueError("expected --bootstrap-server or --bootstrap-controller, got both")
    if arguments.bootstrap_controllers is None:
        arguments.url = _cluster_url(arguments)
    else:
        _warn_of_config(arguments)
    body: Document = {"controllerId": arguments.id}
    document = sender_of(arguments)("UnregisterController", body)
    print_sentence(arguments, f"Controller {arguments.id} is no longer registered.", document)
    return GOOD


def _decommission(arguments: argparse.Namespace) -> int:
    body = {"brokerId": arguments.id, "force": arguments.force}
    document = call(_cluster_url(arguments), "POST", kafka_path("DecommissionBroker"), body)
    print_sentence(arguments, f"Broker {arguments.id} is decommissioned.", document)
    return GOOD


def _command(
    words: str, help: str, add: Callable[[argparse.ArgumentParser], None], run: Run
) -> Command:
    return Command(tuple(words.split()), help, add, run)


WITH_TIMES = (
    *("quorum show", "broker list", "broker show", "broker install"),
    *("log show", "log end", "log dump", "events", "request list", "request count"),
    *(f"clock {verb}" for verb in ("show", "advance", "run-until", "pause", "resume", "speed")),
    *("clock lock", "clock unlock", "fault show", "snapshot branch", "scene"),
)
"""The verbs whose text has times of day, which --utc changes."""
OF_THEIR_OWN = (
    DOWN,
    LIST_EVENTS,
    EXPLAIN,
    EXPORT_LOG,
    WRITE_TOPIC,
)  # with an output of their own; explain also runs files
COMMANDS: tuple[Command, ...] = (
    *(_of(operation) for operation in OPERATIONS if operation not in OF_THEIR_OWN),
    _command(
        "events", "print the events of the cluster, one per line", add_event_arguments, print_events
    ),
    _command(
        "topic write",
        f"{WRITE_TOPIC.help}; the lines come from stdin",
        add_write_arguments,
        write_topic,
    ),
    _command("down", DOWN.help, lambda _: None, end_service),
    _command(
        "cluster cluster-id", "print the id of the cluster", _kafka_cluster_arguments, _cluster_id
    ),
    _command(
        "cluster list-endpoints",
        "list brokers with address, rack and state",
        _endpoints_arguments,
        _list_endpoints,
    ),
    _command(
        "cluster list-nodes",
        "same as list-endpoints (the name in the draft of KIP-1073)",
        _endpoints_arguments,
        _list_endpoints,
    ),
    _command(
        "cluster unregister",
        "unregister a broker (Kafka's UnregisterBroker)",
        _id_arguments,
        _unregister,
    ),
    _command(
        "cluster unregister-controller",
        "unregister a controller (Kafka's UnregisterController, from 4.4 on)",
        _controller_id_arguments,
        _unregister_controller,
    ),
    _command(
        "cluster decommission",
        "remove a broker from all replica sets and unregister it (KIP-631)",
        _decommission_arguments,
        _decommission,
    ),
    _command(
        "log dump",
        "print every record of a metadata log, a segment or a snapshot, one per line",
        add_dump_arguments,
        dump_log,
    ),
    _command(
        "log export",
        "write the logs of a topic as files that a broker of Kafka opens",
        add_export_arguments,
        export_log,
    ),
    _command("controller add", "make an observer a voter", add_voter_arguments, add_voter),
    _command("controller remove", "make a voter an observer", remove_voter_arguments, remove_voter),
    _command(
        "quorum-tool describe",
        "show the quorum in the lines of Kafka's kafka-metadata-quorum",
        add_quorum_tool_arguments,
        describe_quorum,
    ),
)
