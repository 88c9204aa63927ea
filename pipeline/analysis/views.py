"""A campaign's tables as views that SQL can name, on a Spark session.

Only committed files are read, with the schemas of `tables.py`: a schema that is inferred is that of
whichever file comes first. The SQL itself is understood by DuckDB too, which is how it is tested.
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
"""Answers a query with its rows, a value by column name: whoever asks knows the types."""


def committed_files(folder: Folder, table: Table) -> list[str]:
    """Those of the shards that are done, and have rows."""
    return [
        str((folder.path / part(table.name, number)).resolve())
        for number, commit in sorted(folder.commits().items())
        if commit.pieces[table.name].rows
    ]


def expect_whole(folder: Folder) -> None:
    """PlanError names the first file that is not what was committed, or is of another plan."""
    for wrong in folder.corruptions():
        raise PlanError(
            f"{wrong}; `kraftsim campaign sweep {folder.path}` sets that shard aside, and "
            "`resume` runs it again"
        )


def define(spark: "SparkSession", folder: Folder, names: Iterable[str], prefix: str = "") -> Ask:
    """Views of these tables, and of what is made of `runs`; `prefix` is for a second campaign."""
    for name in names:
        frame_of(spark, folder, TABLES[name]).createOrReplaceTempView(prefix + name)
    for text in definitions(folder.plan(), prefix):
        spark.sql(text)
    return lambda query: [row.asDict() for row in spark.sql(query).collect()]


def frame_of(spark: "SparkSession", folder: Folder, table: Table) -> "DataFrame":
    files = committed_files(folder, table)
    if not files:
        return spark.createDataFrame([], table.ddl)
    return spark.read.schema(table.ddl).parquet(*files)


def definitions(plan: Plan, prefix: str = "", explode: str = "explode") -> Sequence[str]:
    """Views of what the campaign is about: runs without a planted bug, and without the canaries,
    which are there to fail. `explode` makes a row of each value of a list, and every database has
    another word for it."""
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
    """The text of that query, with `{values}` in their places."""
    return (folder / f"{name}.sql").read_text("utf-8").format(**values)
