"""Requests about many partitions are decided in slices, and are decided as in one piece."""

from dataclasses import replace
from typing import Any

import pytest

from kraftsim.controller.core import slices
from kraftsim.controller.core.configs import alteration
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.log.records import PartitionRecord
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.core.topics import creation as topic_creation
from kraftsim.controller.core.topics import more_partitions
from kraftsim.controller.core.topics.creation import TOPICS_PER_SLICE
from tests.builders import ControllerUnderTest

from .large_requests import creation, mixed

MANY = 2 * TOPICS_PER_SLICE + 1
SLICE_US = 1_000_000  # between two slices, where time passes


def with_brokers() -> ControllerUnderTest:
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2, 3)
    return cluster


def with_topics() -> ControllerUnderTest:
    """Broker 3 is fenced; partitions that 1 should lead and does not."""
    cluster = with_brokers()
    for name in ("old", "older"):
        cluster.created(name, *[(1, 2)] * 6)
    cluster.fenced(1)
    cluster.unfenced(1)
    for index in range(5):
        cluster.alter_partition("old", (2, 1), index=index)
        cluster.alter_partition("older", (2, 1), index=index)
    cluster.fenced(3)
    return cluster


def begun(cluster: ControllerUnderTest, request: Request | None = None) -> list[Any]:
    """Decides the first slice of a large request; the list gets the reply."""
    replies: list[Any] = []
    cluster.hosted.submit(creation(MANY) if request is None else request, replies.append)
    assert replies == []
    return replies


def codes(reply: Any) -> set[ErrorCode]:
    return {topic.error_code for topic in reply.topics}


def cut_into_slices_of(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(slices, "RECORDS_PER_SLICE", size)
    monkeypatch.setattr(slices, "CHANGES_PER_SLICE", size)
    monkeypatch.setattr(topic_creation, "TOPICS_PER_SLICE", size)
    monkeypatch.setattr(more_partitions, "TOPICS_PER_SLICE", size)
    monkeypatch.setattr(alteration, "RESOURCES_PER_SLICE", size)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("number", range(len(mixed())))
def test_replies_and_records_are_those_of_one_piece(
    number: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = mixed()[number]
    whole, sliced = with_topics(), with_topics()
    mark = whole.end
    in_one_piece = whole.accepted(request)

    cut_into_slices_of(monkeypatch, size)
    replies = begun(sliced, request)
    sliced.run_for("0s")

    assert replies == [in_one_piece]
    assert sliced.records_since(mark) == whole.records_since(mark)
    assert sliced.image == whole.image


def test_a_small_request_is_decided_and_written_in_one_step() -> None:
    cluster = with_brokers()
    mark, replies = cluster.end, []

    cluster.hosted.submit(creation(2, 100), replies.append)

    assert [len(batch.records) for batch in cluster.batches_since(mark)] == [202]
    assert [codes(reply) for reply in replies] == [{ErrorCode.NONE}]


def test_a_large_topic_is_written_in_a_step_after_its_decision() -> None:
    cluster = with_brokers()
    mark = cluster.end
    replies = begun(cluster, creation(1, 9_999))
    assert cluster.end == mark

    cluster.run_for("0s")

    assert [codes(reply) for reply in replies] == [{ErrorCode.NONE}]
    assert [len(batch.records) for batch in cluster.batches_since(mark)] == [10_000]


@pytest.mark.rule("0A.7")
def test_many_topics_are_written_as_one_batch() -> None:
    cluster = with_brokers()
    mark = cluster.end

    reply = cluster.accepted(creation(MANY))

    assert codes(reply) == {ErrorCode.NONE}
    assert [len(batch.records) for batch in cluster.batches_since(mark)] == [2 * MANY]


def test_a_heartbeat_is_answered_between_two_slices_and_changes_no_placement() -> None:
    quiet, busy = with_brokers(), with_brokers()
    quiet.accepted(creation(MANY))
    begun(busy)
    answered: list[Any] = []

    busy.hosted.submit(busy.heartbeat_request(1), answered.append)

    assert [reply.error_code for reply in answered] == [ErrorCode.NONE]
    busy.run_for("0s")
    assert busy.image.topics == quiet.image.topics


def test_a_stale_heartbeat_is_refused_between_two_slices() -> None:
    cluster = with_brokers()
    begun(cluster)
    answered: list[Any] = []

    cluster.hosted.submit(cluster.heartbeat_request(1, epoch=77), answered.append)

    assert [error.code for error in answered] == [ErrorCode.STALE_BROKER_EPOCH]


@pytest.mark.rule("0A.1")
@pytest.mark.parametrize("wish", [{"want_fence": True}, {"want_shut_down": True}])
def test_a_heartbeat_that_changes_the_state_waits_for_its_turn(wish: dict[str, bool]) -> None:
    cluster = with_brokers()
    mark, answered = cluster.end, []
    replies = begun(cluster)

    cluster.hosted.submit(cluster.heartbeat_request(3, **wish), answered.append)

    assert answered == []
    cluster.run_for("0s")
    assert [codes(reply) for reply in replies] == [{ErrorCode.NONE}]
    assert len(answered) == 1
    created, *later = cluster.batches_since(mark)
    partitions = [record for record in created.records if isinstance(record, PartitionRecord)]
    assert all(3 in record.isr for record in partitions)
    assert later


@pytest.mark.rule("0A.1")
def test_requests_behind_one_in_slices_are_decided_in_order_of_arrival() -> None:
    cluster = with_brokers()
    mark = cluster.end
    first, second, third = begun(cluster), begun(cluster, creation(1)), begun(cluster, creation(1))

    cluster.run_for("0s")

    replies = [*first, *second, *third]
    exists = {ErrorCode.TOPIC_ALREADY_EXISTS}
    assert [codes(reply) for reply in replies] == [{ErrorCode.NONE}, exists, exists]
    assert [len(batch.records) for batch in cluster.batches_since(mark)] == [2 * MANY]


@pytest.mark.rule("0A.1")
def test_every_request_that_waited_is_answered_though_one_of_them_is_in_slices_too() -> None:
    cluster = with_brokers()
    begun(cluster)
    waiting = [begun(cluster, creation(1, 3_000, name=f"n{number}-")) for number in range(3)]
    waiting += [begun(cluster, creation(1, name=f"m{number}-")) for number in range(300)]

    cluster.run_for("0s")

    assert [codes(reply) for (reply,) in waiting] == [{ErrorCode.NONE}] * 303
    assert not cluster.node.has_work


@pytest.mark.rule("0A.9")
def test_a_request_times_out_that_waits_longer_than_it_says() -> None:
    cluster = with_brokers()
    cluster.timeline.pause_by(lambda go_on: cluster.timeline.after(SLICE_US, go_on))
    first = begun(cluster)
    late = begun(cluster, replace(creation(1, name="late"), timeout_ms=SLICE_US // 1000))
    patient = begun(cluster, creation(1, name="patient"))

    cluster.run_for("8s")

    assert [codes(reply) for reply in (*first, *patient)] == [{ErrorCode.NONE}] * 2
    assert [error.code for error in late] == [ErrorCode.REQUEST_TIMED_OUT]
    assert "patient0" in cluster.image.topic_ids
    assert "late0" not in cluster.image.topic_ids


@pytest.mark.rule("0A.13")
def test_a_loss_of_leadership_between_two_slices_answers_every_request() -> None:
    cluster = with_brokers()
    mark = cluster.end
    replies = [begun(cluster), begun(cluster, creation(1))]

    cluster.fail_over()
    cluster.run_for("0s")

    errors = [error for (error,) in replies]
    assert all(isinstance(error, ApiError) for error in errors)
    assert [error.code for error in errors] == [ErrorCode.NOT_CONTROLLER] * 2
    assert not [r for r in cluster.records_since(mark) if isinstance(r, PartitionRecord)]


@pytest.mark.rule("0A.1", "2.36")
def test_a_lease_that_runs_out_between_two_slices_is_checked_after_the_last() -> None:
    cluster = with_brokers()
    cluster.keep_alive(1, 2, during="8s")
    cluster.timeline.pause_by(lambda go_on: cluster.timeline.after(SLICE_US, go_on))
    replies, mark = begun(cluster), cluster.end

    cluster.keep_alive(1, 2, during="8s", every="500ms")

    assert [codes(reply) for reply in replies] == [{ErrorCode.NONE}]
    created = cluster.batches_since(mark)[0]
    assert len(created.records) == 2 * MANY
    assert all(3 in r.isr for r in created.records if isinstance(r, PartitionRecord))
    assert cluster.is_fenced(3)
