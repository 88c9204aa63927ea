"""Narrates a run: its story (`scenarios/running/story.py`) with times, captions and the verdict."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import NamedTuple

from kraftsim.scenarios.document.caption import captions_in
from kraftsim.scenarios.document.plan import settings_of
from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.running.run import Result
from kraftsim.scenarios.running.start_up import START_UP
from kraftsim.scenarios.running.story import StoryLine, times_text

LAST_EVENTS = 6  # printed lines before the first violation of a failed run
LINES_MAX = 200  # lines of a run, by default
INDENT = 22  # the column at which the text of a line begins


class Line(NamedTuple):
    """A line to print; `state` chooses its colour on a terminal."""

    text: str
    state: str = ""


def run_lines(
    scenario: Scenario,
    result: Result,
    story: Sequence[StoryLine],
    *,
    repeat: str,
    lines_max: int = LINES_MAX,
) -> Iterator[Line]:
    """Yields the lines of a run: its claim, the first `lines_max` of the story, and the verdict."""
    yield Line(f"{scenario.title or scenario.name} (seed {result.seed})")
    yield Line(f"Claim: {' '.join(scenario.claim.split())}")
    yield Line("")
    captions = captions_in(scenario.lesson, scenario.profile, settings_of(scenario))
    lines = list(_captioned(story, {caption.event: caption.say for caption in captions}))
    yield from lines[:lines_max]
    if len(lines) > lines_max:
        left_out = len(lines) - lines_max
        yield Line(f"{'':{INDENT}}... {left_out} more lines; --lines {len(lines)} prints all")
    yield Line("")
    yield from verdict(result, story, repeat, has_page=not scenario.nodes)


def verdict(
    result: Result, story: Sequence[StoryLine], repeat: str, *, has_page: bool
) -> Iterator[Line]:
    """Yields the lines of the verdict and, unless the run passed, its command `repeat`.

    A page shows no run with nodes of one's own: then `has_page` is False.
    """
    cell = f"  {', '.join(result.cell)}" if result.cell else ""
    yield Line(
        f"{result.verdict.upper()}  {result.scenario}{cell}  seed {result.seed}  {result.digest}  "
        f"{result.events} events in {result.virtual_us / 1e6:.1f} virtual seconds",
        result.verdict,
    )
    violations = sorted(result.violations, key=lambda violation: violation.t_us)
    for violation in violations:
        number = "" if violation.number in ("-", violation.name) else f"{violation.number} "
        at = _when(violation.t_us, story)
        yield Line(f"  broken at {at}: {number}{violation.name}: {violation.what}", "fail")
        if violation.is_claim:
            by = (line for line in story if violation.seq in line.seqs)
            yield from (Line(f"  by:    {text}") for text in event_lines(by))
    if violations and result.verdict == "fail":
        until = [line for line in story if line.t_us <= violations[0].t_us][-LAST_EVENTS:]
        yield from (Line(f"  before:{text}") for text in event_lines(until))
    yield from (Line(f"  measured: {measured}") for measured in result.measured)
    if result.idle:
        names = ", ".join(result.idle)
        yield Line(f"  never tested: {len(result.idle)} of {len(result.exercised)}: {names}")
    if result.verdict != "pass":
        yield from (Line(f"  vacuous: {name}") for name in result.vacuous)
        yield Line(f"  repeat: {repeat}")
        if has_page:
            yield Line(f"  on a page: {repeat} --open")


def _when(t_us: int, story: Sequence[StoryLine]) -> str:
    """Returns a virtual time, and the time since the begin of the timetable."""
    virtual = f"{t_us / 1e6:.3f} s"
    begins = [line.t_us - line.elapsed_us for line in story[:1] if line.elapsed_us is not None]
    return f"T{(t_us - begins[0]) / 1e6:+.1f}s ({virtual})" if begins else virtual


def repeat_command(result: Result, called: str, options: Iterable[str]) -> str:
    """Returns the command that repeats the run of the scenario `called` with these options."""
    cells = [f"--sweep {quote(name)}" for name in result.cell]  # --cell needs a sweep in the file
    words = [*cells, "--seed", str(result.seed), *options]
    return " ".join(["kraftsim scenario run", quote(called), *words])


def event_lines(story: Iterable[StoryLine]) -> Iterator[str]:
    """Yields the story's lines as texts with their times."""
    for line in story:
        times = times_text(line.t_us, line.elapsed_us)
        hint = " (--verbose lists all)" if line.left_out else ""
        yield f"{'' if line.kind == START_UP else times:{len(times)}}  {line.text}{hint}"


def _captioned(
    story: Sequence[StoryLine], captions: Mapping[tuple[str, int], str]
) -> Iterator[Line]:
    """Yields the lines of the story, and each caption after the line of its event.

    Lines before the begin of the timetable have no captions, and are not counted.
    """
    counts: Counter[str] = Counter()
    for line, text in zip(story, event_lines(story), strict=True):
        is_leaderless = line.kind == "partition_changed" and "no leader" in line.text
        yield Line(text, "leaderless" if is_leaderless else line.kind)
        if (line.elapsed_us or 0) < 0:
            continue
        counts[line.kind] += 1
        if said := captions.get((line.kind, counts[line.kind])):
            yield Line(f"{'':{INDENT}}({said})")
