"""The fold of a log, metadata transactions whole: rule 9.34."""

import pytest

from kraftsim.controller.core.image.loader import Loader, replay
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import KRaftVersion, LeaderChange
from kraftsim.controller.core.log.records import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
    NoOpRecord,
    TopicRecord,
)
from tests.builders import uuid_of


def log_of(*batches):
    """One batch for each tuple of records, at dense offsets."""
    log, offset = [], 0
    for records in batches:
        is_control = isinstance(records[0], LeaderChange | KRaftVersion)
        log.append(
            Batch(
                base_offset=offset,
                epoch=1,
                timestamp_ms=0,
                records=records,
                versions=(0,) * len(records),
                is_control=is_control,
            )
        )
        offset += len(records)
    return log


def topic(name):
    return TopicRecord(name=name, topic_id=uuid_of(name))


BEGIN, END = BeginTransactionRecord(name="x"), EndTransactionRecord()
ABORT = AbortTransactionRecord(reason="because")


@pytest.mark.rule("9.34")
def test_what_stands_in_a_transaction_becomes_visible_with_its_end():
    loader = Loader()
    seen = []
    for batch in log_of((topic("a"),), (BEGIN, topic("b")), (topic("c"),), (END, topic("d"))):
        loader.load(batch)
        seen.append((list(loader.image.topic_ids), loader.open_transaction, loader.image.offset))

    assert [
        (["a"], None, 0),
        (["a"], "x", 0),
        (["a"], "x", 0),
        (["a", "b", "c", "d"], None, 5),
    ] == seen


@pytest.mark.rule("9.34")
def test_an_aborted_transaction_leaves_nothing_but_its_offsets():
    image = replay(log_of((BEGIN, topic("a")), (topic("b"), ABORT), (topic("c"),)))

    assert ["c"] == list(image.topic_ids)
    assert (4, None) == (image.offset, image.open_transaction)


@pytest.mark.rule("9.34")
def test_a_transaction_may_be_aborted_and_written_again_in_one_batch():
    image = replay(log_of((BEGIN, topic("a")), (ABORT, BEGIN, topic("b"), END)))

    assert ["b"] == list(image.topic_ids)


@pytest.mark.rule("9.31", "1.7")
def test_every_record_of_a_batch_moves_the_offset():
    """Also those of control batches (bug 30 of an independent implementation)."""
    change = LeaderChange(leader_id=1, voters=(1,), granting_voters=(1,))

    image = replay(log_of((change, KRaftVersion(kraft_version=1)), (NoOpRecord(),) * 3))

    assert (4, 1, 1) == (image.offset, image.epoch, image.kraft_version)


@pytest.mark.rule("9.31")
def test_an_empty_log_tells_nothing():
    assert -1 == replay([]).offset
