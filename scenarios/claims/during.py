"""What holds all the time while something goes on: a fault, or a stretch of the run."""

from dataclasses import dataclass

from kraftsim.simulation.event_row import EventRow

from ..conditions.condition import Condition
from ..language.amounts import Amount, in_order
from ..language.reading import document_of
from ..language.selectors import Selector
from ..language.spelling import as_written
from ..stage.evaluation import Holds
from ..stage.stage import Stage
from .claim import Claim, Settle, nothing_more

AT_ONCE = Amount(fixed_us=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Of the run, which begins at 0s."""

    from_: Amount
    to: Amount

    def __post_init__(self) -> None:
        in_order("from", self.from_, "to", self.to)


@dataclass(frozen=True, slots=True, kw_only=True)
class During:
    """`holds` as long as a `fault` is open, which is named by the id of its step or by its verb,
    but for the time `after` it began; or from one time of the run to another (`window`)."""

    holds: Condition
    fault: str | None = None
    after: Amount = AT_ONCE
    window: Window | None = None
    each: Selector | None = None

    def __post_init__(self) -> None:
        if (self.fault is None) is (self.window is None):
            raise ValueError("expected one of fault, window")

    def watch(self, stage: Stage, claim: Claim) -> Settle:
        """The condition is looked at all the time: `held` must not miss a moment."""
        part, goes_on = self.holds.watched(stage), self._goes_on(stage)

        def is_broken() -> bool:
            holds = part()
            if not goes_on():
                return False
            claim.occurs()
            return not holds

        said = f"expected all the time: {as_written(document_of(self))}"
        stage.wait_until(is_broken, lambda: claim.break_(said, stage))
        return nothing_more

    def _goes_on(self, stage: Stage) -> Holds:
        if self.window is not None:
            return _within(stage, self.window)
        return _while_open(stage, str(self.fault), self.after.us)


def _within(stage: Stage, window: Window) -> Holds:
    timeline = stage.world.timeline
    from_us, to_us = timeline.now_us + window.from_.us, timeline.now_us + window.to.us
    stage.look_again_at(from_us)
    return lambda: from_us <= timeline.now_us <= to_us


def _while_open(stage: Stage, name: str, after_us: int) -> Holds:
    """Is one of that name open, and has been for so long? Several may be, each from a time on."""
    timeline = stage.world.timeline
    from_us: dict[str, int] = {}

    def told(row: EventRow) -> None:
        fault_id = str(row.fault_id)
        if row.kind == "fault_begins" and name in (fault_id.partition("#")[0], row.detail["verb"]):
            from_us[fault_id] = row.t_us + after_us
            stage.look_again_at(from_us[fault_id])
        elif row.kind == "fault_ends":
            from_us.pop(fault_id, None)

    stage.world.journal.listeners.append(told)
    return lambda: any(one <= timeline.now_us for one in from_us.values())
