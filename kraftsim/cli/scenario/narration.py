"""Narrates a run: what happened, in sentences with their times.

Changes of several partitions at the same time become one sentence.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from shlex import quote

from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.running.run import Result
from kraftsim.scenarios.running.sentences import sentence
from kraftsim.simulation.event_row import EventRow

LAST_EVENTS = 6  # printed events before the first violation of a failed run
LINES_MAX = 200  # events of a run, by default


def run_lines(
    scenario: Scenario,
    result: Result,
    *,
    called: str,
    is_small: bool = False,
    runs_code: bool = False,
    lines_max: int = LINES_MAX,
) -> Iterator[str]:
    """Yields the lines of a run: its claim, the first `lines_max` events, and the verdict."""
    yield f"{scenario.title or scenario.name} (seed {result.seed})"
    yield f"Claim: {' '.join(scenario.claim.split())}"
    yield ""
    lines = list(event_lines(result.rows, {caption.on: caption.say for caption in scenario.lesson}))
    yield from lines[:lines_max]
    if len(lines) > lines_max:
        yield f"          ... {len(lines) - lines_max} more lines; --lines {len(lines)} prints all"
    yield ""
    yield from verdict(result, called=called, is_small=is_small, runs_code=runs_code)


def verdict(
    result: Result, *, called: str, is_small: bool = False, runs_code: bool = False
) -> Iterator[str]:
    """Yields the lines of the verdict and the command that repeats the run.

    The command names the scenario as `called`, has --smoke if `is_small`, and --allow-code if
    `runs_code`.
    """
    cell = f"  {', '.join(result.cell)}" if result.cell else ""
    yield (
        f"{result.verdict.upper()}  {result.scenario}{cell}  seed {result.seed}  {result.digest}  "
        f"{result.events} events in {result.virtual_us / 1e6:.1f} virtual seconds"
    )
    violations = sorted(result.violations, key=lambda violation: violation.t_us)
    for violation in violations:
        number = "" if violation.number in ("-", violation.name) else f"{violation.number} "
        at = f"{violation.t_us / 1e6:.3f} s"
        yield f"  broken at {at}: {number}{violation.name}: {violation.what}"
    if violations and result.verdict == "fail":
        yield from _last_events(result.rows, violations[0].t_us)
    yield from (f"  measured: {measured}" for measured in result.measured)
    if result.verdict != "pass":
        yield from (f"  vacuous: {name}" for name in result.vacuous)
        yield f"  repeat: {repeat_command(result, called, is_small, runs_code)}"


def _last_events(rows: Sequence[EventRow], until_us: int) -> Iterator[str]:
    """Yields the last events before the first violation."""
    until = [row for row in rows if row.t_us <= until_us]
    lines = list(event_lines(until, {}))[-LAST_EVENTS:]
    yield from (f"  before:{line}" for line in lines)


def repeat_command(result: Result, called: str, is_small: bool, runs_code: bool) -> str:
    """Returns the command that repeats the run of the scenario `called`."""
    cells = [f"--sweep {quote(name)}" for name in result.cell]  # --cell needs a sweep in the file
    flags = [*(["--smoke"] if is_small else []), *(["--allow-code"] if runs_code else [])]
    options = [*cells, "--seed", str(result.seed), *flags]
    return " ".join(["kraftsim scenario run", quote(called), *options])


def event_lines(rows: Sequence[EventRow], captions: dict[str, str]) -> Iterator[str]:
    """Yields a line per event, and each caption once after its first event; empties `captions`."""
    for (t_us, kind, *_), together in groupby(rows, key=_grouping_key):
        text = sentence(list(together))
        if text:
            yield f"{t_us / 1e6:9.3f} s  {text}"
        if kind in captions:
            yield f"{'':13}({captions.pop(kind)})"


def _grouping_key(row: EventRow) -> tuple[int, str, str, int | None]:
    """Returns the key by which rows are grouped.

    Consecutive rows with the same key become one sentence.
    """
    apart = row.seq if row.kind != "partition_changed" else None
    return row.t_us, row.kind, row.node, apart
