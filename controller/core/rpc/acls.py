"""Access control entries: DescribeAcls (29), CreateAcls (30) and DeleteAcls (31).

Types, operations and permissions are Kafka's numbers (`controller/core/security/acl_kinds.py`).
"""

from ..value import value

LITERAL = 3


@value
class DescribeAclsRequest:
    """DescribeAcls (29): the filter; a name, principal or host of None matches every one."""

    resource_type_filter: int
    resource_name_filter: str | None
    pattern_type_filter: int = LITERAL
    principal_filter: str | None
    host_filter: str | None
    operation: int
    permission_type: int


@value
class AclDescription:
    """One entry of a resource pattern."""

    principal: str
    host: str
    operation: int
    permission_type: int


@value
class DescribeAclsResource:
    """A resource pattern with its entries."""

    resource_type: int
    resource_name: str
    pattern_type: int = LITERAL
    acls: tuple[AclDescription, ...]


@value
class DescribeAclsResponse:
    """The reply to a DescribeAcls request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    resources: tuple[DescribeAclsResource, ...] = ()


@value
class AclCreation:
    """An entry to add."""

    resource_type: int
    resource_name: str
    resource_pattern_type: int = LITERAL
    principal: str
    host: str
    operation: int
    permission_type: int


@value
class CreateAclsRequest:
    """CreateAcls (30)."""

    creations: tuple[AclCreation, ...] = ()


@value
class AclCreationResult:
    """The result for one entry, in the order of the request."""

    error_code: int = 0
    error_message: str | None = ""


@value
class CreateAclsResponse:
    """The reply to a CreateAcls request."""

    throttle_time_ms: int = 0
    results: tuple[AclCreationResult, ...] = ()


@value
class DeleteAclsFilter:
    """Selects entries to remove; a name, principal or host of None matches every one."""

    resource_type_filter: int
    resource_name_filter: str | None
    pattern_type_filter: int = LITERAL
    principal_filter: str | None
    host_filter: str | None
    operation: int
    permission_type: int


@value
class DeleteAclsRequest:
    """DeleteAcls (31)."""

    filters: tuple[DeleteAclsFilter, ...] = ()


@value
class DeleteAclsMatchingAcl:
    """An entry that a filter selected."""

    error_code: int = 0
    error_message: str | None = None
    resource_type: int
    resource_name: str
    pattern_type: int = LITERAL
    principal: str
    host: str
    operation: int
    permission_type: int


@value
class DeleteAclsFilterResult:
    """The result of one filter, in the order of the request."""

    error_code: int = 0
    error_message: str | None = None
    matching_acls: tuple[DeleteAclsMatchingAcl, ...] = ()


@value
class DeleteAclsResponse:
    """The reply to a DeleteAcls request."""

    throttle_time_ms: int = 0
    filter_results: tuple[DeleteAclsFilterResult, ...] = ()


AclFilter = DescribeAclsRequest | DeleteAclsFilter
AclsRequest = DescribeAclsRequest | CreateAclsRequest | DeleteAclsRequest
AclsResponse = DescribeAclsResponse | CreateAclsResponse | DeleteAclsResponse
