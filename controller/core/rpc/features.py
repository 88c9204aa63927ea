"""Features of the cluster and its controllers: UpdateFeatures (57), ControllerRegistration (70)."""

from ..uuid import Uuid
from ..value import value
from .brokers import BrokerFeature, BrokerListener


@value
class FeatureUpdate:
    """A new level; `upgrade_type`: 1 upgrade, 2 safe downgrade, 3 unsafe downgrade (rule 5.54)."""

    feature: str
    max_version_level: int
    allow_downgrade: bool = False
    upgrade_type: int = 1


@value
class UpdateFeaturesRequest:
    """UpdateFeatures (57)."""

    timeout_ms: int = 60000
    feature_updates: tuple[FeatureUpdate, ...] = ()
    validate_only: bool = False


@value
class UpdatableFeatureResult:
    """The result for one feature."""

    feature: str
    error_code: int = 0
    error_message: str | None = ""


@value
class UpdateFeaturesResponse:
    """The result of an UpdateFeatures request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    results: tuple[UpdatableFeatureResult, ...] = ()


@value
class ControllerRegistrationRequest:
    """ControllerRegistration (70)."""

    controller_id: int
    incarnation_id: Uuid
    zk_migration_ready: bool = False
    listeners: tuple[BrokerListener, ...] = ()
    features: tuple[BrokerFeature, ...] = ()


@value
class ControllerRegistrationResponse:
    """The result of a registration."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""


@value
class UnregisterControllerRequest:
    """UnregisterController (94), which Kafka has from 4.4 on."""

    controller_id: int


@value
class UnregisterControllerResponse:
    """The result of an unregistration."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
