"""GetTelemetrySubscriptions (71), version 0: the metrics that a client shall push (KIP-714)."""

from ...core.rpc.telemetry import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
)
from ..codec.schema import BOOL, INT8, INT16, INT32, STRING, UUID, Array, Field, message

VERSIONS = (0, 0)

REQUEST = message(
    "GetTelemetrySubscriptionsRequest",
    GetTelemetrySubscriptionsRequest,
    VERSIONS,
    Field("client_instance_id", UUID),
)

RESPONSE = message(
    "GetTelemetrySubscriptionsResponse",
    GetTelemetrySubscriptionsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("client_instance_id", UUID),
    Field("subscription_id", INT32),
    Field("accepted_compression_types", Array(INT8)),
    Field("push_interval_ms", INT32),
    Field("telemetry_max_bytes", INT32),
    Field("delta_temporality", BOOL),
    Field("requested_metrics", Array(STRING)),
)
