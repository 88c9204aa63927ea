"""The identity and the addresses of `kraftsim controller run`: from its options and `--config`."""

import argparse
from dataclasses import dataclass, replace
from random import SystemRandom

from kraftsim.configuration.configuration import Configuration
from kraftsim.configuration.listeners import ANY_ADDRESS, NAMES, Listener
from kraftsim.configuration.policies import policies_of
from kraftsim.configuration.quorum import SERVERS, VOTERS, QuorumAddress
from kraftsim.configuration.roles import CONTROLLER, NodeRoles
from kraftsim.controller.core.log.control_records import Voter, VoterEndpoint
from kraftsim.controller.core.node_id import checked_id
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.uuid import ZERO_UUID, Uuid, random_uuid
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.raft.identity import LISTENER, RAFT_VERSIONS
from kraftsim.controller.server.kafka_caller import Address

from ..options import accept_cluster_id
from ..releases import level_in
from ..service.voter_addresses import address_of, directory_of, voters_of
from ..storage.formatted import Formatted
from .configured import expect_id


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A controller's identity, the address that it binds, and the option that chose the address."""

    node: NodeConfig
    address: Address
    option: str

    def node_at(self, port: int) -> NodeConfig:
        """Returns the controller whose listener has bound `port`.

        A listener of port 0 is advertised with the port that the system chose, as in Kafka.
        """
        return self.node if self.node.port else replace(self.node, port=port)


def bound_controller(
    arguments: argparse.Namespace,
    configuration: Configuration,
    profile: Profile,
    formatted: Formatted | None = None,
) -> Bound:
    """Returns the controller that options, configuration and formatted directory describe.

    Options take precedence, but the directory belongs to one cluster and one node.
    Raises ValueError if they contradict each other, or if something is missing.
    """
    node_id = _node_id(arguments, configuration)
    cluster_id = _cluster_id(arguments, formatted, node_id)
    listener = _controller_listener(configuration.node)
    listener_name = LISTENER if listener is None else listener.name
    voters = _voters(arguments, configuration, formatted, listener_name)
    own = next((voter for voter in voters if voter.voter_id == node_id), None)
    option, bound = _bound(
        arguments, configuration.node, own, node_id=node_id, listener_name=listener_name
    )
    if listener is None or option == "--listen":
        host, port = bound
    else:
        host, port = _advertised(listener, own)
    node = NodeConfig(
        node_id=node_id,
        cluster_id=cluster_id,
        host=host,
        port=port,
        listener_name=listener_name,
        directory_id=_directory(arguments, own, formatted),
        voters=voters,
        bootstrap_servers=() if voters else _servers(configuration, listener_name),
        kraft_version=int(arguments.voters is not None or _has_voters(formatted)),
        metadata_version=_level(arguments.metadata_version, profile, formatted),
        bootstrap=() if formatted is None else formatted.bootstrap,
        may_have_lost_log=formatted is None,
        policies=policies_of(configuration.policies),
        static=configuration.static,
    )
    return Bound(node=node, address=bound, option=option)


def _level(chosen: str | None, profile: Profile, formatted: Formatted | None) -> int | None:
    """Returns the first metadata.version; None: that of the directory, or of the release."""
    if chosen is None:
        return None
    if formatted is not None and formatted.bootstrap:
        raise ValueError(
            "--metadata-version: expected none, because the directory was formatted with a level; "
            "`kraftsim storage format --release-version` chooses another"
        )
    try:
        return level_in(profile, chosen)
    except ValueError as error:
        raise ValueError(f"--metadata-version: {error}") from None


def _advertised(listener: Listener, own: Voter | None) -> Address:
    """Returns the address for other nodes; a static voter without a host has that of the voters."""
    if listener.host not in ("", ANY_ADDRESS):
        return listener.host, listener.port
    if own is None:
        raise ValueError(
            "--config: advertised.listeners: expected the host of the controller's listener, "
            "because listeners names every address of the machine"
        )
    return own.endpoints[0].host, listener.port


def _node_id(arguments: argparse.Namespace, configuration: Configuration) -> int:
    if arguments.node_id is None:
        if configuration.node_id is None:
            raise ValueError("--node-id: expected an id, or a --config with node.id")
        return configuration.node_id
    node_id = checked_id("--node-id", arguments.node_id)
    expect_id(configuration, node_id)
    return node_id


def _cluster_id(arguments: argparse.Namespace, formatted: Formatted | None, node_id: int) -> str:
    """Returns the id of the cluster; raises ValueError if the directory is of another."""
    if arguments.cluster_id is not None:
        accept_cluster_id(arguments.cluster_id, "--cluster-id")
    if formatted is None:
        if arguments.cluster_id is None:
            raise ValueError(
                "--cluster-id: expected an id, or a --config whose log.dirs are formatted "
                "(kraftsim storage format)"
            )
        given: str = arguments.cluster_id
        return given
    if arguments.cluster_id not in (None, formatted.cluster_id):
        raise ValueError(
            f"--cluster-id: expected {formatted.cluster_id}, for which {formatted.path} is "
            f"formatted, got {arguments.cluster_id}"
        )
    if node_id != formatted.node_id:
        raise ValueError(
            f"--node-id: expected {formatted.node_id}, for which {formatted.path} is formatted, "
            f"got {node_id}"
        )
    return formatted.cluster_id


def _has_voters(formatted: Formatted | None) -> bool:
    return formatted is not None and bool(formatted.voters)


def _voters(
    arguments: argparse.Namespace,
    configuration: Configuration,
    formatted: Formatted | None,
    listener_name: str,
) -> tuple[Voter, ...]:
    """Returns the voters of --voters, else of the formatted directory, else the static voters.

    Rule 7.8 has the static voters. A directory that is formatted without initial voters has none:
    its node learns them from the bootstrap servers.
    """
    if arguments.voters is not None:
        return voters_of(arguments.voters, listener_name)
    if formatted is not None and formatted.voters:
        return formatted.voters
    if not configuration.voters:
        if formatted is not None and configuration.servers:
            return ()
        raise ValueError(
            f"--voters: expected ID@HOST:PORT:DIRECTORY,..., or a --config with {VOTERS}, or "
            f"with {SERVERS} and formatted log.dirs"
        )
    return tuple(
        _static(node_id, address, listener_name)
        for node_id, address in sorted(configuration.voters.items())
    )


def _servers(configuration: Configuration, listener_name: str) -> tuple[VoterEndpoint, ...]:
    return tuple(
        VoterEndpoint(name=listener_name, host=server.host, port=server.port)
        for server in configuration.servers
    )


def _static(node_id: int, address: QuorumAddress, listener_name: str) -> Voter:
    return Voter(
        voter_id=checked_id(f"--config: {VOTERS}", node_id),
        voter_directory_id=ZERO_UUID,
        endpoints=(VoterEndpoint(name=listener_name, host=address.host, port=address.port),),
        k_raft_version_feature=RAFT_VERSIONS,
    )


def _controller_listener(node: NodeRoles | None) -> Listener | None:
    """Returns the advertised listener of the file's controller; None without such a file."""
    if node is None:
        return None
    if CONTROLLER not in node.roles:
        raise ValueError(
            "--config: process.roles: expected controller, got broker: `kraftsim agent` runs "
            "brokers"
        )
    listeners = node.advertised_controller_listeners
    if len(listeners) > 1:
        names = ", ".join(listener.name for listener in listeners)
        raise ValueError(
            f"--config: {NAMES}: expected one listener, because a controller of kraftsim binds "
            f"one, got {names}"
        )
    return listeners[0]


def _bound(
    arguments: argparse.Namespace,
    node: NodeRoles | None,
    own: Voter | None,
    *,
    node_id: int,
    listener_name: str,
) -> tuple[str, Address]:
    """Returns the address to bind, and the option that chose it."""
    if arguments.listen is not None:
        return "--listen", address_of("--listen", arguments.listen)
    if node is not None:
        bound = next(known for known in node.listeners if known.name == listener_name)
        return "--config", (bound.host or ANY_ADDRESS, bound.port)
    if own is not None:
        option = "--voters" if arguments.voters is not None else "--config"
        return option, (own.endpoints[0].host, own.endpoints[0].port)
    raise ValueError(f"--listen: expected HOST:PORT, because --voters does not name {node_id}")


def _directory(
    arguments: argparse.Namespace, own: Voter | None, formatted: Formatted | None
) -> Uuid:
    """Returns the directory id: static voters need none that others know."""
    if arguments.directory_id is not None:
        return directory_of("--directory-id", arguments.directory_id)
    if formatted is not None:
        return formatted.directory_id
    if arguments.voters is None:
        return random_uuid(SystemRandom().random)
    if own is None:
        raise ValueError(
            "--directory-id: expected an id, because this controller is not among --voters"
        )
    return own.voter_directory_id
