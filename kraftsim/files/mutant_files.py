"""Stored measurements of mutants, which are planted bugs.

Two are stored for each mutant: how many seeds of the swarm kill it, and the smallest scenario that
kills it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kraftsim.scenarios.document.scenario import Scenario

FOLDER = Path(__file__).resolve().parents[1] / "scenarios" / "mutants"
SWARM, REPRODUCERS = FOLDER / "swarm.json", FOLDER / "reproducers"


@dataclass(frozen=True, slots=True)
class Density:
    """How many seeds of the swarm kill a mutant: `kills` of `seeds`.

    Every counted seed passes without the bug.
    """

    kills: int
    seeds: int

    def __str__(self) -> str:
        return f"{self.kills} of {self.seeds}"


def densities() -> Mapping[str, Density]:
    """Returns the stored density of every measured mutant, by name of the mutant."""
    rows = json.loads(SWARM.read_text("utf-8")) if SWARM.exists() else {}
    return {name: Density(*counts) for name, counts in rows.items()}


def store_density(name: str, density: Density) -> None:
    """Writes the density of a mutant to swarm.json."""
    stored = {name: [of.kills, of.seeds] for name, of in densities().items()}
    stored[name] = [density.kills, density.seeds]
    rows = ",\n".join(f'"{name}": {json.dumps(stored[name])}' for name in sorted(stored))
    SWARM.write_text(f"{{\n{rows}\n}}\n", "utf-8")


def reproducers() -> Mapping[str, Path]:
    """Returns the path of the smallest scenario that kills a mutant, by name of the mutant."""
    return {path.stem: path for path in sorted(REPRODUCERS.glob("*.yaml"))}


def size(scenario: "Scenario") -> str:
    """Describes how large a scenario is: nodes, steps and seconds."""
    cluster, time = scenario.cluster, scenario.time
    seconds = (time.warmup.us + time.run.us + time.calm.us) / 1_000_000
    steps = "1 step" if len(scenario.do) == 1 else f"{len(scenario.do)} steps"
    return f"{cluster.controllers} + {cluster.brokers} nodes, {steps}, {seconds:.0f} s"
