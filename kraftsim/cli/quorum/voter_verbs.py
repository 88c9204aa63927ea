"""`kraftsim controller add|remove`: changes the voters (KIP-853) of `up` or of running controllers.

Both send Kafka's own request: `POST /kafka/...` to the service, or the same document over the wire.
The printed sentences are those of Kafka's `kafka-metadata-quorum` (rule 6.39).
"""

import argparse
from collections.abc import Callable

from kraftsim.controller.core.topic_name import METADATA_TOPIC
from kraftsim.controller.wire.json.document import Document

from ...errors import GOOD, CommandError
from ...http.client import call, service_url
from ...http.paths import kafka_path
from ..tables import print_sentence

ADD_TIMEOUT_MS = 5000

Send = Callable[[str, Document], Document]


def add_voter_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `controller add`."""
    parser.add_argument(
        "voter",
        metavar="ID@HOST:PORT:DIRECTORY",
        help=(
            "id, address and directory id of the controller, as in --voters of "
            "`kraftsim controller run`"
        ),
    )
    add_bootstrap_argument(parser, "--bootstrap-controllers")


def remove_voter_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `controller remove`."""
    parser.add_argument("id", type=int, metavar="ID", help="id of the voter")
    parser.add_argument(
        "--directory-id",
        metavar="D",
        help="directory id of the voter (default: the directory id that the quorum lists)",
    )
    add_bootstrap_argument(parser, "--bootstrap-controllers")


def add_bootstrap_argument(parser: argparse.ArgumentParser, name: str) -> None:
    """Adds the option `name`, the addresses that `sender_of` sends to."""
    parser.add_argument(
        name,
        dest="bootstrap_controllers",
        metavar="HOST:PORT,...",
        help="addresses of `kraftsim controller run` processes of the quorum, instead of --url",
    )


def add_voter(arguments: argparse.Namespace) -> int:
    """Runs `controller add` and returns the exit code."""
    from kraftsim.controller.core.uuid import uuid_text

    from ...service.voter_addresses import voter_of

    voter = voter_of("controller add", arguments.voter)
    at, directory = voter.endpoints[0], uuid_text(voter.voter_directory_id)
    body: Document = {
        "timeoutMs": ADD_TIMEOUT_MS,
        "voterId": voter.voter_id,
        "voterDirectoryId": directory,
        "listeners": [{"name": at.name, "host": at.host, "port": at.port}],
    }
    document = sender_of(arguments)("AddRaftVoter", body)
    sentence = (
        f"Added controller {voter.voter_id} with directory id {directory} "
        f"and endpoints: {at.name}://{at.host}:{at.port}"
    )
    print_sentence(arguments, sentence, document)
    return GOOD


def remove_voter(arguments: argparse.Namespace) -> int:
    """Runs `controller remove` and returns the exit code."""
    send = sender_of(arguments)
    directory = arguments.directory_id or _listed_directory(send, arguments.id)
    body: Document = {"voterId": arguments.id, "voterDirectoryId": directory}
    document = send("RemoveRaftVoter", body)
    sentence = f"Removed  KRaft controller {arguments.id} with directory id {directory}"
    print_sentence(arguments, sentence, document)
    return GOOD


def sender_of(arguments: argparse.Namespace) -> Send:
    """Returns the function that sends a request.

    It sends to the controllers that the arguments name, else to the HTTP service.
    """
    if arguments.bootstrap_controllers is None:
        url = service_url(arguments.url)
        return lambda api, body: call(url, "POST", kafka_path(api), body)
    if arguments.url is not None:
        raise ValueError("expected --url or --bootstrap-controllers, got both")
    from ...service.voter_addresses import address_of
    from ..controller_client import request_from_leader

    texts = arguments.bootstrap_controllers.split(",")
    addresses = [address_of("--bootstrap-controllers", text) for text in texts]
    return lambda api, body: request_from_leader(addresses, api, body)


def describe(send: Send) -> Document:
    """Returns the response to DescribeQuorum."""
    topic = {"topicName": METADATA_TOPIC, "partitions": [{"partitionIndex": 0}]}
    return send("DescribeQuorum", {"topics": [topic]})


def partition_of(response: Document) -> Document:
    """Returns the partition of the metadata log; CommandError if the controller does not lead."""
    topics = response["topics"]
    assert isinstance(topics, list), topics
    described: Document = topics[0]["partitions"][0]
    if described["errorCode"]:
        raise CommandError(str(described["errorMessage"]))
    return described


def _listed_directory(send: Send, node_id: int) -> str:
    """Returns the directory id that DescribeQuorum lists for a voter; CommandError if none."""
    voters = partition_of(describe(send))["currentVoters"]
    assert isinstance(voters, list), voters
    directories = {voter["replicaId"]: str(voter["replicaDirectoryId"]) for voter in voters}
    if node_id not in directories:
        ids = ", ".join(str(directory) for directory in directories)
        raise CommandError(f"no voter {node_id}: expected one of {ids}")
    return directories[node_id]
