"""The findings of a report; `campaign report --json` has this shape (docs/campaign-report.md).

Names end with their unit. Shares have 95 % intervals. A scenario of None means all scenarios.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from ..analysis.statistics import Difference, Share
from ..campaign.campaign import Canary
from .document import in_lower_camel

FORMAT = "kraftsim/campaign-report/2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """The facts of a campaign that its plan and its commits contain.

    `name` is the name of the folder. `rows` counts committed rows by table. `seeds` are the first
    seed and the end, which is excluded.
    """

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
        """The number of stored transitions, heartbeats and records."""
        return sum(self.rows[name] for name in ("transitions", "heartbeats", "records"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The judged runs of a cell; `cell` is empty if nothing is swept.

    `unended` counts runs that ended with an error or with a crash of their process.
    """

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
    """Failed runs of a scenario with the same signature.

    `run_id`, `repro` and `what` describe one of these runs.
    """

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
    """How a knob changes the share of runs with a verdict: for runs with and without the knob."""

    scenario: str
    knob: str
    verdict: str
    having: Share
    lacking: Share
    difference: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """Quantiles of a delay.

    `what` is "fence" (the broker's silence before it), "recovery" (from a fence until the broker is
    back) or "start" (from a registration until the broker is unfenced).
    """

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
    """How long a broker was in service; `known_us` counts from its first registration."""

    scenario: str
    subject: str
    rack: str | None
    runs: int
    in_service_us: int
    known_us: int

    @property
    def share(self) -> float:
        """The share of time in service."""
        return self.in_service_us / self.known_us if self.known_us else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The kinds of changes that the runs of a scenario have shown.

    `curve` has the number of kinds by the number of runs. `next_is_new` is Good and Turing's
    estimate that the next run shows something new: the share of runs that alone showed some kind.
    `new_a_run` is the expected number of new kinds per run. `first_half` is the same estimate from
    the first half of the seeds, and `second_half` the share of later runs that did show something
    new; `expected_kinds` and `found_kinds` compare the numbers of kinds.
    """

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
    """One of the slowest runs; `wall_us` is real time, which depends on the machine."""

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
class Export:
    """The command that writes any run of a cell as HTML: SEED stands for its seed.

    The seeds are from `first_seed` to before `end_seed`.
    """

    scenario: str
    cell: str
    first_seed: int
    end_seed: int
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A swept word and its values."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of a phase diagram, with the counts of its runs.

    `places` has, for each axis, the index of the value.
    """

    places: tuple[int, ...]
    runs: int
    failed: int
    with_fence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A swept scenario. `held` names the words that the campaign sets to a single value."""

    scenario: str
    held: tuple[str, ...]
    axes: tuple[Axis, ...]
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """How often a planted bug is detected.

    `killed` is the share of seeds that pass without the bug and fail with it.
    """

    mutant: str
    scenario: str | None
    killed: Share
    first_seed: int | None
    repro: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The findings of a campaign: all the values that a report shows.

    `idle` are the properties that no judged run has tested, `missed` those of them that its swarms
    should have tested.
    """

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
    exports: tuple[Export, ...] = ()
    idle: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()

    @property
    def deaf(self) -> tuple[Canary, ...]:
        """Canaries with another verdict than expected; with any, no other result is reliable."""
        return tuple(canary for canary in self.canaries if canary.is_deaf)

    @property
    def verdict(self) -> str:
        """The verdict of the campaign.

        "fail": a canary is deaf, or a run failed or did not end. "unfinished": shards are missing.
        "fail", too: swarms have not tested a property. Otherwise "vacuous" if a run was, else
        "pass".
        """
        if self.deaf or any(cell.failed or cell.unended for cell in self.cells):
            return "fail"
        if self.campaign.shards_done < self.campaign.shards:
            return "unfinished"
        if self.missed:
            return "fail"
        return "vacuous" if any(cell.vacuous for cell in self.cells) else "pass"

    def to_document(self) -> dict[str, object]:
        """Returns the findings as JSON values."""
        return {
            "format": FORMAT,
            "verdict": self.verdict,
            "deafCanaries": [canary.name for canary in self.deaf],
            **in_lower_camel(asdict(self)),
        }
