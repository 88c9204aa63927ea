"""Sections of the page: coverage and phase diagrams."""

from collections.abc import Sequence

from . import charts
from .amounts import with_interval
from .findings import Coverage, Sweep
from .html import figure, folded, section, sentence, subtitle, table
from .phase import phase_diagram
from .theory import boundary_of

CURVES_MAX = 6


def coverage(found: Sequence[Coverage]) -> str:
    if not found:
        return ""
    widest = sorted(found, key=lambda one: (-one.kinds, one.scenario))
    rows = [
        charts.Curve(one.scenario, tuple((float(x), float(y)) for x, y in one.curve))
        for one in widest[:CURVES_MAX]
    ]
    said = (
        "Who, in which state, met what, and what then: how many such kinds of change a scenario's "
        "runs have shown, by the number of runs. A curve that is flat has shown what it can."
    )
    numbers = [
        (
            one.scenario,
            one.runs,
            one.kinds,
            one.seen_once,
            with_interval(one.next_is_new),
            with_interval(one.first_half),
            with_interval(one.second_half),
            f"{one.expected_kinds:.1f}, {one.found_kinds}" if one.first_half.of else "-",
        )
        for one in widest
    ]
    heads = (
        "scenario",
        "runs",
        "kinds",
        "seen once",
        "next run shows something new",
        "so said the first half",
        "and the second half did",
        "new kinds: expected, found",
    )
    how = (
        "How likely the next run is to show something new is the share of runs that alone have "
        "shown something (Good and Turing), with its 95 % interval. Whether to believe it: the "
        "same estimate from the first half of the seeds, beside the share of runs of the second "
        "half that did show something new to the first."
    )
    return section(
        "coverage",
        "Coverage",
        sentence(said),
        figure(charts.curves("Kinds of change by runs", rows, "runs →", "kinds")),
        sentence(how),
        table(heads, numbers),
    )


def sweeps(found: Sequence[Sweep]) -> str:
    """Returns the section of phase diagrams; empty without sweeps."""
    if not found:
        return ""
    said = (
        "A field for every combination of the values that were swept; its colour and number are "
        "the share of its runs."
    )
    return section("sweeps", "Sweeps", sentence(said), *map(_sweep, found))


def _sweep(sweep: Sweep) -> str:
    parts = [subtitle(sweep.scenario)]
    boundary = boundary_of(sweep)
    if any(one.with_fence for one in sweep.fields):
        said = "Share of runs in which somebody was fenced."
        if boundary is not None:
            said += f" Dashed: up to here never; solid: from here on always. {boundary.says}"
        parts += [sentence(said), figure(phase_diagram(sweep, of_fences=True))]
    said = "Share of runs that failed."
    if any(one.failed for one in sweep.fields):
        parts += [sentence(said), figure(phase_diagram(sweep, of_fences=False))]
    else:
        parts.append(folded("No run failed", figure(phase_diagram(sweep, of_fences=False))))
    return "".join(parts)
