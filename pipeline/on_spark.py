"""What is asked of a campaign's tables on a Spark session: a report, a check, a comparison.

Each has its session for itself, unless one runs already, which then is left as it was.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .analysis.views import define
from .commit_log import Folder
from .invariants.recheck import recheck
from .invariants.rules import broken, definitions
from .report import comparison
from .report.findings import Findings
from .report.gather import READS, gather
from .session import session
from .tables import TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Where:
    """Which Spark: a master, or a Connect server; `conf` wins over settings of ours."""

    master: str | None = None
    remote: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


def reported(folder: Folder, where: Where) -> Findings:
    with _session(where) as spark:
        return gather(folder, define(spark, folder, READS))


def checked(folder: Folder, where: Where) -> list[dict[str, Any]]:
    """Rows of the table `violations`: of the rules in SQL, and of the replay."""
    with _session(where) as spark:
        ask = define(spark, folder, TABLES)
        for text in definitions(folder.plan()):
            spark.sql(text)
        return [*broken(ask), *recheck(spark, folder)]


def compared(base: Folder, new: Folder, where: Where) -> comparison.Comparison:
    """PlanError if they share no run."""
    with _session(where) as spark:
        define(spark, base, comparison.READS, "base_")
        ask = define(spark, new, comparison.READS, "new_")
        for text in comparison.definitions(base.plan(), new.plan()):
            spark.sql(text)
        return comparison.compare(ask)


@contextmanager
def _session(where: Where) -> "Iterator[SparkSession]":
    from pyspark.sql import SparkSession

    is_ours = SparkSession.getActiveSession() is None
    spark = session(
        "kraftsim campaign",
        master=where.master,
        remote=where.remote,
        conf=where.conf,
        heavy=True,
    )
    try:
        yield spark
    finally:
        if is_ours:
            spark.stop()
