"""The version of each record that the finalized metadata.version permits (rules 1.39, 2.24, 4.37).

A node exits if it reads a record version that it does not know, so no record is written in a higher
version than metadata.version permits (rule 0.6).
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
    """Returns the version in which `record` is written."""
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
    """Returns the lowest version that has every field set, as Kafka does (v0, v1 and v3 recorded).

    A record that sets only the online directories, even to an empty list, has version 2 (rule
    2.30).
    """
    if record.cordoned_log_dirs is not None:
        return 3
    if record.in_controlled_shutdown == IN_CONTROLLED_SHUTDOWN:
        return 1
    return 0 if record.fenced else 2
