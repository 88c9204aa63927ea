"""CreateAcls (30) on the active controller: entries are stored, and not enforced.

Each entry of a request succeeds or fails separately. All records are written in one batch.
"""

from collections.abc import Mapping
from dataclasses import replace

from ..errors import ApiError, ErrorCode
from ..log.records import AccessControlEntryRecord, Record
from ..profile import Profile
from ..rpc.acls import AclCreation, AclCreationResult, CreateAclsRequest, CreateAclsResponse
from ..state import RECORDS_PER_OPERATION_MAX, Decision, State
from ..uuid import ZERO_UUID, random_uuid
from .acl_hosts import check_host
from .acl_kinds import (
    ALLOW,
    ANY,
    CLUSTER,
    CLUSTER_NAME,
    DENY,
    LITERAL,
    MATCH,
    PATTERN_TYPES,
    PERMISSION_TYPES,
    PREFIXED,
    RESOURCE_TYPES,
    UNKNOWN,
    operations,
)

_TOO_MANY = "Unable to perform excessively large batch operation."
_SUCCESS = AclCreationResult()


def check_authorizer(state: State) -> None:
    """Raises SECURITY_DISABLED on a controller without an authorizer."""
    if not state.settings.authorizer_class_name:
        raise ApiError(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured.")


def create_acls(state: State, request: CreateAclsRequest, now_ms: int) -> Decision:
    """Decide a CreateAcls request."""
    check_authorizer(state)
    if any(_is_a_filter(creation) for creation in request.creations):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
    errors = [_error(state, creation) for creation in request.creations]
    valid = dict.fromkeys(
        _entry(creation)
        for creation, error in zip(request.creations, errors, strict=True)
        if error is None
    )
    entries = state.image.kept(AccessControlEntryRecord).values()
    existing = {replace(entry, id=ZERO_UUID) for entry in entries}
    added = [entry for entry in valid if entry not in existing]
    records = _records(state, added) if len(added) <= RECORDS_PER_OPERATION_MAX else ()
    done = (
        _SUCCESS
        if len(records) == len(added)
        else _refusal(ApiError(ErrorCode.POLICY_VIOLATION, _TOO_MANY))
    )
    results = tuple(done if error is None else _refusal(error) for error in errors)
    return Decision(records, CreateAclsResponse(results=results), is_atomic=True)


def _refusal(error: ApiError) -> AclCreationResult:
    return AclCreationResult(error_code=error.code, error_message=error.message or None)


def _records(state: State, added: list[AccessControlEntryRecord]) -> tuple[Record, ...]:
    return tuple(replace(entry, id=random_uuid(state.random)) for entry in added)


def _error(state: State, creation: AclCreation) -> ApiError | None:
    """Returns the error of an entry that Kafka refuses, in Kafka's order of checks."""
    text = next((text for text in _flaws(state.profile, creation) if text is not None), None)
    if text is not None:
        return ApiError(ErrorCode.INVALID_REQUEST, text)
    try:
        check_host(state, creation.host)
    except ApiError as error:
        return error
    return None


def _flaws(profile: Profile, creation: AclCreation) -> tuple[str | None, ...]:
    name, principal = creation.resource_name, creation.principal
    is_misnamed = creation.resource_type == CLUSTER and name != CLUSTER_NAME
    return (
        f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}" if is_misnamed else None,
        None if name else "Invalid empty resource name",
        _flaw("resourceType", RESOURCE_TYPES, creation.resource_type),
        _flaw("patternType", PATTERN_TYPES, creation.resource_pattern_type, LITERAL, PREFIXED),
        _flaw("operation", operations(profile), creation.operation),
        _flaw("permissionType", PERMISSION_TYPES, creation.permission_type, DENY, ALLOW),
        None
        if ":" in principal
        else f"Could not parse principal from `{principal}` (no colon is present separating the "
        "principal type from the principal name)",
    )


def _is_a_filter(creation: AclCreation) -> bool:
    """True for ANY and MATCH, which belong to filters: Kafka's classes of entries have neither."""
    kinds = (creation.resource_type, creation.operation, creation.permission_type)
    return ANY in kinds or creation.resource_pattern_type in (ANY, MATCH)


def _flaw(what: str, names: Mapping[int, str], number: int, *valid: int) -> str | None:
    """Returns the message for a number that is none of `valid`, or is UNKNOWN or ANY."""
    known = number if number in names else UNKNOWN
    is_valid = known in valid if valid else known not in (UNKNOWN, ANY)
    return None if is_valid else f"Invalid {what} {names[known]}"


def _entry(creation: AclCreation) -> AccessControlEntryRecord:
    return AccessControlEntryRecord(
        id=ZERO_UUID,
        resource_type=creation.resource_type,
        resource_name=creation.resource_name,
        pattern_type=creation.resource_pattern_type,
        principal=creation.principal,
        host=creation.host,
        operation=creation.operation,
        permission_type=creation.permission_type,
    )
