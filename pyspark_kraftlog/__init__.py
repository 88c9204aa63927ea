"""Registers the source `kraftlog` with Spark, which imports every top-level package `pyspark_*`.

So this is no more than a name: what it does is in `kraftsim.pipeline.live`, and docs/live.md says
how to use it.
"""

from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader
    from pyspark.sql.types import StructType

__all__ = ["DefaultSource"]


class DefaultSource(DataSource):
    """`spark.read.format("kraftlog")` and `spark.readStream.format("kraftlog")`."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        from kraftsim.pipeline.live.options import options_of

        self._options = options_of(options)

    @classmethod
    def name(cls) -> str:
        return "kraftlog"

    def schema(self) -> str:
        from kraftsim.pipeline.live.rows import SCHEMA

        return SCHEMA

    def reader(self, schema: "StructType") -> "DataSourceReader":
        from kraftsim.pipeline.live.batch_reader import reader_of

        return reader_of(self._options)

    def streamReader(self, schema: "StructType") -> "DataSourceStreamReader":
        from kraftsim.pipeline.live.stream_reader import LogStreamReader

        return LogStreamReader(self._options)
