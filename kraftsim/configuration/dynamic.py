"""Checks of the values that a running node gets, with the messages of its release."""

from collections.abc import Mapping

from kraftsim.controller.core.configs.node_definitions import definitions_of
from kraftsim.controller.core.profile import Profile

from .bounds import check_cordoned, check_data, check_network
from .values import Values


def check_together(profile: Profile, texts: Mapping[str, str]) -> None:
    """Raises ValueError for values that contradict each other (rule 4.66)."""
    keys = definitions_of(profile.topic_configs)
    known = {name: text for name, text in texts.items() if name in keys}
    values = Values(profile.topic_configs, keys, known, is_complete=False)
    if values.integer("log.cleaner.threads"):  # a pool of 0 is refused with other words
        check_data(values)
    check_network(values)
    check_cordoned(values)
