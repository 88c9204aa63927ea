"""AllocateProducerIds: a broker gets a block of 1,000 producer ids (KIP-730)."""

from ..errors import ApiError, ErrorCode
from ..log.records import ProducerIdsRecord
from ..rpc import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from ..state import Decision, State, check_broker_epoch

PRODUCER_IDS_PER_BLOCK = 1000
_PRODUCER_ID_MAX = 2**63 - 1


def allocate_producer_ids(
    state: State, request: AllocateProducerIdsRequest, now_ms: int
) -> Decision:
    """Decide an AllocateProducerIds request.

    Raises STALE_BROKER_EPOCH unless the broker's epoch is current, and UNKNOWN_SERVER_ERROR if all
    ids of an int64 are given away.
    """
    check_broker_epoch(state, request.broker_id, request.broker_epoch)
    first = state.image.next_producer_id
    if first > _PRODUCER_ID_MAX - PRODUCER_IDS_PER_BLOCK:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "Exhausted all producerIds.")
    record = ProducerIdsRecord(
        broker_id=request.broker_id,
        broker_epoch=request.broker_epoch,
        next_producer_id=first + PRODUCER_IDS_PER_BLOCK,
    )
    reply = AllocateProducerIdsResponse(
        producer_id_start=first, producer_id_len=PRODUCER_IDS_PER_BLOCK
    )
    return Decision(records=(record,), reply=reply)
