"""Sections of the page: coverage and phase diagrams."""

from collections.abc import Sequence

from . import charts
from .amounts import with_interval
from .findings import Coverage, Sweep
from .html import figure, folded, section, sentence, subtitle, table
from .phase import phase_diagram
from .theory import boundary_of

CURVES_MAX = 6


COVERAGE = (
    "A kind of change is a node in a state, an event, and the next state. The curves show how "
    "many kinds the runs of a scenario have shown, by the number of runs; a flat curve means "
    "that further runs show hardly any new kind."
)


ESTIMATE = (
    "The probability that the next run shows a new kind is estimated by the share of runs that "
    "are the only one to show some kind (Good and Turing), with its 95 % interval. To check "
    "the estimate: the same from the first half of the seeds, beside the share of runs of the "
    "second half that showed a kind new to the first."
)


def coverage(coverages: Sequence[Coverage]) -> str:
    if not coverages:
        return ""
    widest = sorted(coverages, key=lambda row: (-row.kinds, row.scenario))
    rows = [
        charts.Curve(row.scenario, tuple((float(x), float(y)) for x, y in row.curve))
        for row in widest[:CURVES_MAX]
    ]
    numbers = [
        (
            row.scenario,
            row.runs,
            row.kinds,
            row.seen_once,
            with_interval(row.next_is_new),
            with_interval(row.first_half),
            with_interval(row.second_half),
            f"{row.expected_kinds:.1f}, {row.found_kinds}" if row.first_half.of else "-",
        )
        for row in widest
    ]
    heads = (
        "scenario",
        "runs",
        "kinds",
        "seen once",
        "next run shows a new kind",
        "estimate of the first half",
        "observed in the second half",
        "new kinds: expected, found",
    )
    return section(
        "coverage",
        "Coverage",
        sentence(COVERAGE),
        figure(charts.curves("Kinds of change by runs", rows, "runs →", "kinds")),
        sentence(ESTIMATE),
        table(heads, numbers),
    )


def sweeps(swept: Sequence[Sweep]) -> str:
    """Returns the section of phase diagrams; empty without sweeps."""
    if not swept:
        return ""
    text = (
        "A field for every combination of swept values; its colour and number are the share of its "
        "runs."
    )
    return section("sweeps", "Sweeps", sentence(text), *map(_sweep, swept))


def _sweep(sweep: Sweep) -> str:
    parts = [subtitle(sweep.scenario)]
    boundary = boundary_of(sweep)
    if any(field.with_fence for field in sweep.fields):
        text = "Share of runs in which a broker was fenced."
        if boundary is not None:
            text += (
                f" Dashed: below it no fence; solid: above it always a fence. {boundary.caption}"
            )
        parts += [sentence(text), figure(phase_diagram(sweep, of_fences=True))]
    text = "Share of runs that failed."
    if any(field.failed for field in sweep.fields):
        parts += [sentence(text), figure(phase_diagram(sweep, of_fences=False))]
    else:
        parts.append(folded("No run failed", figure(phase_diagram(sweep, of_fences=False))))
    return "".join(parts)
