"""Registration of brokers: keys 62, 63, 64, and KIP-631's DecommissionBroker."""

from ..uuid import Uuid
from ..value import value


@value
class BrokerListener:
    """A listener of a registering broker or controller."""

    name: str
    host: str
    port: int
    security_protocol: int = 0


@value
class BrokerFeature:
    """The levels of a feature that a node supports, both ends included."""

    name: str
    min_supported_version: int
    max_supported_version: int


@value
class BrokerRegistrationRequest:
    """BrokerRegistration (62, rule 1.2).

    `features` of None means "supports every finalized feature" (HTTP only).
    """

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
    """The granted epoch, or an error."""

    throttle_time_ms: int = 0
    error_code: int = 0
    broker_epoch: int = -1


@value
class BrokerHeartbeatRequest:
    """BrokerHeartbeat (63, rule 2.1).

    `current_metadata_offset` is the last offset that the broker has applied (rule 2.2a).
    """

    broker_id: int
    broker_epoch: int = -1
    current_metadata_offset: int
    want_fence: bool
    want_shut_down: bool
    offline_log_dirs: tuple[Uuid, ...] = ()
    cordoned_log_dirs: tuple[Uuid, ...] | None = None


@value
class BrokerHeartbeatResponse:
    """The broker's state; on error all flags have defaults, so `is_fenced` is true (rule 2.2)."""

    throttle_time_ms: int = 0
    error_code: int = 0
    is_caught_up: bool = False
    is_fenced: bool = True
    should_shut_down: bool = False


@value
class UnregisterBrokerRequest:
    """UnregisterBroker (64)."""

    broker_id: int


@value
class UnregisterBrokerResponse:
    """The result; `error_message` is "" on success, never null (rule 3.4)."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""


@value
class DecommissionBrokerRequest:
    """DecommissionBroker of KIP-631's draft, which Kafka never shipped: HTTP, CLI, Python only."""

    broker_id: int
    force: bool = False


@value
class DecommissionBrokerResponse:
    """The result of a decommission."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
