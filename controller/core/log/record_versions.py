"""Which version of a record the finalized metadata.version allows (rules 1.39, 2.24, 4.37).

A record of a version newer than a node knows ends that node's process, so nothing is ever written
above what the level allows (rule 0.6).
"""

from functools import cache

from .. import feature_levels
from .records import (
    IN_CONTROLLED_SHUTDOWN,
    BrokerRegistrationChangeRecord,
    PartitionChangeRecord,
    PartitionRecord,
    Record,
    RegisterBrokerRecord,
)


def record_version(record: Record, metadata_version: int) -> int:
    kind = type(record)
    if kind is PartitionChangeRecord or kind is PartitionRecord:
        return _partition_version(metadata_version)
    if kind is RegisterBrokerRecord:
        return _register_broker_version(metadata_version)
    if isinstance(record, BrokerRegistrationChangeRecord):
        return _registration_change_version(record)
    return 0


@cache
def _register_broker_version(metadata_version: int) -> int:
    steps = (
        feature_levels.IN_CONTROLLED_SHUTDOWN_FROM,
        feature_levels.ZK_MIGRATION_FROM,
        feature_levels.DIRECTORY_ASSIGNMENT_FROM,
        feature_levels.CORDONED_DIRECTORIES_FROM,
    )
    return sum(metadata_version >= step for step in steps)


@cache
def _partition_version(metadata_version: int) -> int:
    steps = (feature_levels.DIRECTORY_ASSIGNMENT_FROM, feature_levels.ELR_FIELDS_FROM)
    return sum(metadata_version >= step for step in steps)


def _registration_change_version(record: BrokerRegistrationChangeRecord) -> int:
    """The lowest version that has every field set, as Kafka writes it (v0, v1 and v3 recorded).

    A record that sets none of the other fields says which directories are online, none included,
    and has version 2 (rule 2.30)."""
    if record.cordoned_log_dirs is not None:
        return 3
    if record.in_controlled_shutdown == IN_CONTROLLED_SHUTDOWN:
        return 1
    return 0 if record.fenced else 2
