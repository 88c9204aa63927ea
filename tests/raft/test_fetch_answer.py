"""How a leader answers those who follow its log: rules 10.33 to 10.35, golden 4.3.1 A6."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.rpc import (
    EpochEndOffset,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID
from kraftsim.controller.raft.fetch_answer import Leadership, answer, may_wait, response_key
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.wire.frames import decode_response, encode_response
from tests.builders import CLUSTER_ID, CONTROLLER_ID, fetch, uuid_of

ME = NodeEndpoint(node_id=CONTROLLER_ID, host="controller.test", port=9990)
HIGH_WATERMARK = 5


@pytest.fixture
def log():
    """Epoch 1 up to offset 4, epoch 3 up to 6: in batches of two."""
    log = MetadataLog()
    for epoch in (1, 1, 3):
        log.append(
            Batch(
                base_offset=log.end_offset,
                epoch=epoch,
                timestamp_ms=0,
                records=(NoOpRecord(),) * 2,
                versions=(0, 0),
            )
        )
    return log


def leadership(leader_id=CONTROLLER_ID, epoch=3, *, bounds_fetches=True):
    return Leadership(
        leads=leader_id == CONTROLLER_ID,
        cluster_id=CLUSTER_ID,
        leader_id=leader_id,
        epoch=epoch,
        endpoints=(ME,),
        bounds_fetches=bounds_fetches,
    )


def answered(log, leader=None, **wanted):
    request = fetch(**{"offset": 6, "epoch": 3, "last_epoch": 3} | wanted)
    return answer(leader or leadership(), log, HIGH_WATERMARK, request)


def data_of(response):
    return response.responses[0].partitions[0]


@pytest.mark.rule("10.33")
@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"cluster_id": "another"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
        ({"topic_id": uuid_of("another")}, ErrorCode.INVALID_REQUEST),
        ({"partition": 1}, ErrorCode.INVALID_REQUEST),
        ({"cluster_id": "another", "partition": 1}, ErrorCode.INCONSISTENT_CLUSTER_ID),
    ],
)
def test_what_is_refused_as_a_whole_names_no_topic(log, wanted, code):
    assert FetchResponse(error_code=code) == answered(log, **wanted)


@pytest.mark.rule("10.33")
def test_a_fetch_of_nothing_is_refused(log):
    assert ErrorCode.INVALID_REQUEST == answer(leadership(), log, 0, FetchRequest()).error_code


@pytest.mark.rule("10.33", "10.38")
@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"max_wait_ms": -1}, ErrorCode.INVALID_REQUEST),
        ({"offset": -1}, ErrorCode.INVALID_REQUEST),
        ({"last_epoch": -1}, ErrorCode.INVALID_REQUEST),
        ({"last_epoch": 4}, ErrorCode.INVALID_REQUEST),
        ({"epoch": 2, "last_epoch": 3}, ErrorCode.INVALID_REQUEST),
        ({"epoch": 2, "last_epoch": 2}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"epoch": 4}, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_a_refusal_names_the_leader_and_shows_no_log(log, wanted, code):
    response = answered(log, **wanted)

    data = data_of(response)
    assert (0, (ME,)) == (response.error_code, response.node_endpoints)
    assert (code, -1, 0, (), LeaderIdAndEpoch(leader_id=CONTROLLER_ID, leader_epoch=3)) == (
        data.error_code,
        data.high_watermark,
        data.log_start_offset,
        tuple(data.records),
        data.current_leader,
    )
    assert (EpochEndOffset(), ()) == (data.diverging_epoch, data.aborted_transactions)


@pytest.mark.rule("10.33")
@pytest.mark.parametrize("leader_id", [-1, 3001])
def test_a_node_that_does_not_lead_answers_so(log, leader_id):
    """It answers; it does not drop the connection (bug 19 of an independent implementation)."""
    data = data_of(answered(log, leadership(leader_id)))

    assert (ErrorCode.NOT_LEADER_OR_FOLLOWER, leader_id) == (
        data.error_code,
        data.current_leader.leader_id,
    )


@pytest.mark.rule("10.33")
@pytest.mark.parametrize("cluster_id", [None, CLUSTER_ID])
def test_records_go_out_to_the_end_of_the_log_with_the_watermark_beside_them(log, cluster_id):
    response = answered(log, offset=2, last_epoch=1, cluster_id=cluster_id)

    data = data_of(response)
    assert [2, 4] == [b.base_offset for b in data.records]
    assert (0, HIGH_WATERMARK, 0, -1) == (
        data.error_code,
        data.high_watermark,
        data.log_start_offset,
        data.last_stable_offset,
    )
    assert METADATA_TOPIC_ID == response.responses[0].topic_id


@pytest.mark.rule("10.34")
@pytest.mark.parametrize(
    ("offset", "last_epoch", "expected"),
    [
        (5, 1, (1, 4)),  # epoch 1 ended before that
        (4, 2, (1, 4)),  # an epoch nobody has
        (9, 3, (3, 6)),  # beyond the end
        (3, 0, (0, 0)),
    ],
)
def test_where_two_logs_part_is_told(log, offset, last_epoch, expected):
    data = data_of(answered(log, offset=offset, last_epoch=last_epoch))

    assert EpochEndOffset(epoch=expected[0], end_offset=expected[1]) == data.diverging_epoch
    assert () == tuple(data.records)
    assert HIGH_WATERMARK == data.high_watermark


@pytest.mark.rule("10.34", "9.42", "9.43")
def test_a_leader_that_answers_a_diverging_fetch_keeps_its_log(log):
    """Bug 20 of an independent implementation."""
    answered(log, offset=9)

    assert 6 == log.end_offset


@pytest.mark.rule("10.34")
@pytest.mark.parametrize(("offset", "last_epoch"), [(0, 0), (4, 1), (6, 3), (5, 3)])
def test_a_prefix_does_not_diverge(log, offset, last_epoch):
    data = data_of(answered(log, offset=offset, last_epoch=last_epoch))

    assert EpochEndOffset() == data.diverging_epoch


@pytest.mark.rule("10.35")
@pytest.mark.parametrize(
    ("wanted", "waits"),
    [
        ({}, True),
        ({"high_watermark": HIGH_WATERMARK}, True),
        ({"high_watermark": HIGH_WATERMARK - 1}, False),
        ({"high_watermark": -1}, False),
        ({"max_wait_ms": 0}, False),
        ({"offset": 4}, False),
        ({"offset": 9}, False),
        ({"epoch": 4}, False),
        ({"cluster_id": "another"}, False),
    ],
)
def test_only_an_answer_without_news_may_wait(log, wanted, waits):
    request = fetch(**{"offset": 6, "epoch": 3, "last_epoch": 3} | wanted)

    assert waits is may_wait(request, answer(leadership(), log, HIGH_WATERMARK, request))


@pytest.mark.rule("10.33", "10.58")
@pytest.mark.parametrize(("max_bytes", "offsets"), [(0, [0]), (1000, [0, 2, 4]), (150, [0])])
def test_a_fetch_gets_so_many_bytes_as_it_asks_for_but_a_batch_at_least(log, max_bytes, offsets):
    assert offsets == offsets_of(leadership(), log, max_bytes)


@pytest.mark.rule("10.58")
def test_before_4_3_a_fetch_gets_8_mib_whatever_it_asks_for(log):
    assert [0, 2, 4] == offsets_of(leadership(bounds_fetches=False), log, max_bytes=0)


def offsets_of(leader, log, max_bytes):
    """The offsets of the batches of a response, as its client reads it."""
    wanted = replace(fetch(offset=1, epoch=3, last_epoch=1), max_bytes=max_bytes)
    response = answer(leader, log, HIGH_WATERMARK, wanted)
    _, read = decode_response(1, 17, encode_response(1, 17, 1, response)[4:])
    return [batch.base_offset for batch in data_of(read).records]


def test_waiting_fetches_with_other_bounds_get_responses_of_their_own():
    wanted = fetch(offset=6)

    assert response_key(wanted) == response_key(replace(wanted, max_wait_ms=1))
    assert response_key(wanted) != response_key(replace(wanted, max_bytes=100))
