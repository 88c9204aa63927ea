"""The log as a table, and the filters that it takes off Spark's hands."""

from pathlib import Path

import pytest
from pyspark.sql.datasource import (
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    LessThan,
    LessThanOrEqual,
)

from kraftsim.pipeline.live.batch_reader import FilteringLogReader, LogReader, reader_of
from kraftsim.pipeline.live.options import options_of
from tests.golden.recordings import RELEASES
from tests.pipeline.live.conftest import kafka_log, on_disk

OFFSET, TYPE, BROKER = ("offset",), ("record_type",), ("broker_id",)


def reader(folder: Path) -> FilteringLogReader:
    on_disk(folder, kafka_log(RELEASES[-1]).data)
    found = reader_of(options_of({"path": str(folder), "pushdown": "true"}))
    assert isinstance(found, FilteringLogReader)
    return found


def read(reader: LogReader) -> list[tuple[int, str]]:
    return [
        (row["offset"], row["record_type"])
        for part in reader.partitions()
        for batch in reader.read(part)
        for row in batch.to_pylist()
    ]


@pytest.mark.parametrize(
    ("filters", "first", "last"),
    [
        ([GreaterThanOrEqual(OFFSET, 500)], 500, 837),
        ([GreaterThan(OFFSET, 500), LessThan(OFFSET, 510)], 501, 509),
        ([LessThanOrEqual(OFFSET, 10)], 0, 10),
        ([EqualTo(OFFSET, 37)], 37, 37),
    ],
)
def test_only_the_offsets_that_are_wanted_are_read(
    tmp_path: Path, filters: list[Filter], first: int, last: int
) -> None:
    narrowed = reader(tmp_path)

    assert [] == narrowed.pushFilters(filters)
    assert list(range(first, last + 1)) == [offset for offset, _ in read(narrowed)]


def test_only_the_types_that_are_wanted_are_read(tmp_path: Path) -> None:
    whole, narrowed = read(reader(tmp_path)), reader(tmp_path)
    wanted = ("REGISTER_BROKER_RECORD", "UNREGISTER_BROKER_RECORD")

    assert [] == narrowed.pushFilters([In(TYPE, wanted)])
    assert [row for row in whole if row[1] in wanted] == read(narrowed)
    assert [] == narrowed.pushFilters([EqualTo(TYPE, wanted[0])])
    assert {wanted[0]} == {kind for _, kind in read(narrowed)}


def test_what_the_source_does_not_know_stays_with_spark(tmp_path: Path) -> None:
    theirs: list[Filter] = [EqualTo(BROKER, 2), LessThan(TYPE, "M")]

    assert theirs == reader(tmp_path).pushFilters([*theirs, GreaterThan(OFFSET, 800)])


def test_offsets_that_no_log_has_are_nothing(tmp_path: Path) -> None:
    narrowed = reader(tmp_path)
    narrowed.pushFilters([GreaterThan(OFFSET, 10**6)])

    assert [] == narrowed.partitions()


def test_a_reader_takes_filters_only_where_it_is_told_to(tmp_path: Path) -> None:
    """Spark fails every read of one that could, in a session that does not allow it."""
    plain = reader_of(options_of({"path": str(tmp_path)}))

    assert type(plain) is LogReader
