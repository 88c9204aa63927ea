"""The topology of a cluster: one value from which commands, `Cluster` and tests build a world."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import field

from kraftsim.broker_agent.config import CLIENT_LISTENER, AgentConfig
from kraftsim.broker_agent.directories.log_directories import LogDirectory, simulated_directory
from kraftsim.controller.core.configs.node_configs import static_settings
from kraftsim.controller.core.feature_levels import METADATA_VERSION
from kraftsim.controller.core.java_text import STRING_BYTES_MAX
from kraftsim.controller.core.node_id import NodeId, broker_node, checked_id, controller_node
from kraftsim.controller.core.policies import NO_POLICIES, Policies
from kraftsim.controller.core.profile import DEFAULT_PROFILE, Profile
from kraftsim.controller.core.rpc import BrokerFeature, BrokerListener
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.uuid import random_uuid
from kraftsim.controller.core.value import value

from .ports import FIRST_BROKER_PORT, FIRST_CONTROLLER_PORT, PORT_MAX

FIRST_BROKER_ID, FIRST_CONTROLLER_ID, FIRST_CLONE_ID = 1, 3000, 1_000_000
# in a topology: broker ids stay below controller ids
BROKERS_MAX = FIRST_CONTROLLER_ID - FIRST_BROKER_ID
LOG_DIRS_MAX = 100  # log directories of one broker; machines have fewer disks
# a fleet of 1,000 brokers fetches metadata at most every 100 ms per broker
BROKERS_PER_LINGER_MS = 10
# larger fleets fetch less often, because they also have more news for each broker
FLEET_AT_FULL_RATE = 1_000
# up to this size brokers fetch as soon as there is news, as Kafka's do
BROKERS_WITHOUT_LINGER_MAX = 100
CLUSTER_ID_CHARS_MAX = 255  # a UUID has 22; every Fetch and Vote of the quorum repeats the id


@value
class BrokerSpec:
    """A simulated broker of a topology.

    `cluster_id` is set for a broker whose disk was formatted for another cluster, `profile` for
    a broker of another release; None means the topology's value. `more_listeners` are those beside
    the listener PLAINTEXT at `host` and `port`. `log_dirs` is the number of log directories.
    """

    broker_id: int
    host: str = "127.0.0.1"
    port: int
    rack: str | None = None
    cluster_id: str | None = None
    profile: Profile | None = None
    more_listeners: tuple[BrokerListener, ...] = ()
    log_dirs: int = 1

    def __post_init__(self) -> None:
        if self.rack is not None:
            check_rack(self.rack)
        check_log_dirs(self.log_dirs)


def controller_ids(controllers: int) -> range:
    """Returns the ids of the first controllers of a cluster."""
    return range(FIRST_CONTROLLER_ID, FIRST_CONTROLLER_ID + controllers)


def broker_ids(brokers: int) -> range:
    """Returns the ids of the first brokers of a cluster."""
    return range(FIRST_BROKER_ID, FIRST_BROKER_ID + brokers)


def check_node_ids(node_ids: Iterable[object], brokers: int, controllers: int, label: str) -> None:
    """Raises ValueError for an id that none of these nodes has; `label` names the user's input."""
    ranges = [ids for ids in (broker_ids(brokers), controller_ids(controllers)) if ids]
    for node_id in node_ids:
        if isinstance(node_id, bool) or not any(node_id in ids for ids in ranges):
            expected = " or ".join(
                str(ids[0]) if len(ids) == 1 else f"{ids[0]} to {ids[-1]}" for ids in ranges
            )
            raise ValueError(f"{label}: expected an id of a node, {expected}, got {node_id!r}")


def check_log_dirs(log_dirs: int) -> None:
    """Raises ValueError if a simulated broker cannot have this number of log directories."""
    if not 1 <= log_dirs <= LOG_DIRS_MAX:
        raise ValueError(f"log_dirs: expected 1 to {LOG_DIRS_MAX}, got {log_dirs}")


def check_rack(rack: str) -> None:
    """Raises ValueError if no record or response can hold the rack."""
    try:
        size_bytes = len(rack.encode())
    except UnicodeEncodeError:
        raise ValueError(f"rack: expected a text that is UTF-8, got {rack[:64]!r}") from None
    if size_bytes > STRING_BYTES_MAX:
        raise ValueError(f"rack: expected at most {STRING_BYTES_MAX} bytes, got {size_bytes}")


def check_cluster_id(cluster_id: str, label: str = "cluster_id") -> None:
    """Raises ValueError if Kafka could not have stored the id in a line of meta.properties.

    Kafka's tools write a UUID in base64url, of 22 characters, and accept other texts (rule 6.5).
    `label` names the user's input in errors.
    """
    expected = f"{label}: expected 1 to {CLUSTER_ID_CHARS_MAX} printable characters without spaces"
    if len(cluster_id) > CLUSTER_ID_CHARS_MAX:
        raise ValueError(f"{expected}, got {len(cluster_id)} characters")
    if not cluster_id or not cluster_id.isprintable() or " " in cluster_id:
        raise ValueError(f"{expected}, got {cluster_id!r}")


@value
class ControllerSpec:
    """A controller of a topology.

    `profile` is set for a controller of another release; None means the topology's.
    """

    node_id: int = FIRST_CONTROLLER_ID
    host: str = "127.0.0.1"
    port: int = FIRST_CONTROLLER_PORT
    rack: str | None = None
    profile: Profile | None = None


@value
class Topology:
    """The controllers, brokers, release and configuration of a cluster.

    `settings` that are None take the profile's value; a `metadata_version` of None is the newest
    that the releases of all nodes support. With `kraft_version` 0 the voters are static, as in
    `controller.quorum.voters` (rule 7.8). `static` are the texts of every node's property
    file. Raises ValueError if two nodes share an id.
    """

    cluster_id: str
    controllers: tuple[ControllerSpec, ...] = (ControllerSpec(),)
    brokers: tuple[BrokerSpec, ...] = ()
    profile: Profile = DEFAULT_PROFILE
    settings: Settings = field(default_factory=Settings)
    metadata_version: int | None = None
    kraft_version: int = 1
    policies: Policies = NO_POLICIES
    static: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        controllers: set[int] = set()
        for controller in self.controllers:
            expect_free("controller", controller.node_id, controllers, ())
            controllers.add(controller.node_id)
        brokers: set[int] = set()
        for broker in self.brokers:
            expect_free("broker", broker.broker_id, controllers, brokers)
            brokers.add(broker.broker_id)

    @property
    def first_metadata_version(self) -> int:
        """The metadata.version that the first records of the log finalize."""
        if self.metadata_version is not None:
            return self.metadata_version
        nodes: tuple[ControllerSpec | BrokerSpec, ...] = (*self.controllers, *self.brokers)
        return min((node.profile or self.profile).metadata_version for node in nodes)

    def nodes_in(self, rack: str) -> tuple[NodeId, ...]:
        """Returns the controllers and brokers of a rack."""
        return tuple(node for node, node_rack in self._racks().items() if node_rack == rack)

    def racks_of(self, nodes: Iterable[NodeId]) -> tuple[str, ...]:
        """Returns the racks of these nodes, without duplicates."""
        rack_of = self._racks()
        racks = (rack_of.get(node) for node in nodes)
        return tuple(dict.fromkeys(rack for rack in racks if rack is not None))

    def _racks(self) -> dict[NodeId, str | None]:
        """Returns the rack of every node of the topology, controllers first."""
        return {
            controller_node(controller.node_id): controller.rack for controller in self.controllers
        } | {broker_node(broker.broker_id): broker.rack for broker in self.brokers}


def expect_free(
    label: str, number: object, controllers: Container[int], brokers: Container[int]
) -> int:
    """Returns `number` as the id of a new node.

    `label` names the user's input in errors. Raises ValueError if `number` cannot be an id, or if a
    node has it: Kafka's controllers and brokers share one range of ids (`node.id`).
    """
    free = checked_id(label, number)
    if free in controllers or free in brokers:
        owner = "controller" if free in controllers else "broker"
        expectation = f"{label}: expected an id of no controller and no simulated broker"
        raise ValueError(f"{expectation}, got {free}, which {owner} {free} has")
    return free


def unbound_port(broker_id: int) -> int:
    """Returns a port for a broker's registration, on which nothing listens."""
    return FIRST_BROKER_PORT + broker_id % (PORT_MAX - FIRST_BROKER_PORT)


def new_directories(spec: BrokerSpec, draw: Callable[[], float]) -> tuple[LogDirectory, ...]:
    """Returns the log directories of a broker whose disks were formatted just now."""
    return tuple(simulated_directory(random_uuid(draw)) for _ in range(spec.log_dirs))


def agent_config(
    topology: Topology, spec: BrokerSpec, log_dirs: tuple[LogDirectory, ...]
) -> AgentConfig:
    """Returns the configuration of one simulated broker of the topology."""
    settings, profile = topology.settings, spec.profile or topology.profile
    listener = BrokerListener(name=CLIENT_LISTENER, host=spec.host, port=spec.port)
    return AgentConfig(
        broker_id=spec.broker_id,
        cluster_id=spec.cluster_id or topology.cluster_id,
        listeners=(listener, *spec.more_listeners),
        features=_supported_features(topology, profile),
        log_dirs=log_dirs,
        rack=spec.rack,
        static={**static_settings(settings), **topology.static},
        heartbeat_interval_ms=settings.broker_heartbeat_interval_ms,
        session_timeout_ms=settings.broker_session_timeout_ms,
        registration_timeout_ms=settings.initial_broker_registration_timeout_ms,
        replica_lag_ms=settings.replica_lag_time_max_ms,
        replica_fetch_wait_ms=settings.replica_fetch_wait_max_ms,
        replica_fetch_backoff_ms=settings.replica_fetch_backoff_ms,
        metadata_linger_ms=_metadata_linger_ms(len(topology.brokers)),
        profile=profile,
    )


def _metadata_linger_ms(brokers: int) -> int:
    if brokers <= BROKERS_WITHOUT_LINGER_MAX:
        return 0
    return brokers // BROKERS_PER_LINGER_MS * max(brokers, FLEET_AT_FULL_RATE) // FLEET_AT_FULL_RATE


def _supported_features(topology: Topology, profile: Profile) -> tuple[BrokerFeature, ...]:
    """Returns the features that a broker of the release supports.

    The range of the topology's own release is widened to include the first finalized level. Another
    release has its own range, so that a level outside of it refuses the broker (rule 1.20).
    """
    level = (topology.metadata_version or 0) if profile == topology.profile else 0
    return tuple(
        BrokerFeature(
            name=name,
            min_supported_version=min(low, level) if name == METADATA_VERSION and level else low,
            max_supported_version=max(high, level) if name == METADATA_VERSION else high,
        )
        for name, low, high in profile.supported_features
    )
