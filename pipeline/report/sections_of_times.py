"""Sections of the page: durations in virtual time of fences, recovery and availability."""

from collections.abc import Sequence

from . import charts
from .amounts import count, duration, percent
from .findings import Availability, Cell, Delay, Findings
from .html import figure, folded, section, sentence, subtitle, table

BROKERS_MAX = 40  # rows of a chart: the brokers with the lowest availability
TITLES = {
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


def fences(findings: Findings) -> str:
    """Returns the section of the silence before fences."""
    delays = [delay for delay in findings.delays if delay.what == "fence"]
    if not delays:
        return section(
            "fences", "Fences", sentence("No broker was fenced because its lease expired.")
        )
    text = (
        "Time from the last heartbeat of a broker to its fence, by scenario: the box holds the "
        "middle half of all fences, the line 98 % of them, and the dot is p99.9. Fences that a "
        "broker asked for are left out."
    )
    return section(
        "fences",
        "Fences",
        sentence(text),
        *_picture("Time without heartbeats before a fence", delays),
        sentence(_zombies(findings.cells)),
    )


def _zombies(cells: Sequence[Cell]) -> str:
    zombie_us, runs = (
        sum(cell.zombie_us for cell in cells),
        sum(cell.with_zombies for cell in cells),
    )
    return (
        "Zombies: brokers acted as unfenced after their leases had expired for "
        f"{duration(zombie_us)} of simulated time in total, in {count(runs, 'run')} of "
        f"{sum(cell.runs for cell in cells):,}."
    )


def recovery(delays: Sequence[Delay]) -> str:
    """Returns the section of the time from a fence or a registration until the broker is back."""
    parts = []
    for kind, (title, text) in TITLES.items():
        rows = [delay for delay in delays if delay.what == kind]
        if rows:
            parts += [subtitle(title), sentence(text), *_picture(title, rows)]
    return section("recovery", "Recovery", *parts) if parts else ""


def _picture(title: str, delays: Sequence[Delay]) -> tuple[str, str]:
    apart = [delay for delay in delays if delay.scenario]
    together = [delay for delay in delays if not delay.scenario] if len(apart) > 1 else []
    ordered = [*together, *sorted(apart, key=lambda delay: str(delay.scenario))]
    rows = [
        charts.Box(
            delay.scenario or "all scenarios",
            (delay.p1_us, delay.p25_us, delay.p50_us, delay.p75_us, delay.p99_us),
            delay.p999_us,
            f"p50 {duration(delay.p50_us)}, p99 {duration(delay.p99_us)}",
            f"{delay.times:,} times; p99.9 {duration(delay.p999_us)}, "
            f"longest {duration(delay.max_us)}",
        )
        for delay in ordered
    ]
    numbers = [
        (
            measured.scenario or "all",
            measured.times,
            duration(measured.p50_us),
            duration(measured.p99_us),
            duration(measured.p999_us),
            duration(measured.max_us),
        )
        for measured in ordered
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
    text = (
        "Share of time in which each broker was in service (registered, unfenced and not in "
        f"controlled shutdown), from its first registration on; the {BROKERS_MAX} brokers with the "
        "lowest share. Grey is the time out of service."
    )
    worst = sorted(brokers, key=lambda broker: (broker.share, broker.scenario, broker.subject))
    parts = [
        sentence(text),
        figure(
            charts.bars(
                "Availability by broker", [_bar(measured) for measured in worst[:BROKERS_MAX]]
            )
        ),
    ]
    if racks:
        text = "The same by rack, summed over its brokers."
        rows = [_bar(rack) for rack in sorted(racks, key=lambda rack: rack.share)[:BROKERS_MAX]]
        parts += [subtitle("By rack"), sentence(text)]
        parts.append(figure(charts.bars("Availability by rack", rows)))
    numbers = [
        (
            measured.scenario,
            measured.subject,
            measured.rack,
            measured.runs,
            percent(measured.share),
            duration(measured.known_us),
        )
        for measured in worst
    ]
    heads = ("scenario", "broker", "rack", "runs", "in service", "of time")
    parts.append(folded("The numbers", table(heads, numbers)))
    return section("availability", "Availability", *parts)


def _by_rack(brokers: Sequence[Availability]) -> list[Availability]:
    groups: dict[tuple[str, str], list[Availability]] = {}
    for broker in brokers:
        if broker.rack is not None:
            groups.setdefault((broker.scenario, broker.rack), []).append(broker)
    return [
        Availability(
            scenario=scenario,
            subject=f"rack {rack}",
            rack=rack,
            runs=max(measured.runs for measured in group),
            in_service_us=sum(measured.in_service_us for measured in group),
            known_us=sum(measured.known_us for measured in group),
        )
        for (scenario, rack), group in groups.items()
    ]


def _bar(measured: Availability) -> charts.Bar:
    away_us = measured.known_us - measured.in_service_us
    tooltip = f"{measured.subject} of {measured.scenario}: out of service for {duration(away_us)}"
    parts = (("pass", float(measured.in_service_us), tooltip), ("rest", float(away_us), tooltip))
    return charts.Bar(f"{measured.subject}, {measured.scenario}", parts, percent(measured.share))
