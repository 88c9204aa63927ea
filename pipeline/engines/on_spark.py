"""Queries of a campaign's tables on Spark: the report, the check and the comparison.

Each function creates a session and stops it at the end, unless a session already runs.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from ..analysis.views import define
from ..campaign.commit_log import Folder
from ..invariants.recheck import recheck
from ..invariants.rules import broken, definitions
from ..report import comparison
from ..report.findings import Findings
from ..report.gather import READS, gather
from ..tables import TABLES
from .background import in_background
from .session import SparkTarget, running_session, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Result = TypeVar("Result")


def reported(folder: Folder, target: SparkTarget) -> Findings:
    """Returns the findings of a campaign, for its report."""
    return _on_spark(
        lambda spark: gather(folder, define(spark, folder, READS)), target, _rows(folder, READS)
    )


def checked(folder: Folder, target: SparkTarget) -> list[dict[str, Any]]:
    """Returns rows of the table `violations`: those that the SQL rules and the replay find."""

    def check(spark: "SparkSession") -> list[dict[str, Any]]:
        query = define(spark, folder, TABLES)
        for text in definitions(folder.plan()):
            spark.sql(text)
        return [*broken(query), *recheck(spark, folder)]

    return _on_spark(check, target, _rows(folder, TABLES))


def compared(base: Folder, new: Folder, target: SparkTarget) -> comparison.Comparison:
    """Compares two campaigns; raises PlanError if they share no run."""

    def compare(spark: "SparkSession") -> comparison.Comparison:
        define(spark, base, comparison.READS, "base_")
        query = define(spark, new, comparison.READS, "new_")
        for text in comparison.definitions(base.plan(), new.plan()):
            spark.sql(text)
        return comparison.compare(query)

    rows = _rows(base, comparison.READS) + _rows(new, comparison.READS)
    return _on_spark(compare, target, rows)


def _rows(folder: Folder, names: Iterable[str]) -> int:
    commits = folder.commits().values()
    return sum(commit.pieces[name].rows for name in names for commit in commits)


def _on_spark(use: Callable[["SparkSession"], Result], target: SparkTarget, rows: int) -> Result:
    """Calls `use` with a session for queries that read `rows` rows, and returns its result.

    A session that already runs is used and kept. Otherwise Ctrl-C cancels the queries and stops the
    session, or kills a JVM that still starts, before KeyboardInterrupt is raised.
    """
    if running_session() is not None:
        return use(_session(target, rows))
    started: list[SparkSession] = []

    def work() -> Result:
        spark = _session(target, rows)
        started.append(spark)
        try:
            return use(spark)
        finally:
            spark.stop()

    def end() -> bool:
        for spark in started:
            spark.interruptAll()
        return bool(started)

    return in_background(work, end=end, owns_children=True)


def _session(target: SparkTarget, rows: int) -> "SparkSession":
    return session(
        "kraftsim campaign",
        master=target.master,
        remote=target.remote,
        conf=target.conf,
        rows=rows,
    )
