"""Progress of many runs: runs done, failures, time left, and how far the current run is."""

import time
from collections.abc import Callable
from functools import partial

from ..progress import Progress


class RunProgress:
    """Prints on stderr how many of `total` runs are done."""

    def __init__(self, total: int, *, is_enabled: bool) -> None:
        self._total = total
        self._done = self._failed = 0
        self._began_s = time.monotonic()
        self._progress = Progress(is_enabled=is_enabled)

    def count(self, verdict: str) -> None:
        """Counts a finished run."""
        self._done += 1
        self._failed += verdict == "fail"

    def show(self) -> None:
        """Prints how many runs are done."""
        self._progress.write(self._text())

    def updater(self, label: str) -> Callable[[int, int], None]:
        """Returns the function that prints the virtual time of the current run, named `label`."""
        return partial(self._update, label)

    def _update(self, label: str, now_us: int, end_us: int) -> None:
        counts = f"{self._text()}; " if self._total > 1 else ""
        seconds = f"{now_us / 1e6:.0f} of {end_us / 1e6:.0f} virtual seconds"
        self._progress.write(f"{counts}{label}: {seconds}")

    def _text(self) -> str:
        text = f"{self._done:,} of {self._total:,} runs, {self._failed:,} failed"
        if self._done:
            rate_s = (time.monotonic() - self._began_s) / self._done
            text += f", {rate_s * (self._total - self._done):,.0f} s left"
        return text

    def clear(self) -> None:
        """Removes the line from the terminal."""
        self._progress.clear()
