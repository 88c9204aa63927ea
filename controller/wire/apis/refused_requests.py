"""What Kafka's classes of requests refuse after their bytes are decoded: the connection ends."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...core import rpc
from ...core.configs.resources import is_known
from ...core.security.acl_kinds import UNKNOWN
from ..errors import DecodeError


def check_description(request: rpc.DescribeAclsRequest) -> None:
    """Raises DecodeError for a filter with an UNKNOWN kind; any other number is accepted."""
    _check_kinds(_kinds(request))


def check_deletion(request: rpc.DeleteAclsRequest) -> None:
    """Raises DecodeError for a filter with an UNKNOWN kind."""
    for wanted in request.filters:
        _check_kinds(_kinds(wanted))


def check_creation(request: rpc.CreateAclsRequest) -> None:
    """Raises DecodeError for an entry with an UNKNOWN kind."""
    for entry in request.creations:
        pattern = (entry.resource_type, entry.resource_pattern_type)
        _check_kinds((*pattern, entry.operation, entry.permission_type))


def _kinds(wanted: rpc.DescribeAclsRequest | rpc.DeleteAclsFilter) -> tuple[int, ...]:
    pattern = (wanted.resource_type_filter, wanted.pattern_type_filter)
    return (*pattern, wanted.operation, wanted.permission_type)


def _check_kinds(kinds: Iterable[int]) -> None:
    if UNKNOWN in kinds:
        raise DecodeError(f"expected no kind of an ACL to be UNKNOWN ({UNKNOWN})")


def check_resources(request: rpc.AlterConfigsRequest) -> None:
    """Raises DecodeError if two resources of unknown types have the same name."""
    names = [of.resource_name for of in request.resources if not is_known(of.resource_type)]
    if len(set(names)) < len(names):
        raise DecodeError("expected each name of a resource of an unknown type once")


CHECKS: Mapping[int, Callable[[Any], None]] = {
    29: check_description,
    30: check_creation,
    31: check_deletion,
    33: check_resources,
}
"""By the key of the API."""
