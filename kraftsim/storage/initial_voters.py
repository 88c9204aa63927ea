"""Parses `--initial-controllers ID@HOST:PORT:DIRECTORY,...`, with the messages of Kafka's
DynamicVoters."""

from kraftsim.controller.core.java_text import parse_integer
from kraftsim.controller.core.log.control_records import Voter, VoterEndpoint
from kraftsim.controller.core.uuid import Uuid, parse_uuid
from kraftsim.controller.raft.identity import RAFT_VERSIONS
from kraftsim.simulation.ports import PORT_MAX

from ..errors import FormatRefused


def initial_voters(text: str, listener: str) -> tuple[Voter, ...]:
    """Returns the voters in order of their ids, each with one listener of the name `listener`."""
    voters: dict[int, Voter] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        voter = _voter(part, listener)
        if voter.voter_id in voters:
            raise FormatRefused(f"Node id {voter.voter_id} was specified more than once.")
        voters[voter.voter_id] = voter
    if not voters:
        raise FormatRefused("No voters given.")
    return tuple(voter for _, voter in sorted(voters.items()))


def voter_at(node_id: int, directory_id: Uuid, listener: str, host: str, port: int) -> Voter:
    """Returns a voter with one listener."""
    return Voter(
        voter_id=node_id,
        voter_directory_id=directory_id,
        endpoints=(VoterEndpoint(name=listener, host=host, port=port),),
        k_raft_version_feature=RAFT_VERSIONS,
    )


def _voter(text: str, listener: str) -> Voter:
    node_text, at, address = text.strip().partition("@")
    if not at:
        raise FormatRefused("No @ found in dynamic voter string.")
    node_id = parse_integer(node_text, 32)
    if node_id is None:
        raise FormatRefused("Failed to parse node id in dynamic voter string.")
    if node_id < 0:
        raise FormatRefused(f"Invalid negative node id {node_id} in dynamic voter string.")
    host, rest = _host(address)
    port_text, colon, directory = rest.partition(":")
    if not colon:
        raise FormatRefused("No colon following port could be found.")
    port = parse_integer(port_text, 32)
    if port is None:
        raise FormatRefused("Failed to parse port in dynamic voter string.")
    if not 0 <= port <= PORT_MAX:
        raise FormatRefused(f"Invalid port {port} in dynamic voter string.")
    try:
        directory_id = parse_uuid(directory)
    except ValueError:
        raise FormatRefused("Failed to parse directory ID in dynamic voter string.") from None
    return voter_at(node_id, directory_id, listener, host, port)


def _host(address: str) -> tuple[str, str]:
    """Returns the host, without brackets, and the text after the colon that follows it."""
    if address.startswith("["):
        host, bracket, rest = address[1:].partition("]")
        if not bracket:
            raise FormatRefused("Hostname began with left bracket, but no right bracket was found.")
        if not rest.startswith(":"):
            raise FormatRefused("No colon following hostname could be found.")
        return host, rest[1:]
    host, colon, rest = address.partition(":")
    if not colon:
        raise FormatRefused("No colon following hostname could be found.")
    return host, rest
