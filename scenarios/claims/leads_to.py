"""Claims that one condition leads to another within a time."""

from dataclasses import dataclass

from ..conditions.condition import Condition, Not
from ..conditions.row_kinds import row_words
from ..language.amounts import Amount
from ..language.durations import duration_text
from ..language.reading import document_of
from ..language.selectors import Selector
from ..language.spelling import as_written
from ..stage.stage import Stage
from .claim import Claim, Settle, nothing_more


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadsTo:
    """Claims that whenever `if` begins to hold, `then` holds at some moment within `within`.

    With `each` the claim is repeated for each of these nodes, as `$each`. If the run ends
    before the time `within` is over, that occurrence of `if` tests nothing.
    """

    if_: Condition
    then: Condition
    within: Amount
    each: Selector | None = None

    def watch(self, stage: Stage, claim: Claim) -> Settle:
        """Starts watching: each time `if` begins to hold, `then` becomes due."""

        def wait() -> None:
            stage.wait_for(self.if_, owe)

        def owe() -> None:
            self._owe(stage, claim)
            stage.wait_for(Condition(Not(not_=self.if_)), wait)

        wait()
        return nothing_more

    def _owe(self, stage: Stage, claim: Claim) -> None:
        paid = stage.wait_for(self.then, claim.occurs)
        since_seq = stage.fresh_seq(row_words(self.if_))

        def fall_due() -> None:
            stage.check_conditions()
            if not paid.is_over:
                paid.is_over = True
                claim.occurs()
                within, text = duration_text(self.within.us), as_written(document_of(self))
                claim.break_(f"expected within {within}: {text}", stage, since_seq)

        timeline = stage.world.timeline
        timeline.at(timeline.now_us + self.within.us, fall_due)
