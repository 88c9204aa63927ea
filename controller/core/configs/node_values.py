"""Values of a node's configurations, parsed and checked with Kafka's messages.

The valid values are those that Kafka prints for each definition (`Definition.valid`).
"""

import re
from functools import cache

from . import validators
from .configuration import RELEASES
from .node_definitions import Definition
from .validators import Kind, Validator, Value, invalid

NOT_EMPTY = "not empty"
OF_ADDRESSES = "non-empty list"  # of voters or servers, whose parsers refuse an empty element
_LISTS_CHECKED_SINCE = "4.3"

# Classes are not looked for: kraftsim loads none.
KINDS: dict[str, Kind] = {
    "BOOLEAN": validators.BOOLEAN,
    "STRING": validators.STRING,
    "INT": validators.INT,
    "SHORT": validators.SHORT,
    "LONG": validators.LONG,
    "DOUBLE": validators.DOUBLE,
    "LIST": validators.LIST,
    "CLASS": validators.STRING,
    "PASSWORD": validators.STRING,
}
"""By the name of a type, how a text is parsed."""


def parse(release: str, definition: Definition, text: str) -> Value:
    """Returns the value of the text in a release such as "4.3".

    Raises INVALID_CONFIG, with Kafka's message, if it is invalid.
    """
    value = KINDS[definition.type_name](definition.name, text)
    if isinstance(value, tuple):
        _check_list(release, definition, value)
    else:
        _validator(definition.valid)(definition.name, value)
    return value


def _check_list(release: str, definition: Definition, elements: tuple[str, ...]) -> None:
    words = _words(definition.valid)
    if not elements and NOT_EMPTY in definition.valid:
        valid = f"[{', '.join(words)}]" if words else "any non-empty value"
        raise invalid(
            f"Configuration '{definition.name}' must not be empty. Valid values include: {valid}"
        )
    is_checked = RELEASES.index(release) >= RELEASES.index(_LISTS_CHECKED_SINCE)
    refuses_empty = is_checked and definition.valid != OF_ADDRESSES
    if words:
        each_of = validators.each_of_without_empty if refuses_empty else validators.each_of
        each_of(*words)(definition.name, elements)
    elif refuses_empty:
        validators.without_empty(definition.name, elements)


@cache
def _validator(valid: str) -> Validator:
    if valid == "[1,...,9] or -1":
        return validators.gzip_level
    if valid == "non-empty string":
        return validators.not_empty
    if bounds := re.fullmatch(r"\[(-?[\d.]+),\.\.\.(?:,([\d.]+))?\]", valid):
        least, most = bounds.groups()
        return (
            validators.at_least(_number(least))
            if most is None
            else validators.between(_number(least), _number(most))
        )
    if words := _words(valid):
        is_any_case = valid.startswith("(")
        return (validators.one_of_in_any_case if is_any_case else validators.one_of)(*words)
    return lambda name, value: None


def _number(text: str) -> int | float:
    """Returns a bound as Kafka prints it; only a ratio has a fraction."""
    return int(text) if "." not in text else float(text)


def _words(valid: str) -> tuple[str, ...]:
    listed = re.search(r"\[([^\].]+)\]", valid)
    return tuple(listed[1].split(", ")) if listed else ()
