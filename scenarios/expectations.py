"""What a scenario claims of its own run: implications with a time, and what must or must not come
about. Each says whether it was broken, and whether there was anything to it at all."""

from dataclasses import dataclass, field
from functools import partial

from .conditions import Condition, Not
from .durations import spelled
from .reading import document_of
from .scenario import Expect, LeadsTo
from .stage import Stage


@dataclass(slots=True)
class Claim:
    """`broken`: what was expected and did not come, and when; `occurred`: how often it was put to
    the test."""

    name: str
    broken: tuple[str, int] | None = None
    occurred: int = 0


@dataclass(slots=True)
class Expectations:
    """The claims of one run."""

    stage: Stage
    claims: list[Claim] = field(default_factory=list)

    def watch(self, expect: Expect) -> None:
        """From here on."""
        for number, implication in enumerate(expect.leads_to):
            self._watch_implication(self._claim(f"leads_to[{number}]"), implication)
        for number, condition in enumerate(expect.never):
            claim = self._claim(f"never[{number}]")
            claim.occurred = 1
            text = f"expected never: {document_of(condition)}"
            self.stage.wait_for(condition, partial(self._break, claim, text))
        for number, condition in enumerate(expect.sometimes):
            claim = self._claim(f"sometimes[{number}]")
            self.stage.wait_for(condition, partial(_occurs, claim))

    def settle(self, expect: Expect) -> None:
        """At the end of the calm."""
        for number, condition in enumerate(expect.calm):
            claim = self._claim(f"calm[{number}]")
            claim.occurred = 1
            if not condition.watched(self.stage)():
                self._break(claim, f"expected in the end: {document_of(condition)}")

    def _watch_implication(self, claim: Claim, implication: LeadsTo) -> None:
        """Its antecedent is waited for again once it has stopped holding."""

        def owe() -> None:
            claim.occurred += 1
            self._owe(claim, implication)
            self.stage.wait_for(
                Condition(Not(not_=implication.if_)),
                lambda: self._watch_implication(claim, implication),
            )

        self.stage.wait_for(implication.if_, owe)

    def _owe(self, claim: Claim, implication: LeadsTo) -> None:
        paid = self.stage.wait_for(implication.then, lambda: None)
        within_us = implication.within.us

        def fall_due() -> None:
            self.stage.look()
            if not paid.is_over:
                paid.is_over = True
                self._break(
                    claim, f"expected within {spelled(within_us)}: {document_of(implication)}"
                )

        timeline = self.stage.world.timeline
        timeline.at(timeline.now_us + within_us, fall_due)

    def _claim(self, name: str) -> Claim:
        claim = Claim(name)
        self.claims.append(claim)
        return claim

    def _break(self, claim: Claim, what: str) -> None:
        if claim.broken is None:
            claim.broken = (what, self.stage.world.timeline.now_us)


def _occurs(claim: Claim) -> None:
    claim.occurred += 1
