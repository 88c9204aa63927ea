"""The fold of a log: transactions whole (rule 9.34), configurations that a release knows (7.9)."""

from functools import partial

import pytest

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.loader import Loader, replay
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import KRaftVersion, LeaderChange
from kraftsim.controller.core.log.records import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    ConfigRecord,
    EndTransactionRecord,
    NoOpRecord,
    TopicRecord,
)
from kraftsim.controller.core.profile import KAFKA_4_1, KAFKA_4_3, KAFKA_4_4
from kraftsim.controller.node.replayed import is_replayed
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


@pytest.mark.rule("7.9")
@pytest.mark.parametrize(
    ("profile", "topics", "groups"),
    [
        (KAFKA_4_1, {"message.format.version", "remote.copy.lag.ms"}, {"streams.assignor.name"}),
        (KAFKA_4_3, set(), set()),
        (KAFKA_4_4, {"remote.copy.lag.ms"}, {"streams.assignor.name"}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_release_replays_the_configurations_that_it_knows(profile, topics, groups):
    image = Image(keeps_config=partial(is_replayed, profile))
    loader = Loader(image)

    names = [(2, "message.format.version"), (2, "remote.copy.lag.ms"), (2, "retention.ms")]
    names += [(4, "of.a.plugin"), (16, "metrics"), (16, "unknown"), (32, "streams.assignor.name")]
    records = (
        ConfigRecord(resource_type=number, resource_name="r", name=name, value="1")
        for number, name in names
    )
    loader.load(*log_of(tuple(records)))

    assert set(image.configs[2, "r"]) == topics | {"retention.ms"}
    assert set(image.configs.get((32, "r"), {})) == groups
    assert set(image.configs[4, "r"]) == {"of.a.plugin"}
    assert "metrics" in image.configs[16, "r"]
    assert ("unknown" in image.configs[16, "r"]) == (profile is KAFKA_4_1)
