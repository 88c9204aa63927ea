"""The `calm:` block of a scenario file: which nodes are healed after the faults."""

from dataclasses import dataclass
from typing import Annotated

from ..language.constraints import OneOf
from ..language.selectors import Selector

CORE, ALL = "core", "all"

EVERY_BROKER = Selector("brokers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calm:
    """The nodes that are healed when the calm begins.

    `heals: core` heals a random majority of the voters and the nodes of `brokers`; `heals: all`
    heals every controller and every broker.
    """

    heals: Annotated[str, OneOf((CORE, ALL))] = CORE
    brokers: Selector = EVERY_BROKER
