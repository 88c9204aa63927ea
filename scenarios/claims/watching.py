"""Watches the claims of one run from its begin until they are settled."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ..stage.stage import Stage
from . import states
from .claim import Claim, Settle
from .converge import Converge
from .during import During
from .each import claims_per_node
from .expect import Expect
from .leads_to import LeadsTo
from .measure import Measurement
from .measured import Measured

T = TypeVar("T")
E = TypeVar("E", LeadsTo, During)


@dataclass(slots=True)
class Expectations:
    """The claims and measures of one run; `settle` fills `measured`."""

    stage: Stage
    expect: Expect
    claims: list[Claim] = field(default_factory=list)
    measured: list[Measured] = field(default_factory=list)
    _settle: list[Settle] = field(default_factory=list)
    _measurements: dict[str, Measurement] = field(default_factory=dict)

    def begin(self) -> None:
        """Starts watching the claims and measures, at the begin of the run."""
        expect = self.expect
        self._watch_each("leads_to", expect.leads_to)
        self._watch("never", expect.never, states.never)
        self._watch("sometimes", expect.sometimes, states.sometimes)
        self._watch_each("during", expect.during)
        self._watch("calm", expect.calm, states.calm)
        for name, measure in expect.measure.items():
            self._measurements[name] = measure.begin(self.stage)

    def begin_calm(self) -> None:
        """Starts watching the claims about the calm, at its begin."""
        self._watch("converge", self.expect.converge, Converge.watch)

    def settle(self) -> None:
        """Decides open claims and computes measures, at the end of the calm."""
        for settle in self._settle:
            settle()
        for name, measurement in self._measurements.items():
            self._measure(Claim(f"measure.{name}"), measurement(name))

    def unproven(self) -> Iterator[str]:
        """Returns the names of claims that were never tested."""
        return (claim.name for claim in self.claims if not claim.occurred)

    def _watch(
        self, kind: str, claims: Sequence[T], watch: "Callable[[T, Stage, Claim], Settle]"
    ) -> None:
        for number, watched_claim in enumerate(claims):
            self._settle.append(watch(watched_claim, self.stage, self._claim(f"{kind}[{number}]")))

    def _watch_each(self, kind: str, claims: Sequence[E]) -> None:
        """Watches claims that may have `each`: each of the nodes can test and break the claim."""
        for number, watched_claim in enumerate(claims):
            claim = self._claim(f"{kind}[{number}]")
            for part in claims_per_node(watched_claim, self.stage):
                self._settle.append(part.watch(self.stage, claim))

    def _measure(self, claim: Claim, measured: Measured | None) -> None:
        self.claims.append(claim)
        if measured is None:
            return
        claim.occurs()
        self.measured.append(measured)
        if not measured.is_within:
            claim.break_(f"out of bounds: {measured}", self.stage)

    def _claim(self, name: str) -> Claim:
        self.claims.append(Claim(name))
        return self.claims[-1]
