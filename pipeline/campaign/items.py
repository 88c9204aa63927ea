"""The items of a campaign: each is a scenario in one cell, with at most one planted bug."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from shlex import quote

from kraftsim.scenarios.document.scenario import Scenario, read_scenario
from kraftsim.scenarios.properties.own_properties import define, is_own
from kraftsim.scenarios.running.own_code import SOURCES


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A scenario in one cell, with or without a planted bug.

    `called` is the name or path with which a user runs the scenario. `document` is the whole
    scenario of the cell, so that its file is not needed. `own` has the sources of the Python files
    that define properties of the scenario or that its nodes run. `expected` is the
    verdict of a canary, "pass" for every other item.
    """

    called: str
    document: Mapping[str, object]
    cell: tuple[str, ...] = ()
    is_small: bool = False
    mutant: str | None = None
    expected: str = "pass"
    own: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_canary(self) -> bool:
        """True if the item is expected not to pass."""
        return self.expected != "pass"

    @property
    def name(self) -> str:
        """The name of the scenario."""
        return str(self.document["name"])

    @property
    def key(self) -> str:
        """A digest of the scenario, the planted bug and the properties, unique to the item."""
        text = json.dumps([self.document, self.mutant, self.own], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def run_id(self, seed: int) -> str:
        """Returns the id of a run; it is the same in every campaign that has this run."""
        return f"{self.key}-{seed}"

    def repro(self, seed: int) -> str:
        """Returns the command that repeats the run."""
        return self._command(str(seed))

    def export(self) -> str:
        """Returns the command that writes a run as HTML; SEED in it stands for the seed."""
        return f"{self._command('SEED')} --html run-SEED.html"

    def _command(self, seed: str) -> str:
        command = ["kraftsim", "scenario", "run", self.called, "--seed", seed]
        for value in self.cell:
            command += ["--sweep", value]
        if self.is_small:
            command.append("--smoke")
        if self.code:
            command.append("--allow-code")
        if self.mutant is not None:
            command += ["--mutant", self.mutant]
        return " ".join(map(quote, command))

    def scenario(self) -> Scenario:
        """Parses the scenario, and defines the properties and nodes of its own Python files."""
        scenario = read_scenario(self.document)
        named = (*scenario.expect.always, scenario.expect.fails_with or "")
        for file in {name.partition(":")[0]: None for name in named if is_own(name)}:
            define(file, self.own[file])
        if scenario.nodes:
            SOURCES.update(self.own)
        return scenario

    @property
    def code(self) -> tuple[str, ...]:
        """The Python files of the scenario, and the functions of modules that its nodes run."""
        nodes = self.document.get("nodes", {})
        assert isinstance(nodes, Mapping), nodes
        mains = (node if isinstance(node, str) else node["main"] for node in nodes.values())
        return (*self.own, *(main for main in mains if not is_own(main)))

    def to_document(self) -> dict[str, object]:
        """Returns the item as JSON values."""
        return asdict(self)

    @staticmethod
    def of(document: Mapping[str, object]) -> "Item":
        """Returns the item of a document that `to_document` made."""
        values = dict(document)
        values["cell"] = tuple(values["cell"])  # type: ignore[arg-type]  # made by to_document
        return Item(**values)  # type: ignore[arg-type]  # made by to_document
