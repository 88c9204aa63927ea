"""What a broker that lags sees of the metadata: rule 5.45."""

import random

import pytest

from kraftsim.broker_agent.image_history import PASTS_MAX, ImageHistory
from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import (
    BeginTransactionRecord,
    EndTransactionRecord,
    Record,
    TopicRecord,
)
from kraftsim.controller.raft.log import MetadataLog
from tests.builders import uuid_of

TOPICS = 40


def append(log: MetadataLog, record: Record) -> None:
    offset = log.end_offset
    log.append(Batch(base_offset=offset, epoch=1, timestamp_ms=0, records=(record,), versions=(0,)))


def topic(name: str) -> TopicRecord:
    return TopicRecord(name=name, topic_id=uuid_of(name))


@pytest.fixture
def log() -> MetadataLog:
    """A topic an offset; every tenth opens a transaction, which the fifth after it ends."""
    log = MetadataLog()
    for offset in range(TOPICS):
        record: Record = topic(f"{offset}")
        if offset % 10 == 0:
            record = BeginTransactionRecord(name="x")
        elif offset % 10 == 5:
            record = EndTransactionRecord()
        append(log, record)
    return log


@pytest.mark.rule("5.45", "9.34")
@pytest.mark.parametrize("seed", range(5))
def test_at_every_offset_the_log_up_to_it_is_seen_whatever_was_asked_before(
    log: MetadataLog, seed: int
) -> None:
    history = ImageHistory(log)
    order = random.Random(seed).choices(range(TOPICS), k=8 * PASTS_MAX)

    for offset in (TOPICS - 1, *order):
        assert history.at(offset) == replay(log.batches[: offset + 1])


@pytest.mark.rule("5.45", "10.47")
@pytest.mark.parametrize("start", [7, 13, 20])
def test_what_is_forgotten_is_still_in_what_comes_after(log: MetadataLog, start: int) -> None:
    """7 is in a transaction whose end comes later, 13 between two, and at 20 one begins."""
    batches = list(log.batches)
    history = ImageHistory(log)
    history.at(TOPICS - 1)
    history.forget_before(start)

    assert (start, TOPICS - start) == (log.start_offset, len(log.batches))
    for offset in (TOPICS - 1, start, start + 9, start + 1):
        assert history.at(offset) == replay(batches[: offset + 1])
    assert history.at(start - 5) == replay(batches[:start])


@pytest.mark.rule("5.45")
def test_beyond_the_end_of_the_log_all_of_it_is_seen(log: MetadataLog) -> None:
    history = ImageHistory(log)

    assert history.at(TOPICS + 5) == replay(log.batches)
    append(log, topic("new"))
    assert "new" in history.at(TOPICS).topic_ids


def test_a_batch_is_in_every_image_after_it_although_one_ended_within_it(log: MetadataLog) -> None:
    """A broker that had counted a record of a former leader asked for half of a batch."""
    first = log.end_offset
    records = topic("first-half"), topic("second-half")
    log.append(Batch(base_offset=first, epoch=1, timestamp_ms=0, records=records, versions=(0, 0)))
    append(log, topic("later"))
    append(log, topic("last"))
    history = ImageHistory(log)
    history.at(log.end_offset)

    assert uuid_of("first-half") not in history.at(first).topics
    assert uuid_of("first-half") in history.at(first + 2).topics
