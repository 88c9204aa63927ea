"""What one step would take too long for goes on with Continue, between heartbeats."""

import pytest

from kraftsim.controller.core.image.loader import Loader
from kraftsim.controller.core.image.snapshot_batches import RECORDS_PER_BATCH
from kraftsim.controller.core.rpc import CreateTopicsRequest, DeleteTopicsRequest
from kraftsim.controller.core.slices import INDEXED_PER_STEP
from kraftsim.controller.node.loading import LOADED_RECORDS_MAX
from kraftsim.controller.raft.protocol import Continue, Persisted, Started, Turn
from kraftsim.controller.wire.records.record_batch import SLICE_RECORDS
from kraftsim.service.snapshot_files import SNAPSHOT_FILES
from tests.builders import registration, topic
from tests.profiles import UNDER_TEST
from tests.test_node import SlowDisk, heartbeat
from tests.worlds import SECOND_US, world_of


@pytest.fixture(params=UNDER_TEST, ids=lambda p: p.name)
def disk(request):
    """An active controller with a disk that waits to be told."""
    disk = SlowDisk(request.param)
    disk.lead()
    return disk


def create(disk, name, partitions):
    """Asks for a topic; its records are not on disk yet, so that it is decided and no more."""
    request = CreateTopicsRequest(topics=(topic(name, num_partitions=partitions),))
    disk.submit(name, request)
    while disk.node.has_work:
        disk.step(Continue())


@pytest.mark.rule("0A.4", "0A.5", "0A.7")
def test_a_batch_beyond_a_step_is_loaded_whole_in_the_step_after_its_commit(disk):
    disk.submit("broker", registration(1))
    disk.submit("serves", heartbeat(disk, 1))
    disk.persist()
    create(disk, "large", 2 * LOADED_RECORDS_MAX)

    disk.step(Persisted(disk.node.log.end_offset))

    assert disk.node.has_work
    assert not disk.node.committed.topics
    assert "large" not in disk.replies
    disk.step(Continue())
    assert disk.node.latest == disk.node.committed
    assert "large" in disk.replies
    assert disk.node.has_work


def large_batch(disk):
    """Commits a large batch; the index of the committed image is behind."""
    disk.submit("broker", registration(1))
    disk.submit("serves", heartbeat(disk, 1))
    disk.persist()
    create(disk, "large", 3 * LOADED_RECORDS_MAX)
    disk.persist()
    disk.step(Continue())
    return disk.node.committed.index


@pytest.mark.rule("0A.4")
def test_the_index_of_a_large_batch_follows_in_steps_and_holds_up_no_small_one(disk):
    committed, steps = large_batch(disk), 1
    disk.submit("small", CreateTopicsRequest(topics=(topic("small", num_partitions=1),)))
    disk.persist()
    assert "small" in disk.replies
    assert "small" in disk.node.committed.topic_ids

    while committed.is_behind:
        disk.step(Continue())
        steps += 1

    assert steps == 3 * LOADED_RECORDS_MAX // INDEXED_PER_STEP + 1  # the partition of "small"
    assert not disk.node.has_work
    assert len(committed.led(1)) == 3 * LOADED_RECORDS_MAX + 1
    assert committed.led(1) == disk.node.latest.index.led(1)


@pytest.mark.rule("0A.4")
def test_another_large_batch_waits_for_the_index_of_the_one_before(disk):
    committed = large_batch(disk)
    create(disk, "another", 3 * LOADED_RECORDS_MAX)
    disk.persist()

    while "another" not in disk.replies:
        assert "another" not in disk.node.committed.topic_ids
        disk.step(Continue())
    while disk.node.has_work:
        disk.step(Continue())

    assert not committed.is_behind
    assert committed.led(1) == disk.node.latest.index.led(1)


@pytest.mark.rule("10.29")
def test_the_high_watermark_has_not_moved_when_only_the_index_follows(disk):
    committed = large_batch(disk)
    moved_ms = disk.node.high_watermark_moved_wall_ms
    disk.now_ms += 1_000

    while committed.is_behind:
        disk.step(Continue())

    assert disk.node.high_watermark_moved_wall_ms == moved_ms


def test_whoever_reads_an_index_that_is_behind_changes_no_later_step(disk):
    committed = large_batch(disk)

    assert len(committed.led(1)) == 3 * LOADED_RECORDS_MAX
    steps = 0
    while disk.node.has_work:
        disk.step(Continue())
        steps += 1

    assert steps == 3 * LOADED_RECORDS_MAX // INDEXED_PER_STEP


@pytest.mark.rule("10.43")
def test_a_large_batch_is_counted_after_its_load_and_then_a_snapshot_is_due():
    disk = SlowDisk(metadata_log_max_record_bytes_between_snapshots=100_000)
    disk.lead()
    disk.submit("broker", registration(1))
    disk.submit("serves", heartbeat(disk, 1))
    create(disk, "large", 2 * LOADED_RECORDS_MAX)
    disk.persist()

    while disk.node.has_work:
        disk.step(Continue())

    snapshot = disk.node.quorum.snapshot
    assert snapshot is not None
    assert snapshot.snapshot_id.end_offset == disk.node.log.end_offset


@pytest.mark.rule("10.43", "0A.4")
def test_the_bytes_of_a_large_batch_are_encoded_in_slices_between_heartbeats():
    disk = SlowDisk(
        snapshot_format=SNAPSHOT_FILES, metadata_log_max_record_bytes_between_snapshots=100_000
    )
    disk.lead()
    disk.submit("broker", registration(1))
    disk.submit("serves", heartbeat(disk, 1))
    disk.persist()
    create(disk, "large", 2 * SLICE_RECORDS)
    disk.step(Persisted(disk.node.log.end_offset))
    while "large" not in disk.replies:
        disk.step(Continue())
    large = max(disk.node.log.read(0), key=lambda batch: len(batch.records))

    disk.step(Continue())
    assert not large.encoded
    disk.submit("heard", heartbeat(disk, 1))
    assert disk.replies["heard"].is_caught_up
    while disk.node.has_work:
        disk.step(Continue())

    snapshot = disk.node.quorum.snapshot
    assert large.encoded
    assert snapshot is not None
    assert snapshot.snapshot_id.end_offset == disk.node.log.end_offset


@pytest.mark.rule("10.45", "0A.4")
def test_a_snapshot_is_loaded_in_steps_and_is_seen_whole(disk):
    large_batch(disk)
    disk.now_ms = disk.node.settings.metadata_log_max_snapshot_interval_ms
    disk.submit("another", registration(2))
    disk.persist()
    while disk.node.has_work:
        disk.step(Continue())
    snapshot = disk.node.quorum.snapshot
    assert snapshot is not None
    newcomer, steps = SlowDisk(disk.node.profile), 1
    newcomer.node.quorum.replace_log(snapshot, Turn(0, 0))
    newcomer.step(Started())
    while newcomer.node.has_work:
        assert not newcomer.node.committed.topics
        newcomer.step(Continue())
        steps += 1

    assert disk.node.committed.topics == newcomer.node.committed.topics
    assert steps == 3


@pytest.mark.rule("0A.4", "0A.5")
def test_what_is_committed_at_once_is_loaded_in_steps_and_replies_wait_for_theirs(disk):
    disk.submit("broker", registration(1))
    disk.submit("serves", heartbeat(disk, 1))
    disk.persist()
    for name in "abc":
        create(disk, name, LOADED_RECORDS_MAX // 2 - 1)

    disk.step(Persisted(disk.node.log.end_offset))

    assert disk.node.has_work
    assert {"a", "b"} == set(disk.node.committed.topic_ids) == {"a", "b", "c"} & disk.replies.keys()
    disk.step(Continue())
    assert not disk.node.has_work
    assert "c" in disk.replies
    assert disk.node.latest == disk.node.committed


@pytest.mark.rule("10.43", "10.46", "9.46")
def test_a_snapshot_is_written_a_batch_a_step_of_the_image_at_its_begin(disk):
    disk.submit("broker", registration(1))
    disk.submit("serves", heartbeat(disk, 1))
    request = CreateTopicsRequest(topics=(topic("t", num_partitions=3 * RECORDS_PER_BATCH),))
    disk.submit("t", request)
    disk.now_ms = disk.node.settings.metadata_log_max_snapshot_interval_ms
    disk.persist()
    as_it_was, steps = disk.node.committed.copy(), 0

    while disk.node.has_work:
        steps += 1
        disk.submit(steps, DeleteTopicsRequest(topic_names=("t",)))
        disk.persist()
        disk.step(Continue())

    snapshot = disk.node.quorum.snapshot
    assert snapshot is not None
    told = Loader.of_snapshot(snapshot.batches, as_it_was.offset + 1, as_it_was.epoch).image
    assert (as_it_was.topics, as_it_was.offset) == (told.topics, told.offset)
    assert {} == disk.node.committed.topics
    assert steps == 3


@pytest.mark.rule("10.43")
def test_a_small_snapshot_is_written_in_the_step_that_begins_it(disk):
    disk.submit("broker", registration(1))
    disk.now_ms = disk.node.settings.metadata_log_max_snapshot_interval_ms
    disk.persist()

    assert disk.node.quorum.snapshot is not None
    assert not disk.node.has_work


@pytest.mark.rule("0A.5", "10.29")
def test_a_batch_beyond_a_step_is_answered_at_the_instant_of_its_commit():
    world, replies = world_of(controllers=3), []
    leader = world.active.node
    request = CreateTopicsRequest(topics=(topic("t", num_partitions=LOADED_RECORDS_MAX + 1),))
    world.dispatch(request, replies.append)
    end_offset = leader.log.end_offset

    assert world.run_until(lambda: leader.high_watermark >= end_offset, limit_us=SECOND_US)
    world.timeline.run_until(world.timeline.now_us)

    assert [0] == [reply.topics[0].error_code for reply in replies]
    assert leader.committed == leader.latest
