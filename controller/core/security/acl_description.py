"""DescribeAcls (29) from an image of the metadata: brokers and controllers answer it."""

from collections.abc import Iterable
from itertools import groupby

from .. import rpc
from ..errors import ApiError, ErrorCode
from ..image.image import Image
from ..log.records import AccessControlEntryRecord
from .acl_filters import selected


def describe_acls(
    image: Image, request: rpc.DescribeAclsRequest, *, has_authorizer: bool
) -> rpc.DescribeAclsResponse:
    """Returns the entries that the filter selects, by resource pattern, in order.

    Kafka's order is that of a hash map. Raises SECURITY_DISABLED without an authorizer.
    """
    if not has_authorizer:
        text = "No Authorizer is configured on the broker"
        raise ApiError(ErrorCode.SECURITY_DISABLED, text)
    entries = sorted(selected(image, request), key=_place)
    return rpc.DescribeAclsResponse(
        resources=tuple(
            _resource(pattern, of_pattern) for pattern, of_pattern in groupby(entries, _pattern)
        )
    )


def _pattern(entry: AccessControlEntryRecord) -> tuple[int, str, int]:
    return entry.resource_type, entry.resource_name, entry.pattern_type


def _place(entry: AccessControlEntryRecord) -> tuple[object, ...]:
    return *_pattern(entry), entry.principal, entry.host, entry.operation, entry.permission_type


def _resource(
    pattern: tuple[int, str, int], entries: Iterable[AccessControlEntryRecord]
) -> rpc.DescribeAclsResource:
    resource_type, name, pattern_type = pattern
    return rpc.DescribeAclsResource(
        resource_type=resource_type,
        resource_name=name,
        pattern_type=pattern_type,
        acls=tuple(
            rpc.AclDescription(
                principal=entry.principal,
                host=entry.host,
                operation=entry.operation,
                permission_type=entry.permission_type,
            )
            for entry in entries
        ),
    )
