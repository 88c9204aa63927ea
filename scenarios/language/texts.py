"""Texts that name settings: `{session}` is the session timeout of the run, as in "9 s".

`{0.5 session}` is half of it. The words are those of times relative to the configuration
(`amounts.py`), so a text is right in every release, and with every configuration.
"""

import re

from kraftsim.controller.core.settings import Settings

from .amounts import SETTINGS_OF

NAMED = re.compile(r"\{(?:(\d+(?:\.\d+)?) )?([a-z]+)\}")


def filled(text: str, settings: Settings) -> str:
    """Returns the text with the values of the settings that it names, in seconds."""

    def value(found: re.Match[str]) -> str:
        times, word = found.groups()
        if word not in SETTINGS_OF:
            return found[0]
        milliseconds = getattr(settings, SETTINGS_OF[word]) * float(times or 1)
        return f"{milliseconds / 1000:g} s"

    return NAMED.sub(value, text)


def unknown_settings(text: str) -> list[str]:
    """Returns the words in braces that name no setting."""
    return [word for _, word in NAMED.findall(text) if word not in SETTINGS_OF]
