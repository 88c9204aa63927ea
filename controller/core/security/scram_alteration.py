"""AlterUserScramCredentials (51) on the active controller.

Each user of a request succeeds or fails separately, and may occur once. All records are written in
one batch.
"""

from collections.abc import Iterator, Mapping

from .. import rpc
from ..errors import ApiError, ErrorCode
from ..feature_levels import SCRAM_FROM
from ..hash_order import in_hash_order
from ..log.records import Record, RemoveUserScramCredentialRecord, UserScramCredentialRecord
from ..state import Decision, State

ITERATIONS_MIN, ITERATIONS_MAX = 4096, 16384
HASHES: Mapping[int, str] = {1: "sha256", 2: "sha512"}
"""The hash function of each mechanism."""

Change = rpc.ScramCredentialDeletion | rpc.ScramCredentialUpsertion


def alter_user_scram_credentials(
    state: State, request: rpc.AlterUserScramCredentialsRequest, now_ms: int
) -> Decision:
    """Decide an AlterUserScramCredentials request."""
    changes, errors = _checked(state, request)
    records: list[Record] = []
    results: list[rpc.AlterUserScramCredentialsResult] = []
    deleted = [
        name for name, change in changes.items() if isinstance(change, rpc.ScramCredentialDeletion)
    ]
    upserted = [name for name in changes if name not in set(deleted)]
    for name in (*in_hash_order(deleted), *in_hash_order(upserted)):
        try:
            records.append(_record(changes[name]))
        except ApiError as error:
            errors[name] = error.with_traceback(None)
        else:
            results.append(rpc.AlterUserScramCredentialsResult(user=name))
    results += [_refusal(name, errors[name]) for name in in_hash_order(errors)]
    reply = rpc.AlterUserScramCredentialsResponse(results=tuple(results))
    return Decision(tuple(records), reply, is_atomic=True)


def respond(
    request: rpc.AlterUserScramCredentialsRequest, reply: rpc.Response | ApiError, _: int
) -> rpc.Response:
    """Returns the response to a request: a refusal has each user once, in order of the names."""
    if not isinstance(reply, ApiError):
        return reply
    names = sorted({change.name for change in _of(request)})
    return rpc.AlterUserScramCredentialsResponse(
        results=tuple(_refusal(name, reply) for name in names)
    )


def _of(request: rpc.AlterUserScramCredentialsRequest) -> Iterator[Change]:
    yield from request.deletions
    yield from request.upsertions


def _refusal(name: str, error: ApiError) -> rpc.AlterUserScramCredentialsResult:
    return rpc.AlterUserScramCredentialsResult(
        user=name, error_code=error.code, error_message=error.message or None
    )


def _checked(
    state: State, request: rpc.AlterUserScramCredentialsRequest
) -> tuple[dict[str, Change], dict[str, ApiError]]:
    """Returns the valid change of each user, and the error of each other user."""
    changes: dict[str, Change] = {}
    errors: dict[str, ApiError] = {}
    for change in _of(request):
        name = change.name
        if name in errors:
            continue
        try:
            if changes.pop(name, None) is not None:
                text = "A user credential cannot be altered twice in the same request"
                raise ApiError(ErrorCode.DUPLICATE_RESOURCE, text)
            _check(state, change)
        except ApiError as error:
            errors[name] = error.with_traceback(None)
        else:
            changes[name] = change
    return changes, errors


def _check(state: State, change: Change) -> None:
    """Raises ApiError for a change that Kafka refuses, in Kafka's order of checks."""
    if state.image.metadata_version < SCRAM_FROM:
        text = "The current metadata.version does not support SCRAM"
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, text)
    if not change.name:
        raise ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty")
    if change.mechanism not in HASHES:
        raise ApiError(ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
    if isinstance(change, rpc.ScramCredentialUpsertion):
        _check_iterations(change.iterations)
    elif not _exists(state, change):
        text = "Attempt to delete a user credential that does not exist"
        raise ApiError(ErrorCode.RESOURCE_NOT_FOUND, text)


def _exists(state: State, change: Change) -> bool:
    return (change.name, change.mechanism) in state.image.kept(UserScramCredentialRecord)


def _check_iterations(iterations: int) -> None:
    if iterations < ITERATIONS_MIN:
        raise ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations")
    if iterations > ITERATIONS_MAX:
        raise ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations")


def _record(change: Change) -> Record:
    """Returns the record of a valid change; raises UNKNOWN_SERVER_ERROR for an empty password."""
    if isinstance(change, rpc.ScramCredentialDeletion):
        return RemoveUserScramCredentialRecord(name=change.name, mechanism=change.mechanism)
    if not change.salted_password:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
    stored_key, server_key = credential_keys(change.salted_password, HASHES[change.mechanism])
    return UserScramCredentialRecord(
        name=change.name,
        mechanism=change.mechanism,
        salt=change.salt,
        stored_key=stored_key,
        server_key=server_key,
        iterations=change.iterations,
    )


def credential_keys(salted_password: bytes, hash_name: str) -> tuple[bytes, bytes]:
    """Returns the stored key and the server key of a credential (RFC 5802, section 3)."""
    import hashlib  # slow to import, and needed for credentials only
    import hmac

    client_key = hmac.digest(salted_password, b"Client Key", hash_name)
    stored_key = hashlib.new(hash_name, client_key).digest()
    return stored_key, hmac.digest(salted_password, b"Server Key", hash_name)
