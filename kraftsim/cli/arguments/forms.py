"""How arguments that are arrays or objects are written on a command line.

The function of a form parses one argument; it raises ArgumentTypeError for another text. A
parameter whose arguments are several gets their results together.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kraftsim.scenarios.language.suggestions import whole_number

from ...errors import UsageError


def document(text: str) -> object:
    """Parses an argument that is a document in YAML, or @FILE with such a document."""
    from ...files.yaml_document import parsed, read_document

    try:
        document = read_document(Path(text[1:])) if text.startswith("@") else parsed(text, "FAULT")
    except (UsageError, OSError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not isinstance(document.value, dict):
        raise argparse.ArgumentTypeError(f"expected a mapping in YAML, got {text!r}")
    return document.value


def pair(text: str) -> tuple[str, str]:
    """Parses KEY=VALUE; the value may contain = and may be empty."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, got {text!r}")
    return key, value


def moved(text: str) -> tuple[str, list[int]]:
    """Parses PARTITION=IDS, such as 0=1,2,3."""
    number, equals, ids = text.partition("=")
    numbers = [whole_number(id) for id in ids.split(",")]
    found = [number for number in numbers if number is not None]
    if not equals or whole_number(number) is None or found != numbers:
        raise argparse.ArgumentTypeError(f"expected PARTITION=IDS such as 0=1,2,3, got {text!r}")
    return number, found


def replicas(text: str) -> list[list[int]]:
    """Parses the brokers of partitions as Kafka's tools write them: 1:2,2:3."""
    numbers = [[whole_number(id) for id in part.split(":")] for part in text.split(",")]
    ids = [[number for number in part if number is not None] for part in numbers]
    if ids != numbers:
        raise argparse.ArgumentTypeError(
            f"expected the brokers of each partition, such as 1:2,2:3, got {text!r}"
        )
    return ids


class Pairs(argparse.Action):
    """Adds a pair to the object of a parameter; refuses a second value of the same key."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Adds the pair of an option, or the pairs of arguments."""
        known = dict(getattr(namespace, self.dest) or {})
        for key, value in [values] if isinstance(values, tuple) else list(values or ()):
            if key in known:
                raise argparse.ArgumentError(self, f"expected {key} once, got it twice")
            known[key] = value
        setattr(namespace, self.dest, known or None)


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a parameter.

    `parse` parses one argument. `action` is that of argparse for several: Pairs gives an object,
    "append" an array. An argument that `is_positional` needs no option.
    """

    parse: Callable[[str], object]
    metavar: str
    action: str | type[argparse.Action] = "store"
    is_positional: bool = False

    @property
    def may_be_repeated(self) -> bool:
        """True if an option may be given several times."""
        return self.action != "store" and not self.is_positional


FORMS: Mapping[str, Form] = {
    "append": Form(pair, "KEY=ELEMENT,...", Pairs),
    "assignments": Form(replicas, "IDS"),
    "config": Form(pair, "KEY=VALUE", Pairs),
    "delete": Form(str, "KEY", "append"),
    "replicas": Form(moved, "PARTITION=IDS", Pairs, is_positional=True),
    "subtract": Form(pair, "KEY=ELEMENT,...", Pairs),
    "values": Form(pair, "KEY=VALUE", Pairs, is_positional=True),
}
