"""The report as one self-contained HTML page, without network access or scripts."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

from . import sections, sections_of_seeds, sections_of_times
from .amounts import count, duration
from .findings import Findings

HEADS = {
    "pass": "Passed: every run did what its scenario claims.",
    "fail": "Failed.",
    "vacuous": "Vacuous: no promise was broken, but some runs tested nothing.",
    "unfinished": "Unfinished: no promise was broken so far.",
}
NAMES = (
    ("verdicts", "Verdicts"),
    ("failures", "Failures"),
    ("knobs", "Effects of knobs"),
    ("fences", "Fences"),
    ("recovery", "Recovery"),
    ("availability", "Availability"),
    ("coverage", "Coverage"),
    ("sweeps", "Sweeps"),
    ("mutants", "Planted bugs"),
    ("slowest", "Slowest runs"),
)


def page(found: Findings) -> str:
    """Returns the page; sections without content are omitted."""
    inside = [text for text in _sections(found) if text]
    links = "".join(
        f'<a href="#{key}">{escape(name)}</a>'
        for key, name in NAMES
        if any(text.startswith(f'<section id="{key}"') for text in inside)
    )
    name = escape(found.campaign.name)
    style = Path(__file__).with_name("style.css").read_text("utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name}: campaign report</title><style>{style}</style></head><body><main>"
        f"<h1>Campaign report: {name}</h1>{_head(found)}<nav>{links}</nav>{''.join(inside)}"
        "</main></body></html>\n"
    )


def _sections(found: Findings) -> Iterator[str]:
    yield sections.verdicts(found.cells)
    yield sections.failures(found.failures)
    yield sections.knobs(found.lifts)
    yield sections_of_times.fences(found)
    yield sections_of_times.recovery(found.delays)
    yield sections_of_times.availability(found.availability)
    yield sections_of_seeds.coverage(found.coverage)
    yield sections_of_seeds.sweeps(found.sweeps)
    yield sections.mutants(found.kills)
    yield sections.slowest(found.slowest)


def _head(found: Findings) -> str:
    campaign = found.campaign
    first, end = campaign.seeds
    virtual_us = sum(cell.virtual_us for cell in found.cells)
    scenarios = len({cell.scenario for cell in found.cells})
    tiles = (
        (f"{campaign.runs_done:,}", "runs, including canaries and planted bugs"),
        (f"{scenarios:,}", "scenarios" if scenarios != 1 else "scenario"),
        (f"{first:,} to {end - 1:,}", "seeds"),
        (duration(virtual_us), "of simulated time in judged runs"),
        (f"{campaign.events:,}", "stored events: transitions, heartbeats, records"),
        (duration(campaign.worked_s * 1e6), "of work of all processes"),
    )
    said = "".join(
        f'<div class="tile"><b>{escape(number)}</b><span>{escape(what)}</span></div>'
        for number, what in tiles
    )
    about = (
        "Each run simulates a Kafka control plane in a scenario; the same seed gives the same run. "
        "This page needs no network and runs no script."
    )
    return f'<p class="soft">{about}</p>{_banner(found)}<div class="tiles">{said}</div>'


def _banner(found: Findings) -> str:
    campaign = found.campaign
    class_ = found.verdict
    lines = [_canary(found), _counts(found), _planted(found)]
    if campaign.shards_done < campaign.shards:
        lines.append(
            f"Unfinished: {campaign.runs_done:,} of {campaign.runs:,} runs are done; "
            "`kraftsim campaign resume` runs the rest."
        )
    said = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
    return f'<div class="banner {class_}">{escape(HEADS[class_])}{said}</div>'


def _canary(found: Findings) -> str:
    if found.deaf:
        said = "; ".join(
            f"{canary.name}: expected {canary.expected}, got {canary.got}" for canary in found.deaf
        )
        return f"A canary had an unexpected verdict, so no verdict here can be trusted. {said}."
    if any(canary.got is None for canary in found.canaries):
        return "A canary has not run yet; until then a pass proves little."
    return "Every canary had its expected verdict: fail, or vacuous."


def _planted(found: Findings) -> str:
    bugs = [kill for kill in found.kills if kill.scenario is None]
    if not bugs:
        return ""
    killed = sum(bool(bug.killed.hits) for bug in bugs)
    return f"Planted bugs, which do not count as failures: {killed:,} of {len(bugs):,} detected."


def _counts(found: Findings) -> str:
    kinds = (
        ("passed", sum(cell.passed for cell in found.cells)),
        ("failed", sum(cell.failed for cell in found.cells)),
        ("vacuous", sum(cell.vacuous for cell in found.cells)),
        ("not ended", sum(cell.unended for cell in found.cells)),
    )
    runs = sum(cell.runs for cell in found.cells)
    said = ", ".join(f"{number:,} {kind}" for kind, number in kinds if number)
    return f"Of {count(runs, 'judged run')}: {said or 'none'}."
