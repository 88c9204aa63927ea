"""Sections of the page: durations in virtual time of fences, recovery and availability."""

from collections.abc import Sequence

from . import charts
from .amounts import count, duration, percent
from .findings import Availability, Cell, Delay, Findings
from .html import figure, folded, section, sentence, subtitle, table

BROKERS_MAX = 40  # rows of a chart: the brokers with the lowest availability
WHAT = {
    "recovery": (
        "After a fence",
        "Time from the record that fences a broker to the record that unfences it, including new "
        "registrations in between. Brokers that are fenced at the end of their run are left out.",
    ),
    "start": (
        "After a registration",
        "Time from the record that registers a starting broker to the record that unfences it.",
    ),
}


def fences(found: Findings) -> str:
    """Returns the section of the silence before fences."""
    delays = [one for one in found.delays if one.what == "fence"]
    if not delays:
        return section(
            "fences", "Fences", sentence("No broker was fenced because its lease expired.")
        )
    said = (
        "Time from the last heartbeat of a broker to its fence, by scenario: the box holds the "
        "middle half of all fences, the line 98 % of them, and the dot is p99.9. Fences that a "
        "broker asked for are left out."
    )
    return section(
        "fences",
        "Fences",
        sentence(said),
        *_picture("Time without heartbeats before a fence", delays),
        sentence(_zombies(found.cells)),
    )


def _zombies(cells: Sequence[Cell]) -> str:
    zombie_us, runs = sum(one.zombie_us for one in cells), sum(one.with_zombies for one in cells)
    return (
        "Zombies: brokers acted as unfenced after their leases had expired for "
        f"{duration(zombie_us)} of simulated time in total, in {count(runs, 'run')} of "
        f"{sum(one.runs for one in cells):,}."
    )


def recovery(delays: Sequence[Delay]) -> str:
    """Returns the section of the time from a fence or a registration until the broker is back."""
    parts = []
    for what, (title, said) in WHAT.items():
        of_it = [one for one in delays if one.what == what]
        if of_it:
            parts += [subtitle(title), sentence(said), *_picture(title, of_it)]
    return section("recovery", "Recovery", *parts) if parts else ""


def _picture(title: str, delays: Sequence[Delay]) -> tuple[str, str]:
    apart = [one for one in delays if one.scenario]
    together = [one for one in delays if not one.scenario] if len(apart) > 1 else []
    ordered = [*together, *sorted(apart, key=lambda one: str(one.scenario))]
    rows = [
        charts.Box(
            one.scenario or "all scenarios",
            (one.p1_us, one.p25_us, one.p50_us, one.p75_us, one.p99_us),
            one.p999_us,
            f"p50 {duration(one.p50_us)}, p99 {duration(one.p99_us)}",
            f"{one.times:,} times; p99.9 {duration(one.p999_us)}, longest {duration(one.max_us)}",
        )
        for one in ordered
    ]
    numbers = [
        (
            one.scenario or "all",
            one.times,
            duration(one.p50_us),
            duration(one.p99_us),
            duration(one.p999_us),
            duration(one.max_us),
        )
        for one in ordered
    ]
    heads = ("scenario", "times", "p50", "p99", "p99.9", "longest")
    return (
        figure(charts.boxes(title, rows, duration)),
        folded("The numbers", table(heads, numbers)),
    )


def availability(brokers: Sequence[Availability]) -> str:
    """Returns the section of availability by broker and by rack; empty without brokers."""
    if not brokers:
        return ""
    racks = _by_rack(brokers)
    said = (
        "Share of time in which each broker was in service (registered, unfenced and not in "
        f"controlled shutdown), from its first registration on; the {BROKERS_MAX} brokers with the "
        "lowest share. Grey is the time out of service."
    )
    worst = sorted(brokers, key=lambda one: (one.share, one.scenario, one.subject))
    parts = [
        sentence(said),
        figure(charts.bars("Availability by broker", [_bar(one) for one in worst[:BROKERS_MAX]])),
    ]
    if racks:
        said = "The same by rack, summed over its brokers."
        rows = [_bar(one) for one in sorted(racks, key=lambda one: one.share)[:BROKERS_MAX]]
        parts += [subtitle("By rack"), sentence(said)]
        parts.append(figure(charts.bars("Availability by rack", rows)))
    numbers = [
        (one.scenario, one.subject, one.rack, one.runs, percent(one.share), duration(one.known_us))
        for one in worst
    ]
    heads = ("scenario", "broker", "rack", "runs", "in service", "of time")
    parts.append(folded("The numbers", table(heads, numbers)))
    return section("availability", "Availability", *parts)


def _by_rack(brokers: Sequence[Availability]) -> list[Availability]:
    found: dict[tuple[str, str], list[Availability]] = {}
    for one in brokers:
        if one.rack is not None:
            found.setdefault((one.scenario, one.rack), []).append(one)
    return [
        Availability(
            scenario=scenario,
            subject=f"rack {rack}",
            rack=rack,
            runs=max(one.runs for one in some),
            in_service_us=sum(one.in_service_us for one in some),
            known_us=sum(one.known_us for one in some),
        )
        for (scenario, rack), some in found.items()
    ]


def _bar(one: Availability) -> charts.Bar:
    away_us = one.known_us - one.in_service_us
    said = f"{one.subject} of {one.scenario}: out of service for {duration(away_us)}"
    parts = (("pass", float(one.in_service_us), said), ("rest", float(away_us), said))
    return charts.Bar(f"{one.subject}, {one.scenario}", parts, percent(one.share))
