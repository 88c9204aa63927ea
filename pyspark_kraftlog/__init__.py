"""Registers the source `kraftlog` with Spark, which imports every top-level package `pyspark_*`.

The implementation is in `kraftsim.pipeline.live`; docs/live.md explains how to use it.
"""

from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader
    from pyspark.sql.types import StructType

__all__ = ["DefaultSource"]


class DefaultSource(DataSource):
    """The data source behind the format `kraftlog` of `spark.read` and `spark.readStream`."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        from kraftsim.pipeline.live.options import options_of

        self._options = options_of(options)

    @classmethod
    def name(cls) -> str:
        """Returns the name of the format."""
        return "kraftlog"

    def schema(self) -> str:
        """Returns the schema of the rows as DDL."""
        from kraftsim.pipeline.live.rows import SCHEMA

        return SCHEMA

    def reader(self, schema: "StructType") -> "DataSourceReader":
        """Returns a reader of the log as it is now."""
        from kraftsim.pipeline.live.batch_reader import reader_of

        return reader_of(self._options)

    def streamReader(self, schema: "StructType") -> "DataSourceStreamReader":
        """Returns a reader of the log as a stream."""
        from kraftsim.pipeline.live.stream_reader import LogStreamReader

        return LogStreamReader(self._options)
