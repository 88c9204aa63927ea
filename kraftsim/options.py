"""The options of a cluster, and the topology that they describe."""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from typing import Any

from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.broker_agent.log.retention_bytes import RETENTION_BYTES, check_retention_bytes
from kraftsim.controller.core.feature_levels import level_of
from kraftsim.controller.core.profile import DEFAULT_PROFILE, Profile
from kraftsim.controller.core.rpc import BrokerListener
from kraftsim.controller.core.value import value
from kraftsim.controller.raft.identity import LISTENER as CONTROLLER_LISTENER
from kraftsim.simulation.ports import FIRST_BROKER_PORT, FIRST_CONTROLLER_PORT, PORT_MAX
from kraftsim.simulation.topology import (
    BROKERS_MAX,
    FIRST_BROKER_ID,
    FIRST_CONTROLLER_ID,
    BrokerSpec,
    ControllerSpec,
    Topology,
    check_cluster_id,
    check_log_dirs,
    check_rack,
)

from .advertised import Advertised, advertised_of
from .chosen_settings import chosen_in
from .releases import check_profiles, level_in, own_profile, profile_of

log = logging.getLogger("kraftsim")

CONTROLLERS_MAX = 9  # above every recommended quorum size
SPEED_MIN = 0.001  # the arithmetic of the clock divides by its speed
SPEED_MAX = 1000.0  # each broker then sends a heartbeat every 2 ms; above, real time falls behind
_CLUSTER_ID = r"[a-zA-Z0-9_\-]+"
_LISTENER = r"[A-Z0-9_\-.]{1,255}"
_TAKEN = (CLIENT_LISTENER, CONTROLLER_LISTENER)
CLOCKS = ("real", "virtual", "auto", "skipping", "scaled:K")
_SPEEDS = {"real": 1.0, "virtual": 0.0, "auto": 0.0, "skipping": 1.0}

_WHOLE, _TEXT = ((int,), "a whole number"), ((str,), "a text")
TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(
        (
            "brokers",
            "controllers",
            "log_dirs",
            "retention_bytes",
            "seed",
            "kafka_port",
            "controller_port",
            "http_port",
        ),
        _WHOLE,
    ),
    "profiles": ((Mapping,), "a mapping of ids to profiles"),
    **dict.fromkeys(
        ("cluster_id", "profile", "metadata_version", "host", "advertised_host", "token"), _TEXT
    ),
    "clock": ((str, int, float), "real, virtual, auto, skipping or a number"),
    "settings": ((Mapping,), "a mapping of settings"),
    "listeners": ((Mapping,), "a mapping of names to ports"),
    "advertised_listeners": ((Mapping,), "a mapping of names to HOST or HOST:PORT"),
}


def accept_cluster_id(cluster_id: str, label: str = "cluster_id") -> None:
    """Raises ValueError for an impossible id; warns of characters that KIP-78 excludes.

    Kafka stores such an id all the same (rule 6.5).
    """
    check_cluster_id(cluster_id, label)
    if not re.fullmatch(_CLUSTER_ID, cluster_id):
        log.warning(
            "%s: expected only letters, digits, '_' and '-' (KIP-78), got %r: Kafka accepts it, "
            "metric reporters and file names may not",
            label,
            cluster_id,
        )


@value
class ClusterOptions:
    """The options of a cluster. Raises ValueError if an option is out of bounds.

    `profiles` are the releases of the controllers and brokers that differ from `profile`, by id;
    `metadata_version` is by default the newest that the releases of all nodes support.
    `racks` are assigned to the brokers in turn; each broker has `log_dirs` log directories.
    Their logs hold `retention_bytes` of messages in all; then the oldest make room. Keys of
    `settings` are Kafka's names with dots or underscores (`broker.session.timeout.ms`). A port of
    None opens no listener; 0 lets the system choose a port. `listeners` are further listeners of
    each broker, with the first broker's port by name; clients of each get the addresses of that
    listener. `advertised_listeners` are the hosts, or the addresses of the first node, that differ
    from `advertised_host` and the bound port, by name of the listener: PLAINTEXT, CONTROLLER or one
    of `listeners`. `token` is the bearer token that every HTTP request must carry.
    """

    brokers: int = 3
    controllers: int = 1
    cluster_id: str | None = None
    profile: str = DEFAULT_PROFILE.name
    profiles: Mapping[int, str] = field(default_factory=dict)
    metadata_version: str | None = None
    clock: str | float = "real"
    seed: int | None = None
    racks: Sequence[str] = ()
    log_dirs: int = 1
    retention_bytes: int = RETENTION_BYTES
    settings: Mapping[str, object] = field(default_factory=dict)
    host: str = "127.0.0.1"
    advertised_host: str | None = None
    kafka_port: int | None = None
    listeners: Mapping[str, int] = field(default_factory=dict)
    advertised_listeners: Mapping[str, str] = field(default_factory=dict)
    controller_port: int | None = None
    http_port: int | None = None
    token: str | None = None

    def __post_init__(self) -> None:
        self._check_types()
        if self.cluster_id is not None:
            accept_cluster_id(self.cluster_id)
        if not 0 <= self.brokers <= BROKERS_MAX:
            reason = f"ids from {FIRST_CONTROLLER_ID} on belong to controllers"
            raise ValueError(f"brokers: expected 0 to {BROKERS_MAX}, got {self.brokers}: {reason}")
        if not 1 <= self.controllers <= CONTROLLERS_MAX:
            raise ValueError(
                f"controllers: expected 1 to {CONTROLLERS_MAX}, got {self.controllers!r}"
            )
        check_log_dirs(self.log_dirs)
        check_retention_bytes(self.retention_bytes)
        self._check_listeners()
        self._check_ports()
        self.speed()
        check_profiles(self.profiles, self.brokers, self.controllers)
        chosen_in(profile_of(self.profile), self.settings)
        if self.metadata_version is not None:
            level_in(profile_of(self.profile), self.metadata_version)

    def _check_types(self) -> None:
        """Raises ValueError for a value of another type; a text is no list of racks."""
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name not in TYPES or (value is None and option.default is None):
                continue
            kinds, expected = TYPES[option.name]
            if not isinstance(value, kinds) or isinstance(value, bool):
                raise ValueError(f"{option.name}: expected {expected}, got {value!r}")
        if isinstance(self.racks, str) or not all(isinstance(rack, str) for rack in self.racks):
            raise ValueError(f"racks: expected a list of names, got {self.racks!r}")
        for rack in self.racks:
            check_rack(rack)
        if self.token == "":
            raise ValueError("token: expected a text of at least one character, got ''")

    def _check_listeners(self) -> None:
        """Raises ValueError for a listener whose name or port is impossible."""
        for name, port in self.listeners.items():
            _check_listener(name, port, PORT_MAX - max(self.brokers - 1, 0))
        if self.listeners and self.kafka_port is None:
            raise ValueError("listeners: expected a kafka_port, the port of the first listener")
        self._advertised()

    def _check_ports(self) -> None:
        """Raises ValueError if a port, or one derived from it, exceeds PORT_MAX.

        The brokers and the controllers take consecutive ports from the first port on.
        """
        above = {
            "kafka_port": max(self.brokers - 1, 0),
            "controller_port": self.controllers - 1,
            "http_port": 0,
        }
        for name, more in above.items():
            port = getattr(self, name)
            if port and not 0 < port <= PORT_MAX - more:
                raise ValueError(f"{name}: expected 0 to {PORT_MAX - more}, got {port}")

    def log_settings_without_effect(self) -> None:
        """Logs which of `settings` are valid, but have no effect on the cluster, and why."""
        if not self.settings:
            return
        from kraftsim.configuration.configuration import configuration_of
        from kraftsim.configuration.effects import NODE, sentences

        configuration = configuration_of(profile_of(self.profile), self.settings)
        for sentence in sentences(configuration, NODE):
            log.warning("settings: %s", sentence)
        if configuration.of_the_node:
            names = ", ".join(configuration.of_the_node)
            log.warning(
                "settings: %s: no effect on a cluster, which chooses its nodes and addresses", names
            )

    def of_branch(self, cluster_id: str) -> dict[str, Any]:
        """Returns the arguments of a cluster that goes on in virtual time, without sockets."""
        options: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        options |= dict.fromkeys(("kafka_port", "controller_port", "http_port"))
        options |= {"listeners": {}, "advertised_listeners": {}}
        return options | {"cluster_id": cluster_id, "clock": "virtual"}

    def http_token(self) -> str | None:
        """Returns the token, or a random token if other machines can connect to the service."""
        if self.token is not None or is_loopback(self.host):
            return self.token
        from secrets import token_urlsafe

        return token_urlsafe()

    def address(self, listener: str, position: int, bound_port: int) -> tuple[str, int]:
        """Returns the advertised address of a listener of the broker or controller at `position`.

        The position of a broker or controller is its id minus that of the first one.
        """
        own = self._advertised().get(listener)
        advertised = own or Advertised(self.advertised_host or self.host)
        return advertised.at(position, bound_port)

    def _advertised(self) -> Mapping[str, Advertised]:
        """Returns the parsed `advertised_listeners`; raises ValueError if one is impossible."""
        if not self.advertised_listeners:
            return {}
        names = (CLIENT_LISTENER, CONTROLLER_LISTENER, *self.listeners)
        count = max(self.brokers, self.controllers)
        return advertised_of(self.advertised_listeners, names, count)

    @property
    def repeats(self) -> bool:
        """True if every start gives the same cluster: its clock stands, and its seed is known."""
        return self.seed is not None and self.speed() == 0.0

    @property
    def moves_for_requests(self) -> bool:
        """True if the clock moves while a client waits for a response."""
        return self.clock in ("auto", "skipping")

    @property
    def can_stand(self) -> bool:
        """True if the clock may stand until somebody moves it."""
        return self.moves_for_requests or self.clock == "virtual"

    @property
    def skips(self) -> bool:
        """True if the clock runs, and skips the time that somebody waits for."""
        return self.clock == "skipping"

    def speed(self) -> float:
        """Returns the factor of the clock: 1.0 in real time, 0.0 if it stands, K in scaled time.

        A clock that skips runs in real time while nobody waits.

        Raises ValueError if `clock` is none of CLOCKS.
        """
        if self.clock in _SPEEDS:
            return _SPEEDS[str(self.clock)]
        text = self.clock if isinstance(self.clock, str) else f"scaled:{self.clock}"
        kind, _, factor = text.partition(":")
        try:
            speed = float(factor) if kind == "scaled" else 0.0
        except ValueError:
            speed = 0.0
        if not SPEED_MIN <= speed <= SPEED_MAX:
            raise ValueError(
                f"clock: expected {', '.join(CLOCKS)} with K from {SPEED_MIN:g} to {SPEED_MAX:g}, "
                f"got {self.clock!r}"
            )
        return speed


def options_of(given: Mapping[str, Any]) -> ClusterOptions:
    """Returns the options that the arguments of `Cluster` are; a mapping of None is empty."""
    options = {name: item for name, item in given.items() if name != "self"}
    mappings = ("profiles", "settings", "listeners", "advertised_listeners")
    return ClusterOptions(**options | {name: given[name] or {} for name in mappings})


def _check_listener(name: object, port: object, port_max: int) -> None:
    if not isinstance(name, str) or not re.fullmatch(_LISTENER, name) or name in _TAKEN:
        expected = "A to Z, digits, '_', '-' and '.', not PLAINTEXT and not CONTROLLER"
        raise ValueError(f"listeners: expected a name of {expected}, got {name!r}")
    if not isinstance(port, int) or isinstance(port, bool):
        raise ValueError(f"listeners: expected a port for {name}, got {port!r}")
    if not 0 <= port <= port_max:
        raise ValueError(f"listeners: expected 0 to {port_max} for {name}, got {port}")


def is_loopback(host: str) -> bool:
    """Returns True if only this machine can connect to `host`."""
    if host in ("localhost", "127.0.0.1"):
        return True
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False  # a host name may resolve to any address


def topology_of(
    options: ClusterOptions,
    cluster_id: str,
    *,
    controller_ports: Sequence[int] = (),
    broker_ports: Sequence[int] = (),
    named_ports: Sequence[Mapping[str, int]] = (),
) -> Topology:
    """Returns the topology that the options describe, with the ports of the bound listeners."""
    profile = profile_of(options.profile)
    chosen = chosen_in(profile, options.settings)
    return Topology(
        cluster_id=cluster_id,
        controllers=tuple(
            _controller_spec(
                options,
                position,
                controller_ports[position]
                if controller_ports
                else FIRST_CONTROLLER_PORT + position,
            )
            for position in range(options.controllers)
        ),
        brokers=tuple(
            broker_spec(
                options,
                FIRST_BROKER_ID + position,
                broker_ports[position] if broker_ports else FIRST_BROKER_PORT + position,
                named_ports[position] if named_ports else {},
                options.racks[position % len(options.racks)] if options.racks else None,
                own_profile(options.profiles, FIRST_BROKER_ID + position),
            )
            for position in range(options.brokers)
        ),
        profile=profile,
        settings=chosen.settings,
        policies=chosen.policies,
        static=chosen.static,
        metadata_version=level_of(options.metadata_version) if options.metadata_version else None,
    )


def _controller_spec(options: ClusterOptions, position: int, bound_port: int) -> ControllerSpec:
    host, port = options.address(CONTROLLER_LISTENER, position, bound_port)
    node_id = FIRST_CONTROLLER_ID + position
    profile = own_profile(options.profiles, node_id)
    return ControllerSpec(node_id=node_id, host=host, port=port, profile=profile)


def broker_spec(
    options: ClusterOptions,
    broker_id: int,
    bound_port: int,
    named_ports: Mapping[str, int],
    rack: str | None,
    profile: Profile | None = None,
) -> BrokerSpec:
    """Returns a broker with the addresses that its listeners advertise.

    `bound_port` is that of PLAINTEXT, `named_ports` are those of its other listeners; a `profile`
    of None is that of the cluster.
    """
    position = broker_id - FIRST_BROKER_ID
    host, port = options.address(CLIENT_LISTENER, position, bound_port)
    others = (
        (name, *options.address(name, position, bound)) for name, bound in named_ports.items()
    )
    return BrokerSpec(
        broker_id=broker_id,
        host=host,
        port=port,
        rack=rack,
        profile=profile,
        more_listeners=tuple(
            BrokerListener(name=name, host=host, port=port) for name, host, port in others
        ),
        log_dirs=options.log_dirs,
    )
