"""What `storage format` was asked to do, checked as Kafka's StorageTool checks it."""

from collections.abc import Mapping
from dataclasses import dataclass

from kraftsim.configuration.configuration import ROLES, configuration_of
from kraftsim.configuration.listeners import ANY_ADDRESS
from kraftsim.configuration.quorum import VOTERS
from kraftsim.configuration.roles import CONTROLLER, NodeRoles
from kraftsim.controller.core.log.control_records import Voter
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.uuid import random_uuid

from ..errors import FormatRefused
from .initial_voters import initial_voters, voter_at
from .scram_arguments import Random

_HOST_OF_ANY_ADDRESS = "localhost"


@dataclass(frozen=True, kw_only=True)
class FormatRequest:
    """The arguments of `storage format`, as texts.

    At most one of `standalone`, `no_initial_controllers` and `initial_controllers` is set.
    """

    cluster_id: str
    release: str | None = None
    features: tuple[str, ...] = ()
    scram: tuple[str, ...] = ()
    standalone: bool = False
    no_initial_controllers: bool = False
    initial_controllers: str | None = None
    ignore_formatted: bool = False

    @property
    def names_voters(self) -> bool:
        """True if the request has initial voters of a dynamic quorum."""
        return self.standalone or self.initial_controllers is not None


def node_of(profile: Profile, pairs: Mapping[str, object]) -> NodeRoles:
    """Returns the node of a property file; raises FormatRefused if Kafka refuses the file."""
    if ROLES not in pairs:
        raise FormatRefused(f'Missing required configuration "{ROLES}" which has no default value.')
    try:
        node = configuration_of(profile, pairs).node
    except ValueError as error:
        raise FormatRefused(str(error)) from None
    assert node is not None, pairs
    return node


def checked_voters(request: FormatRequest, node: NodeRoles, random: Random) -> tuple[Voter, ...]:
    """Returns the initial voters of a dynamic quorum, if the request names any."""
    if node.voters and request.names_voters:
        raise FormatRefused(
            f"You cannot specify {VOTERS} and format the node with --initial-controllers or "
            f"--standalone. If you want to use dynamic quorum, please remove {VOTERS} and specify "
            "controller.quorum.bootstrap.servers instead."
        )
    is_controller = CONTROLLER in node.roles
    has_flag = request.names_voters or request.no_initial_controllers
    if is_controller and not node.voters and not has_flag:
        raise FormatRefused(
            f"Because {VOTERS} is not set on this controller, you must specify one of the "
            "following: --standalone, --initial-controllers, or --no-initial-controllers."
        )
    if request.initial_controllers is not None:
        return initial_voters(request.initial_controllers, node.controller_listener_names[0])
    if not request.standalone:
        return ()
    if not is_controller:
        raise FormatRefused("You can only use --standalone on a controller.")
    return (_own_voter(node, random),)


def is_dynamic(request: FormatRequest, node: NodeRoles) -> bool:
    """True if the voters of the node's quorum are kept in its log (KIP-853)."""
    return not node.voters and (request.names_voters or request.no_initial_controllers)


def _own_voter(node: NodeRoles, random: Random) -> Voter:
    name, host, port = node.advertised_controller_listeners[0]
    if host in ("", ANY_ADDRESS):
        host = _HOST_OF_ANY_ADDRESS
    return voter_at(node.node_id, random_uuid(random), name, host, port)
