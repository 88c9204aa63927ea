"""The parts of a cluster, each with the verbs of a noun."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .brokers import Brokers
    from .clock import Clock
    from .configs import Configs
    from .controllers import Controllers
    from .events import Events
    from .faults import Faults
    from .log import Log
    from .quorum import Quorum
    from .reassignments import Reassignments
    from .requests import Requests
    from .topics import Topics

PARTS = {
    "brokers": ("live",),
    "controllers": ("live",),
    "topics": ("live", "controller"),
    "reassignments": ("live", "controller"),
    "configs": ("live", "controller"),
    "quorum": ("live", "controller"),
    "clock": ("live", "added"),
    "faults": ("added",),
    "requests": ("live",),
    "log": ("live",),
    "events": ("live",),
}
"""The parts and what each is given, which are attributes of the cluster."""


class Parts:
    """The parts of a cluster, each a module of this package with a class of the same name.

    A part is imported and created when it is first used: the start of a cluster uses none.
    """

    brokers: "Brokers"
    controllers: "Controllers"
    topics: "Topics"
    reassignments: "Reassignments"
    configs: "Configs"
    quorum: "Quorum"
    clock: "Clock"
    faults: "Faults"
    requests: "Requests"
    log: "Log"
    events: "Events"

    if not TYPE_CHECKING:  # the type checker knows the parts, and no other names

        def __getattr__(self, name: str) -> object:
            """Creates a part at its first use."""
            if name not in PARTS:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            kind = getattr(import_module(f"kraftsim.api.{name}"), name.capitalize())
            part = kind(*(getattr(self, f"_{argument}") for argument in PARTS[name]))
            setattr(self, name, part)
            return part

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *PARTS]
