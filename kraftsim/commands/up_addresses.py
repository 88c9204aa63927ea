"""The addresses of `kraftsim up`: those of its options, else of the listeners in `--config`."""

import argparse
import logging
import os
from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING

from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.configuration.listeners import ADVERTISED, NAMES, PROTOCOL_MAP, Listener
from kraftsim.controller.core.value import value
from kraftsim.controller.raft.identity import LISTENER as CONTROLLER_LISTENER
from kraftsim.simulation.ports import FIRST_BROKER_PORT, FIRST_CONTROLLER_PORT

from ..errors import UsageError

if TYPE_CHECKING:
    from kraftsim.configuration.roles import NodeRoles

LOOPBACK = "127.0.0.1"
ADDRESS_KEYS = frozenset({"process.roles", "listeners", ADVERTISED, NAMES, PROTOCOL_MAP})

log = logging.getLogger("kraftsim")


@value
class UpAddresses:
    """Where a cluster listens; ports are those of the first controller and the first broker.

    `listeners` are those of brokers beside PLAINTEXT, by name. Every listener is bound at one host;
    `advertised_listeners` are the addresses that clients get instead of `advertised_host` and the
    bound port.
    """

    host: str
    advertised_host: str | None
    kafka_port: int
    controller_port: int
    listeners: Mapping[str, int]
    advertised_listeners: Mapping[str, str]


def addresses_of(arguments: argparse.Namespace, node: "NodeRoles | None") -> UpAddresses:
    """Returns the addresses; an option takes precedence over the listeners of a node in a file.

    Logs the listeners of the file that are bound at another host than they name.
    """
    bound = {} if node is None else {listener.name: listener for listener in node.listeners}
    controllers = () if node is None else node.controller_listener_names
    ports = {name: listener.port for name, listener in bound.items() if name not in controllers}
    controller_port = next((bound[name].port for name in controllers if name in bound), None)
    named = dict(map(_named, arguments.listeners))
    kafka_port = ports.pop(CLIENT_LISTENER, FIRST_BROKER_PORT)
    host, advertised = _advertised_by(arguments, node, {CLIENT_LISTENER, *(named or ports)})
    chosen = UpAddresses(
        host=arguments.host or _host(bound.values()) or LOOPBACK,
        advertised_host=host,
        kafka_port=_first(arguments.kafka_port, kafka_port),
        controller_port=_first(arguments.controller_port, controller_port, FIRST_CONTROLLER_PORT),
        listeners=named or ports,
        advertised_listeners=advertised,
    )
    for listener in bound.values():
        if listener.host not in ("", chosen.host):
            text = "--config: listeners: %s is bound at %s, not at %s: a cluster binds one host"
            log.warning(text, listener.name, chosen.host, listener.host)
    return chosen


def _advertised_by(
    arguments: argparse.Namespace, node: "NodeRoles | None", of_brokers: Container[str]
) -> tuple[str | None, dict[str, str]]:
    """Returns the advertised host, and the advertised listeners that differ from it, by name.

    A host that the user gives replaces those of the file.
    """
    named = dict(map(_advertised, arguments.advertised_listeners))
    own_host = arguments.advertised_host or os.environ.get("KRAFTSIM_ADVERTISED_HOST")
    if own_host is not None or node is None:
        return own_host, named
    ports = {listener.name: listener.port for listener in node.listeners}
    listeners = [at for at in node.advertised if at.name in ports and at.host]
    own_host = _host(listeners)
    of_file = {}
    for listener in listeners:
        is_controller = listener.name in node.controller_listener_names
        name = CONTROLLER_LISTENER if is_controller else listener.name
        text = _text(listener, ports[listener.name])
        if text != own_host and (is_controller or name in of_brokers):
            of_file[name] = text
    return own_host, of_file | named


def _text(advertised: Listener, bound_port: int) -> str:
    """Returns HOST, and the port if it differs from the one that the file binds."""
    host = f"[{advertised.host}]" if ":" in advertised.host else advertised.host
    return host if advertised.port == bound_port else f"{host}:{advertised.port}"


def _host(listeners: Iterable[Listener]) -> str | None:
    """Returns the host of PLAINTEXT, else the first host; None if no listener names one."""
    hosts = {listener.name: listener.host for listener in listeners if listener.host}
    return hosts.get(CLIENT_LISTENER) or next(iter(hosts.values()), None)


def _first(*ports: int | None) -> int:
    """Returns the first port that is given; the last one always is."""
    return next(port for port in ports if port is not None)


def _advertised(text: str) -> tuple[str, str]:
    name, separator, address = text.partition("=")
    if not separator:
        raise UsageError(
            f"--advertised-listeners: expected NAME=HOST or NAME=HOST:PORT, got {text!r}"
        )
    return name, address


def _named(text: str) -> tuple[str, int]:
    name, _, port = text.partition("=")
    try:
        return name, int(port)
    except ValueError:
        raise UsageError(f"--listeners: expected NAME=PORT, got {text!r}") from None
