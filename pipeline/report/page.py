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
    ("runs", "Any run"),
)


def page(findings: Findings) -> str:
    """Returns the report as HTML; sections without content are omitted."""
    inside = [text for text in _sections(findings) if text]
    links = "".join(
        f'<a href="#{key}">{escape(name)}</a>'
        for key, name in NAMES
        if any(text.startswith(f'<section id="{key}"') for text in inside)
    )
    name = escape(findings.campaign.name)
    style = Path(__file__).with_name("style.css").read_text("utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name}: campaign report</title><style>{style}</style></head><body><main>"
        f"<h1>Campaign report: {name}</h1>{_head(findings)}<nav>{links}</nav>{''.join(inside)}"
        "</main></body></html>\n"
    )


def _sections(findings: Findings) -> Iterator[str]:
    yield sections.verdicts(findings.cells)
    yield sections.failures(findings.failures)
    yield sections.knobs(findings.lifts)
    yield sections_of_times.fences(findings)
    yield sections_of_times.recovery(findings.delays)
    yield sections_of_times.availability(findings.availability)
    yield sections_of_seeds.coverage(findings.coverage)
    yield sections_of_seeds.sweeps(findings.sweeps)
    yield sections.mutants(findings.kills)
    yield sections.slowest(findings.slowest)
    yield sections.runs(findings.exports)


def _head(findings: Findings) -> str:
    campaign = findings.campaign
    first, end = campaign.seeds
    virtual_us = sum(cell.virtual_us for cell in findings.cells)
    scenarios = len({cell.scenario for cell in findings.cells})
    tiles = (
        (f"{campaign.runs_done:,}", "runs, including canaries and planted bugs"),
        (f"{scenarios:,}", "scenarios" if scenarios != 1 else "scenario"),
        (f"{first:,} to {end - 1:,}", "seeds"),
        (duration(virtual_us), "of simulated time in judged runs"),
        (f"{campaign.events:,}", "stored events: transitions, heartbeats, records"),
        (duration(campaign.worked_s * 1e6), "of work of all processes"),
    )
    tile_texts = "".join(
        f'<div class="tile"><b>{escape(number)}</b><span>{escape(caption)}</span></div>'
        for number, caption in tiles
    )
    about = (
        "Each run simulates a Kafka control plane in a scenario; the same seed gives the same run. "
        "This page needs no network and runs no script."
    )
    return f'<p class="soft">{about}</p>{_banner(findings)}<div class="tiles">{tile_texts}</div>'


def _banner(findings: Findings) -> str:
    campaign = findings.campaign
    class_ = findings.verdict
    lines = [_canary(findings), _counts(findings), _planted(findings), _idle(findings)]
    if campaign.shards_done < campaign.shards:
        lines.append(
            f"Unfinished: {campaign.runs_done:,} of {campaign.runs:,} runs are done; "
            "`kraftsim campaign resume` runs the rest."
        )
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
    return f'<div class="banner {class_}">{escape(HEADS[class_])}{paragraphs}</div>'


def _canary(findings: Findings) -> str:
    if findings.deaf:
        verdicts = "; ".join(
            f"{canary.name}: expected {canary.expected}, got {canary.got}"
            for canary in findings.deaf
        )
        return f"A canary had an unexpected verdict, so no verdict here can be trusted. {verdicts}."
    if any(canary.got is None for canary in findings.canaries):
        return "A canary has not run yet; until then a pass proves little."
    return "Every canary had its expected verdict: fail, or vacuous."


def _planted(findings: Findings) -> str:
    bugs = [kill for kill in findings.kills if kill.scenario is None]
    if not bugs:
        return ""
    killed = sum(bool(bug.killed.hits) for bug in bugs)
    return f"Planted bugs, which do not count as failures: {killed:,} of {len(bugs):,} detected."


def _idle(findings: Findings) -> str:
    if not findings.idle:
        return ""
    missed = f" Swarms should have tested {', '.join(findings.missed)}." if findings.missed else ""
    return f"No run has tested these properties: {', '.join(findings.idle)}.{missed}"


def _counts(findings: Findings) -> str:
    kinds = (
        ("passed", sum(cell.passed for cell in findings.cells)),
        ("failed", sum(cell.failed for cell in findings.cells)),
        ("vacuous", sum(cell.vacuous for cell in findings.cells)),
        ("not ended", sum(cell.unended for cell in findings.cells)),
    )
    runs = sum(cell.runs for cell in findings.cells)
    parts = ", ".join(f"{number:,} {kind}" for kind, number in kinds if number)
    return f"Of {count(runs, 'judged run')}: {parts or 'none'}."
