"""The feature levels that a formatted directory finalizes, with the checks and messages of Kafka's
Formatter (4.3.1)."""

from collections.abc import Mapping, Sequence

from kraftsim.controller.core.feature_levels import (
    KRAFT_VERSION,
    LEVEL_NAMES,
    METADATA_VERSION,
    bootstrap_levels,
    unmet_dependency,
)
from kraftsim.controller.core.java_text import parse_integer
from kraftsim.controller.core.profile import Profile

from ..errors import FormatRefused

_FLAGS = "--standalone, --initial-controllers, or --no-initial-controllers"


def chosen_features(
    profile: Profile, release: str | None, texts: Sequence[str], *, is_dynamic: bool
) -> dict[str, int]:
    """Returns the level of each feature: metadata.version first, kraft.version last.

    `release` is the text of --release-version, `texts` those of --feature. `is_dynamic`: the
    voters are kept in the log (KIP-853).
    """
    given = dict(_parsed(text) for text in texts)
    supported = {name: high for name, _, high in profile.supported_features}
    metadata_version = _metadata_version(profile, release, given.pop(METADATA_VERSION, None))
    for name in given:
        if name not in supported:
            known = ", ".join(sorted(supported.keys() - {METADATA_VERSION}))
            raise FormatRefused(f"Unsupported feature: {name}. Supported features are: {known}")
    kraft_version = _kraft_version(given.pop(KRAFT_VERSION, None), is_dynamic)
    levels = bootstrap_levels(metadata_version) | given
    for name, level in sorted((levels | {KRAFT_VERSION: kraft_version}).items()):
        if name != METADATA_VERSION:
            _check_level(name, level, supported, levels)
    others = sorted((name, level) for name, level in levels.items() if name != METADATA_VERSION)
    return {METADATA_VERSION: metadata_version, **dict(others), KRAFT_VERSION: kraft_version}


def _parsed(text: str) -> tuple[str, int]:
    name, equals, level = text.partition("=")
    if not equals:
        raise FormatRefused(f"Can't parse feature=level string {text}: equals sign not found.")
    number = parse_integer(level.strip(), 16)
    if number is None:
        raise FormatRefused(
            f"Can't parse feature=level string {text}: unable to parse {level.strip()} as a short."
        )
    return name.strip(), number


def _metadata_version(profile: Profile, release: str | None, level: int | None) -> int:
    if level is None:
        return profile.metadata_version if release is None else _of_release(profile, release)
    if release is not None:
        raise FormatRefused(
            f"Use --release-version instead of --feature {METADATA_VERSION}=X to avoid ambiguity."
        )
    low, high = profile.least_metadata_version, profile.metadata_version
    testing = newest_known_version(profile)
    if not low <= level <= testing:
        raise FormatRefused(
            f"No MetadataVersion with feature level {level}. Valid feature levels are from {low} "
            f"to {testing}."
        )
    if level > high:
        raise FormatRefused(f"{METADATA_VERSION} {LEVEL_NAMES[level - 1]} is not yet stable.")
    return level


def newest_known_version(profile: Profile) -> int:
    """Returns the metadata.version that was in development when the release was made."""
    return min(profile.metadata_version + 1, len(LEVEL_NAMES))


def _of_release(profile: Profile, release: str) -> int:
    level = latest_of_release(profile, release)
    if level is None:
        raise unknown_release(release, _stable_names(profile))
    return level


def latest_of_release(profile: Profile, release: str) -> int | None:
    """Returns the level of a name such as 4.3-IV0, or the last level of a release such as 4.3.1.

    None if the profile has no such metadata.version, or it was in development.
    """
    of_release = ".".join(release.split(".")[:2])
    names = _stable_names(profile)
    found = [name for name in names if name == release or name.partition("-")[0] == of_release]
    return LEVEL_NAMES.index(found[-1]) + 1 if found else None


def _stable_names(profile: Profile) -> list[str]:
    return LEVEL_NAMES[profile.least_metadata_version - 1 : profile.metadata_version]


def unknown_release(release: str, names: Sequence[str]) -> FormatRefused:
    """Returns the refusal of a release that has none of the names."""
    return FormatRefused(
        f"Unknown {METADATA_VERSION} '{release}'. Supported {METADATA_VERSION} are: "
        f"{', '.join(names)}"
    )


def _kraft_version(level: int | None, is_dynamic: bool) -> int:
    if level is None:
        return int(is_dynamic)
    if level == 0 and is_dynamic:
        raise FormatRefused(
            f"Cannot set {KRAFT_VERSION} to 0 if controller.quorum.voters is empty and one of the "
            f"flags {_FLAGS} is used. For dynamic controllers support, try removing the --feature "
            f"flag for {KRAFT_VERSION}."
        )
    if level != 0 and not is_dynamic:
        raise FormatRefused(
            f"Cannot set {KRAFT_VERSION} to {level} unless controller.quorum.voters is empty and "
            f"one of the flags {_FLAGS} is used. For dynamic controllers support, try using one of "
            f"{_FLAGS} and removing controller.quorum.voters."
        )
    return level


def _check_level(
    name: str, level: int, supported: Mapping[str, int], levels: Mapping[str, int]
) -> None:
    if not 0 <= level <= supported[name]:
        raise FormatRefused(f"No feature:{name} with feature level {level}")
    unmet = unmet_dependency(name, level, levels, least=0)
    if unmet is not None:
        raise FormatRefused(unmet)
