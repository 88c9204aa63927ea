"""UnregisterBroker: a broker leaves every ISR, then the cluster (rules 3.1 to 3.7)."""

from ..errors import ApiError, ErrorCode
from ..image.broker import BrokerRegistration
from ..log.records import Record, UnregisterBrokerRecord
from ..partitions import broker_changes
from ..rpc import UnregisterBrokerRequest, UnregisterBrokerResponse
from ..state import RECORDS_PER_OPERATION_MAX, Decision, State


def unregister(state: State, request: UnregisterBrokerRequest, now_ms: int) -> Decision:
    """Out of every ISR, then gone; assignments and ELRs keep the id (rules 3.3 to 3.6)."""
    stored = state.image.brokers.get(request.broker_id)
    if stored is None:
        raise _not_unregistered(
            state,
            ErrorCode.BROKER_ID_NOT_REGISTERED,
            f"Broker ID {request.broker_id} is not currently registered",
        )
    records = (*_leave_partitions(state, request.broker_id), unregistration(stored))
    check_operation_size(state, records)
    return Decision(records=records, reply=UnregisterBrokerResponse())


def unregistration(stored: BrokerRegistration) -> UnregisterBrokerRecord:
    return UnregisterBrokerRecord(broker_id=stored.broker_id, broker_epoch=stored.broker_epoch)


def check_operation_size(state: State, records: tuple[Record, ...]) -> None:
    """One operation's result is bounded (0A.7), an unregistration's too (3.9.1, 4.1.1, 4.3.1)."""
    if len(records) > RECORDS_PER_OPERATION_MAX:
        raise _not_unregistered(
            state,
            ErrorCode.POLICY_VIOLATION,
            "Unable to perform excessively large batch operation.",
        )


def _not_unregistered(state: State, code: ErrorCode, message: str) -> ApiError:
    """3.9 has no texts here (rule 3.4)."""
    return ApiError(code, message if state.profile.unregister_explains else "")


def _leave_partitions(state: State, broker_id: int) -> list[Record]:
    """The ISR pass, then the ELR pass, both from the state before the batch (3.5, 3.7). The ELR
    pass only elects anew: the broker stays eligible where it was."""
    in_elr = state.image.index.in_elr(broker_id)
    return [
        *broker_changes.without_broker(state, broker_id),
        *broker_changes.leader_and_isr_changes(state, in_elr, remove=broker_id),
    ]
