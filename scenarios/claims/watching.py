"""The claims of one run, from when they begin to be watched to when they are settled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from . import states
from .claim import Claim, Settle
from .expect import Expect
from .leads_to import LeadsTo

if TYPE_CHECKING:
    from ..stage import Stage

T = TypeVar("T")


@dataclass(slots=True)
class Expectations:
    stage: "Stage"
    expect: Expect
    claims: list[Claim] = field(default_factory=list)
    _settle: list[Settle] = field(default_factory=list)

    def begin(self) -> None:
        """With the run."""
        expect = self.expect
        self._watch("leads_to", expect.leads_to, LeadsTo.watch)
        self._watch("never", expect.never, states.never)
        self._watch("sometimes", expect.sometimes, states.sometimes)
        self._watch("calm", expect.calm, states.calm)

    def settle(self) -> None:
        """At the end of the calm."""
        for settle in self._settle:
            settle()

    def _watch(
        self, kind: str, ones: Sequence[T], watch: "Callable[[T, Stage, Claim], Settle]"
    ) -> None:
        for number, one in enumerate(ones):
            claim = Claim(f"{kind}[{number}]")
            self.claims.append(claim)
            self._settle.append(watch(one, self.stage, claim))
