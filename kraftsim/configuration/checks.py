"""Parses the value of a configuration and checks it, with Kafka's messages."""

import re
from collections.abc import Callable

from kraftsim.controller.core.configs import validators
from kraftsim.controller.core.configs.broker_limits import checks_lists
from kraftsim.controller.core.configs.node_definitions import Definition, described
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.java_text import parse_integer, trim
from kraftsim.controller.core.profile import Profile

NOT_EMPTY = "not empty"
OF_ADDRESSES = "non-empty list"  # of voters or servers, whose parsers refuse an empty element


def parse(release: str, key: Definition, text: str) -> validators.Value:
    """Returns the value of the text in a release such as "4.3".

    Raises ValueError, with Kafka's message, if it is invalid.
    """
    try:
        value = _KINDS[key.type_name](key.name, text)
        if key.type_name == "LIST":
            _check_list(release, key, value)
        else:
            _validator(key.valid)(key.name, value)
    except ApiError as error:
        raise ValueError(error.message) from None
    return value


def check_value(profile: Profile, name: str, text: str) -> None:
    """Raises ValueError, with Kafka's message, if a node's configuration may not have the value."""
    key = described(profile.topic_configs).get(name)
    if key is not None:
        parse(profile.topic_configs, key, text)


def refused(name: str, value: object, reason: str) -> ValueError:
    """Returns Kafka's refusal of a single value."""
    return ValueError(f"Invalid value {value} for configuration {name}: {reason}")


def _short(name: str, text: str) -> validators.Value:
    number = parse_integer(trim(text), 16)
    if number is None:
        raise refused(name, text, "Not a number of type SHORT")
    return number


# Classes are not looked for: kraftsim loads none.
_KINDS: dict[str, validators.Kind] = {
    "BOOLEAN": validators.BOOLEAN,
    "SHORT": _short,
    "INT": validators.INT,
    "LONG": validators.LONG,
    "DOUBLE": validators.DOUBLE,
    "LIST": validators.LIST,
    "STRING": validators.STRING,
    "CLASS": validators.STRING,
    "PASSWORD": validators.STRING,
}


def _check_list(release: str, key: Definition, value: validators.Value) -> None:
    assert isinstance(value, tuple), value
    words = _words(key.valid)
    if not value and NOT_EMPTY in key.valid:
        valid = f"[{', '.join(words)}]" if words else "any non-empty value"
        raise ValueError(
            f"Configuration '{key.name}' must not be empty. Valid values include: {valid}"
        )
    for element in value:
        if not element and _refuses_empty_elements(release, key):
            raise ValueError(f"Configuration '{key.name}' values must not be empty.")
        if words:
            validators.one_of(*words)(key.name, element)


def _refuses_empty_elements(release: str, key: Definition) -> bool:
    return checks_lists(release) and key.valid != OF_ADDRESSES


def _validator(valid: str) -> validators.Validator:
    if valid == "[1,...,9] or -1":
        return validators.gzip_level
    if valid == "non-empty string":
        return _not_empty
    if bounds := re.fullmatch(r"\[(-?[\d.]+),\.\.\.(?:,([\d.]+))?\]", valid):
        least, most = bounds.groups()
        return (
            validators.at_least(_number(least))
            if most is None
            else validators.between(_number(least), _number(most))
        )
    if words := _words(valid):
        return _word_in_any_case(words) if valid.startswith("(") else validators.one_of(*words)
    return lambda name, value: None


def _number(text: str) -> int | float:
    """Returns a bound as Kafka prints it; only a ratio has a fraction."""
    return int(text) if "." not in text else float(text)


def _words(valid: str) -> tuple[str, ...]:
    listed = re.search(r"\[([^\].]+)\]", valid)
    return tuple(listed[1].split(", ")) if listed else ()


def _not_empty(name: str, value: str) -> None:
    if not value:
        raise refused(name, value, "String must be non-empty")


def _word_in_any_case(words: tuple[str, ...]) -> Callable[[str, str], None]:
    def check(name: str, value: str) -> None:
        if value.upper() not in words:
            expected = f"String must be one of (case insensitive): {', '.join(words)}"
            raise refused(name, value, expected)

    return check
