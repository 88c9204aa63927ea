"""BrokerRegistration: grants a broker its id and epoch (section 1 of the rules).

An incarnation is one process of a broker, identified by a random id. A new incarnation gets the
log's next offset as its epoch and starts fenced; a repeated registration of the same incarnation
keeps epoch, fencing and shutdown state. A different incarnation is refused while the lease is
valid.
"""

from collections.abc import Mapping

from .. import feature_levels
from ..errors import ApiError, ErrorCode
from ..image.broker import BrokerRegistration
from ..leases import RegistrationNote
from ..log.records import Endpoint, FeatureRange, Record, RegisterBrokerRecord
from ..partitions import broker_changes
from ..rpc import BrokerFeature, BrokerRegistrationRequest, BrokerRegistrationResponse
from ..security.protocols import check_security_protocol
from ..state import Decision, State
from ..uuid import is_reserved_directory, uuid_text

PORT_MAX = 65535


def register(state: State, request: BrokerRegistrationRequest, now_ms: int) -> Decision:
    """Decide a BrokerRegistration request; checks run in Kafka's order (rules 1.8 to 1.32).

    Raises ApiError for the first check that fails.
    """
    _check_cluster_id(state, request)
    stored: BrokerRegistration | None = state.image.brokers.get(request.broker_id)
    amends = stored is not None and stored.incarnation_id == request.incarnation_id
    if stored is not None and not amends:
        _check_no_other_incarnation(state, stored, now_ms)
    if request.is_migrating_zk_broker:
        raise ApiError(
            ErrorCode.BROKER_ID_NOT_REGISTERED,
            "Controller does not support registering ZK brokers.",
        )
    _check_directories(state, request)
    listeners = _checked_listeners(request)
    offered = _checked_features(state, request)
    cleanup = [] if amends else _cleanup(state, stored, request)
    record = _register_record(state, request, stored if amends else None, listeners, offered)
    return Decision(
        records=(*cleanup, record),
        reply=BrokerRegistrationResponse(broker_epoch=record.broker_epoch),
        note=RegistrationNote(
            broker_id=record.broker_id,
            broker_epoch=record.broker_epoch,
            fenced=record.fenced,
            amends=amends,
        ),
    )


def _check_cluster_id(state: State, request: BrokerRegistrationRequest) -> None:
    if request.cluster_id != state.cluster_id:
        raise ApiError(
            ErrorCode.INCONSISTENT_CLUSTER_ID,
            f"Expected cluster ID {state.cluster_id}, but got cluster ID {request.cluster_id}",
        )


def _check_no_other_incarnation(state: State, stored: BrokerRegistration, now_ms: int) -> None:
    """Refuses a new incarnation while the lease of the registered one is valid.

    This also applies during a controlled shutdown (rules 1.10 to 1.12a).
    """
    if state.leases.has_valid_session(stored, now_ms):
        message = "Another broker is registered with that broker id."
        if state.profile.contacts_by_epoch:
            message += (
                " If the broker was recently restarted this should self-resolve once the "
                "heartbeat manager expires the broker's session."
            )
        raise ApiError(ErrorCode.DUPLICATE_BROKER_REGISTRATION, message)


def _check_directories(state: State, request: BrokerRegistrationRequest) -> None:
    """Refuses invalid log directories; checks run in the order of rule 1.14.

    A directory belongs to a broker id, whatever its incarnation (rule 1.16).
    """
    if state.image.metadata_version < feature_levels.DIRECTORY_ASSIGNMENT_FROM:
        return
    if not request.log_dirs:
        raise _invalid("No directories specified in request")
    if any(is_reserved_directory(directory) for directory in request.log_dirs):
        raise _invalid("Reserved directory ID in request")
    if len(set(request.log_dirs)) != len(request.log_dirs):
        raise _invalid("Duplicate directory ID in request")
    for directory in request.log_dirs:
        owner = state.image.directories.get(directory, request.broker_id)
        if owner != request.broker_id:
            raise _invalid(
                f"Broker {owner} is already registered with directory {uuid_text(directory)}"
            )


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REGISTRATION, message)


def _checked_listeners(request: BrokerRegistrationRequest) -> tuple[Endpoint, ...]:
    """Returns the listeners; refuses invalid listeners (rule 1.18).

    Kafka's controller fails over instead.
    """
    for listener in request.listeners:
        if not 1 <= listener.port <= PORT_MAX:
            raise _invalid(
                f"listener {listener.name}: expected a port from 1 to {PORT_MAX}, "
                f"got {listener.port}"
            )
        if not listener.host.strip():
            raise _invalid(f"listener {listener.name}: expected a host, got {listener.host!r}")
        check_security_protocol(listener.name, listener.security_protocol)
    return tuple(
        Endpoint(name=o.name, host=o.host, port=o.port, security_protocol=o.security_protocol)
        for o in request.listeners
    )


def _checked_features(state: State, request: BrokerRegistrationRequest) -> tuple[FeatureRange, ...]:
    """Returns the broker's features; refuses a range without the finalized level.

    Rules 1.20 to 1.24.
    """
    if request.features is None:
        return _everything_finalized(state)
    finalized = state.image.finalized
    offered = [_checked_range(finalized, feature) for feature in request.features]
    names = {feature.name for feature in request.features}
    if feature_levels.METADATA_VERSION not in names:
        offered.append(_implied_metadata_version(state, finalized))
        names.add(feature_levels.METADATA_VERSION)
    for name in finalized:
        if name not in names:
            absent = BrokerFeature(name=name, min_supported_version=0, max_supported_version=0)
            _checked_range(finalized, absent)
    return tuple(offered)


def _everything_finalized(state: State) -> tuple[FeatureRange, ...]:
    return tuple(
        FeatureRange(name=name, min_supported_version=0, max_supported_version=level)
        for name, level in sorted(state.image.finalized.items())
    )


def _checked_range(finalized: Mapping[str, int], feature: BrokerFeature) -> FeatureRange:
    level = finalized.get(feature.name, feature_levels.default_level(feature.name))
    low, high = feature.min_supported_version, feature.max_supported_version
    if not low <= level <= high:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION,
            "Unable to register because the broker does not support finalized version "
            f"{level} of {feature.name}. The broker wants a version between {low} and {high}, "
            "inclusive.",
        )
    return FeatureRange(name=feature.name, min_supported_version=low, max_supported_version=high)


def _implied_metadata_version(state: State, finalized: Mapping[str, int]) -> FeatureRange:
    if state.profile.metadata_version_required:
        raise _invalid("expected a range of metadata.version among the features, got none")
    implied = BrokerFeature(
        name=feature_levels.METADATA_VERSION, min_supported_version=1, max_supported_version=1
    )
    return _checked_range(finalized, implied)


def _cleanup(
    state: State, stored: BrokerRegistration | None, request: BrokerRegistrationRequest
) -> list[Record]:
    """Returns the changes that remove the previous incarnation from ISRs and ELRs.

    Rules 1.33 to 1.37.
    """
    if not state.profile.cleans_up_at_registration:
        return []
    last_epoch = stored.broker_epoch if stored is not None else -2
    clean = request.previous_broker_epoch == last_epoch
    if feature_levels.elr_enabled(state.image.features) and not clean:
        return broker_changes.without_unclean_broker(state, request.broker_id)
    return broker_changes.without_broker(state, request.broker_id)


def _register_record(
    state: State,
    request: BrokerRegistrationRequest,
    amended: BrokerRegistration | None,
    listeners: tuple[Endpoint, ...],
    offered: tuple[FeatureRange, ...],
) -> RegisterBrokerRecord:
    """Returns the record of the registration.

    A new broker epoch is the offset of the operation's first record (rules 1.25, 1.30); an amended
    registration keeps its epoch and fencing.
    """
    has_directories = state.image.metadata_version >= feature_levels.DIRECTORY_ASSIGNMENT_FROM
    return RegisterBrokerRecord(
        broker_id=request.broker_id,
        incarnation_id=request.incarnation_id,
        broker_epoch=amended.broker_epoch if amended else state.next_offset,
        end_points=listeners,
        features=offered,
        rack=request.rack,
        fenced=amended.fenced if amended else True,
        in_controlled_shutdown=amended.in_controlled_shutdown if amended else False,
        log_dirs=request.log_dirs if has_directories else (),
    )
