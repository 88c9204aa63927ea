"""What the settings of a user say of a cluster: values that act, policies, texts to describe."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kraftsim.controller.core.policies import NO_POLICIES, Policies
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.settings import Settings
from kraftsim.scenarios.language.suggestions import nearest

if TYPE_CHECKING:
    from kraftsim.configuration.configuration import Configuration

CONFIGURATIONS = "docs/configuration.md"


def settings_in(profile: Profile, overrides: Mapping[str, object]) -> Settings:
    """Returns the profile's settings with the user's `overrides`.

    Raises ValueError for an unknown key or an invalid value.
    """
    if not overrides:
        return profile.settings
    from kraftsim.configuration.configuration import configuration_of, expect_plaintext, names_of

    try:
        configuration = configuration_of(profile, overrides)
        expect_plaintext(configuration)
    except ValueError as error:
        raise ValueError(f"settings: {error}") from None
    for unknown in configuration.unknown:
        raise ValueError(
            f"settings: expected {nearest(unknown, names_of(profile), CONFIGURATIONS)}, "
            f"got {unknown!r}"
        )
    return with_settings(profile, configuration)


def policies_in(profile: Profile, overrides: Mapping[str, object]) -> Policies:
    """Returns the policies that `overrides` name; raises ValueError if one is missing."""
    if not overrides:
        return NO_POLICIES
    from kraftsim.configuration.configuration import configuration_of
    from kraftsim.configuration.policies import policies_of

    try:
        return policies_of(configuration_of(profile, overrides).policies)
    except ValueError as error:
        raise ValueError(f"settings: {error}") from None


def static_in(profile: Profile, overrides: Mapping[str, object]) -> Mapping[str, str]:
    """Returns the texts of Kafka's configurations among `overrides`, which each node describes."""
    if not overrides:
        return {}
    from kraftsim.configuration.configuration import configuration_of

    return configuration_of(profile, overrides).static


def with_settings(profile: Profile, configuration: "Configuration") -> Settings:
    """Returns the profile's settings with those of a configuration.

    Raises ValueError for a value that Kafka accepts, but with which no cluster works.
    """
    # Each value was parsed to the type of its field (`configuration/values.py`).
    return replace(profile.settings, **configuration.settings)  # type: ignore[arg-type]
