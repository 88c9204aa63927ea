"""The limits of configurations that change while a node runs are those of the released jars."""

import pytest

from kraftsim.configuration.checks import parse
from kraftsim.controller.core.configs.broker_limits import validator_of
from kraftsim.controller.core.configs.configuration import RELEASES
from kraftsim.controller.core.configs.node_configs import KINDS
from kraftsim.controller.core.configs.node_definitions import definitions_of, described
from kraftsim.controller.core.errors import ApiError

TEXTS = (
    *(
        "-131073",
        "-3",
        "-2",
        "-1",
        "0",
        "1",
        "2",
        "3",
        "4",
        "9",
        "10",
        "13",
        "14",
        "17",
        "18",
        "22",
    ),
    *("23", "524287", "524288", "1048575", "1048576", "2147483639", "2147483640", "0.5", "1.5"),
    *("", "gzip", "bogus", "none", "required", "CreateTime", "delete", "delete,", "compact,delete"),
)
LISTENERS = ("listeners", "advertised.listeners")  # a node alone may change them


@pytest.mark.parametrize("release", RELEASES)
def test_a_value_is_valid_if_the_released_key_accepts_it(release: str) -> None:
    keys = definitions_of(release)
    changeable = [config for config in described(release).values() if config.is_dynamic]
    wrong = []
    for config in changeable:
        if config.name not in keys or config.name in LISTENERS:
            continue
        for text in TEXTS:
            if _is_accepted(release, keys[config.name], text) != _applies(release, config, text):
                wrong.append((config.name, text))

    assert len(changeable) > 60
    assert wrong == []


def _is_accepted(release: str, key, text: str) -> bool:
    try:
        parse(release, key, text)
    except ValueError:
        return False
    return True


def _applies(release: str, config, text: str) -> bool:
    try:
        value = KINDS[config.type_name](config.name, text)
        validator = validator_of(release, config.name, config.type_name)
        if validator is not None:
            validator(config.name, value)
    except ApiError:
        return False
    return True
