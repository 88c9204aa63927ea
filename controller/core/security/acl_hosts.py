"""Hosts of access control entries: addresses, and from 4.4-IV1 on networks (KIP-1276).

A host with a slash is a network in CIDR notation. Messages are those of Apache Commons Net, with
which Kafka parses it.
"""

import re

from .. import feature_levels
from ..errors import ApiError, ErrorCode
from ..java_text import parse_integer
from ..state import State

_IPV4_NETWORK = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})/([0-9]{1,2})")
_IPV4_BITS, _IPV6_BITS, _BYTE_MAX = 32, 128, 255


def check_host(state: State, host: str) -> None:
    """Raises INVALID_REQUEST for an empty host or network that does not parse.

    Raises UNSUPPORTED_VERSION for a network below 4.4-IV1. Before 4.4 every host is valid.
    """
    if not state.profile.checks_acl_hosts:
        return
    if not host:
        raise _invalid("Host pattern cannot be null or empty")
    if "/" not in host:
        return
    if state.image.metadata_version < feature_levels.ACL_NETWORKS_FROM:
        level = feature_levels.LEVEL_NAMES[feature_levels.ACL_NETWORKS_FROM - 1]
        text = f"CIDR-based ACL host patterns require metadata version {level} or higher."
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, text)
    flaw = _ipv6_flaw(host) if ":" in host else _ipv4_flaw(host)
    if flaw is not None:
        raise _invalid(f"Invalid CIDR notation '{host}': {flaw}")


def _invalid(text: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, text)


def _ipv4_flaw(network: str) -> str | None:
    match = _IPV4_NETWORK.fullmatch(network)
    if match is None:
        return f"Could not parse [{network}]"
    *address, prefix_bits = map(int, match.groups())
    limits = [(number, _BYTE_MAX) for number in address] + [(prefix_bits, _IPV4_BITS)]
    for number, most in limits:
        if number > most:
            return f"Value [{number}] not in range [0,{most}]"
    return None


def _ipv6_flaw(network: str) -> str | None:
    address, _, prefix = network.partition("/")
    prefix_bits = parse_integer(prefix, 32)
    if prefix_bits is None:
        return f"Could not parse [{network}] - invalid prefix length"
    if not 0 <= prefix_bits <= _IPV6_BITS:
        reason = f"prefix length must be between 0 and {_IPV6_BITS}"
        return f"Could not parse [{network}] - {reason}"
    return _address_flaw(address)


def _address_flaw(address: str) -> str | None:
    from ipaddress import IPv6Address  # slow to import, and needed for networks only

    bare = address[1:-1] if address.startswith("[") and address.endswith("]") else address
    try:
        parsed = IPv6Address(bare)
    except ValueError:
        return f"Could not parse [{address}]"
    # Java turns an address that maps an IPv4 address into that one.
    return (
        None if parsed.ipv4_mapped is None else f"Could not parse [{address}] - not an IPv6 address"
    )
