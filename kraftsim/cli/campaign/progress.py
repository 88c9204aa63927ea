"""How far a campaign has come: runs, rate, failures, and when it will be over."""

from typing import TYPE_CHECKING

from ..progress import Progress

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.campaign import State

BAR = 20


class CampaignProgress:
    def __init__(self, *, is_wanted: bool) -> None:
        self._progress = Progress(is_wanted=is_wanted)
        self._runs_before: int | None = None

    def tell(self, state: "State", worked_s: float) -> None:
        if self._runs_before is None:
            self._runs_before = state.done_runs
        self._progress.say(line(state, state.done_runs - self._runs_before, worked_s))

    def clear(self) -> None:
        self._progress.clear()


def line(state: "State", done_now: int, worked_s: float) -> str:
    """`done_now` are the runs since this process began, `worked_s` ago."""
    part = state.done_runs / state.runs if state.runs else 1.0
    bar = "#" * int(part * BAR)
    text = f"[{bar:-<{BAR}}] {state.done_runs:,} of {state.runs:,} runs"
    if done_now and worked_s > 0:
        rate = done_now / worked_s
        left_s = (state.runs - state.done_runs) / rate
        text += f", {rate:,.1f}/s, {state.failures:,} failed, {left_s:,.0f} s left"
    return text
