"""Client telemetry: GetTelemetrySubscriptions (71) and PushTelemetry (72), of KIP-714."""

from ..uuid import ZERO_UUID, Uuid
from ..value import value


@value(kw_only=False)
class TelemetryClient:
    """The client that sent a request, and its end of the connection.

    It is no field of the wire: header, socket and ApiVersions of the connection have it. The
    software is empty if ApiVersions named none.
    """

    client_id: str | None = None
    address: str = ""
    port: int = 0
    software_name: str = ""
    software_version: str = ""


@value
class GetTelemetrySubscriptionsRequest:
    """GetTelemetrySubscriptions (71); a client without an id asks with zeros."""

    client_instance_id: Uuid
    client: TelemetryClient = TelemetryClient()


@value
class GetTelemetrySubscriptionsResponse:
    """The reply to a GetTelemetrySubscriptions request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    client_instance_id: Uuid = ZERO_UUID
    subscription_id: int = 0
    accepted_compression_types: tuple[int, ...] = ()
    push_interval_ms: int = 0
    telemetry_max_bytes: int = 0
    delta_temporality: bool = False
    requested_metrics: tuple[str, ...] = ()


@value
class PushTelemetryRequest:
    """PushTelemetry (72)."""

    client_instance_id: Uuid
    subscription_id: int
    terminating: bool = False
    compression_type: int = 0
    metrics: bytes = b""
    client: TelemetryClient = TelemetryClient()


@value
class PushTelemetryResponse:
    """The reply to a PushTelemetry request."""

    throttle_time_ms: int = 0
    error_code: int = 0


TelemetryRequest = GetTelemetrySubscriptionsRequest | PushTelemetryRequest
TelemetryResponse = GetTelemetrySubscriptionsResponse | PushTelemetryResponse
