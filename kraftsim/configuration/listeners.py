"""Parses listeners and their security protocols, with Kafka's messages."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
PLAINTEXT = "PLAINTEXT"
ANY_ADDRESS = "0.0.0.0"
PROTOCOL_MAP = "listener.security.protocol.map"
NAMES, ADVERTISED = "controller.listener.names", "advertised.listeners"
_ENDPOINT = r"(.*)://\[?([0-9a-zA-Z\-%._:]*)\]?:(-?[0-9]+)"


class Listener(NamedTuple):
    """A listener of a property file; an empty host stands for every address of the machine."""

    name: str
    host: str
    port: int


def protocol_map(text: str) -> dict[str, str]:
    """Parses `NAME:PROTOCOL,...`; raises ValueError if a protocol is unknown."""
    protocols: dict[str, str] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, colon, protocol = entry.rpartition(":")
        if not colon:
            raise ValueError(
                f"Error parsing configuration property '{PROTOCOL_MAP}': begin 0, end -1, length "
                f"{len(entry)}"
            )
        if protocol.strip().upper() not in PROTOCOLS:
            raise ValueError(f"Invalid security protocol `{protocol}` defined in {PROTOCOL_MAP}")
        protocols[name.strip().upper()] = protocol.strip().upper()
    return protocols


def protected(texts: Sequence[str], protocols: Mapping[str, str]) -> dict[str, str]:
    """Returns the protocols other than PLAINTEXT of the listeners in `texts`, by name."""
    names = [text.partition("://")[0].upper() for text in texts]
    known = {name: protocols[name] for name in names if name in protocols}
    return {name: protocol for name, protocol in known.items() if protocol != PLAINTEXT}


def listeners_of(
    texts: Sequence[str], protocols: Mapping[str, str], *, distinct_ports: bool
) -> tuple[Listener, ...]:
    """Parses listeners; raises ValueError, with Kafka's message, if they are invalid."""
    try:
        listeners = tuple(_listener(text, protocols) for text in texts)
        shown = f"listeners: [{', '.join(texts)}]"
        if len({listener.name for listener in listeners}) < len(listeners):
            raise ValueError(f"Each listener must have a different name, {shown}")
        if distinct_ports:
            _check_ports(listeners, shown)
    except ValueError as error:
        message = f"Error creating broker listeners from '[{', '.join(texts)}]': {error}"
        raise ValueError(message) from None
    return listeners


def _listener(text: str, protocols: Mapping[str, str]) -> Listener:
    match = re.fullmatch(_ENDPOINT, text)
    if match is None:
        raise ValueError(f"Unable to parse {text} to a broker endpoint")
    name = match[1].upper()
    if name not in protocols:
        raise ValueError(f"No security protocol defined for listener {name}")
    return Listener(name, match[2], int(match[3]))


def _check_ports(listeners: Sequence[Listener], shown: str) -> None:
    """Refuses two listeners with one port, unless their hosts are an IPv4 and an IPv6 address."""
    hosts: dict[int, list[str]] = {}
    for listener in listeners:
        if listener.port != 0:
            hosts.setdefault(listener.port, []).append(listener.host)
    for shared in hosts.values():
        if len(shared) > 2 or (len(shared) == 2 and not _are_of_both_versions(shared)):
            raise ValueError(f"Each listener must have a different port, {shown}")


def _are_of_both_versions(hosts: Sequence[str]) -> bool:
    from ipaddress import IPv6Address, ip_address  # not needed at every start

    try:
        versions = {isinstance(ip_address(host), IPv6Address) for host in hosts}
    except ValueError:  # a name
        return False
    return len(versions) == 2
