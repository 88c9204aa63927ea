"""The tables of a campaign: the name, the type and the meaning of every column.

The DDL for Spark and the schema for pyarrow are both derived from this module, so neither is ever
inferred. Columns are only added, never changed; `VERSION` counts the additions. Virtual time is a
number of microseconds, never a timestamp. Every row names its run. (run_id, seq) is the key of all
tables except `runs`, which has one row per run. Rows of a run are ordered by time, heartbeats by
broker first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = 1
SPARK = {
    "text": "STRING",
    "whole": "BIGINT",
    "small": "INT",
    "flag": "BOOLEAN",
    "texts": "ARRAY<STRING>",
}


COUNTED = "DELTA_BINARY_PACKED"  # for columns that grow by small steps from row to row
TIMED = "BYTE_STREAM_SPLIT"  # for times, whose high bytes repeat; 25 % smaller than deltas


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `encoding` is a Parquet encoding for a column that a dictionary would not make smaller.
    """

    name: str
    kind: str
    meaning: str
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its name and its columns in order."""

    name: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(one.name for one in self.columns)

    @property
    def ddl(self) -> str:
        """The schema for `spark.read.schema`."""
        return ", ".join(f"`{one.name}` {SPARK[one.kind]}" for one in self.columns)

    def schema(self) -> "pa.Schema":
        """Returns the schema for pyarrow."""
        import pyarrow as pa

        kinds = {
            "text": pa.string(),
            "whole": pa.int64(),
            "small": pa.int32(),
            "flag": pa.bool_(),
            "texts": pa.list_(pa.string()),
        }
        return pa.schema([(one.name, kinds[one.kind]) for one in self.columns])


_RUN = (
    Column("run_id", "text", "of scenario, cell, mutant and seed"),
    Column("scenario", "text", "its name"),
    Column("seed", "whole", "repeats every draw"),
)
KEY = (*_RUN, Column("seq", "whole", "counts the rows of a run", COUNTED))
_WHEN = Column("t_us", "whole", "the world's time", TIMED)

RUNS = Table(
    "runs",
    (
        *_RUN,
        Column("verdict", "text", "pass, fail, vacuous; error or crash where a run did not end"),
        Column("digest", "text", "of every message and event; the same for the same seed"),
        Column("cell", "text", "what is swept, as in pause=9s"),
        Column("mutant", "text", "the bug that was planted"),
        Column("signature", "text", "what a failure is known by: what was broken first"),
        Column("vacuous", "texts", "what never bit"),
        Column("violations", "small", "how many properties and claims were broken"),
        Column("knobs", "texts", "what differs from run to run: faults that were drawn, cells"),
        Column("coverage", "texts", "who, in which state, met what, and what it then was"),
        Column("events", "whole", "of the timeline"),
        Column("virtual_us", "whole", "how long it lasted in the world"),
        Column("log_end_offset", "whole", "of the committed log"),
        Column("brokers", "small", "of the scenario"),
        Column("registrations", "small", "records of the log"),
        Column("fencings", "small", "brokers that were taken out of service"),
        Column("unfencings", "small", "and put back"),
        Column("elections", "small", "controllers that the log says have led"),
        Column("lease_expiries", "small", "sessions that ran out"),
        Column("zombie_us", "whole", "brokers believed in leases that were over, S23"),
        Column("error", "text", "why a run did not end"),
        Column("wall_us", "whole", "what it cost; differs from time to time"),
        Column("repro", "text", "the command that repeats it"),
    ),
)
TRANSITIONS = Table(
    "transitions",
    (
        *KEY,
        _WHEN,
        Column("node", "text", "who says it"),
        Column("kind", "text", "what happened (simulation/journal_kinds.py)"),
        Column("broker_id", "small", "whom it is about"),
        Column("broker_epoch", "whole", "of that broker"),
        Column("leader_epoch", "small", "of the quorum"),
        Column("offset", "whole", "in the metadata log"),
        Column("cause_seq", "whole", "the row that caused it"),
        Column("fault_id", "text", "the step that caused it"),
        Column("detail", "text", "the rest, as JSON"),
    ),
)
HEARTBEATS = Table(
    "heartbeats",
    (
        *KEY,
        _WHEN,
        Column("controller_id", "small", "whom the heartbeat reached, at t_us"),
        Column("broker_id", "small", "who sent it"),
        Column("broker_epoch", "whole", "as the broker knows it"),
        Column("want_fence", "flag", "it would rather not serve"),
        Column("want_shut_down", "flag", "it would like to leave"),
        Column("error_code", "small", "of the answer; null: none came back"),
        Column("is_fenced", "flag", "as it was told"),
        Column("should_shut_down", "flag", "as it was told"),
    ),
)
INTERVALS = Table(
    "intervals",
    (
        *KEY,
        Column("view", "text", "log: what records say; process: what it does; quorum: who leads"),
        Column("subject", "text", "broker-1, controller-3000, quorum"),
        Column("rack", "text", "of a broker, where it has one"),
        Column("state", "text", "between begin_us and end_us"),
        Column("begin_us", "whole", "the world's time", TIMED),
        Column("end_us", "whole", "the world's time", TIMED),
        Column("cause", "text", "what began it"),
        Column("ended_by", "text", "what ended it; null: the end of the run"),
        Column("contact_us", "whole", "of a fence: when the broker had last been heard of"),
    ),
)
VIOLATIONS = Table(
    "violations",
    (
        *KEY,
        _WHEN,
        Column("number", "text", "of the property; - for a claim of the file"),
        Column("name", "text", "of the property or claim"),
        Column("what", "text", "expected and got"),
        Column("event_seq", "whole", "the last row of transitions before it"),
        Column("repro", "text", "the command that repeats the run"),
    ),
)
RECORDS = Table(
    "records",
    (
        *KEY,
        _WHEN,
        Column("offset", "whole", "in the metadata log", COUNTED),
        Column("leader_epoch", "small", "in which it was written"),
        Column("type", "text", "as Kafka's decoder names it: REGISTER_BROKER_RECORD"),
        Column("version", "small", "of the record"),
        Column("data", "text", "its fields, as JSON", "PLAIN"),
    ),
)
TABLES: Mapping[str, Table] = {
    one.name: one for one in (RUNS, TRANSITIONS, HEARTBEATS, INTERVALS, VIOLATIONS, RECORDS)
}
