"""What a campaign runs: scenarios, each in every cell, each with every bug that is asked for."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from shlex import quote

from kraftsim.scenarios.document.scenario import Scenario, read_scenario
from kraftsim.scenarios.properties.own_properties import define


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """`called` is what a user says to run it, `document` the whole scenario, of one cell, without a
    file, and `own` the sources of properties of its own. `expected` is the verdict of a canary;
    nothing is expected of the others but to pass."""

    called: str
    document: Mapping[str, object]
    cell: tuple[str, ...] = ()
    is_small: bool = False
    mutant: str | None = None
    expected: str = "pass"
    own: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_canary(self) -> bool:
        return self.expected != "pass"

    @property
    def name(self) -> str:
        return str(self.document["name"])

    @property
    def key(self) -> str:
        """What makes it another than all others."""
        said = json.dumps([self.document, self.mutant, self.own], sort_keys=True)
        return hashlib.blake2b(said.encode(), digest_size=8).hexdigest()

    def run_id(self, seed: int) -> str:
        """The same in every campaign that has this run."""
        return f"{self.key}-{seed}"

    def repro(self, seed: int) -> str:
        """The one command that repeats a run."""
        words = ["kraftsim", "scenario", "run", self.called, "--seed", str(seed)]
        for value in self.cell:
            words += ["--sweep", value]
        if self.is_small:
            words.append("--smoke")
        if self.mutant is not None:
            words += ["--mutant", self.mutant]
        return " ".join(map(quote, words))

    def scenario(self) -> Scenario:
        """With everything that it names in place."""
        for file, source in self.own.items():
            define(file, source)
        return read_scenario(self.document)

    def to_document(self) -> dict[str, object]:
        return asdict(self)

    @staticmethod
    def of(document: Mapping[str, object]) -> "Item":
        words = dict(document)
        words["cell"] = tuple(words["cell"])  # type: ignore[arg-type]  # we wrote it
        return Item(**words)  # type: ignore[arg-type]  # we wrote it
