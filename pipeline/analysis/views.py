"""Defines a campaign's tables as SQL views on a Spark session.

Only committed files are read, with the schemas of `tables.py`; an inferred schema would be that of
whichever file comes first. DuckDB accepts the same SQL, and the tests use it.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..campaign.commit_log import Folder, part
from ..campaign.plan import Plan, PlanError
from ..tables import TABLES, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Ask = Callable[[str], list[dict[str, Any]]]
"""Runs a query and returns its rows, each a value by column name; the caller knows the types."""


def committed_files(folder: Folder, table: Table) -> list[str]:
    """Returns the files of committed shards that have rows in the table."""
    return [
        str((folder.path / part(table.name, number)).resolve())
        for number, commit in sorted(folder.commits().items())
        if commit.pieces[table.name].rows
    ]


def expect_whole(folder: Folder) -> None:
    """Raises PlanError for the first file that differs from its commit or is of another plan."""
    for wrong in folder.corruptions():
        raise PlanError(
            f"{wrong}; move the shard aside with `kraftsim campaign sweep {folder.path}`, then "
            "`resume` runs it again"
        )


def define(spark: "SparkSession", folder: Folder, names: Iterable[str], prefix: str = "") -> Ask:
    """Creates the views of these tables and the derived views; returns a function for queries.

    `prefix` separates the views of a second campaign.
    """
    for name in names:
        frame_of(spark, folder, TABLES[name]).createOrReplaceTempView(prefix + name)
    for text in definitions(folder.plan(), prefix):
        spark.sql(text)
    return lambda query: [row.asDict() for row in spark.sql(query).collect()]


def frame_of(spark: "SparkSession", folder: Folder, table: Table) -> "DataFrame":
    """Returns the DataFrame of a table; an empty one if no rows are committed."""
    files = committed_files(folder, table)
    if not files:
        return spark.createDataFrame([], table.ddl)
    return spark.read.schema(table.ddl).parquet(*files)


def definitions(plan: Plan, prefix: str = "", explode: str = "explode") -> Sequence[str]:
    """Returns the statements of the derived views, which exclude planted bugs and canaries.

    `explode` is the database's function that makes a row of each value of a list.
    """
    canaries = ", ".join(f"'{item.name}'" for item in plan.items if item.is_canary)
    subjects = f"scenario not in ({canaries})" if canaries else "true"
    view = f"create or replace temp view {prefix}"
    run = "scenario, seed, run_id, verdict"
    return (
        f"{view}judged as select * from {prefix}runs where mutant is null and {subjects}",
        f"{view}judged_intervals as select * from {prefix}intervals "
        f"where run_id in (select run_id from {prefix}judged)",
        f"{view}delays as {sql('every_delay', prefix=prefix)}",
        f"{view}run_knobs as select {run}, {explode}(knobs) as knob from {prefix}judged",
        f"{view}run_kinds as select {run}, {explode}(coverage) as kind from {prefix}judged",
    )


def sql(name: str, folder: Path = Path(__file__).parent, **values: object) -> str:
    """Returns the text of a query with its `{placeholders}` replaced."""
    return (folder / f"{name}.sql").read_text("utf-8").format(**values)
