"""AllocateProducerIds (67), version 0: a broker requests a block of producer ids."""

from ...core.rpc import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from ..codec.schema import INT16, INT32, INT64, Field, message

VERSIONS = (0, 0)

REQUEST = message(
    "AllocateProducerIdsRequest",
    AllocateProducerIdsRequest,
    VERSIONS,
    Field("broker_id", INT32),
    Field("broker_epoch", INT64),
)

RESPONSE = message(
    "AllocateProducerIdsResponse",
    AllocateProducerIdsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("producer_id_start", INT64),
    Field("producer_id_len", INT32),
)
