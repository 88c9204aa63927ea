"""Which access control entries a filter selects, as Kafka's AclBindingFilter does."""

from collections.abc import Iterator

from ..image.image import Image
from ..log.records import AccessControlEntryRecord
from ..rpc.acls import DeleteAclsFilter, DescribeAclsRequest
from .acl_kinds import ANY, LITERAL, MATCH, WILDCARD

AclFilter = DescribeAclsRequest | DeleteAclsFilter


def selected(image: Image, wanted: AclFilter) -> Iterator[AccessControlEntryRecord]:
    """Yields the entries that the filter selects, the oldest first."""
    entries = image.kept(AccessControlEntryRecord).values()
    return (entry for entry in entries if matches(wanted, entry))


def matches(wanted: AclFilter, entry: AccessControlEntryRecord) -> bool:
    """Returns True if the filter selects the entry."""
    return (
        wanted.resource_type_filter in (ANY, entry.resource_type)
        and _matches_pattern(wanted, entry)
        and wanted.principal_filter in (None, entry.principal)
        and wanted.host_filter in (None, entry.host)
        and wanted.operation in (ANY, entry.operation)
        and wanted.permission_type in (ANY, entry.permission_type)
    )


def _matches_pattern(wanted: AclFilter, entry: AccessControlEntryRecord) -> bool:
    """MATCH selects every pattern that concerns the named resource; ANY compares the names only."""
    name, pattern_type = wanted.resource_name_filter, wanted.pattern_type_filter
    if pattern_type not in (ANY, MATCH, entry.pattern_type):
        return False
    if name is None or pattern_type != MATCH:
        return name in (None, entry.resource_name)
    if entry.pattern_type == LITERAL:
        return entry.resource_name in (name, WILDCARD)
    return name.startswith(entry.resource_name)
