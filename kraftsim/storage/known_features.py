"""Features of a release, as `kafka-storage version-mapping` and `feature-dependencies` print them.

The texts are those of 4.3.1, whose `kafka-features` prints the same.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kraftsim.controller.core.feature_levels import (
    ELIGIBLE_LEADER_REPLICAS,
    ELR_FIELDS_FROM,
    KRAFT_VERSION,
    LEVEL_NAMES,
    METADATA_VERSION,
    bootstrap_levels,
)
from kraftsim.controller.core.java_text import parse_integer
from kraftsim.controller.core.profile import Profile

from ..errors import FormatRefused
from .chosen_features import latest_of_release, newest_known_version, unknown_release

_ORDER = (
    *(METADATA_VERSION, KRAFT_VERSION, "transaction.version", "group.version"),
    *(ELIGIBLE_LEADER_REPLICAS, "share.version", "streams.version"),
)  # of Kafka's lists
_DYNAMIC_VOTERS_FROM = 21  # 3.9-IV0: kraft.version 1 (KIP-853)


class Dependency(NamedTuple):
    """A level of a feature, and the levels of other features that it requires."""

    feature: str
    level: int
    required: Mapping[str, int]


def mapped_levels(profile: Profile, release: str | None) -> dict[str, int]:
    """Returns the levels with which a cluster of a release begins, in the order of Kafka's lists.

    `release` is a metadata.version or a release, such as 4.3-IV0 or 4.3; None is the profile's
    newest. Raises FormatRefused if the profile does not know it.
    """
    level = profile.metadata_version if release is None else _known_version(profile, release)
    levels = bootstrap_levels(level) | {KRAFT_VERSION: int(level >= _DYNAMIC_VOTERS_FROM)}
    highest = {name: high for name, _, high in profile.supported_features}
    return {METADATA_VERSION: level} | {
        name: min(levels.get(name, 0), highest[name])
        for name in _ORDER
        if name != METADATA_VERSION and name in highest
    }


def _known_version(profile: Profile, release: str) -> int:
    """Returns the level of a release, or of a version that was in development at its time."""
    names = LEVEL_NAMES[profile.least_metadata_version - 1 : newest_known_version(profile)]
    level = latest_of_release(profile, release)
    if level is None and release in names:
        level = LEVEL_NAMES.index(release) + 1
    if level is None:
        raise unknown_release(release, names)
    return level


def mapping_lines(levels: Mapping[str, int], release: str | None) -> Iterator[str]:
    """Yields the lines of `kafka-storage version-mapping`."""
    named = LEVEL_NAMES[levels[METADATA_VERSION] - 1] if release is None else release
    for name, level in levels.items():
        yield f"{name}={level} ({named})" if name == METADATA_VERSION else f"{name}={level}"


def dependency(profile: Profile, text: str) -> Dependency:
    """Returns what a level of a feature, `NAME=LEVEL`, requires.

    Raises FormatRefused for another text, or for a level that the profile does not support.
    """
    name, level = _parsed(text)
    if name == METADATA_VERSION:
        if not profile.least_metadata_version <= level <= newest_known_version(profile):
            raise FormatRefused(f"Unknown {METADATA_VERSION} {level}")
        return Dependency(name, level, {})
    highest = next((high for known, _, high in profile.supported_features if known == name), None)
    if highest is None:
        raise FormatRefused(f"Unknown feature: {name}")
    if not 0 <= level <= highest:
        raise FormatRefused(f"Feature level {level} is not supported for feature {name}")
    needs_fields = name == ELIGIBLE_LEADER_REPLICAS and level > 0
    return Dependency(name, level, {METADATA_VERSION: ELR_FIELDS_FROM} if needs_fields else {})


def _parsed(text: str) -> tuple[str, int]:
    name, equals, level = text.partition("=")
    if not equals:
        raise FormatRefused(
            f"Invalid feature format: {text}. Expected format: 'feature=version' "
            "(e.g. 'group.version=1')"
        )
    number = parse_integer(level.strip(), 16)
    if number is None:
        raise FormatRefused(f"Invalid version format: {level.strip()} for feature {name.strip()}")
    return name.strip(), number


def dependency_lines(found: Dependency) -> Iterator[str]:
    """Yields the lines of `kafka-storage feature-dependencies` for one feature."""
    if not found.required:
        yield f"{_shown(found.feature, found.level)} has no dependencies."
        return
    yield f"{_shown(found.feature, found.level)} requires:"
    yield from (f"    {_shown(name, level)}" for name, level in found.required.items())


def _shown(name: str, level: int) -> str:
    version = f" ({LEVEL_NAMES[level - 1]})" if name == METADATA_VERSION else ""
    return f"{name}={level}{version}"
