"""The rules that SQL checks. The query of a rule returns its violations; a file has its name.

Rules of "kafka" hold for every committed log of Kafka, rules of "tables" for the tables of a
campaign. Spark and DuckDB both accept the queries, and tests compare their results.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kraftsim.controller.core.profile import DEFAULT_PROFILE, PROFILES

from ..analysis.views import Query, sql
from ..campaign.plan import Plan

FOLDER = Path(__file__).parent
ROWS_MAX = 1000  # reported violations per rule
VIEWS = ("broker_records", "registrations", "broker_events", "lives")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its number, the name of its query, its kind ("kafka" or "tables"), and its claim."""

    number: str
    name: str
    of: str
    claim: str


RULES = (
    Rule("Q1", "seq-without-gap", "tables", "The rows of a run are numbered from 0 without gaps."),
    Rule("Q2", "time-goes-forward", "tables", "No row is older than the row before it."),
    Rule(
        "Q3", "offsets-grow", "kafka", "Each record has a higher offset than the record before it."
    ),
    Rule("Q4", "leader-epochs-grow", "kafka", "The leader epoch never falls along the log."),
    Rule("Q5", "one-leader-an-epoch", "kafka", "A leader epoch has at most one leader."),
    Rule(
        "Q6",
        "an-epoch-begins-with-its-leader",
        "kafka",
        "The first record of a leader epoch names the leader.",
    ),
    Rule(
        "Q7",
        "epoch-is-an-offset",
        "kafka",
        "A broker's epoch is the offset of its registration record.",
    ),
    Rule("Q8", "broker-epochs-grow", "kafka", "A new broker epoch is above all earlier ones."),
    Rule(
        "Q9",
        "an-incarnation-keeps-its-epoch",
        "kafka",
        "A broker's epoch changes only with its incarnation.",
    ),
    Rule(
        "Q10",
        "changes-name-the-epoch",
        "kafka",
        "Every record about a broker names the epoch of its registration.",
    ),
    Rule(
        "Q11",
        "only-the-fenced-are-unfenced",
        "kafka",
        "A broker is unfenced only if it was fenced.",
    ),
    Rule(
        "Q12",
        "no-fence-inside-the-lease",
        "kafka",
        "A lease expires only after a session timeout without contact.",
    ),
    Rule(
        "Q13",
        "no-second-process-beside-a-live-one",
        "kafka",
        "No other incarnation is registered while the previous one has a lease.",
    ),
    Rule(
        "Q14",
        "records-and-transitions-agree",
        "tables",
        "Transitions agree with the records, offset by offset.",
    ),
    Rule(
        "Q15",
        "intervals-do-not-overlap",
        "tables",
        "No node is in two states at once.",
    ),
    Rule(
        "Q16",
        "intervals-follow-from-the-log",
        "tables",
        "Intervals follow from records and transitions.",
    ),
    Rule("Q17", "counts-agree", "tables", "The counts of a run agree with its rows."),
)


def definitions(plan: Plan) -> Iterator[str]:
    """Yields the statements of the views that the rules use in addition to the tables."""
    for name in VIEWS:
        yield f"create or replace temp view {name} as {sql(name, FOLDER)}"
    sessions = ", ".join(
        f"('{key}', cast({session_us} as bigint))" for key, session_us in _sessions(plan).items()
    )
    yield (
        "create or replace temp view steady_runs as select runs.run_id, items.session_us "
        f"from runs join (values {sessions}) as items(key, session_us) "
        "on split_part(runs.run_id, '-', 1) = items.key "
        "where concat_ws(' ', runs.knobs) not like '%clock.%'"
    )


def _sessions(plan: Plan) -> dict[str, int]:
    """Returns the session timeout of each item in microseconds, by the item's key.

    It is that of the scenario's profile unless the scenario configures another.
    """
    sessions_us = {}
    for item in plan.items:
        profile = PROFILES[str(item.document.get("profile", DEFAULT_PROFILE.name))]
        config = item.document.get("config")
        session_ms = config.get("broker.session.timeout.ms") if isinstance(config, dict) else None
        session_ms = int(session_ms or profile.settings.broker_session_timeout_ms)
        sessions_us[item.key] = session_ms * 1000
    return sessions_us


def broken(query: Query, rules: Sequence[Rule] = RULES) -> Iterator[dict[str, object]]:
    """Yields rows of the table `violations`, from runs without a planted bug."""
    for rule in rules:
        text = (
            f"select judged.run_id, judged.scenario, judged.seed, broken.t_us, broken.event_seq, "
            f"broken.what, judged.repro from ({sql(rule.name, FOLDER)}) as broken "
            f"join judged on judged.run_id = broken.run_id "
            f"order by judged.run_id, broken.t_us, broken.what limit {ROWS_MAX}"
        )
        for seq, row in enumerate(query(text)):
            yield {**row, "seq": seq, "number": rule.number, "name": rule.name}
