"""The page stands alone, says what is wrong first, and shows what theory says."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from kraftsim.pipeline.analysis.statistics import difference, share_of
from kraftsim.pipeline.report.amounts import duration, percent, with_interval
from kraftsim.pipeline.report.findings import (
    Availability,
    Axis,
    Campaign,
    Canary,
    Cell,
    Coverage,
    Delay,
    Export,
    Failure,
    Field,
    Findings,
    Kill,
    Lift,
    Slow,
    Sweep,
)
from kraftsim.pipeline.report.page import page
from kraftsim.pipeline.report.phase import phase_diagram
from kraftsim.pipeline.report.svg import Scale, scale_of

SHARE = share_of(3, 10)
CELL = Cell(
    scenario="one",
    cell="",
    runs=10,
    passed=7,
    failed=3,
    vacuous=0,
    unended=0,
    with_fence=4,
    with_zombies=1,
    violations=3,
    zombie_us=2_000_000,
    virtual_us=600_000_000,
    fencings=5,
    elections=10,
)
SWEEP = Sweep(
    scenario="pause-against-session",
    held=(),
    axes=(
        Axis(name="pause", values=("3s", "7s", "11s")),
        Axis(name="session_ms", values=("6000", "9000")),
    ),
    fields=tuple(
        Field(places=(x, y), runs=4, failed=0, with_fence=2 * x) for x in range(3) for y in range(2)
    ),
)
FINDINGS = Findings(
    campaign=Campaign(
        name="nightly <7>",
        plan="p",
        code="c",
        seeds=(0, 10),
        shards=2,
        shards_done=2,
        runs=12,
        runs_done=12,
        rows={"transitions": 1, "heartbeats": 2, "records": 3},
        worked_s=4.0,
    ),
    canaries=(Canary(name="campaign-canary", expected="fail", got="fail"),),
    cells=(CELL,),
    failures=(
        Failure(
            scenario="one",
            signature="no-early-fence",
            verdict="fail",
            runs=3,
            first_seed=2,
            run_id="one-2",
            repro="kraftsim scenario run one --seed 2",
            what="<b>expected</b> & got",
        ),
    ),
    lifts=(
        Lift(
            scenario="one",
            knob="proc.crash",
            verdict="failed",
            having=SHARE,
            lacking=share_of(0, 10),
            difference=difference(SHARE, share_of(0, 10)),
        ),
    ),
    delays=tuple(
        Delay(
            what=what,
            scenario=scenario,
            times=9,
            p1_us=1e6,
            p25_us=2e6,
            p50_us=3e6,
            p75_us=4e6,
            p99_us=5e6,
            p999_us=6e6,
            max_us=7_000_000,
        )
        for what in ("fence", "recovery", "start")
        for scenario in (None, "one")
    ),
    availability=(
        Availability(
            scenario="one", subject="broker-1", rack="a", runs=10, in_service_us=99, known_us=100
        ),
    ),
    coverage=(
        Coverage(
            scenario="one",
            runs=10,
            kinds=5,
            seen_once=1,
            curve=((1, 3), (4, 5), (10, 5)),
            next_is_new=SHARE,
            new_a_run=0.1,
            first_half=SHARE,
            second_half=SHARE,
            expected_kinds=1.0,
            found_kinds=2,
        ),
    ),
    slowest=(
        Slow(
            scenario="one",
            cell="",
            mutant=None,
            seed=3,
            verdict="pass",
            wall_us=5,
            virtual_us=6,
            events=None,
            repro="kraftsim scenario run one --seed 3",
        ),
    ),
    sweeps=(SWEEP,),
    kills=(Kill(mutant="M01", scenario=None, killed=SHARE, first_seed=1, repro="repeat"),),
    exports=(
        Export(scenario="one", cell="", first_seed=0, end_seed=12, command="run one --seed SEED"),
    ),
)


class Reader(HTMLParser):
    """Tags that are open, and what a section says before its first picture or table."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    return reader


def test_the_page_needs_nothing_but_itself() -> None:
    text = page(FINDINGS)
    found = read(text)

    assert [] == found.open
    assert all(link.startswith("#") for link in found.links)
    assert not found.tags & {"script", "link", "img", "iframe"}
    assert not re.search(r"url\(|@import|https?://", text)


def test_every_picture_has_a_sentence_before_it_and_a_title() -> None:
    text = page(FINDINGS)

    assert text.count("<svg") == text.count('role="img"><title>')
    for before in text.split("<figure>")[:-1]:
        since = before.rpartition("<h")[2]
        assert '<p class="soft">' in since or "<summary>" in since, since


def test_what_users_wrote_is_text() -> None:
    assert "&lt;b&gt;expected&lt;/b&gt; &amp; got" in page(FINDINGS)


def test_it_says_of_which_campaign_it_is_and_what_became_of_planted_bugs() -> None:
    head = page(FINDINGS).split("<nav>")[0]

    assert "<h1>Campaign report: nightly &lt;7&gt;</h1>" in head
    assert "Planted bugs, which do not count as failures: 1 of 1 detected." in head


def test_any_run_can_be_written_as_a_page() -> None:
    section = page(FINDINGS).partition('<section id="runs">')[2]

    assert "run one --seed SEED" in section
    assert "0 to 11" in section
    assert "--html" in section


def test_theory_is_silent_where_another_word_was_changed() -> None:
    held = replace(SWEEP, held=("config.broker.heartbeat.interval.ms",))

    assert "Dashed" in page(FINDINGS)
    assert "Dashed" not in page(replace(FINDINGS, sweeps=(held,)))


def test_a_share_of_nothing_is_no_share() -> None:
    assert "-" == with_interval(share_of(0, 0))


def test_one_scenario_is_not_told_twice() -> None:
    assert "all scenarios" not in page(FINDINGS)


def test_a_deaf_canary_is_said_before_all_else() -> None:
    deaf = replace(
        FINDINGS,
        cells=(replace(CELL, passed=10, failed=0),),
        canaries=(Canary(name="campaign-canary", expected="fail", got="pass"),),
    )

    assert "fail" == deaf.verdict
    assert ["campaign-canary"] == deaf.to_document()["deafCanaries"]
    head = page(deaf).partition("<section")[0]
    assert (
        "A canary had an unexpected verdict, so no verdict here can be trusted. campaign-canary"
        in head
    )


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [({"failed": 1}, "fail"), ({"unended": 1}, "fail"), ({"vacuous": 1}, "vacuous"), ({}, "pass")],
)
def test_a_campaign_is_what_its_worst_run_is(counts, verdict: str) -> None:
    cell = replace(CELL, **({"failed": 0} | counts))
    assert verdict == replace(FINDINGS, cells=(cell,)).verdict


def test_an_unfinished_campaign_says_so() -> None:
    unfinished = replace(FINDINGS, campaign=replace(FINDINGS.campaign, shards_done=1, runs_done=6))
    assert "Unfinished: 6 of 12 runs" in page(unfinished)


def test_what_was_not_asked_is_left_out() -> None:
    bare = replace(
        FINDINGS,
        failures=(),
        lifts=(),
        delays=(),
        availability=(),
        coverage=(),
        sweeps=(),
        kills=(),
    )
    text = page(bare)

    assert "No run failed." in text
    assert "Planted bugs" not in text


def lines(svg: str, class_: str) -> list[tuple[float, float]]:
    (points,) = re.findall(rf'<polyline points="([^"]*)" class="theory {class_}"', svg)
    return [tuple(map(float, point.split(","))) for point in points.split()]


def test_theory_stands_between_the_fields_that_it_parts() -> None:
    """Of a session of 6 s: never up to 4 s, always from 6.75 s on; of 9 s: 7 s and 10.125 s."""
    svg = phase_diagram(SWEEP, of_fences=True)
    fields = sorted({float(x) for x in re.findall(r'<rect x="([\d.]+)"', svg)})
    size = fields[1] - fields[0]

    assert [1, 1, 2, 2] == [round((x - fields[0]) / size) for x, _ in lines(svg, "never")]
    assert [1, 1, 2, 2] == [round((x - fields[0]) / size) for x, _ in lines(svg, "always")]


def test_theory_is_silent_about_another_sweep() -> None:
    axes = (Axis(name="pause", values=("3s", "7s", "11s")), Axis(name="brokers", values=("1", "2")))
    assert "theory" not in phase_diagram(replace(SWEEP, axes=axes), of_fences=True)


def test_numbers_of_very_different_size_are_on_a_logarithmic_scale() -> None:
    scale = scale_of([12_000.0, 4_000_000.0], 0, 100)

    assert scale.is_log
    assert [10_000, 100_000, 1_000_000, 10_000_000] == scale.ticks()
    assert 0 == scale.at(10_000)
    assert 100 == pytest.approx(scale.at(10_000_000))


def test_ticks_are_round_and_inside() -> None:
    assert [0, 20, 40, 60, 80] == Scale(0, 97, 0, 1).ticks()


@pytest.mark.parametrize(
    ("us", "said"),
    [(1500, "1.5 ms"), (9_507_000, "9.507 s"), (3_600_000_000, "60 min"), (1e12, "11.57 days")],
)
def test_times_are_told_in_a_unit_that_fits(us: float, said: str) -> None:
    assert said == duration(us)


def test_a_share_is_never_rounded_to_all_or_nothing() -> None:
    assert ("0%", "100%", "99.9990%") == (percent(0.0), percent(1.0), percent(0.99999))
