"""EndQuorumEpoch (54), versions 0 and 1: a leader resigns and names its successors.

Rule 10.39. Version 1 is flexible, and adds the candidates' directories and the leader's address
(KIP-853). The response is that of BeginQuorumEpoch.
"""

from ...core.rpc import (
    EndQuorumEpochPartition,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    EndQuorumEpochTopic,
    PreferredCandidate,
)
from ..codec.schema import INT16, INT32, STRING, UUID, Array, Field, Struct, message
from .api_53_begin_quorum_epoch import TOPIC_RESULTS
from .endpoints import LEADER_ENDPOINTS, VOTER_ENDPOINTS

VERSIONS = (0, 1)
FLEXIBLE_SINCE = 1

_CANDIDATE = Struct(
    PreferredCandidate, (Field("candidate_id", INT32), Field("candidate_directory_id", UUID))
)
_PARTITION = Struct(
    EndQuorumEpochPartition,
    (
        Field("partition_index", INT32),
        Field("leader_id", INT32),
        Field("leader_epoch", INT32),
        Field("preferred_successors", Array(INT32), until=0),
        Field("preferred_candidates", Array(_CANDIDATE), since=1),
    ),
)
_TOPIC = Struct(
    EndQuorumEpochTopic, (Field("topic_name", STRING), Field("partitions", Array(_PARTITION)))
)

REQUEST = message(
    "EndQuorumEpochRequest",
    EndQuorumEpochRequest,
    VERSIONS,
    Field("cluster_id", STRING, nullable_since=0),
    Field("topics", Array(_TOPIC)),
    Field("leader_endpoints", VOTER_ENDPOINTS, since=1),
    flexible_since=FLEXIBLE_SINCE,
)

RESPONSE = message(
    "EndQuorumEpochResponse",
    EndQuorumEpochResponse,
    VERSIONS,
    Field("error_code", INT16),
    Field("topics", TOPIC_RESULTS),
    Field("node_endpoints", LEADER_ENDPOINTS, since=1, tag=0, default=()),
    flexible_since=FLEXIBLE_SINCE,
)
