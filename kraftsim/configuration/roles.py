"""Checks the roles, the quorum and the listeners of a node together (rule 7.6).

The order of the checks, and the messages, are those of Kafka 4.3.1.
"""

from collections.abc import Collection, Mapping, Sequence

from kraftsim.controller.core.value import value

from .bounds import check_cordoned, check_data, check_ids, check_network, require
from .listeners import (
    ADVERTISED,
    ANY_ADDRESS,
    NAMES,
    PLAINTEXT,
    PROTOCOL_MAP,
    Listener,
    listeners_of,
    protocol_map,
)
from .quorum import SERVERS, VOTERS, QuorumAddress, servers_of, voters_of
from .values import Values

BROKER, CONTROLLER = "broker", "controller"
EARLY = "early.start.listeners"
ROLES_ONCE = ("3.9", "4.1")
INTER_BROKER, INTER_BROKER_PROTOCOL = "inter.broker.listener.name", "security.inter.broker.protocol"


@value
class NodeRoles:
    """The identity of a node as its property file describes it.

    `listeners` are those that the node binds, `advertised` the addresses for other nodes and
    clients, by listener name. `voters` are static voters by id, `servers` the controllers to ask
    for the voters. Brokers talk to each other at the listener `inter_broker_listener`.
    """

    node_id: int
    roles: frozenset[str]
    voters: Mapping[int, QuorumAddress]
    servers: tuple[QuorumAddress, ...]
    listeners: tuple[Listener, ...]
    advertised: tuple[Listener, ...]
    controller_listener_names: tuple[str, ...]
    protocols: Mapping[str, str]
    inter_broker_listener: str

    @property
    def advertised_controller_listeners(self) -> tuple[Listener, ...]:
        """The address of each controller listener: advertised, else bound."""
        known = {listener.name: listener for listener in (*self.listeners, *self.advertised)}
        names = self.controller_listener_names
        return tuple(known[name] for name in dict.fromkeys(names) if name in known)

    @property
    def advertised_broker_listeners(self) -> tuple[Listener, ...]:
        """The addresses for clients: advertised, else bound."""
        listeners = self.advertised or self.listeners
        names = self.controller_listener_names
        return tuple(listener for listener in listeners if listener.name not in names)


def roles_of(values: Values) -> NodeRoles:
    """Returns the checked identity of a node; raises ValueError with Kafka's message."""
    roles = _roles(values)
    voters, servers = voters_of(values.words(VOTERS)), servers_of(values.words(SERVERS))
    protocols = _effective_protocols(values)
    listeners = listeners_of(values.words("listeners"), protocols, distinct_ports=True)
    _check_early_listeners(listeners, values)
    check_ids(values)
    check_data(values)
    node = NodeRoles(
        node_id=values.integer("node.id"),
        roles=roles,
        listeners=listeners,
        advertised=listeners_of(values.words(ADVERTISED), protocols, distinct_ports=False),
        controller_listener_names=values.words(NAMES),
        protocols=protocols,
        inter_broker_listener=str(
            values.value(INTER_BROKER) or values.value(INTER_BROKER_PROTOCOL)
        ).upper(),
        voters=voters,
        servers=servers,
    )
    _check_role(node, values)
    if BROKER in node.roles:
        _check_broker_listeners(node, values)
    _check_advertised_hosts(node)
    check_network(values)
    check_cordoned(values)
    return node


def _roles(values: Values) -> frozenset[str]:
    """Returns the roles; raises ValueError if 3.9 or 4.1 gets a role twice (rule 7.6)."""
    words = values.words("process.roles")
    if values.release in ROLES_ONCE and len(set(words)) < len(words):
        raise ValueError(
            f"Duplicate role names found in `process.roles`: ArrayBuffer({', '.join(words)})"
        )
    return frozenset(words)


def _check_early_listeners(listeners: Sequence[Listener], values: Values) -> None:
    known = {listener.name for listener in listeners}
    if values.is_set(EARLY):
        for name in values.words(EARLY):
            if name.upper() not in known:
                raise ValueError(
                    f"{EARLY} contains listener {name.upper()}, but this is not contained in "
                    f"listeners or {NAMES}"
                )


def _effective_protocols(values: Values) -> dict[str, str]:
    """Returns the protocol of each listener name.

    Without a map of its own, and if no listener is named after a protocol with security, the file
    needs no entry for controller listeners: they are plaintext.
    """
    text = values.value(PROTOCOL_MAP)
    assert isinstance(text, str), text
    protocols = protocol_map(text)
    names = values.words(NAMES)
    named = [entry.partition("://")[0].upper() for entry in values.words("listeners")]
    if values.is_set(PROTOCOL_MAP) or any(
        protocols.get(name, PLAINTEXT) != PLAINTEXT for name in (*names, *named)
    ):
        return protocols
    return {**dict.fromkeys(names, PLAINTEXT), **protocols}


def _check_role(node: NodeRoles, values: Values) -> None:
    if not node.voters and not node.servers:
        raise ValueError(
            f"If using process.roles, either {SERVERS} must contain the set of bootstrap "
            f"controllers or {VOTERS} must contain a parseable set of controllers."
        )
    if CONTROLLER not in node.roles:
        _check_broker_only(node, values)
        return
    if BROKER not in node.roles:
        require(
            len(node.advertised_controller_listeners) == len(node.listeners),
            "The listeners config must only contain KRaft controller listeners from "
            f"{NAMES} when process.roles=controller",
        )
    _check_controller(node)
    if BROKER not in node.roles:
        require(
            not values.is_set(INTER_BROKER)
            or _inter_broker_listener(node, values) not in node.controller_listener_names,
            f"{NAMES} must not contain an explicitly set {INTER_BROKER} configuration value when "
            "process.roles=controller'",
        )


def _check_broker_only(node: NodeRoles, values: Values) -> None:
    require(
        node.node_id not in node.voters,
        f"If process.roles contains just the 'broker' role, the node id {node.node_id} must not be "
        f"included in the set of voters {VOTERS}={_set(node.voters)}",
    )
    bound = {listener.name for listener in node.listeners}
    require(
        bound.isdisjoint(node.controller_listener_names),
        f"{NAMES} must not contain a value appearing in the 'listeners' configuration when running "
        "KRaft with just the broker role",
    )
    for name in node.controller_listener_names:
        if name.upper() not in node.protocols:
            raise ValueError(
                f"Controller listener with name {name.upper()} defined in {NAMES} not found in "
                f"{PROTOCOL_MAP}  (an explicit security mapping for each controller listener is "
                f"required if {PROTOCOL_MAP} is non-empty, or if there are security protocols "
                "other than PLAINTEXT in use)"
            )
    require(
        values.value("controller.quorum.auto.join.enable") is not True,
        "controller.quorum.auto.join.enable is only supported when process.roles contains the "
        "'controller' role.",
    )


def _check_controller(node: NodeRoles) -> None:
    require(
        not node.voters or node.node_id in node.voters,
        f"If process.roles contains the 'controller' role, the node id {node.node_id} must be "
        f"included in the set of voters {VOTERS}={_set(node.voters)}",
    )
    require(
        bool(node.advertised_controller_listeners),
        f"{NAMES} must contain at least one value appearing in the 'listeners' configuration when "
        "running the KRaft controller role",
    )
    bound = {listener.name for listener in node.listeners}
    require(
        bound.issuperset(node.controller_listener_names),
        f"{NAMES} must only contain values appearing in the 'listeners' configuration when running "
        "the KRaft controller role",
    )


def _check_broker_listeners(node: NodeRoles, values: Values) -> None:
    advertised = list(dict.fromkeys(listener.name for listener in node.advertised_broker_listeners))
    hint = " Perhaps all listeners appear in controller.listener.names?"
    require(bool(advertised), f"There must be at least one broker advertised listener.{hint}")
    require(
        _inter_broker_listener(node, values) in advertised,
        f"{INTER_BROKER} must be a listener name defined in {ADVERTISED}. The valid options based "
        f"on currently configured listeners are {','.join(advertised)}",
    )
    bound = list(dict.fromkeys(listener.name for listener in node.listeners))
    require(
        set(advertised) <= set(bound),
        f"{ADVERTISED} listener names must be equal to or a subset of the ones defined in "
        f"listeners. Found {','.join(advertised)}. The valid options based on the current "
        f"configuration are {','.join(bound)}",
    )


def _inter_broker_listener(node: NodeRoles, values: Values) -> str:
    if not values.is_set(INTER_BROKER):
        return str(values.value(INTER_BROKER_PROTOCOL))
    name = str(values.value(INTER_BROKER)).upper()
    if values.is_set(INTER_BROKER_PROTOCOL):
        raise ValueError(f"Only one of {INTER_BROKER} and {INTER_BROKER_PROTOCOL} should be set.")
    if not name:
        raise ValueError("The provided listener name is null or empty string")
    if name not in node.protocols:
        raise ValueError(
            f"Listener with name {name} defined in {INTER_BROKER} not found in {PROTOCOL_MAP}."
        )
    return name


def _check_advertised_hosts(node: NodeRoles) -> None:
    brokers: Sequence[Listener] = node.advertised_broker_listeners if BROKER in node.roles else ()
    for listener in (*brokers, *node.advertised):
        require(
            listener.host != ANY_ADDRESS,
            f"{ADVERTISED} cannot use the nonroutable meta-address {ANY_ADDRESS}. Use a routable "
            "IP address.",
        )


def _set(ids: Collection[int]) -> str:
    """Formats a set of ids as Scala prints it."""
    return f"Set({', '.join(map(str, ids))})"
