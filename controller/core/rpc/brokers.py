"""The life of a broker's registration: keys 62, 63, 64, and KIP-631's DecommissionBroker."""

from ..uuid import Uuid
from ..value import value


@value
class BrokerListener:
    name: str
    host: str
    port: int
    security_protocol: int = 0


@value
class BrokerFeature:
    name: str
    min_supported_version: int
    max_supported_version: int


@value
class BrokerRegistrationRequest:
    """Rule 1.2. `features` of None means "supports everything that is finalized" (HTTP only)."""

    broker_id: int
    cluster_id: str
    incarnation_id: Uuid
    listeners: tuple[BrokerListener, ...] = ()
    features: tuple[BrokerFeature, ...] | None = None
    rack: str | None = None
    is_migrating_zk_broker: bool = False
    log_dirs: tuple[Uuid, ...] = ()
    previous_broker_epoch: int = -1


@value
class BrokerRegistrationResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    broker_epoch: int = -1


@value
class BrokerHeartbeatRequest:
    """Rule 2.1. `current_metadata_offset` is the last offset the broker has applied (2.2a)."""

    broker_id: int
    broker_epoch: int = -1
    current_metadata_offset: int
    want_fence: bool
    want_shut_down: bool
    offline_log_dirs: tuple[Uuid, ...] = ()
    cordoned_log_dirs: tuple[Uuid, ...] | None = None


@value
class BrokerHeartbeatResponse:
    """On error every flag has its default, so an error always reads is_fenced (rule 2.2)."""

    throttle_time_ms: int = 0
    error_code: int = 0
    is_caught_up: bool = False
    is_fenced: bool = True
    should_shut_down: bool = False


@value
class UnregisterBrokerRequest:
    broker_id: int


@value
class UnregisterBrokerResponse:
    """`error_message` is "" on success, never null (rule 3.4)."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""


@value
class DecommissionBrokerRequest:
    """KIP-631's draft; never shipped by Kafka, so HTTP, CLI and Python only."""

    broker_id: int
    force: bool = False


@value
class DecommissionBrokerResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
