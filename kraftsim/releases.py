"""The releases that the nodes of a cluster run, by the names of their profiles."""

from collections.abc import Iterable, Mapping

from kraftsim.controller.core.feature_levels import LEVEL_NAMES, level_of
from kraftsim.controller.core.profile import PROFILES, Profile
from kraftsim.scenarios.language.suggestions import nearest, whole_number
from kraftsim.simulation.topology import check_node_ids


def profile_of(name: object, option: str = "profile") -> Profile:
    """Returns the profile with this name; raises ValueError for an unknown name.

    `option` names the user's input in errors.
    """
    if not isinstance(name, str) or name not in PROFILES:
        raise ValueError(f"{option}: expected {nearest(str(name), PROFILES)}, got {name!r}")
    return PROFILES[name]


def level_in(profile: Profile, name: str) -> int:
    """Returns the number of a metadata.version that a cluster of this release may finalize first.

    Raises ValueError for an unknown name, and for a level beyond the release (rule 5.57).
    """
    level = level_of(name)
    least, newest = profile.least_metadata_version, profile.metadata_version
    if not least <= level <= newest:
        names = f"{LEVEL_NAMES[least - 1]} to {LEVEL_NAMES[newest - 1]}"
        raise ValueError(f"expected a metadata.version of {profile.name} ({names}), got {name!r}")
    return level


def check_profiles(profiles: Mapping[int, str], brokers: int, controllers: int) -> None:
    """Raises ValueError for an id that no node of the cluster has, or for an unknown profile."""
    check_node_ids(profiles, brokers, controllers, "profiles")
    for node_id, name in profiles.items():
        profile_of(name, f"profiles: {node_id}")


def profiles_of(texts: Iterable[str]) -> dict[int, str]:
    """Returns the profiles by id of texts such as `3002=kafka-4.3`; ValueError for another text."""
    profiles: dict[int, str] = {}
    for text in texts:
        node_id, _, name = text.partition("=")
        number = whole_number(node_id)
        if number is None or not name:
            raise ValueError(f"profiles: expected ID=PROFILE, got {text!r}")
        profiles[number] = name
    return profiles


def own_profile(profiles: Mapping[int, str], node_id: int) -> Profile | None:
    """Returns the profile of a node of another release than its cluster, or None."""
    name = profiles.get(node_id)
    return None if name is None else profile_of(name)
