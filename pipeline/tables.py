"""The tables of a campaign: the name, the type and the meaning of every column.

The DDL for Spark and the schema for pyarrow are both derived from this module, so neither is ever
inferred. `VERSION` counts the changes of columns, and of the spelling in a column. No column
depends on the machine or on real time, so a shard that runs twice has the same bytes. Virtual time
is a number of microseconds, never a timestamp. Every row names its run. (run_id, seq) is the key of
all tables except `runs`, which has one row per run. Rows of a run are ordered by time, heartbeats
by broker first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = 3  # 2: another spelling of states; 3: no real time in `runs`, but in the commits
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
        return tuple(column.name for column in self.columns)

    @property
    def ddl(self) -> str:
        """The schema for `spark.read.schema`."""
        return ", ".join(f"`{column.name}` {SPARK[column.kind]}" for column in self.columns)

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
        return pa.schema([(column.name, kinds[column.kind]) for column in self.columns])


_RUN = (
    Column("run_id", "text", "id of the run, from scenario, cell, mutant and seed"),
    Column("scenario", "text", "name of the scenario"),
    Column("seed", "whole", "seed of all random draws of the run"),
)
KEY = (*_RUN, Column("seq", "whole", "number of the row in its run, from 0", COUNTED))
_WHEN = Column("t_us", "whole", "virtual time of the event in microseconds", TIMED)

RUNS = Table(
    "runs",
    (
        *_RUN,
        Column("verdict", "text", "pass, fail, vacuous; error or crash if the run did not end"),
        Column("digest", "text", "digest of every message and event; equal for equal seeds"),
        Column("cell", "text", "values of the sweep, such as pause=9s"),
        Column("mutant", "text", "name of the planted bug"),
        Column("signature", "text", "property or claim that was broken first"),
        Column("vacuous", "texts", "faults without effect and claims that were never tested"),
        Column("violations", "small", "number of violations"),
        Column("knobs", "texts", "drawn faults and cells, which differ between runs"),
        Column("coverage", "texts", "kinds of change: node, state, event, next state"),
        Column("events", "whole", "number of events of the timeline"),
        Column("virtual_us", "whole", "virtual time of the run in microseconds"),
        Column("log_end_offset", "whole", "end offset of the committed log"),
        Column("brokers", "small", "number of brokers of the scenario"),
        Column("registrations", "small", "number of registration records"),
        Column("fencings", "small", "number of records that fence a broker"),
        Column("unfencings", "small", "number of records that unfence a broker"),
        Column("elections", "small", "number of leader changes in the log"),
        Column("lease_expiries", "small", "number of expired leases"),
        Column(
            "zombie_us",
            "whole",
            "time in microseconds that brokers acted as unfenced after their leases had expired",
        ),
        Column("error", "text", "reason why the run did not end"),
        Column("repro", "text", "command that repeats the run"),
    ),
)
TRANSITIONS = Table(
    "transitions",
    (
        *KEY,
        _WHEN,
        Column("node", "text", "node that reports the event"),
        Column("kind", "text", "kind of the event (simulation/event_row.py)"),
        Column("broker_id", "small", "broker that the event is about"),
        Column("broker_epoch", "whole", "epoch of that broker"),
        Column("leader_epoch", "small", "epoch of the quorum"),
        Column("offset", "whole", "offset in the metadata log"),
        Column("cause_seq", "whole", "seq of the row that caused the event"),
        Column("fault_id", "text", "fault that caused the event"),
        Column("detail", "text", "further fields as JSON"),
    ),
)
HEARTBEATS = Table(
    "heartbeats",
    (
        *KEY,
        _WHEN,
        Column("controller_id", "small", "controller that the heartbeat reached at t_us"),
        Column("broker_id", "small", "broker that sent the heartbeat"),
        Column("broker_epoch", "whole", "broker epoch in the heartbeat"),
        Column("want_fence", "flag", "the broker asks to be fenced"),
        Column("want_shut_down", "flag", "the broker asks for its controlled shutdown"),
        Column("error_code", "small", "error code of the response; null without a response"),
        Column("is_fenced", "flag", "fenced in the response"),
        Column("should_shut_down", "flag", "shutdown granted in the response"),
    ),
)
INTERVALS = Table(
    "intervals",
    (
        *KEY,
        Column("view", "text", "source of the state: log (records), process, or quorum (leader)"),
        Column("subject", "text", "node such as broker-1 or controller-3000, or quorum"),
        Column("rack", "text", "rack of the broker, if any"),
        Column("state", "text", "state from begin_us to end_us"),
        Column("begin_us", "whole", "virtual time in microseconds", TIMED),
        Column("end_us", "whole", "virtual time in microseconds", TIMED),
        Column("cause", "text", "event that began the interval"),
        Column("ended_by", "text", "event that ended the interval; null at the end of the run"),
        Column("contact_us", "whole", "for a fence: virtual time of the last contact"),
    ),
)
VIOLATIONS = Table(
    "violations",
    (
        *KEY,
        _WHEN,
        Column("number", "text", "number of the property; - for a claim of the file"),
        Column("name", "text", "name of the property or claim"),
        Column("what", "text", "what was expected, and what was observed"),
        Column("event_seq", "whole", "seq of the last row of transitions before the violation"),
        Column("repro", "text", "command that repeats the run"),
    ),
)
RECORDS = Table(
    "records",
    (
        *KEY,
        _WHEN,
        Column("offset", "whole", "offset in the metadata log", COUNTED),
        Column("leader_epoch", "small", "leader epoch that wrote the record"),
        Column("type", "text", "name in Kafka's decoder, such as REGISTER_BROKER_RECORD"),
        Column("version", "small", "version of the record"),
        Column("data", "text", "fields of the record as JSON", "PLAIN"),
    ),
)
TABLES: Mapping[str, Table] = {
    table.name: table for table in (RUNS, TRANSITIONS, HEARTBEATS, INTERVALS, VIOLATIONS, RECORDS)
}
