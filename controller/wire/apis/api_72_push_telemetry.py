"""PushTelemetry (72), version 0: the metrics of a client (KIP-714)."""

from ...core.rpc.telemetry import PushTelemetryRequest, PushTelemetryResponse
from ..codec.schema import BOOL, BYTES, INT8, INT16, INT32, UUID, Field, message

VERSIONS = (0, 0)

REQUEST = message(
    "PushTelemetryRequest",
    PushTelemetryRequest,
    VERSIONS,
    Field("client_instance_id", UUID),
    Field("subscription_id", INT32),
    Field("terminating", BOOL),
    Field("compression_type", INT8),
    Field("metrics", BYTES),
)

RESPONSE = message(
    "PushTelemetryResponse",
    PushTelemetryResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
)
