"""Parses `--voters id@host:port:directoryId,...`, Kafka's syntax for an initial quorum."""

from kraftsim.controller.core.log.control_records import Voter, VoterEndpoint
from kraftsim.controller.core.node_id import checked_id
from kraftsim.controller.core.uuid import ZERO_UUID, Uuid, is_reserved_directory, parse_uuid
from kraftsim.controller.raft.identity import LISTENER, RAFT_VERSIONS
from kraftsim.controller.server.kafka_caller import Address
from kraftsim.scenarios.language.suggestions import whole_number
from kraftsim.simulation.ports import PORT_MAX


def address_of(option: str, text: str) -> Address:
    """Parses `host:port`; raises ValueError, which names `option`, for an invalid address."""
    host, _, port = text.rpartition(":")
    number = whole_number(port)
    if not host or number is None or not 0 < number <= PORT_MAX:
        raise ValueError(f"{option}: expected host:port, got {text!r}")
    return host.removeprefix("[").removesuffix("]"), number


def voters_of(text: str, listener_name: str = LISTENER) -> tuple[Voter, ...]:
    """Parses a list of voters and returns them in order of id.

    Raises ValueError for an invalid voter, or if two voters share an id, an address or a directory.
    """
    voters = [voter_of("--voters", name, listener_name) for name in text.split(",")]
    ids = [voter.voter_id for voter in voters]
    if len(set(ids)) < len(ids):
        raise ValueError(f"--voters: expected each id once, got {sorted(ids)}")
    addresses = [(voter.endpoints[0].host, voter.endpoints[0].port) for voter in voters]
    directories = [voter.voter_directory_id for voter in voters]
    if len(set(addresses)) < len(addresses) or len(set(directories)) < len(directories):
        raise ValueError(
            "--voters: expected another address and another directory id for each voter"
        )
    return tuple(sorted(voters, key=lambda voter: voter.voter_id))


def voter_of(option: str, text: str, listener_name: str = LISTENER) -> Voter:
    """Parses `id@host:port:directoryId`; raises ValueError if it is invalid."""
    node_id, at, rest = text.partition("@")
    address, _, directory = rest.rpartition(":")
    number = whole_number(node_id)
    if not at or number is None or not address:
        raise ValueError(f"{option}: expected id@host:port:directoryId, got {text!r}")
    checked_id(option, number)
    host, port = address_of(option, address)
    return Voter(
        voter_id=number,
        voter_directory_id=directory_of(option, directory),
        endpoints=(VoterEndpoint(name=listener_name, host=host, port=port),),
        k_raft_version_feature=RAFT_VERSIONS,
    )


def directory_of(option: str, text: str) -> Uuid:
    """Parses a directory id; raises ValueError if it is invalid or reserved."""
    try:
        directory = parse_uuid(text)
    except ValueError:
        directory = ZERO_UUID
    if is_reserved_directory(directory):
        raise ValueError(
            f"{option}: expected a directory id, as `kraftsim storage random-uuid` prints one, "
            f"got {text!r}"
        )
    return directory
