"""`quorum-tool describe`: the lines of Kafka's `kafka-metadata-quorum` (rules 6.32 to 6.37).

It asks `--url`, or the controllers of `--bootstrap-controller`, which need no HTTP.
"""

import argparse
from collections.abc import Iterator, Sequence

from kraftsim.controller.core.uuid import ZERO_UUID, uuid_text
from kraftsim.controller.wire.json.document import Document

from ...errors import GOOD, CommandError
from ...printable import printable
from ..output import is_data, print_data
from .summary import lag, number_of
from .voter_verbs import add_bootstrap_argument, describe, partition_of, sender_of

_CONTROLLERS = 2  # the endpoint type of DescribeCluster
_NO_DIRECTORY = uuid_text(ZERO_UUID)
_LABEL_WIDTH = 24
_HEADINGS = (
    *("NodeId", "DirectoryId", "LogEndOffset", "Lag"),
    *("LastFetchTimestamp", "LastCaughtUpTimestamp", "Status"),
)


def add_quorum_tool_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `quorum-tool describe`."""
    shown = parser.add_mutually_exclusive_group(required=True)
    shown.add_argument("--status", action="store_true", help="show leader, lag and voters")
    shown.add_argument("--replication", action="store_true", help="show a row for each replica")
    parser.add_argument(
        "--human-readable",
        action="store_true",
        help="with --replication: show ages in milliseconds instead of timestamps",
    )
    add_bootstrap_argument(parser, "--bootstrap-controller")


def describe_quorum(arguments: argparse.Namespace) -> int:
    """Runs `quorum-tool describe` and returns the exit code."""
    if arguments.human_readable and not arguments.replication:
        raise ValueError("--human-readable: expected --replication beside it")
    send = sender_of(arguments)
    response = describe(send)
    if is_data(arguments):
        print_data(arguments, response)
        return GOOD
    partition = partition_of(response)
    if arguments.replication:
        lines = list(replication_lines(partition, is_human_readable=arguments.human_readable))
    else:
        cluster = send("DescribeCluster", {"endpointType": _CONTROLLERS})
        lines = list(status_lines(str(cluster["clusterId"]), partition, _listed(response, "nodes")))
    print(*(printable(line, keeps="\t") for line in lines), sep="\n")
    return GOOD


def status_lines(cluster_id: str, partition: Document, nodes: Sequence[Document]) -> Iterator[str]:
    """Yields the eight lines of `describe --status` (rule 6.32)."""
    leader = _leader(partition)
    voters = _listed(partition, "currentVoters")
    slowest = min(voters, key=lambda voter: number_of(voter, "logEndOffset"))
    values = {
        "ClusterId": cluster_id,
        "LeaderId": partition["leaderId"],
        "LeaderEpoch": partition["leaderEpoch"],
        "HighWatermark": partition["highWatermark"],
        "MaxFollowerLag": lag(leader, slowest),
        "MaxFollowerLagTimeMs": _lag_ms(leader, slowest),
        "CurrentVoters": _replicas_text(voters, nodes),
        "CurrentObservers": _replicas_text(_listed(partition, "observers"), ()),
    }
    for label, value in values.items():
        yield f"{label + ':':<{_LABEL_WIDTH}}{value}"


def replication_lines(partition: Document, *, is_human_readable: bool) -> Iterator[str]:
    """Yields the lines of `describe --replication`: cells, each followed by a tab (rule 6.35)."""
    leader = _leader(partition)
    followers = [voter for voter in _listed(partition, "currentVoters") if voter is not leader]
    replicas = [
        (leader, "Leader"),
        *((follower, "Follower") for follower in followers),
        *((observer, "Observer") for observer in _listed(partition, "observers")),
    ]
    rows = [
        _HEADINGS,
        *(
            (
                str(replica["replicaId"]),
                str(replica["replicaDirectoryId"]),
                str(replica["logEndOffset"]),
                str(lag(leader, replica)),
                _time_text(leader, replica, "lastFetchTimestamp", is_human_readable),
                _time_text(leader, replica, "lastCaughtUpTimestamp", is_human_readable),
                status,
            )
            for replica, status in replicas
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "".join(f"{cell:<{wide}}\t" for cell, wide in zip(row, widths, strict=True))


def _leader(partition: Document) -> Document:
    """Returns the leader among the voters.

    Raises CommandError if a leader that is being removed is no voter: Kafka's tool fails as well
    (rule 6.38).
    """
    leader_id = partition["leaderId"]
    for voter in _listed(partition, "currentVoters"):
        if voter["replicaId"] == leader_id:
            return voter
    raise CommandError(f"the leader {leader_id} is no voter: try again once another one leads")


def _lag_ms(leader: Document, slowest: Document) -> int:
    """Returns how long ago the slowest voter had caught up, -1 if it is unknown (rule 6.33)."""
    if slowest is leader:
        return 0
    then_ms = number_of(slowest, "lastCaughtUpTimestamp")
    return -1 if then_ms == -1 else number_of(leader, "lastCaughtUpTimestamp") - then_ms


def _time_text(leader: Document, replica: Document, key: str, is_human_readable: bool) -> str:
    """Returns a time of the leader's clock, or how long before the leader's present it was."""
    then_ms = number_of(replica, key)
    if not is_human_readable or then_ms == -1:
        return str(then_ms)
    return f"{number_of(leader, key) - then_ms} ms ago"


def _replicas_text(replicas: Sequence[Document], nodes: Sequence[Document]) -> str:
    listeners = {node["nodeId"]: _listed(node, "listeners") for node in nodes}
    texts = (
        _replica_text(replica, listeners.get(replica["replicaId"], ())) for replica in replicas
    )
    return f"[{', '.join(texts)}]"


def _replica_text(replica: Document, listeners: Sequence[Document]) -> str:
    """Returns the pairs of a replica without an unknown directory or address, as Kafka does."""
    pairs = [f'"id": {replica["replicaId"]}']
    if replica["replicaDirectoryId"] != _NO_DIRECTORY:
        pairs.append(f'"directoryId": "{replica["replicaDirectoryId"]}"')
    if listeners:
        texts = (f'"{at["name"]}://{at["host"]}:{at["port"]}"' for at in listeners)
        pairs.append(f'"endpoints": [{", ".join(texts)}]')
    return f"{{{', '.join(pairs)}}}"


def _listed(document: Document, key: str) -> Sequence[Document]:
    rows = document[key]
    assert isinstance(rows, list), rows
    return rows
