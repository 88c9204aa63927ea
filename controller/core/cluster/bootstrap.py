"""The records that a controller writes when it becomes active (rule 0A.11)."""

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
    image: Image,
    profile: Profile,
    settings: Settings,
    metadata_version: int | None = None,
    formatted: tuple[Record, ...] = (),
) -> tuple[Record, ...]:
    """Returns the records with which a new active controller begins, for one batch.

    If a failover left a metadata transaction open, the record that aborts it comes first. If the
    log is empty, the bootstrap records follow: those of a `formatted` directory, or the features
    of `metadata_version`, by default the profile's.
    """
    aborted: tuple[Record, ...] = ()
    if image.open_transaction is not None:
        aborted = (AbortTransactionRecord(reason="Controller failover"),)
    if image.features:
        return aborted
    records = formatted or _features(
        profile.metadata_version if metadata_version is None else metadata_version
    )
    return (*aborted, *_bootstrap(image, profile, settings, records))


def _features(metadata_version: int) -> tuple[Record, ...]:
    levels = feature_levels.bootstrap_levels(metadata_version)
    return tuple(
        FeatureLevelRecord(name=name, feature_level=level) for name, level in levels.items()
    )


def _bootstrap(
    image: Image, profile: Profile, settings: Settings, features: tuple[Record, ...]
) -> tuple[Record, ...]:
    """Returns the bootstrap records, in a metadata transaction where metadata.version has them.

    The controller itself adds the records that ELR needs: no bootstrap file has them (rule 0A.11).
    """
    levels = {
        record.name: record.feature_level
        for record in features
        if isinstance(record, FeatureLevelRecord)
    }
    records = [*features]
    if levels[feature_levels.METADATA_VERSION] < feature_levels.TRANSACTIONS_FROM:
        return features
    if profile.writes_zk_migration_state:
        records.append(ZkMigrationStateRecord(zk_migration_state=0))
    if feature_levels.elr_enabled(levels):
        records.extend(elr_safety_records(image, settings))
    return (BeginTransactionRecord(name="Bootstrap records"), *records, EndTransactionRecord())


def idle_record(image: Image) -> NoOpRecord | None:
    """Returns the NoOp record that an active controller appends to an idle log.

    None if the finalized metadata.version is too low for that record (rule 0A.14).
    """
    return NoOpRecord() if image.metadata_version >= feature_levels.NO_OP_FROM else None


def may_register_controllers(image: Image) -> bool:
    """True if the finalized metadata.version has RegisterControllerRecord."""
    return image.metadata_version >= feature_levels.CONTROLLER_REGISTRATION_FROM
