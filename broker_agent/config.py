"""Configuration of a simulated broker."""

from dataclasses import dataclass

from kraftsim.controller.core.rpc import BrokerFeature, BrokerListener
from kraftsim.controller.core.uuid import Uuid

CLIENT_LISTENER = "PLAINTEXT"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """Configuration of one broker.

    `metadata_linger_ms` spaces the fetches of a large fleet. `replica_catch_up_ms` is the time
    until a leader proposes a returned replica for the ISR.
    """

    broker_id: int
    cluster_id: str
    listeners: tuple[BrokerListener, ...]
    features: tuple[BrokerFeature, ...]
    log_dirs: tuple[Uuid, ...]
    heartbeat_interval_ms: int
    session_timeout_ms: int
    registration_timeout_ms: int
    replica_catch_up_ms: int
    rack: str | None = None
    metadata_linger_ms: int = 0
    retries_at_heartbeat_interval: bool = True
