"""What a follower asks a leader in another process, and what it makes of the replies."""

import pytest

from kraftsim.broker_agent.following.fetching import (
    Led,
    version_max,
)
from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.messages.fetched import served
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.feature_levels import level_of
from kraftsim.controller.core.rpc import FetchRequest, FetchResponse
from kraftsim.controller.core.rpc.stored_messages import ListOffsetsRequest
from kraftsim.controller.time.timeline import NEVER_MS
from tests.batches import batch
from tests.broker_agent.fetching import BACKOFF_MS, KEY, OTHER, Follower, Leader, reply
from tests.broker_agent.message_logs import append
from tests.broker_agent.test_copied_logs import written

# Requests


@pytest.mark.rule("B5.1")
def test_a_follower_names_its_end_and_the_epochs_that_it_knows() -> None:
    follower = Follower(written((3, 2), (4, 1)))

    request = follower.fetch()

    (topic,) = request.topics
    (position,) = topic.partitions
    assert (request.replica_state.replica_id, request.replica_state.replica_epoch) == (2, 77)
    assert (request.max_wait_ms, request.min_bytes, request.max_bytes) == (500, 1, 10_485_760)
    assert (position.fetch_offset, position.current_leader_epoch) == (3, 5)
    assert (position.last_fetched_epoch, position.log_start_offset) == (4, 0)
    assert position.partition_max_bytes == 1_048_576


@pytest.mark.rule("B5.1")
def test_a_follower_without_a_message_begins_at_0_without_an_epoch() -> None:
    (position,) = Follower().fetch().topics[0].partitions

    assert (position.fetch_offset, position.last_fetched_epoch) == (0, -1)
    assert position.log_start_offset == 0


@pytest.mark.rule("B5.1")
@pytest.mark.parametrize(
    ("level", "version"),
    [("4.3-IV0", 18), ("4.1-IV1", 18), ("4.1-IV0", 17), ("3.9-IV0", 17), ("3.7-IV4", 16)],
)
def test_the_metadata_version_decides_the_version_of_fetch(level: str, version: int) -> None:
    assert version_max(Follower().fetch(), level_of(level)) == version


def test_one_request_has_all_partitions_and_what_came_last_is_last() -> None:
    leader = Leader({KEY: written((5, 1)), OTHER: written((5, 1))})
    follower = Follower()
    follower.led[OTHER] = Led("t", 5)
    follower.fetcher.follow(follower.led)
    request = follower.fetch()

    assert [position.partition for position in request.topics[0].partitions] == [0, 1]

    follower.hear(request, reply(records=served([leader.logs[KEY].batches[0]]), high_watermark=1))
    assert [position.partition for position in follower.fetch().topics[0].partitions] == [1, 0]


def test_a_stopped_replica_is_not_fetched_until_the_fault_ends() -> None:
    follower = Follower()
    follower.stopped = {KEY}

    assert follower.ask() is None
    assert follower.fetcher.ready_ms == BACKOFF_MS

    follower.stopped, follower.now_ms = set(), BACKOFF_MS
    assert follower.ask() is not None


# Appends


@pytest.mark.rule("B1.50", "B1.51", "B5.20")
def test_a_follower_has_the_bytes_and_the_epochs_of_its_leader() -> None:
    leader, follower = Leader({KEY: written((3, 2), (5, 3))}), Follower()

    assert follower.follow(leader) == []

    log, led = follower.log, leader.logs[KEY]
    assert log.batches == led.batches
    assert log.epochs.entries == led.epochs.entries
    assert log.high_watermark == led.high_watermark
    assert log.segments[-1].offset_of_largest == led.segments[-1].offset_of_largest


@pytest.mark.rule("B1.51")
def test_a_follower_knows_the_producers_of_its_leader() -> None:
    led = Log(0)
    append(led, batch(b"a", producer=(7, 0, 0)))
    append(led, batch(b"b", b"c", producer=(7, 0, 1)))
    follower = Follower()

    follower.follow(Leader({KEY: led}))

    assert list(follower.log.producers) == list(led.producers)


def test_a_follower_finds_the_first_record_with_the_largest_timestamp() -> None:
    led = Log(0)
    append(led, batch(b"a", b"b", b"c", times=(0, 20, 10)))
    follower = Follower()

    follower.follow(Leader({KEY: led}))

    assert follower.log.segments[-1].offset_of_largest == 1


@pytest.mark.rule("B5.20")
def test_the_high_watermark_of_a_follower_goes_down_with_that_of_its_leader() -> None:
    follower = Follower(written((5, 3)))

    changes = follower.hear_of(high_watermark=1, log_start_offset=0)

    assert follower.log.high_watermark == 1
    assert changes.appended == {KEY: 0}


@pytest.mark.rule("B5.20")
def test_the_high_watermark_of_a_follower_is_not_beyond_its_end() -> None:
    follower = Follower(written((5, 3)))

    follower.hear_of(high_watermark=10, log_start_offset=0)

    assert follower.log.high_watermark == 3


@pytest.mark.rule("B5.22")
def test_a_follower_raises_its_log_start_and_never_lowers_it() -> None:
    follower = Follower(written((5, 3)))

    follower.hear_of(high_watermark=3, log_start_offset=2)
    follower.hear_of(high_watermark=3, log_start_offset=1)

    assert follower.log.start_offset == 2


@pytest.mark.rule("B5.14")
def test_batches_of_a_later_epoch_are_dropped_with_all_behind_them() -> None:
    led = written((5, 1), (6, 1))
    follower = Follower(epoch=5)

    follower.hear_of(records=served(led.batches), high_watermark=2)

    assert follower.log.batches == led.batches[:1]


@pytest.mark.rule("B1.20", "B5.42")
def test_a_reply_with_a_damaged_batch_is_fetched_again() -> None:
    first, second = written((5, 2)).batches
    damaged = second[:-1] + bytes((second[-1] ^ 1,))
    follower = Follower()

    follower.hear_of(records=served([first, damaged]), high_watermark=2)

    assert follower.log.end_offset == 0  # also the good batch is refused
    assert follower.ask() is None
    follower.now_ms += BACKOFF_MS
    assert follower.fetch().topics[0].partitions[0].fetch_offset == 0


@pytest.mark.rule("B1.7")
def test_a_torn_batch_at_the_end_of_a_reply_is_fetched_again_at_once() -> None:
    first, second = written((5, 2)).batches
    follower = Follower()

    follower.hear_of(records=served([first, second[:-1]]), high_watermark=2)

    assert follower.log.batches == [first]
    assert follower.fetch().topics[0].partitions[0].fetch_offset == 1


@pytest.mark.rule("B1.50")
def test_a_batch_that_does_not_continue_the_log_fails_the_partition() -> None:
    follower = Follower(written((5, 2)))

    follower.hear_of(records=served(written((5, 1)).batches), high_watermark=2)

    assert follower.log.end_offset == 2
    assert follower.fetcher.ready_ms == NEVER_MS


@pytest.mark.rule("B5.16")
def test_an_empty_follower_begins_with_the_batch_that_has_its_log_start() -> None:
    led = Log(0)
    append(led, batch(b"a"), epoch=5)
    append(led, batch(b"b", b"c", b"d"), epoch=5)
    led.delete_before(2, 0)  # within the second batch
    follower = Follower()

    follower.follow(Leader({KEY: led}))

    assert follower.log.batches == led.batches[1:]
    assert (follower.log.start_offset, follower.log.end_offset) == (2, 4)


@pytest.mark.rule("B5.43")
def test_a_disk_that_takes_nothing_fails_the_partition() -> None:
    follower = Follower()
    follower.can_write = False

    follower.hear_of(records=served(written((5, 1)).batches), high_watermark=1)

    assert follower.fetcher.ready_ms == NEVER_MS


# Errors


@pytest.mark.rule("B5.40")
def test_without_an_answer_the_follower_backs_off_from_the_leader() -> None:
    follower = Follower()
    follower.fetch()

    follower.fetcher.on_failure(0)

    assert follower.ask() is None
    assert follower.fetcher.ready_ms == BACKOFF_MS


@pytest.mark.rule("B5.42")
@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNKNOWN_SERVER_ERROR,
    ],
)
def test_after_an_error_the_follower_keeps_its_state_and_backs_off(code: ErrorCode) -> None:
    follower = Follower(written((5, 2)))

    follower.hear_of(error_code=code)

    assert follower.ask() is None
    follower.now_ms += BACKOFF_MS
    assert follower.fetch().topics[0].partitions[0].fetch_offset == 2


@pytest.mark.rule("B5.41")
def test_a_follower_of_a_fenced_epoch_waits_for_the_next_one() -> None:
    follower = Follower()

    follower.hear_of(error_code=ErrorCode.FENCED_LEADER_EPOCH)
    follower.fetcher.on_failure(0)

    assert follower.fetcher.ready_ms == NEVER_MS
    follower.elect(6)
    assert follower.fetch().topics[0].partitions[0].current_leader_epoch == 6


@pytest.mark.rule("B5.41")
def test_the_error_of_an_earlier_epoch_is_ignored() -> None:
    follower = Follower()
    request = follower.fetch()
    follower.elect(6)

    follower.hear(request, reply(error_code=ErrorCode.FENCED_LEADER_EPOCH))

    assert follower.ask() is not None


def test_the_records_of_an_earlier_epoch_are_ignored() -> None:
    follower = Follower()
    request = follower.fetch()
    follower.elect(6)

    follower.hear(request, reply(records=served(written((5, 1)).batches), high_watermark=1))

    assert KEY not in follower.logs


def test_a_partition_that_is_no_longer_followed_is_ignored() -> None:
    follower = Follower()
    request = follower.fetch()
    follower.fetcher.follow({})

    follower.hear(request, reply(records=served(written((5, 1)).batches), high_watermark=1))

    assert follower.ask() is None
    assert follower.fetcher.ready_ms == NEVER_MS
    assert KEY not in follower.logs


@pytest.mark.rule("B5.15", "B5.42")
def test_an_error_of_list_offsets_is_an_error_of_the_partition() -> None:
    leader = Leader({KEY: written((0, 3))}, refusal=ErrorCode.NOT_LEADER_OR_FOLLOWER)
    follower = Follower(written((0, 5)))
    follower.hear_of(error_code=ErrorCode.OFFSET_OUT_OF_RANGE)
    request = follower.ask()
    assert isinstance(request, ListOffsetsRequest)

    follower.hear(request, leader.answer(request))

    assert follower.ask() is None
    follower.now_ms += BACKOFF_MS
    assert isinstance(follower.ask(), FetchRequest)


def test_an_error_of_the_whole_response_is_one_of_all_partitions() -> None:
    follower = Follower()

    follower.hear(follower.fetch(), FetchResponse(error_code=ErrorCode.UNKNOWN_SERVER_ERROR))

    assert follower.fetcher.ready_ms == BACKOFF_MS


@pytest.mark.rule("B5.40")
def test_a_follower_of_many_unreachable_leaders_backs_off_for_longer() -> None:
    follower = Follower()

    follower.fetcher.on_failure(0, 4000)

    assert follower.fetcher.ready_ms == 4000
