"""What a report says, as numbers: the shape of `campaign report --json` (docs/campaign-report.md).

Names end in their unit. A share has its 95 % interval; a scenario of None means all of them.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from ..analysis.statistics import Difference, Share
from ..campaign.campaign import Canary

FORMAT = "kraftsim/campaign-report/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """`name` of its folder; `rows` by table, as committed; `seeds` from the first on, before the
    second."""

    name: str
    plan: str
    code: str
    seeds: tuple[int, int]
    shards: int
    shards_done: int
    runs: int
    runs_done: int
    rows: Mapping[str, int]
    worked_s: float

    @property
    def events(self) -> int:
        return sum(self.rows[name] for name in ("transitions", "heartbeats", "records"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Of a scenario; `cell` is empty where nothing is swept. `unended` ended with an error, or
    with their process."""

    scenario: str
    cell: str
    runs: int
    passed: int
    failed: int
    vacuous: int
    unended: int
    with_fence: int
    with_zombies: int
    violations: int
    zombie_us: int
    virtual_us: int
    fencings: int
    elections: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Runs of a scenario that were known by the same; `run_id` and the rest are of an example."""

    scenario: str
    signature: str
    verdict: str
    runs: int
    first_seed: int
    run_id: str
    repro: str
    what: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """Runs of a scenario with a knob against those without it."""

    scenario: str
    knob: str
    verdict: str
    having: Share
    lacking: Share
    difference: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """`what`: fence (silence before it), recovery (from a fence on until back), start (from a
    registration on until unfenced)."""

    what: str
    scenario: str | None
    times: int
    p1_us: float
    p25_us: float
    p50_us: float
    p75_us: float
    p99_us: float
    p999_us: float
    max_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """`known_us` runs from the first registration to the end of the run."""

    scenario: str
    subject: str
    rack: str | None
    runs: int
    in_service_us: int
    known_us: int

    @property
    def share(self) -> float:
        return self.in_service_us / self.known_us if self.known_us else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Kinds of changes that runs of a scenario have shown. `curve`: after so many runs, so many
    kinds. `next_is_new`: Good and Turing's estimate that the next run shows something new: the
    share of runs that alone showed something; `new_a_run` kinds are expected of it. The same
    estimate from the runs of the first half of the seeds, and what those of the second showed."""

    scenario: str
    runs: int
    kinds: int
    seen_once: int
    curve: tuple[tuple[int, int], ...]
    next_is_new: Share
    new_a_run: float
    first_half: Share
    second_half: Share
    expected_kinds: float
    found_kinds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow:
    scenario: str
    cell: str
    mutant: str | None
    seed: int
    verdict: str
    wall_us: int
    virtual_us: int
    events: int | None
    repro: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Of a phase diagram: the places of its values on the axes, and what came of its runs."""

    places: tuple[int, ...]
    runs: int
    failed: int
    with_fence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """`held`: other words that have one value, and it is not the file's."""

    scenario: str
    held: tuple[str, ...]
    axes: tuple[Axis, ...]
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """`pairs` are seeds whose run passes without the bug, `killed` those that fail with it."""

    mutant: str
    scenario: str | None
    killed: Share
    first_seed: int | None
    repro: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    campaign: Campaign
    canaries: tuple[Canary, ...]
    cells: tuple[Cell, ...]
    failures: tuple[Failure, ...]
    lifts: tuple[Lift, ...]
    delays: tuple[Delay, ...]
    availability: tuple[Availability, ...]
    coverage: tuple[Coverage, ...]
    slowest: tuple[Slow, ...]
    sweeps: tuple[Sweep, ...]
    kills: tuple[Kill, ...]

    @property
    def deaf(self) -> tuple[Canary, ...]:
        """Canaries that did not do what they are there for: nothing else proves anything then."""
        return tuple(one for one in self.canaries if one.is_deaf)

    @property
    def verdict(self) -> str:
        """fail: a canary is deaf, or a run failed or did not end; unfinished: as long as something
        is to be run, nothing can be passed; else vacuous or pass."""
        if self.deaf or any(one.failed or one.unended for one in self.cells):
            return "fail"
        if self.campaign.shards_done < self.campaign.shards:
            return "unfinished"
        return "vacuous" if any(one.vacuous for one in self.cells) else "pass"

    def to_document(self) -> dict[str, object]:
        return {
            "format": FORMAT,
            "verdict": self.verdict,
            "deaf_canaries": [one.name for one in self.deaf],
            **asdict(self),
        }
