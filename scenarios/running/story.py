"""The story of a run: its journal rows as lines, with what rows lack from beside them.

A story is a function of the world and the faults at one instant, so it can be read of a run that
has not ended. Rows that belong together become one line (`story_groups.py`), and so does the
start-up before the timetable begins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.world import World

from ..language.durations import seconds_text
from ..stage.stage import Stage
from .beside_rows import BesideRows, beside_rows
from .partition_words import partitions_text
from .sentences import sentence
from .start_up import START_UP, start_up_facts, start_up_text
from .story_facts import facts_of
from .story_groups import grouped


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryLine:
    """One line of a story, about the rows `seqs`; `seq` is the first of them.

    `t_us` is the virtual time of the first row in microseconds; `elapsed_us` counts from the begin
    of the timetable, as `at:` does in the file, and is None if there is no timetable yet. `kind` is
    that of the rows, or `start_up`. `facts` are those of the text, as fields for a program.
    `left_out` is the number of changes that the text only counts.
    """

    seq: int
    t_us: int
    elapsed_us: int | None
    kind: str
    text: str
    seqs: tuple[int, ...]
    facts: Mapping[str, object] = field(default_factory=dict)
    left_out: int = 0


def times_text(t_us: int, elapsed_us: int | None) -> str:
    """Returns the virtual time, after the time since the begin of the timetable if there is one."""
    virtual = f"{t_us / 1e6:9.3f} s"
    return virtual if elapsed_us is None else f"{_elapsed_text(elapsed_us):>8} {virtual}"


def time_text(t_us: int, begins_us: int | None) -> str:
    """Returns a time as a sentence names it: `T+2.0s`, or seconds before a timetable is known."""
    return seconds_text(t_us) if begins_us is None else _elapsed_text(t_us - begins_us)


def _elapsed_text(elapsed_us: int) -> str:
    return f"T{elapsed_us / 1e6:+.1f}s"


def story(world: World, stage: Stage, *, folds: bool = True) -> list[StoryLine]:
    """Returns the story of a scenario's run until now; without `folds`, one line per row."""
    rows, begins_us = world.journal.since(0), stage.timetable_begins_us
    beside = beside_rows(world, stage.faults, rows)
    start_up = [] if begins_us is None else [row for row in rows if row.t_us < begins_us]
    if not folds or not start_up:
        return story_of(rows, beside, begins_us, folds=folds)
    first = StoryLine(
        seq=start_up[0].seq,
        t_us=start_up[0].t_us,
        elapsed_us=_elapsed(start_up[0], begins_us),
        kind=START_UP,
        text=start_up_text(world, start_up),
        seqs=tuple(row.seq for row in start_up),
        facts=start_up_facts(world, start_up),
    )
    return [first, *story_of(rows[len(start_up) :], beside, begins_us)]


def story_of(
    rows: Sequence[EventRow],
    beside: BesideRows,
    begins_us: int | None = None,
    *,
    folds: bool = True,
) -> list[StoryLine]:
    """Returns the lines about `rows`, for a run or a cluster that may have no timetable."""
    groups = grouped(rows) if folds else [[row] for row in rows]
    return [_line(group, beside, begins_us) for group in groups]


def _line(rows: Sequence[EventRow], beside: BesideRows, begins_us: int | None) -> StoryLine:
    row = rows[0]
    changes = beside.changes_of(rows)
    return StoryLine(
        seq=row.seq,
        t_us=row.t_us,
        elapsed_us=_elapsed(row, begins_us),
        kind=row.kind,
        text=sentence(rows, beside),
        seqs=tuple(row.seq for row in rows),
        facts=facts_of(rows, beside),
        left_out=partitions_text(changes).left_out if changes else 0,
    )


def _elapsed(row: EventRow, begins_us: int | None) -> int | None:
    return None if begins_us is None else row.t_us - begins_us
