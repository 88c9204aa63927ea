"""What the settings of a user say of a cluster: values that act, policies, texts to describe."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kraftsim.controller.core.policies import NO_POLICIES, Policies
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.value import value
from kraftsim.scenarios.language.suggestions import nearest

if TYPE_CHECKING:
    from kraftsim.configuration.configuration import Configuration

CONFIGURATIONS = "docs/configuration.md"


@value(kw_only=False)
class Chosen:
    """The settings of a cluster, its policies, and the texts that each of its nodes describes."""

    settings: Settings
    policies: Policies
    static: Mapping[str, str]


def chosen_in(profile: Profile, overrides: Mapping[str, object]) -> Chosen:
    """Returns what the user's `overrides` of the profile's settings say.

    Raises ValueError for an unknown key, an invalid value, or a policy that is missing.
    """
    if not overrides:
        return Chosen(profile.settings, NO_POLICIES, {})
    from kraftsim.configuration.configuration import configuration_of, expect_plaintext, names_of
    from kraftsim.configuration.policies import policies_of

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
    settings = with_settings(profile, configuration)
    try:
        policies = policies_of(configuration.policies)
    except ValueError as error:
        raise ValueError(f"settings: {error}") from None
    return Chosen(settings, policies, configuration.static)


def with_settings(profile: Profile, configuration: "Configuration") -> Settings:
    """Returns the profile's settings with those of a configuration.

    Raises ValueError for a value that Kafka accepts, but with which no cluster works.
    """
    # Each value was parsed to the type of its field (`configuration/values.py`).
    return replace(profile.settings, **configuration.settings)  # type: ignore[arg-type]
