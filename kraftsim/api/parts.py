"""The parts of a cluster, each with the verbs of a noun."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .brokers import Brokers as Brokers
    from .chaos import Chaos as Chaos
    from .clock import Clock as Clock
    from .configs import Configs as Configs
    from .controllers import Controllers as Controllers
    from .events import Events as Events
    from .faults import Faults as Faults
    from .log import Log as Log
    from .nodes import Nodes as Nodes
    from .quorum import Quorum as Quorum
    from .reassignments import Reassignments as Reassignments
    from .requests import Requests as Requests
    from .topics import Topics as Topics

PARTS = {
    "brokers": ("live",),
    "controllers": ("live",),
    "topics": ("live", "controller"),
    "reassignments": ("live", "controller"),
    "configs": ("live", "controller"),
    "quorum": ("live", "controller"),
    "clock": ("live", "added"),
    "faults": ("added",),
    "chaos": ("live", "added"),
    "requests": ("live",),
    "log": ("live",),
    "events": ("live",),
    "nodes": ("live",),
}
"""The parts of a cluster, which are modules here with a class of the same name, and what each is
given: attributes of the cluster."""


def part_of(cluster: object, name: str) -> object:
    """Returns a new part of a cluster, whose module is imported with the first one."""
    kind: Any = getattr(import_module(f"kraftsim.api.{name}"), name.capitalize())
    return kind(*(getattr(cluster, f"_{argument}") for argument in PARTS[name]))
