"""The addresses of voters as Vote and other APIs of the quorum encode them.

Fetch has a schema of its own, with racks.
"""

from ...core.rpc import NodeEndpoint, QuorumEndpoint
from ..codec.schema import INT32, STRING, UINT16, Array, Field, Struct

VOTER_ENDPOINTS = Array(
    Struct(QuorumEndpoint, (Field("name", STRING), Field("host", STRING), Field("port", UINT16))),
    keyed_by="name",
)
LEADER_ENDPOINTS = Array(
    Struct(NodeEndpoint, (Field("node_id", INT32), Field("host", STRING), Field("port", UINT16))),
    keyed_by="node_id",
)
