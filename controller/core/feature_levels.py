"""Feature levels: what metadata.version permits, and what each release supports and finalizes.

metadata.version is data in the log (a FeatureLevelRecord), not a property of the software; it
determines which records and fields may be written (rule 0.6). Levels and defaults are those of the
releases (rules 0.5, 5.50, 0A.11).
"""

from collections.abc import Mapping

METADATA_VERSION = "metadata.version"
ELIGIBLE_LEADER_REPLICAS = "eligible.leader.replicas.version"
KRAFT_VERSION = "kraft.version"

# First metadata.version that has each capability (rule 0.6).
LEADER_RECOVERY_FROM = 3
NO_OP_FROM = 5
REGISTRATION_CHANGE_FROM = 6
IN_CONTROLLED_SHUTDOWN_FROM = 7
ZK_MIGRATION_FROM = 8
SCRAM_FROM = 11
NO_EPOCH_BUMP_ON_SHRINK_FROM = 12
TRANSACTIONS_FROM = 13
CONTROLLER_REGISTRATION_FROM = 15
ACL_NETWORKS_FROM = 32  # 4.4-IV1
CONTROLLER_UNREGISTRATION_FROM = 33  # 4.4-IV2
DIRECTORY_ASSIGNMENT_FROM = 17
ELR_FIELDS_FROM = 23
CORDONED_DIRECTORIES_FROM = 30
GROUPS_CHECKED_BY_BROKERS_FROM = 34  # 4.5-IV0

FIRST_BOOTSTRAP_LEVEL = 4  # 3.3-IV0, the first with FeatureLevelRecord (rule 5.57)

# Levels that changed the content of records, so that a downgrade below them could lose data:
# those of Kafka's own table up to 4.0, 4.3-IV0 (golden 4.3.1 A1, seq 1517), 4.4-IV1 (access control
# by network) and 4.4-IV2 (UnregisterControllerRecord). 4.1, 4.2, 4.4-IV0 and 4.5-IV0 changed
# nothing.
_CHANGES_METADATA = frozenset({1, 3, 5, 6, 7, 8, 11, 13, 14, 15, 17, 23, 30, 32, 33})

LEVEL_NAMES = [
    "3.0-IV1",
    "3.1-IV0",
    "3.2-IV0",
    "3.3-IV0",
    "3.3-IV1",
    "3.3-IV2",
    "3.3-IV3",
    "3.4-IV0",
    "3.5-IV0",
    "3.5-IV1",
    "3.5-IV2",
    "3.6-IV0",
    "3.6-IV1",
    "3.6-IV2",
    "3.7-IV0",
    "3.7-IV1",
    "3.7-IV2",
    "3.7-IV3",
    "3.7-IV4",
    "3.8-IV0",
    "3.9-IV0",
    "4.0-IV0",
    "4.0-IV1",
    "4.0-IV2",
    "4.0-IV3",
    "4.1-IV0",
    "4.1-IV1",
    "4.2-IV0",
    "4.2-IV1",
    "4.3-IV0",
    "4.4-IV0",
    "4.4-IV1",
    "4.4-IV2",
    "4.5-IV0",
]  # level 1 is the first (rule 0.5)


# The level of each feature that an empty log finalizes, by the first metadata.version for it.
_DEFAULTS: dict[str, dict[int, int]] = {
    ELIGIBLE_LEADER_REPLICAS: {26: 1},
    "group.version": {22: 1},
    "share.version": {28: 1, 31: 2},
    "streams.version": {29: 1},
    "transaction.version": {24: 2},
}


def bootstrap_levels(metadata_version: int) -> dict[str, int]:
    """Returns the feature levels that an empty log finalizes at `metadata_version`.

    They are in the order of their records (rule 0A.11).
    """
    levels = {METADATA_VERSION: metadata_version}
    for name, defaults in _DEFAULTS.items():
        reached = [level for since, level in defaults.items() if since <= metadata_version]
        if reached:
            levels[name] = max(reached)
    return levels


def level_of(name: str) -> int:
    """Returns the number of the metadata.version with a name such as 4.3-IV0.

    Raises ValueError for an unknown name.
    """
    if name not in LEVEL_NAMES:
        raise ValueError(
            f"expected a metadata.version such as 4.3-IV0 ({LEVEL_NAMES[0]} to {LEVEL_NAMES[-1]}), "
            f"got {name!r}"
        )
    return LEVEL_NAMES.index(name) + 1


def changes_metadata(level: int, current: int) -> bool:
    """True if a downgrade from `current` to `level` loses content of records."""
    return any(level < number <= current for number in _CHANGES_METADATA)


def default_level(feature: str) -> int:
    """Returns the level that applies to a feature that is not finalized (rule 1.20)."""
    return 1 if feature == METADATA_VERSION else 0


def unmet_dependency(
    feature: str, level: int, proposed: Mapping[str, int], least: int
) -> str | None:
    """Returns the reason for which `level` of `feature` cannot be finalized, or None (rule 5.56).

    `proposed` are the levels after the request; `least` is the lowest metadata.version that any
    feature needs.
    """
    metadata_version = proposed.get(METADATA_VERSION, 1)
    if level == 0 or feature == METADATA_VERSION:
        return None
    refusal = f"{feature} could not be set to {level} because it depends on {METADATA_VERSION}"
    if metadata_version < least:
        return f"{refusal}={least} ({LEVEL_NAMES[least - 1]})"
    if feature == ELIGIBLE_LEADER_REPLICAS and metadata_version < ELR_FIELDS_FROM:
        return f"{refusal} level {ELR_FIELDS_FROM}"
    return None


def elr_enabled(features: Mapping[str, int]) -> bool:
    """True if ELR is finalized and metadata.version has its fields (rule 4.23)."""
    return (
        features.get(ELIGIBLE_LEADER_REPLICAS, 0) >= 1
        and features.get(METADATA_VERSION, 1) >= ELR_FIELDS_FROM
    )
