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


def coverage(found: Sequence[Coverage]) -> str:
    if not found:
        return ""
    widest = sorted(found, key=lambda covered: (-covered.kinds, covered.scenario))
    rows = [
        charts.Curve(covered.scenario, tuple((float(x), float(y)) for x, y in covered.curve))
        for covered in widest[:CURVES_MAX]
    ]
    numbers = [
        (
            covered.scenario,
            covered.runs,
            covered.kinds,
            covered.seen_once,
            with_interval(covered.next_is_new),
            with_interval(covered.first_half),
            with_interval(covered.second_half),
            f"{covered.expected_kinds:.1f}, {covered.found_kinds}"
            if covered.first_half.of
            else "-",
        )
        for covered in widest
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


def sweeps(found: Sequence[Sweep]) -> str:
    """Returns the section of phase diagrams; empty without sweeps."""
    if not found:
        return ""
    said = (
        "A field for every combination of swept values; its colour and number are the share of its "
        "runs."
    )
    return section("sweeps", "Sweeps", sentence(said), *map(_sweep, found))


def _sweep(sweep: Sweep) -> str:
    parts = [subtitle(sweep.scenario)]
    boundary = boundary_of(sweep)
    if any(field.with_fence for field in sweep.fields):
        said = "Share of runs in which a broker was fenced."
        if boundary is not None:
            said += f" Dashed: below it no fence; solid: above it always a fence. {boundary.says}"
        parts += [sentence(said), figure(phase_diagram(sweep, of_fences=True))]
    said = "Share of runs that failed."
    if any(field.failed for field in sweep.fields):
        parts += [sentence(said), figure(phase_diagram(sweep, of_fences=False))]
    else:
        parts.append(folded("No run failed", figure(phase_diagram(sweep, of_fences=False))))
    return "".join(parts)
