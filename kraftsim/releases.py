"""The releases that the nodes of a cluster run, by the names of their profiles."""

from collections.abc import Iterable, Mapping

from kraftsim.controller.core.profile import PROFILES, Profile
from kraftsim.scenarios.language.suggestions import nearest, whole_number


def profile_of(name: object, option: str = "profile") -> Profile:
    """Returns the profile with this name; raises ValueError for an unknown name.

    `option` names the user's input in errors.
    """
    if not isinstance(name, str) or name not in PROFILES:
        raise ValueError(f"{option}: expected {nearest(str(name), PROFILES)}, got {name!r}")
    return PROFILES[name]


def check_profiles(profiles: Mapping[int, str], nodes: Iterable[range]) -> None:
    """Raises ValueError for an id that is not in `nodes`, or for an unknown profile."""
    ranges = [ids for ids in nodes if ids]
    for node_id, name in profiles.items():
        if isinstance(node_id, bool) or not any(node_id in ids for ids in ranges):
            expected = " or ".join(map(_text, ranges))
            raise ValueError(f"profiles: expected an id of a node, {expected}, got {node_id!r}")
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


def _text(ids: range) -> str:
    return str(ids[0]) if len(ids) == 1 else f"{ids[0]} to {ids[-1]}"
