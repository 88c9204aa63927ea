"""What a controller writes when it becomes active (rule 0A.11), and its own registration (5.62)."""

from .. import feature_levels
from ..features.elr_safety import elr_safety_records
from ..image.image import Image
from ..log.records import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
    FeatureLevelRecord,
    NoOpRecord,
    Record,
    ZkMigrationStateRecord,
)
from ..profile import Profile
from ..settings import Settings


def activation_records(
    image: Image, profile: Profile, settings: Settings, metadata_version: int | None = None
) -> tuple[Record, ...]:
    """On an empty log the bootstrap, in one batch; before it, or alone, the end of a transaction
    that a failover left open."""
    aborted: tuple[Record, ...] = ()
    if image.open_transaction is not None:
        aborted = (AbortTransactionRecord(reason="Controller failover"),)
    if image.features:
        return aborted
    return (*aborted, *_bootstrap(image, profile, settings, metadata_version))


def _bootstrap(
    image: Image, profile: Profile, settings: Settings, metadata_version: int | None
) -> tuple[Record, ...]:
    """What ELR needs is made by the controller: it is in no bootstrap file (0A.11)."""
    level = profile.metadata_version if metadata_version is None else metadata_version
    levels = feature_levels.bootstrap_levels(level)
    records: list[Record] = [
        FeatureLevelRecord(name=name, feature_level=level) for name, level in levels.items()
    ]
    if levels[feature_levels.METADATA_VERSION] < feature_levels.TRANSACTIONS_FROM:
        return tuple(records)
    if profile.writes_zk_migration_state:
        records.append(ZkMigrationStateRecord(zk_migration_state=0))
    if feature_levels.elr_enabled(levels):
        records.extend(elr_safety_records(image, settings))
    return (BeginTransactionRecord(name="Bootstrap records"), *records, EndTransactionRecord())


def idle_record(image: Image) -> NoOpRecord | None:
    """Written while nothing else is, so that the log's end moves (rule 0A.14)."""
    return NoOpRecord() if image.metadata_version >= feature_levels.NO_OP_FROM else None


def may_register_controllers(image: Image) -> bool:
    return image.metadata_version >= feature_levels.CONTROLLER_REGISTRATION_FROM
