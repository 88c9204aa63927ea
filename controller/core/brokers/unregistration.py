"""UnregisterBroker: a broker leaves every ISR, then the cluster (rules 3.1 to 3.7)."""

from ..errors import ApiError, ErrorCode
from ..image.broker import BrokerRegistration
from ..log.records import Record, UnregisterBrokerRecord
from ..partitions import broker_changes
from ..rpc import UnregisterBrokerRequest, UnregisterBrokerResponse
from ..state import RECORDS_PER_OPERATION_MAX, Decision, State


def unregister(state: State, request: UnregisterBrokerRequest, now_ms: int) -> Decision:
    """Remove the broker from every ISR, then its registration (rules 3.3 to 3.6).

    Replica assignments and ELRs keep the id. Raises BROKER_ID_NOT_REGISTERED for an unknown broker.
    """
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
    """Returns the record that removes the broker's registration."""
    return UnregisterBrokerRecord(broker_id=stored.broker_id, broker_epoch=stored.broker_epoch)


def check_operation_size(state: State, records: tuple[Record, ...]) -> None:
    """Raises POLICY_VIOLATION if an operation has more than 10,000 records (rule 0A.7).

    The bound is that of Kafka 3.9.1, 4.1.1 and 4.3.1.
    """
    if len(records) > RECORDS_PER_OPERATION_MAX:
        raise _not_unregistered(
            state,
            ErrorCode.POLICY_VIOLATION,
            "Unable to perform excessively large batch operation.",
        )


def _not_unregistered(state: State, code: ErrorCode, message: str) -> ApiError:
    """Returns the refusal; in Kafka 3.9 it has no message (rule 3.4)."""
    return ApiError(code, message if state.profile.unregister_explains else "")


def _leave_partitions(state: State, broker_id: int) -> list[Record]:
    """Returns the changes for the ISRs, then those for the ELRs (rules 3.5, 3.7).

    Both start from the state before the batch. The ELR changes only elect a leader: the broker
    keeps its place in the ELR.
    """
    in_elr = state.image.index.in_elr(broker_id)
    return [
        *broker_changes.without_broker(state, broker_id),
        *broker_changes.leader_and_isr_changes(state, in_elr, remove=broker_id),
    ]
