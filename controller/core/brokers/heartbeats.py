"""BrokerHeartbeat: the states of a registered broker (rules 2.4 to 2.32a).

A broker is FENCED (registered, not electable), UNFENCED (serving), or in CONTROLLED_SHUTDOWN
(moving its leaderships to other brokers). SHUTDOWN_NOW is only a reply; the stored state is then
FENCED. `_next_state` is the transition table; `_WRITES` holds the records of each transition.

Invariants: a heartbeat with a stale epoch changes nothing, not even soft state (rule 9.8); a broker
is unfenced only after it has caught up with its own registration (rule 2.12); a reply is sent only
after its records are committed (the node ensures this).
"""

from collections.abc import Callable

from .. import feature_levels
from ..errors import ApiError, ErrorCode
from ..image.broker import BrokerRegistration
from ..leases import HeartbeatNote, Liveness
from ..log.records import IN_CONTROLLED_SHUTDOWN, BrokerRegistrationChangeRecord, Record
from ..partitions import broker_changes
from ..rpc import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from ..state import Decision, State
from ..uuid import Uuid
from .fencing import fence, registration_change, unfence


class ControlState:
    """The state of a registered broker after a heartbeat; the four states are constants below.

    `steady` holds the decisions of a heartbeat that ends in this state and writes no record: for a
    broker that has not caught up, and for a broker that has (rule 2.18). They are built once,
    because nearly every heartbeat returns one of them. It is no Enum, which cannot be compiled.
    """

    def __init__(self, name: str) -> None:
        self.is_fenced = name in ("FENCED", "SHUTDOWN_NOW")
        note = HeartbeatNote(self.is_fenced, name == "CONTROLLED_SHUTDOWN")
        self.steady = tuple(
            Decision(
                reply=BrokerHeartbeatResponse(
                    is_caught_up=is_caught_up,
                    is_fenced=self.is_fenced,
                    should_shut_down=name == "SHUTDOWN_NOW",
                ),
                note=note,
            )
            for is_caught_up in (False, True)
        )


FENCED = ControlState("FENCED")
UNFENCED = ControlState("UNFENCED")
CONTROLLED_SHUTDOWN = ControlState("CONTROLLED_SHUTDOWN")
SHUTDOWN_NOW = ControlState("SHUTDOWN_NOW")


def heartbeat(state: State, request: BrokerHeartbeatRequest, now_ms: int) -> Decision:
    """Decide one heartbeat.

    Raises STALE_BROKER_EPOCH (77) if the broker id is unknown or the epoch is stale (rules 2.7,
    2.8).
    """
    broker: BrokerRegistration | None = state.image.brokers.get(request.broker_id)
    if broker is None or broker.broker_epoch != request.broker_epoch:
        raise _stale(broker, request)
    liveness = state.leases.liveness[broker.broker_id]
    current = current_state(liveness)
    following = _next_state(state, broker, liveness, current, request)
    decision = following.steady[request.current_metadata_offset >= broker.register_offset]
    is_news = _cordons_otherwise(broker, request.cordoned_log_dirs)
    if following is current and not is_news and not request.offline_log_dirs:
        return decision
    records = [] if following is current else _WRITES[following](state, broker)
    if request.offline_log_dirs:  # in every state, after the transition's records (2.30)
        records += _offline_directories(state, broker, request)
    if is_news:
        records += _cordoned_directories(state, broker, request)
    return decision._replace(records=tuple(records))


def current_state(liveness: Liveness) -> ControlState:
    """Returns the state in which a heartbeat finds the broker (rule 2.11)."""
    if liveness.controlled_shutdown_offset >= 0:
        return CONTROLLED_SHUTDOWN
    return FENCED if liveness.fenced else UNFENCED


def _stale(broker: BrokerRegistration | None, request: BrokerHeartbeatRequest) -> ApiError:
    if broker is None:
        message = f"Receive a heartbeat from broker {request.broker_id} before registration"
    else:
        message = (
            f"Expected broker epoch {broker.broker_epoch}, "
            f"but got broker epoch {request.broker_epoch}"
        )
    return ApiError(ErrorCode.STALE_BROKER_EPOCH, message)


def _next_state(
    state: State,
    broker: BrokerRegistration,
    liveness: Liveness,
    current: ControlState,
    request: BrokerHeartbeatRequest,
) -> ControlState:
    """Returns the state after a heartbeat, from the first matching row of rule 2.12's table."""
    if current is FENCED:
        if request.want_shut_down:
            return SHUTDOWN_NOW
        caught_up = request.current_metadata_offset >= broker.register_offset
        return UNFENCED if caught_up and not request.want_fence else FENCED
    if current is UNFENCED and not request.want_shut_down:
        return FENCED if request.want_fence else UNFENCED
    leads = state.image.index.leads(broker.broker_id)
    if current is UNFENCED:
        if request.want_fence:
            return SHUTDOWN_NOW
        return CONTROLLED_SHUTDOWN if leads else SHUTDOWN_NOW
    if leads or liveness.controlled_shutdown_offset > state.leases.lowest_active_offset():
        return CONTROLLED_SHUTDOWN  # ignores the request's flags: no way back (2.13)
    return SHUTDOWN_NOW


def _begin_controlled_shutdown(state: State, broker: BrokerRegistration) -> list[Record]:
    """Returns the changes that move the broker's partitions away (rule 2.23).

    If metadata.version has the flag of a controlled shutdown, the first such heartbeat sets it.
    """
    changes = broker_changes.without_broker(state, broker.broker_id)
    if (
        broker.in_controlled_shutdown
        or state.image.metadata_version < feature_levels.IN_CONTROLLED_SHUTDOWN_FROM
    ):
        return changes
    flag = registration_change(broker, in_controlled_shutdown=IN_CONTROLLED_SHUTDOWN)
    return [flag, *changes]


_WRITES: dict[ControlState, Callable[[State, BrokerRegistration], list[Record]]] = {
    FENCED: fence,
    UNFENCED: unfence,
    CONTROLLED_SHUTDOWN: _begin_controlled_shutdown,
    SHUTDOWN_NOW: fence,  # also written if the broker is already fenced (2.17)
}


def _offline_directories(
    state: State, broker: BrokerRegistration, request: BrokerHeartbeatRequest
) -> list[Record]:
    """Returns the changes for registered directories that are now offline (rules 2.30, 2.31).

    Replicas in such a directory leave the ISR.
    """
    if state.image.metadata_version < feature_levels.DIRECTORY_ASSIGNMENT_FROM:
        return []
    lost = [d for d in broker.log_dirs if d in request.offline_log_dirs]
    if not lost:
        return []
    online = tuple(d for d in broker.log_dirs if d not in lost)
    change = BrokerRegistrationChangeRecord(
        broker_id=broker.broker_id, broker_epoch=broker.broker_epoch, log_dirs=online
    )
    changes = [broker_changes.without_directory(state, broker.broker_id, d) for d in lost]
    return [*(record for records in changes for record in records), change]


def _cordons_otherwise(broker: BrokerRegistration, cordoned: tuple[Uuid, ...] | None) -> bool:
    """True if the directories of the heartbeat are not those registered, as sets (rule 2.32a)."""
    if cordoned is None or cordoned == broker.cordoned_log_dirs:
        return False
    registered = broker.cordoned_log_dirs
    return registered is None or set(cordoned) != set(registered)


def _cordoned_directories(
    state: State, broker: BrokerRegistration, request: BrokerHeartbeatRequest
) -> list[Record]:
    """Returns a record with all cordoned directories, if they changed (rule 2.32a)."""
    if state.image.metadata_version < feature_levels.CORDONED_DIRECTORIES_FROM:
        return []
    change = BrokerRegistrationChangeRecord(
        broker_id=broker.broker_id,
        broker_epoch=broker.broker_epoch,
        cordoned_log_dirs=request.cordoned_log_dirs,
    )
    return [change]
