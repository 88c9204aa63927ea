"""The `calm:` block of a scenario file: who is healed once the faults are over."""

from dataclasses import dataclass
from typing import Annotated

from ..language.constraints import OneOf
from ..language.selectors import Selector

CORE, ALL = "core", "all"

EVERY_BROKER = Selector("brokers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calm:
    """`heals`: `core`, a majority of the voters that is drawn, and `brokers`, which are drawn when
    it begins if they must be; or `all`: every controller and every broker."""

    heals: Annotated[str, OneOf((CORE, ALL))] = CORE
    brokers: Selector = EVERY_BROKER
