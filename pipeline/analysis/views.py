"""Defines a campaign's tables as SQL views on a Spark session.

Only committed files are read. Schemas are those of `tables.py`, because Spark would infer a schema
from an arbitrary file. DuckDB, which the tests use, accepts the same SQL.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..campaign.commit_log import Folder, part
from ..campaign.plan import Plan, PlanError
from ..tables import TABLES, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Query = Callable[[str], list[dict[str, Any]]]
"""Runs a query and returns its rows, each a value by column name; the caller knows the types."""


def committed_files(folder: Folder, table: Table) -> list[str]:
    """Returns the Parquet files of a table: one for each committed shard with rows in it."""
    return [
        str((folder.path / part(table.name, number)).resolve())
        for number, commit in sorted(folder.commits().items())
        if commit.pieces[table.name].rows
    ]


def expect_whole(folder: Folder) -> None:
    """Raises PlanError if a file of the campaign is missing or differs from its commit."""
    for wrong in folder.corruptions():
        raise PlanError(
            f"{wrong}; move the shard aside with `kraftsim campaign sweep {folder.path}`, then "
            "`resume` runs it again"
        )


def define(spark: "SparkSession", folder: Folder, names: Iterable[str], prefix: str = "") -> Query:
    """Creates views of the tables `names` and the derived views; returns a function that runs SQL.

    `prefix` starts the name of every view, so that a session can have views of two campaigns.
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
    """Returns the SQL that creates the derived views, which exclude planted bugs and canaries.

    `explode` is the database's name for the function that turns a list into rows.
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
