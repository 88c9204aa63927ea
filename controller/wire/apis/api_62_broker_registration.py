"""BrokerRegistration (62), versions 0 to 4: a broker registers (rules 1.2, 1.4).

Version 1 adds ZooKeeper migration, 2 the log directories, 3 the previous epoch; version 4 has the
layout of 3 and permits features with a minimum of 0. Listeners and features are maps by name (rule
1.19).
"""

from ...core.rpc import (
    BrokerFeature,
    BrokerListener,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from ..codec.schema import (
    BOOL,
    INT16,
    INT32,
    INT64,
    STRING,
    UINT16,
    UUID,
    Array,
    Field,
    Struct,
    message,
)

VERSIONS = (0, 4)

LISTENERS = Array(
    Struct(
        BrokerListener,
        (
            Field("name", STRING),
            Field("host", STRING),
            Field("port", UINT16),
            Field("security_protocol", INT16),
        ),
    ),
    keyed_by="name",
)
FEATURES = Array(
    Struct(
        BrokerFeature,
        (
            Field("name", STRING),
            Field("min_supported_version", INT16),
            Field("max_supported_version", INT16),
        ),
    ),
    keyed_by="name",
)

REQUEST = message(
    "BrokerRegistrationRequest",
    BrokerRegistrationRequest,
    VERSIONS,
    Field("broker_id", INT32),
    Field("cluster_id", STRING),
    Field("incarnation_id", UUID),
    Field("listeners", LISTENERS),
    Field("features", FEATURES),
    Field("rack", STRING, nullable_since=0),
    Field("is_migrating_zk_broker", BOOL, since=1),
    Field("log_dirs", Array(UUID), since=2),
    Field("previous_broker_epoch", INT64, since=3),
)

RESPONSE = message(
    "BrokerRegistrationResponse",
    BrokerRegistrationResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("broker_epoch", INT64),
)
