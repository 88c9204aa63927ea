"""The addresses of `kraftsim up`: those of its options, else of the listeners in `--config`."""

import argparse
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.configuration.listeners import ADVERTISED, NAMES, PLAINTEXT, PROTOCOL_MAP, Listener
from kraftsim.controller.core.value import value
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

    `listeners` are those of brokers beside PLAINTEXT, by name. Every listener has the same host.
    """

    host: str
    advertised_host: str | None
    kafka_port: int
    controller_port: int
    listeners: Mapping[str, int]


def addresses_of(arguments: argparse.Namespace, node: "NodeRoles | None") -> UpAddresses:
    """Returns the addresses; an option takes precedence over the listeners of a node in a file.

    Logs the listeners of the file that have no effect: those with TLS or SASL, and those with
    another host or advertised port.
    """
    bound = {} if node is None else {listener.name: listener for listener in _plaintext(node)}
    advertised = {} if node is None else {listener.name: listener for listener in node.advertised}
    controllers = () if node is None else node.controller_listener_names
    ports = {name: listener.port for name, listener in bound.items() if name not in controllers}
    controller_port = next((bound[name].port for name in controllers if name in bound), None)
    named = dict(map(_named, arguments.listeners))
    kafka_port = ports.pop(CLIENT_LISTENER, FIRST_BROKER_PORT)
    chosen = UpAddresses(
        host=arguments.host or _host(bound.values()) or LOOPBACK,
        advertised_host=(
            arguments.advertised_host
            or os.environ.get("KRAFTSIM_ADVERTISED_HOST")
            or _host(listener for listener in advertised.values() if listener.name in bound)
        ),
        kafka_port=_first(arguments.kafka_port, kafka_port),
        controller_port=_first(arguments.controller_port, controller_port, FIRST_CONTROLLER_PORT),
        listeners=named or ports,
    )
    _log_what_differs(chosen, bound, advertised)
    return chosen


def _plaintext(node: "NodeRoles") -> Iterator[Listener]:
    for listener in node.listeners:
        if node.protocols[listener.name] == PLAINTEXT:
            yield listener
        else:
            log.warning(
                "--config: listeners: %s has no effect: kraftsim has no TLS and no SASL",
                listener.name,
            )


def _host(listeners: Iterable[Listener]) -> str | None:
    """Returns the host of PLAINTEXT, else the first host; None if no listener names one."""
    hosts = {listener.name: listener.host for listener in listeners if listener.host}
    return hosts.get(CLIENT_LISTENER) or next(iter(hosts.values()), None)


def _first(*ports: int | None) -> int:
    """Returns the first port that is given; the last one always is."""
    return next(port for port in ports if port is not None)


def _named(text: str) -> tuple[str, int]:
    name, _, port = text.partition("=")
    try:
        return name, int(port)
    except ValueError:
        raise UsageError(f"--listeners: expected NAME=PORT, got {text!r}") from None


def _log_what_differs(
    chosen: UpAddresses, bound: Mapping[str, Listener], advertised: Mapping[str, Listener]
) -> None:
    """Logs each listener of the file whose address the cluster does not have."""
    for listener in bound.values():
        if listener.host not in ("", chosen.host):
            _log_one_host("listeners", listener, chosen.host)
    for listener in advertised.values():
        if listener.name in bound and listener.host not in ("", chosen.advertised_host):
            _log_one_host(ADVERTISED, listener, chosen.advertised_host)
        if listener.name in bound and listener.port != bound[listener.name].port:
            log.warning(
                "--config: %s: clients of %s get the port that is bound, not %d",
                ADVERTISED,
                listener.name,
                listener.port,
            )


def _log_one_host(key: str, listener: Listener, host: str | None) -> None:
    text = "--config: %s: %s is at %s, not at %s: a cluster has one host"
    log.warning(text, key, listener.name, host, listener.host)
