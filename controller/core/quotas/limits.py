"""The quotas that an entity may have, and the values that each may take."""

from collections.abc import Mapping
from math import fmod, isfinite

from ..profile import Profile
from .entities import IP, Names, invalid

_LARGEST: Mapping[str, float] = {"INT": 2.0**31 - 1, "LONG": 2.0**63}  # as Java's doubles
_FRACTION_MAX = 1e-6
_OF_USERS_AND_CLIENTS = {
    "producer_byte_rate": "LONG",
    "consumer_byte_rate": "LONG",
    "request_percentage": "DOUBLE",
    "controller_mutation_rate": "DOUBLE",
}
_OF_IPS = {"connection_creation_rate": "INT"}

KEYS = (*_OF_USERS_AND_CLIENTS, *_OF_IPS)
"""The quotas of every release."""


def check(entity: Names, key: str, value: float, profile: Profile) -> None:
    """Raises INVALID_REQUEST for a quota that the entity cannot have, or for an invalid value.

    Before 4.4 NaN passes every comparison, and is stored.
    """
    kind = (_OF_IPS if IP in entity else _OF_USERS_AND_CLIENTS).get(key)
    if kind is None:
        raise invalid(f"Invalid configuration key {key}")
    if profile.refuses_infinite_quotas and not isfinite(value):
        raise invalid(f"Quota {key} must be a finite number")
    if value <= 0:
        raise invalid(f"Quota {key} must be greater than 0")
    if kind == "DOUBLE":
        return
    if value > _LARGEST[kind]:
        article = "an" if kind == "INT" else "a"
        raise invalid(f"Proposed value for {key} is too large for {article} {kind}.")
    if fmod(value, 1.0) > _FRACTION_MAX:
        raise invalid(f"{key} cannot be a fractional value.")
