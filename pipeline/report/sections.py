"""Sections of the page: verdicts, failures, knobs, planted bugs, slowest runs."""

from collections.abc import Iterable, Sequence

from . import charts
from .amounts import count, duration, percent, points, with_interval
from .findings import Cell, Export, Failure, Kill, Lift, Slow
from .html import Code, figure, folded, legend, section, sentence, table

ROWS_MAX = 40  # rows of a chart
PARTS = (("passed", "pass"), ("failed", "fail"), ("vacuous", "vacuous"), ("unended", "unended"))
COLUMNS = (
    "scenario",
    "cell",
    "runs",
    "passed",
    "failed",
    "vacuous",
    "unended",
    "violations",
    "fencings",
    "elections",
)


def verdicts(cells: Sequence[Cell]) -> str:
    """Returns the section of verdicts by scenario."""
    rows = [_verdict_bar(name, group) for name, group in _by_scenario(cells)]
    text = (
        "The runs of each scenario by verdict: every promise held (passed), a promise was broken "
        "(failed), a promise or fault was never tested (vacuous), or the run ended with an error."
    )
    colours = legend(
        ("pass", "passed"), ("fail", "failed"), ("vacuous", "vacuous"), ("unended", "not ended")
    )
    numbers = [
        (*(getattr(cell, name) for name in COLUMNS), duration(cell.zombie_us)) for cell in cells
    ]
    return section(
        "verdicts",
        "Verdicts",
        sentence(text),
        figure(charts.bars("Verdicts by scenario", rows), colours),
        folded("The numbers by cell", table((*COLUMNS, "zombies"), numbers)),
    )


def _by_scenario(cells: Sequence[Cell]) -> Iterable[tuple[str, list[Cell]]]:
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.scenario, []).append(cell)
    return groups.items()


def _verdict_bar(scenario: str, cells: Sequence[Cell]) -> charts.Bar:
    sizes = [(name, class_, sum(getattr(cell, name) for cell in cells)) for name, class_ in PARTS]
    runs = sum(cell.runs for cell in cells)
    parts = [
        (class_, float(size), f"{scenario}: {count(size, 'run')} {name}")
        for name, class_, size in sizes
    ]
    wrong = [f"{size:,} {name}" for name, _, size in sizes[1:] if size]
    return charts.Bar(scenario, tuple(parts), ", ".join([count(runs, "run"), *wrong]))


def failures(groups: Sequence[Failure]) -> str:
    """Returns the section of failures by signature."""
    if not groups:
        return section("failures", "Failures", sentence("No run failed."))
    rows = [
        charts.Bar(
            f"{failure.signature}",
            (
                (
                    "fail",
                    float(failure.runs),
                    f"{count(failure.runs, 'run')} of {failure.scenario}",
                ),
                ("rest", float(groups[0].runs - failure.runs), ""),
            ),
            f"{count(failure.runs, 'run')}, {failure.scenario}",
        )
        for failure in groups[:ROWS_MAX]
    ]
    numbers = [
        (
            failure.signature,
            failure.scenario,
            failure.runs,
            Code(failure.repro),
            failure.what or failure.verdict,
        )
        for failure in groups
    ]
    text = (
        "Failed runs by the promise that they broke first: runs with the same one probably have "
        "the same bug. The command repeats one run; with --open it opens on a page to rewind."
    )
    heads = ("broke first", "scenario", "runs", "command", "first violation")
    return section(
        "failures",
        "Failures",
        sentence(text),
        figure(charts.bars("Failures by the promise that was broken first", rows)),
        table(heads, numbers),
    )


def knobs(lifts: Sequence[Lift]) -> str:
    if not lifts:
        return ""
    rows = [_lift_whisker(lift) for lift in lifts[:ROWS_MAX]]
    clear = sum(lift.difference.is_clear for lift in lifts)
    text = (
        "For each fault that was drawn in some runs and not in others: how many more of a hundred "
        "runs fail (or are vacuous) with it than without it. The line is the 95 % interval; an "
        f"interval that contains zero may be chance. {clear} of {len(lifts)} intervals do not "
        f"contain zero; chance alone explains {len(lifts) / 20:.1f} of them."
    )
    numbers = [
        (
            lift.scenario,
            lift.knob,
            lift.verdict,
            with_interval(lift.having),
            lift.having.of,
            with_interval(lift.lacking),
            lift.lacking.of,
            points(lift.difference),
        )
        for lift in lifts
    ]
    heads = ("scenario", "knob", "verdict", "with knob", "runs", "without", "runs", "difference")
    ends = (min(row.low for row in rows), max(row.high for row in rows))
    chart = charts.whiskers(
        "Difference with and without a knob",
        rows,
        lambda tick: f"{tick:+.0f} points" if tick else "0 points",
        ends,
    )
    return section(
        "knobs",
        "Effects of knobs",
        sentence(text),
        figure(chart),
        folded("The numbers", table(heads, numbers)),
    )


def _lift_whisker(lift: Lift) -> charts.Whisker:
    return charts.Whisker(
        f"{lift.knob} ({lift.scenario})",
        100 * lift.difference.low,
        100 * lift.difference.by,
        100 * lift.difference.high,
        f"{lift.verdict}: {percent(lift.having.share)}, without {percent(lift.lacking.share)}",
        _lift_class(lift),
    )


def _lift_class(lift: Lift) -> str:
    if not lift.difference.is_clear:
        return "mark"
    return "worse" if lift.difference.by > 0 else "better"


MUTANTS = (
    "Known bugs were planted on purpose. The dot shows how many of a thousand runs that pass "
    "without the bug fail with it, the line the 95 % interval. These scenarios do not detect a "
    "bug at zero."
)


def mutants(kills: Sequence[Kill]) -> str:
    if not kills:
        return ""
    totals = [kill for kill in kills if kill.scenario is None]
    rows = [
        charts.Whisker(
            total.mutant,
            1000 * total.killed.low,
            1000 * total.killed.share,
            1000 * total.killed.high,
            f"{1000 * total.killed.share:,.0f} of 1,000 "
            f"({total.killed.hits:,} of {total.killed.of:,})",
        )
        for total in sorted(totals, key=lambda total: (-total.killed.share, total.mutant))
    ]
    numbers = [
        (
            kill.mutant,
            kill.scenario or "all",
            kill.killed.hits,
            kill.killed.of,
            with_interval(kill.killed),
            Code(kill.repro or ""),
        )
        for kill in kills
    ]
    heads = ("bug", "scenario", "detected", "runs", "share", "command")
    chart = charts.whiskers(
        "Runs that detect each planted bug",
        rows,
        lambda tick: f"{tick:,.0f} of 1,000",
        (0.0, 1000.0),
    )
    return section(
        "mutants",
        "Planted bugs",
        sentence(MUTANTS),
        figure(chart),
        folded("By scenario", table(heads, numbers)),
    )


def slowest(runs: Sequence[Slow]) -> str:
    """Returns the section of the slowest runs."""
    numbers = [
        (
            duration(slow_run.wall_us),
            duration(slow_run.virtual_us),
            slow_run.events,
            slow_run.verdict,
            Code(slow_run.repro),
        )
        for slow_run in runs
    ]
    text = "The runs that took longest; the time depends on the machine."
    heads = ("took", "simulated", "events", "verdict", "command")
    return section("slowest", "Slowest runs", sentence(text), table(heads, numbers))


def runs(exports: Sequence[Export]) -> str:
    """Returns the section with the command that writes any run as a page."""
    if not exports:
        return ""
    numbers = [
        (
            export.scenario,
            export.cell or "-",
            f"{export.first_seed:,} to {export.end_seed - 1:,}",
            Code(export.command),
        )
        for export in exports
    ]
    text = (
        "The command writes a run as one HTML file, which opens without a network and can be "
        "rewound: put its seed for SEED. --perfetto and --shiviz write the run for these viewers, "
        "--mutant NAME plants a bug, and --html can be added to every command above."
    )
    heads = ("scenario", "cell", "seeds", "command")
    return section("runs", "Any run", sentence(text), table(heads, numbers))
