"""ControllerRegistration and UnregisterController (rules 5.61 to 5.64)."""

from .. import feature_levels, rpc
from ..errors import ApiError, ErrorCode
from ..log.records import (
    Endpoint,
    FeatureRange,
    RegisterControllerRecord,
    UnregisterControllerRecord,
)
from ..security.protocols import check_security_protocol
from ..state import Decision, State


def register_controller(
    state: State, request: rpc.ControllerRegistrationRequest, now_ms: int
) -> Decision:
    """Write the registration of a controller; the last request wins (rule 5.62).

    There is no session and no check for duplicates. Listeners and features keep the request's
    order. Raises UNSUPPORTED_VERSION if the finalized metadata.version has no such record, and
    INVALID_REGISTRATION for a security protocol that does not exist: Kafka's controller fails over
    instead.
    """
    if state.image.metadata_version < feature_levels.CONTROLLER_REGISTRATION_FROM:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, "The version of API is not supported.")
    for listener in request.listeners:
        check_security_protocol(listener.name, listener.security_protocol)
    is_ready = request.zk_migration_ready and state.profile.writes_zk_migration_state
    record = registration(request, zk_migration_ready=is_ready)
    return Decision((record,), rpc.ControllerRegistrationResponse())


def unregister_controller(
    state: State, request: rpc.UnregisterControllerRequest, now_ms: int
) -> Decision:
    """Remove the registration of a controller; one that still runs registers again (rule 5.64).

    The active controller is refused before the metadata.version is checked.
    """
    if request.controller_id == state.node_id:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            "Controller cannot unregister itself while it is active.",
        )
    if state.image.metadata_version < feature_levels.CONTROLLER_UNREGISTRATION_FROM:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION,
            "The current MetadataVersion is too old to support controller unregistration.",
        )
    if request.controller_id not in state.image.controllers:
        raise ApiError(
            ErrorCode.CONTROLLER_ID_NOT_REGISTERED,
            f"Controller ID {request.controller_id} is not currently registered.",
        )
    record = UnregisterControllerRecord(controller_id=request.controller_id)
    return Decision((record,), rpc.UnregisterControllerResponse(), is_atomic=True)


def registration(
    request: rpc.ControllerRegistrationRequest, *, zk_migration_ready: bool = False
) -> RegisterControllerRecord:
    """Returns the record that registers a controller.

    The active controller writes the same record for itself. Only releases that know ZooKeeper keep
    `zk_migration_ready` (rule 5.62).
    """
    return RegisterControllerRecord(
        controller_id=request.controller_id,
        incarnation_id=request.incarnation_id,
        zk_migration_ready=zk_migration_ready,
        end_points=tuple(
            Endpoint(
                name=listener.name,
                host=listener.host,
                port=listener.port,
                security_protocol=listener.security_protocol,
            )
            for listener in request.listeners
        ),
        features=tuple(
            FeatureRange(
                name=feature.name,
                min_supported_version=feature.min_supported_version,
                max_supported_version=feature.max_supported_version,
            )
            for feature in request.features
        ),
    )
