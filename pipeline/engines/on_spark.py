"""Queries of a campaign's tables on Spark: the report, the check and the comparison.

Each function creates a session and stops it at the end, unless a session already runs.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..analysis.views import define
from ..campaign.commit_log import Folder
from ..invariants.recheck import recheck
from ..invariants.rules import broken, definitions
from ..report import comparison
from ..report.findings import Findings
from ..report.gather import READS, gather
from ..tables import TABLES
from .session import SparkTarget, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MANY_ROWS = 5_000_000  # with fewer rows, the JVM's C2 compiler costs more than it saves


def reported(folder: Folder, target: SparkTarget) -> Findings:
    """Returns the findings of a campaign, for its report."""
    with _session(target, _rows(folder, READS)) as spark:
        return gather(folder, define(spark, folder, READS))


def checked(folder: Folder, target: SparkTarget) -> list[dict[str, Any]]:
    """Returns rows of the table `violations`: those that the SQL rules and the replay find."""
    with _session(target, _rows(folder, TABLES)) as spark:
        query = define(spark, folder, TABLES)
        for text in definitions(folder.plan()):
            spark.sql(text)
        return [*broken(query), *recheck(spark, folder)]


def compared(base: Folder, new: Folder, target: SparkTarget) -> comparison.Comparison:
    """Compares two campaigns; raises PlanError if they share no run."""
    rows = _rows(base, comparison.READS) + _rows(new, comparison.READS)
    with _session(target, rows) as spark:
        define(spark, base, comparison.READS, "base_")
        query = define(spark, new, comparison.READS, "new_")
        for text in comparison.definitions(base.plan(), new.plan()):
            spark.sql(text)
        return comparison.compare(query)


def _rows(folder: Folder, names: Iterable[str]) -> int:
    commits = folder.commits().values()
    return sum(commit.pieces[name].rows for name in names for commit in commits)


@contextmanager
def _session(target: SparkTarget, rows: int) -> "Iterator[SparkSession]":
    """Yields a session for queries that read `rows` rows, and stops it unless it already ran."""
    from pyspark.sql import SparkSession

    is_ours = SparkSession.getActiveSession() is None
    spark = session(
        "kraftsim campaign",
        master=target.master,
        remote=target.remote,
        conf=target.conf,
        heavy=rows > MANY_ROWS,
    )
    try:
        yield spark
    finally:
        if is_ours:
            spark.stop()
