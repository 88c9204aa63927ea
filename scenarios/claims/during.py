"""Claims that a condition holds throughout a fault or a part of the run."""

from dataclasses import dataclass

from kraftsim.simulation.event_row import EventRow

from ..conditions.condition import Condition
from ..conditions.row_kinds import row_words
from ..language.amounts import Amount, in_order
from ..language.reading import document_of
from ..language.selectors import Selector
from ..language.spelling import as_written
from ..stage.stage import Holds, Stage
from .claim import Claim, Settle, nothing_more

AT_ONCE = Amount(fixed_us=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A part of the run, with times since the begin of the run."""

    from_: Amount
    to: Amount

    def __post_init__(self) -> None:
        in_order("from", self.from_, "to", self.to)


@dataclass(frozen=True, slots=True, kw_only=True)
class During:
    """Claims that `holds` is true throughout a fault or a window.

    `fault` is the id of the step, or the verb. The claim covers the time while the fault is
    open, except for the time `after` the begin of the fault. `window` is a part of the run.
    """

    holds: Condition
    fault: str | None = None
    after: Amount = AT_ONCE
    window: Window | None = None
    each: Selector | None = None

    def __post_init__(self) -> None:
        if (self.fault is None) is (self.window is None):
            raise ValueError("expected either fault or window")

    def watch(self, stage: Stage, claim: Claim) -> Settle:
        """Evaluates the condition after every event, because `held` must see every moment."""
        part, goes_on = self.holds.watched(stage), self._goes_on(stage)

        def is_broken() -> bool:
            holds = part()
            if not goes_on():
                return False
            claim.occurs()
            return not holds

        message = f"expected throughout: {as_written(document_of(self))}"
        words = row_words(self.holds)

        def break_() -> None:
            claim.break_(message, stage, stage.fresh_seq(words))

        stage.wait_until(is_broken, break_)
        return nothing_more

    def _goes_on(self, stage: Stage) -> Holds:
        if self.window is not None:
            return _within(stage, self.window)
        return _while_open(stage, str(self.fault), self.after.us)


def _within(stage: Stage, window: Window) -> Holds:
    timeline = stage.world.timeline
    from_us, to_us = timeline.now_us + window.from_.us, timeline.now_us + window.to.us
    stage.check_conditions_at(from_us)
    return lambda: from_us <= timeline.now_us <= to_us


def _while_open(stage: Stage, name: str, after_us: int) -> Holds:
    """Returns a function that returns True while a fault `name` has been open for `after_us`.

    Several faults of one name may be open; the time of each counts from its own begin.
    """
    timeline = stage.world.timeline
    from_us: dict[str, int] = {}

    def on_row(row: EventRow) -> None:
        fault_id = str(row.fault_id)
        if row.kind == "fault_begins" and name in (fault_id.partition("#")[0], row.detail["verb"]):
            from_us[fault_id] = row.t_us + after_us
            stage.check_conditions_at(from_us[fault_id])
        elif row.kind == "fault_ends":
            from_us.pop(fault_id, None)

    stage.world.journal.listeners.append(on_row)
    return lambda: any(number <= timeline.now_us for number in from_us.values())
