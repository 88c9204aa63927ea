"""Every record once, in order, from batch to batch and over restarts; or a clear end, or a GAP row.

The reader is asked here as Spark asks it: offsets go through JSON, and a copy of it reads.
"""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from kraftsim.controller.wire.records.batch_heads import batch_heads
from kraftsim.pipeline.live.log import DataLost, KraftLogError
from kraftsim.pipeline.live.options import options_of
from kraftsim.pipeline.live.rows import NAMES
from kraftsim.pipeline.live.stream_reader import LogStreamReader
from tests.golden.recordings import RELEASES
from tests.kraftsim.conftest import Service
from tests.pipeline.live.conftest import fence, kafka_log, on_disk, rows_of

pytestmark = pytest.mark.slow


Offset = dict[str, Any]
Rows = list[tuple[Any, ...]]


class Query:
    """One run of a query: it goes on from a checkpoint, or begins."""

    def __init__(self, checkpoint: Offset | None = None, **options: object) -> None:
        given = {name: str(value) for name, value in options.items()}
        self.reader = LogStreamReader(options_of(given))
        self.limit = self.reader.getDefaultReadLimit()
        self.at: Offset = checkpoint or self.reader.initialOffset()

    def batch(self) -> Rows:
        end = self.planned()
        rows = self.read(self.at, end)
        self.at = end
        return rows

    def planned(self) -> Offset:
        found: Offset = json.loads(json.dumps(self.reader.latestOffset(self.at, self.limit)))
        return found

    def read(self, start: Offset, end: Offset) -> Rows:
        return [
            row
            for part in self.reader.partitions(start, end)
            for row in tuples(pickle.loads(pickle.dumps(self.reader)).read(part))
        ]


def tuples(batches: Iterator[Any]) -> Rows:
    """Times as whole microseconds, as the rows of the log have them."""
    found = []
    for batch in batches:
        assert NAMES == batch.schema.names
        ts = batch.schema.get_field_index("ts")
        columns = [batch.column(n) for n in range(batch.num_columns)]
        columns[ts] = columns[ts].cast("int64")
        found += list(zip(*(column.to_pylist() for column in columns), strict=True))
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Kafka's log up to the 300th batch."""
    return written(tmp_path / "node", 300)


def written(folder: Path, batches: int, release: str = RELEASES[-1]) -> Path:
    log = kafka_log(release)
    on_disk(folder, log.data[: list(batch_heads(log.data))[batches].position])
    return folder


@pytest.mark.realtime
def test_a_stream_reads_what_the_cluster_has_and_then_what_is_new(service: Service) -> None:
    query = Query(url=service.kraft.http_url)
    first = query.batch()
    assert rows_of(service) == first
    assert [] == query.batch()

    fence(service, 2)
    assert rows_of(service) == first + query.batch()


@pytest.mark.realtime
def test_another_cluster_at_the_same_address_is_not_taken_for_the_first(service: Service) -> None:
    query = Query(url=service.kraft.http_url)
    query.batch()
    port = service.kraft.http_url.rpartition(":")[2]
    service.close()
    other = Service(cluster_id="kraftsimOtherCluster01", http_port=int(port))
    try:
        with pytest.raises(DataLost, match=r"'kraftsimTestCluster001', got .*OtherCluster01"):
            query.batch()
    finally:
        other.close()


@pytest.mark.realtime
def test_a_cluster_that_began_anew_under_its_old_name_is_noticed(service: Service) -> None:
    """Its log is as long, and of the same epoch: only the times differ."""
    query = Query(url=service.kraft.http_url)
    query.batch()
    port = service.kraft.http_url.rpartition(":")[2]
    service.close()
    again = Service(brokers=4, clock="real", http_port=int(port))
    try:
        with pytest.raises(DataLost, match="this is another log"):
            query.batch()
    finally:
        again.close()


@pytest.mark.realtime
def test_a_log_that_went_on_behind_a_snapshot_while_nobody_read_is_noticed(
    service: Service,
) -> None:
    query = Query(url=service.kraft.http_url, maxRecordsPerBatch=5)
    query.batch()

    service.kraft.world.history.forget_before(12)
    with pytest.raises(DataLost, match="expected offset 5, but the log starts at 12"):
        query.batch()
    assert 12 == Query(url=service.kraft.http_url).batch()[0][0]


@pytest.mark.realtime
def test_a_cluster_that_does_not_answer_ends_the_query_and_says_so(service: Service) -> None:
    query = Query(url=service.kraft.http_url)
    url = service.kraft.http_url
    service.close()

    with pytest.raises(KraftLogError, match=f"{url}: no service answers.*same checkpoint"):
        query.batch()


def test_a_batch_has_no_more_than_the_limit(folder: Path) -> None:
    whole = Query(path=folder).batch()
    query = Query(path=folder, maxRecordsPerBatch=64)

    batches = [query.batch() for _ in range(-(-len(whole) // 64))]
    assert whole == [row for batch in batches for row in batch]
    assert {64} == {len(batch) for batch in batches[:-1]}
    assert [] == query.batch()


def test_without_a_limit_of_the_user_a_limit_of_spark_still_holds(folder: Path) -> None:
    query = Query(path=folder)
    assert isinstance(query.limit, ReadAllAvailable)

    query.limit = ReadMaxRows(3)
    assert [0, 1, 2] == [row[0] for row in query.batch()]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_restarted_query_goes_on_behind_its_checkpoint(folder: Path, size: int) -> None:
    whole = Query(path=folder).batch()
    checkpoint, rows = None, []
    while len(rows) < len(whole):
        query = Query(checkpoint, path=folder, maxRecordsPerBatch=size)
        rows += query.batch()
        checkpoint = query.at

    assert whole == rows


def test_a_batch_that_was_planned_before_a_crash_is_read_again_as_planned(folder: Path) -> None:
    query = Query(path=folder, maxRecordsPerBatch=10)
    end = query.planned()
    rows = query.read(query.at, end)
    written(folder, 400)

    again = Query(query.at, path=folder)
    assert rows == again.read(query.at, end)


def test_what_is_there_now_is_what_was_there_when_it_was_asked_for(folder: Path) -> None:
    query = Query(path=folder, maxRecordsPerBatch=100)
    query.reader.prepareForTriggerAvailableNow()
    whole = Query(path=folder).batch()
    written(folder, 400)

    rows = [row for _ in range(10) for row in query.batch()]
    assert whole == rows


def test_a_log_that_ends_before_the_checkpoint_ends_the_query(folder: Path) -> None:
    query = Query(path=folder)
    end = len(query.batch())
    written(folder, 200)

    with pytest.raises(DataLost, match=f"expected offset {end}, but the log ends at .*checkpoint"):
        Query(query.at, path=folder).batch()


def test_another_log_of_the_same_length_ends_the_query(folder: Path) -> None:
    query = Query(path=folder)
    query.batch()
    written(folder, 400, RELEASES[0])

    with pytest.raises(DataLost, match="this is another log"):
        Query(query.at, path=folder).batch()


def test_a_planned_batch_that_is_gone_ends_the_query(folder: Path) -> None:
    query = Query(path=folder)
    end = query.planned()
    written(folder, 200)

    with pytest.raises(DataLost, match="but the log ends at"):
        Query(query.at, path=folder).read(query.at, end)


class TestWhereLossIsAllowed:
    """failOnDataLoss=false: a row says what is missing, and the log is read from its start."""

    def test_the_log_is_read_anew_behind_a_row_that_says_so(self, folder: Path) -> None:
        query = Query(path=folder, failOnDataLoss=False)
        end = len(query.batch())
        written(folder, 200)

        gap, *rows = query.batch()
        assert (end, "GAP") == (gap[0], gap[3])
        assert (
            f"expected offset {end}, but the log ends at {len(rows)}"
            in json.loads(gap[8])["reason"]
        )
        assert Query(path=folder).batch() == rows
        assert [] == query.batch()

    def test_a_planned_batch_that_is_gone_is_a_row(self, folder: Path) -> None:
        query = Query(path=folder, failOnDataLoss=False)
        end = query.planned()
        written(folder, 200)

        again = Query(query.at, path=folder, failOnDataLoss=False)
        (gap,) = again.read(query.at, end)
        assert (0, "GAP") == (gap[0], gap[3])
        assert end == json.loads(gap[8])["next"]

    def test_where_nothing_is_lost_there_is_no_such_row(self, folder: Path) -> None:
        query = Query(path=folder, failOnDataLoss=False, maxRecordsPerBatch=50)

        assert "GAP" not in {row[3] for _ in range(8) for row in query.batch()}
