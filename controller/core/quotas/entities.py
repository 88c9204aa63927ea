"""Entities to which client quotas apply: users, client ids, IP addresses and their combinations.

An entity is a HashMap of types and names in Kafka, so its text and the order of its parts in
replies are those of a HashMap of that size.
"""

from collections.abc import Iterable, Mapping

from ..errors import ApiError, ErrorCode
from ..hash_order import in_sized_hash_order
from ..log.records import QuotaEntity
from ..rpc.quotas import QuotaEntityData

USER, CLIENT_ID, IP = "user", "client-id", "ip"
TYPES = (CLIENT_ID, USER, IP)
"""The types in the order in which a record has them (a HashMap of capacity 4)."""
_RESOLVED = "localhost"

Names = Mapping[str, str | None]
"""The names of an entity by type; None is the default entity of a type."""


def names_of(parts: Iterable[QuotaEntityData]) -> Names:
    """Returns the entity of a request; of several names for one type the last applies."""
    given = tuple(parts)
    names = {part.entity_type: part.entity_name for part in given}
    return {kind: names[kind] for kind in in_sized_hash_order(names, len(given))}


def data_of(names: Names) -> tuple[QuotaEntityData, ...]:
    """Returns the parts of an entity for a reply."""
    return tuple(QuotaEntityData(entity_type=kind, entity_name=names[kind]) for kind in names)


def key_of(names: Names) -> tuple[QuotaEntity, ...]:
    """Returns the parts of a valid entity as a record has them."""
    return tuple(
        QuotaEntity(entity_type=kind, entity_name=names[kind]) for kind in TYPES if kind in names
    )


def text_of(names: Names) -> str:
    """Returns the entity as Kafka's messages spell it."""
    parts = (f"{kind}={'null' if name is None else name}" for kind, name in names.items())
    return f"ClientQuotaEntity(entries={{{', '.join(parts)}}})"


def check(names: Names) -> None:
    """Raises INVALID_REQUEST for an entity that can have no quotas, in Kafka's order of checks."""
    for kind, name in names.items():
        if kind not in TYPES:
            raise invalid(f"Unhandled client quota entity type: {kind}")
        if name == "":
            raise invalid(f"Empty {kind} not supported")
    if not names:
        raise invalid("Invalid empty client quota entity")
    if IP not in names:
        return
    if len(names) > 1:
        raise invalid(
            "Invalid quota entity combination, IP entity should"
            "not be combined with User or ClientId"
        )
    address = names[IP]
    if address is not None and not is_address(address):
        raise invalid(f"{address} is not a valid IP or resolvable host.")


def is_address(text: str) -> bool:
    """True for an IP address as Java reads it, and for localhost; no other name is resolved."""
    return text.lower() == _RESOLVED or _is_ipv4(text) or _is_ipv6(text)


def _is_ipv4(text: str) -> bool:
    """True for one to four decimal numbers, of which the last fills the remaining bytes."""
    parts = text.split(".")
    if len(parts) > 4 or not all(part.isascii() and part.isdecimal() for part in parts):
        return False
    *first, last = map(int, parts)
    return all(number < 256 for number in first) and last < 256 ** (4 - len(first))


def _is_ipv6(text: str) -> bool:
    from ipaddress import IPv6Address  # slow to import, and needed for quotas of addresses only

    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        IPv6Address(bare)
    except ValueError:
        return False
    return True


def invalid(text: str) -> ApiError:
    """Returns the refusal of an entity, a quota or a filter."""
    return ApiError(ErrorCode.INVALID_REQUEST, text)
