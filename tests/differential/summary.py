"""The last lines of a run of the judge."""

from tests.differential.explained import matches
from tests.differential.outcome import Outcome
from tests.released.releases import Release


def unmatched(release: Release, outcome: Outcome) -> list[str]:
    """Return the matches of docs/differences.toml that should have explained a difference."""
    applicable = [m for m in matches() if not m.releases or release.version in m.releases]
    shown = (match for match in applicable if not match.is_race)
    return [f"{match.row}: {match}" for match in shown if match not in outcome.matched]


def print_summary(
    release: Release,
    outcome: Outcome,
    wanted: int,
    elapsed_s: float,
    rows: list[str],
    stopped: str,
) -> None:
    for difference in outcome.log_differences:
        print(f"Kafka's own decoder tells the logs apart: {difference}")
    for reason in outcome.unjudged:
        print(f"not judged: {reason}")
    for row, count in outcome.explained.most_common():
        print(f"explained by {row}: {count} sequences")
    for row in rows:
        print(
            f"a row of docs/differences.toml matched nothing: {row}: expected its example of "
            "generate/examples.py to show it; remove the row if the difference is gone"
        )
    if stopped:
        print(f"stopped early: {stopped}; {outcome.sequences} of {wanted} sequences were judged")
    print(
        f"Kafka {release.version}: {outcome.sequences} sequences, {outcome.requests} requests, "
        f"{outcome.records} records, {outcome.explained.total()} explained, "
        f"{len(outcome.findings)} unexplained, {outcome.pairs} starts, {elapsed_s:.0f} s"
    )
