"""The summary of several runs: verdicts, slowest runs, and how to repeat the first failures."""

from collections import Counter
from collections.abc import Iterator, Sequence

from .jobs import Finished

SLOWEST = 3
FAILURES = 5
VERDICTS = ("pass", "fail", "vacuous")


def summary(
    finished: Sequence[Finished], elapsed_s: float, failure_commands: Sequence[str]
) -> Iterator[str]:
    """Yields the lines of the summary.

    `failure_commands` repeat the runs without the expected verdict; the first FAILURES are listed.
    """
    counts = Counter(run.result.verdict for run in finished)
    yield ""
    yield f"{len(finished):,} runs in {elapsed_s:.1f} s"
    yield from (f"  {verdict:<8} {counts[verdict]:>7,}" for verdict in VERDICTS)
    slowest = sorted(finished, key=lambda run: -run.duration_s)[:SLOWEST]
    yield from (f"  slowest  {run.duration_s:>5.1f} s  {run.job.label}" for run in slowest)
    yield from (f"  repeat   {command}" for command in failure_commands[:FAILURES])
    if len(failure_commands) > FAILURES:
        yield f"  repeat   ... {len(failure_commands) - FAILURES:,} more"
