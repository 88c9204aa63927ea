"""ApiVersions (18), versions 0 to 5: the APIs of a listener; the first request of a connection.

The response has header version 0 in every version, because the client does not yet know the
listener's versions (rule 5.47). Version 4 has the layout of 3, and may list features with a minimum
of 0. Version 5 (KIP-1242) names the intended cluster and node; only the profile of Kafka 4.4
supports it.
"""

from ...core.rpc import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)
from ..codec.schema import BOOL, INT16, INT32, INT64, STRING, Array, Field, Struct, message

VERSIONS = (0, 5)
FLEXIBLE_SINCE = 3

REQUEST = message(
    "ApiVersionsRequest",
    ApiVersionsRequest,
    VERSIONS,
    Field("client_software_name", STRING, since=3),
    Field("client_software_version", STRING, since=3),
    Field("cluster_id", STRING, since=5, nullable_since=5),
    Field("node_id", INT32, since=5, default=-1),
    flexible_since=FLEXIBLE_SINCE,
)

_API_VERSION = Struct(
    ApiVersion,
    (Field("api_key", INT16), Field("min_version", INT16), Field("max_version", INT16)),
)
_SUPPORTED_FEATURE = Struct(
    SupportedFeatureKey,
    (Field("name", STRING), Field("min_version", INT16), Field("max_version", INT16)),
)
_FINALIZED_FEATURE = Struct(
    FinalizedFeatureKey,
    (Field("name", STRING), Field("max_version_level", INT16), Field("min_version_level", INT16)),
)

RESPONSE = message(
    "ApiVersionsResponse",
    ApiVersionsResponse,
    VERSIONS,
    Field("error_code", INT16),
    Field("api_keys", Array(_API_VERSION)),
    Field("throttle_time_ms", INT32, since=1),
    Field("supported_features", Array(_SUPPORTED_FEATURE), since=3, tag=0, default=()),
    Field("finalized_features_epoch", INT64, since=3, tag=1, default=-1),
    Field("finalized_features", Array(_FINALIZED_FEATURE), since=3, tag=2, default=()),
    Field("zk_migration_ready", BOOL, since=3, tag=3, default=False),
    flexible_since=FLEXIBLE_SINCE,
    is_shared=True,
)
