"""Progress of a campaign: runs done, rate, failures, remaining time."""

from typing import TYPE_CHECKING

from ..progress import Progress

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.campaign import State

BAR = 20


class CampaignProgress:
    """Prints the progress of a campaign on stderr."""

    def __init__(self, *, is_enabled: bool) -> None:
        self._progress = Progress(is_enabled=is_enabled)
        self._runs_before: int | None = None

    def update(self, state: "State", worked_s: float) -> None:
        """Prints the campaign's state, `worked_s` seconds after this process started to work."""
        if self._runs_before is None:
            self._runs_before = state.done_runs
        self._progress.write(line(state, state.done_runs - self._runs_before, worked_s))

    def clear(self) -> None:
        """Removes the progress line from the terminal."""
        self._progress.clear()


def line(state: "State", done_now: int, worked_s: float) -> str:
    """Formats the progress line.

    The rate and the remaining time follow from `done_now`, the number of runs that this process has
    done in `worked_s` seconds.
    """
    part = state.done_runs / state.runs if state.runs else 1.0
    bar = "#" * int(part * BAR)
    text = f"[{bar:-<{BAR}}] {state.done_runs:,} of {state.runs:,} runs"
    if done_now and worked_s > 0:
        rate = done_now / worked_s
        remaining_s = (state.runs - state.done_runs) / rate
        text += f", {rate:,.1f}/s, {state.failures:,} failed, {remaining_s:,.0f} s left"
    return text
