"""Draws mutants from the modules that decide: core, raft, node and agents."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .operators import sites

ROOT = Path(__file__).parents[2]
ROOMS = ("controller/core", "controller/raft", "controller/node", "broker_agent")
# Tables, values and texts, in which a mutant changes no decision; sockets, which no simulation has;
# APIs that no simulated client sends.
WITHOUT = (
    "controller/core/rpc",
    "controller/core/log",
    "controller/core/configs",
    "controller/core/quotas",
    "controller/core/security",
    "controller/core/settings.py",
    "controller/core/profile.py",
    "controller/core/errors.py",
    "broker_agent/client.py",
    "broker_agent/fleet.py",
    "broker_agent/metadata_replies.py",
    "broker_agent/descriptions.py",
    "broker_agent/configurations.py",
    "broker_agent/data_plane.py",
    "broker_agent/kept_replies.py",
    "broker_agent/forwarding.py",
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A mutant: a module (path in the project), the number of the site, its line and its change."""

    path: str
    number: int
    line: int
    change: str

    @property
    def name(self) -> str:
        """A name that tells where and what: `core/leases.py:41 Lt -> LtE`."""
        return f"{self.path}:{self.line} {self.change}"


def modules() -> Iterator[Path]:
    """Yields the modules from which mutants are drawn, in order."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if not place.startswith(WITHOUT):
                yield path


def drawn(count: int, seed: int) -> list[Drawn]:
    """Draws `count` different mutants; every site is equally likely."""
    every = [
        Drawn(path.relative_to(ROOT).as_posix(), site.number, site.line, site.change)
        for path in modules()
        for site in sites(path.read_text("utf-8"))
    ]
    return Random(seed).sample(every, min(count, len(every)))
