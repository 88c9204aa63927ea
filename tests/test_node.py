"""The conductor: what waits for what, and what a lost leadership costs (section 0A, 9.29-9.32)."""

import pytest

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.log.control_records import KRaftVersion, LeaderChange, Voters
from kraftsim.controller.core.log.records import RegisterBrokerRecord
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    CreateTopicsRequest,
    DescribeClusterRequest,
    FeatureUpdate,
    UnregisterBrokerRequest,
    UpdateFeaturesRequest,
)
from kraftsim.controller.raft.protocol import Deadline, Persisted, Submitted
from tests.builders import (
    CONTROLLER_ID,
    WALL_START_MS,
    ControllerUnderTest,
    fetch,
    make_node,
    registration,
    topic,
)
from tests.other_controllers import elected, lost_leadership
from tests.profiles import EACH_PROFILE, UNDER_TEST


class SlowDisk:
    """A node whose batches are safe only once `persist` is called."""

    def __init__(self, profile=DEFAULT_PROFILE, **options):
        self.node = make_node(profile, **options)
        self.now_ms = 0
        self.replies = {}

    def step(self, event):
        ready = self.node.step(event, now_ms=self.now_ms, wall_ms=WALL_START_MS + self.now_ms)
        for token, reply in ready.replies:
            if not isinstance(token, str):
                continue  # what another controller is told
            assert token not in self.replies, f"a second reply to {token}: {reply}"
            self.replies[token] = reply

    def elect(self):
        for event in elected(self.node):
            self.step(event)

    def lose(self, leader_id=-1):
        self.step(lost_leadership(self.node, leader_id))

    def lead(self):
        self.elect()
        self.persist()

    def persist(self, end_offset=None):
        """Until nothing is left; or up to `end_offset` alone."""
        if end_offset is not None:
            self.step(Persisted(end_offset))
            return
        while self.node.high_watermark < self.node.log.end_offset:
            self.step(Persisted(self.node.log.end_offset))

    def submit(self, token, request):
        self.step(Submitted(request=request, token=token))

    def code(self, token):
        reply = self.replies[token]
        assert isinstance(reply, ApiError), reply
        return reply.code


def heartbeat(disk, broker_id, **wishes):
    return BrokerHeartbeatRequest(
        broker_id=broker_id,
        broker_epoch=disk.node.latest.brokers[broker_id].broker_epoch,
        current_metadata_offset=disk.node.log.end_offset,
        **({"want_fence": False, "want_shut_down": False} | wishes),
    )


@pytest.fixture(params=UNDER_TEST, ids=lambda p: p.name)
def disk(request):
    """An active controller with a disk that waits to be told."""
    disk = SlowDisk(request.param)
    disk.lead()
    return disk


@pytest.mark.rule("0A.1", "1.8", "2.6", "3.3", "0A.2")
@pytest.mark.parametrize(
    "request_", [registration(1), UnregisterBrokerRequest(broker_id=1)], ids=["62", "64"]
)
def test_a_node_that_does_not_lead_is_not_the_controller(request_):
    disk = SlowDisk()

    disk.submit("a", request_)

    assert ErrorCode.NOT_CONTROLLER == disk.code("a")
    assert "No controller appears to be active." == disk.replies["a"].message
    assert 0 == disk.node.log.end_offset


@pytest.mark.rule("0A.2")
def test_the_refusal_names_the_leader_where_one_is_known(disk):
    disk.lose(3001)

    disk.submit("a", registration(1))

    assert "The active controller appears to be node 3001." == disk.replies["a"].message


@pytest.mark.rule("0A.10")
def test_a_node_is_not_active_before_its_epoch_is_committed():
    disk = SlowDisk()
    disk.elect()
    disk.submit("early", registration(1))

    disk.persist()
    disk.submit("late", registration(1))
    disk.persist()

    assert ErrorCode.NOT_CONTROLLER == disk.code("early")
    assert disk.replies["late"].broker_epoch > 0


@pytest.mark.rule("0A.5", "9.29")
def test_a_reply_waits_until_its_records_are_committed(disk):
    disk.submit("a", registration(1))

    assert "a" not in disk.replies
    disk.persist(disk.node.log.end_offset - 1)
    assert "a" not in disk.replies
    disk.persist()
    assert disk.replies["a"].broker_epoch == disk.node.committed.brokers[1].broker_epoch


@pytest.mark.rule("0A.5", "9.29")
def test_each_reply_waits_for_its_own_records(disk):
    disk.submit("a", registration(1))
    disk.submit("b", registration(2))

    disk.persist(disk.node.log.end_offset - 1)

    assert ["a"] == list(disk.replies)


@pytest.mark.rule("0A.10", "9.30")
def test_a_tail_of_an_earlier_epoch_commits_only_with_something_of_the_new_one(disk):
    disk.submit("lost", registration(1))
    disk.lose()
    opening = disk.node.log.end_offset
    disk.elect()

    disk.persist(opening)
    assert (False, []) == (disk.node.is_active, list(disk.node.committed.brokers))
    disk.persist()
    assert disk.node.is_active


@pytest.mark.rule("0A.6", "2.20")
def test_a_reply_without_records_waits_for_what_is_pending(disk):
    disk.submit("register", registration(1))
    disk.submit("heartbeat", heartbeat(disk, 1, want_fence=True))

    assert {} == disk.replies
    disk.persist()
    assert ["register", "heartbeat"] == list(disk.replies)


@pytest.mark.rule("0A.6")
def test_a_reply_without_records_goes_at_once_when_nothing_is_pending(disk):
    disk.submit("register", registration(1))
    disk.persist()

    disk.submit("heartbeat", heartbeat(disk, 1, want_fence=True))

    assert "heartbeat" in disk.replies


@pytest.mark.rule("0A.6", "0A.8")
def test_a_refusal_does_not_wait(disk):
    disk.submit("pending", registration(1))

    disk.submit("refused", registration(2, cluster_id="another"))

    assert ["refused"] == list(disk.replies)


@pytest.mark.rule("0A.3", "0A.16")
def test_decisions_see_the_uncommitted_tail_and_readers_do_not(disk):
    disk.submit("a", registration(1))
    disk.submit("b", heartbeat(disk, 1))

    assert not disk.node.latest.brokers[1].fenced
    assert 1 not in disk.node.committed.brokers


@pytest.mark.rule("0A.13", "9.30", "9.32")
def test_lost_leadership_fails_what_waits_and_rolls_the_image_back_but_not_the_log(disk):
    disk.submit("kept", registration(1))
    disk.persist()
    end = disk.node.log.end_offset
    disk.submit("lost", registration(2))
    disk.submit("too", heartbeat(disk, 1, want_fence=True))

    disk.lose()

    assert disk.replies["kept"].broker_epoch > 0
    assert [ErrorCode.NOT_CONTROLLER] * 2 == [disk.code("lost"), disk.code("too")]
    assert [1] == list(disk.node.latest.brokers)
    assert disk.node.committed == disk.node.latest == replay(disk.node.log.batches[:-1])
    assert end + 1 == disk.node.log.end_offset
    assert disk.node.active is None


@pytest.mark.rule("0A.13", "9.30", "9.31")
def test_what_was_answered_not_controller_may_still_be_committed(disk):
    disk.submit("lost", registration(2))
    disk.lose()

    disk.lead()

    assert ErrorCode.NOT_CONTROLLER == disk.code("lost")
    assert 2 in disk.node.committed.brokers
    assert replay(disk.node.log.batches) == disk.node.committed == disk.node.latest


@pytest.mark.rule("0A.13", "0A.12")
def test_lost_leadership_stops_every_timer(disk):
    disk.lose(3001)

    end = disk.node.log.end_offset
    disk.now_ms += 1500  # NoOps and lease checks would have been due, an election is not
    disk.step(Deadline())
    assert end == disk.node.log.end_offset


@pytest.mark.rule("9.29")
def test_a_disk_that_reports_late_after_leadership_is_lost_commits_nothing(disk):
    disk.submit("a", registration(1))
    disk.lose()
    watermark = disk.node.high_watermark

    disk.persist(disk.node.log.end_offset)

    assert watermark == disk.node.high_watermark


@EACH_PROFILE
@pytest.mark.rule("0A.15", "2.36")
def test_a_timer_that_is_due_comes_before_a_request_at_that_time(profile):
    """The session is over: the fence comes first, the heartbeat unfences."""
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    mark = cluster.end

    cluster.run_for("12s")
    cluster.heartbeat(1)

    assert [cluster.fence_record(1), cluster.unfence_record(1)] == cluster.records_since(mark)


@EACH_PROFILE
@pytest.mark.rule("9.33", "0A.11", "10.27", "5.63")
def test_each_tenure_opens_with_a_leader_change_and_writes_only_what_is_missing(profile):
    """The log knows this process: it is not registered anew."""
    cluster = ControllerUnderTest(profile)
    mark = cluster.end

    cluster.fail_over()

    (control,) = cluster.batches_since(mark)
    me = (CONTROLLER_ID,)
    change = LeaderChange(leader_id=CONTROLLER_ID, voters=me, granting_voters=me)
    assert (change,) == control.records
    assert (3, True) == (control.epoch, control.is_control)
    epochs = [batch.epoch for batch in cluster.node.log.batches]
    assert sorted(epochs) == epochs


@pytest.mark.rule("5.63")
def test_a_controller_registers_itself_once_the_level_allows_it():
    cluster = ControllerUnderTest(metadata_version=11)
    assert {} == cluster.image.controllers

    raised = FeatureUpdate(feature="metadata.version", max_version_level=15, upgrade_type=1)
    cluster.accepted(UpdateFeaturesRequest(feature_updates=(raised,)))

    assert [CONTROLLER_ID] == list(cluster.image.controllers)


@pytest.mark.rule("9.33", "1.23")
def test_a_first_leader_writes_the_voters_where_kraft_version_is_1():
    with_voters = ControllerUnderTest(kraft_version=1).node.log.batches[0].records
    without = ControllerUnderTest(kraft_version=0).node.log.batches[0].records

    assert [LeaderChange, KRaftVersion, Voters] == [type(r) for r in with_voters]
    assert [LeaderChange] == [type(r) for r in without]


@pytest.mark.rule("4.53")
def test_no_topics_are_created_by_anybody(disk):
    disk.submit("active", CreateTopicsRequest(topics=()))

    assert () == disk.replies["active"].topics


@pytest.mark.rule("10.35", "10.33")
def test_a_fetch_at_the_end_of_the_log_waits_for_news(disk):
    disk.submit("fetch", fetch(offset=disk.node.log.end_offset))
    assert "fetch" not in disk.replies

    disk.submit("a", registration(1))
    disk.persist()

    (batch,) = disk.replies["fetch"].responses[0].partitions[0].records
    assert [RegisterBrokerRecord] == [type(r) for r in batch.records]
    assert (
        disk.node.log.end_offset == disk.replies["fetch"].responses[0].partitions[0].high_watermark
    )


@pytest.mark.rule("10.35")
def test_a_fetch_waits_no_longer_than_it_asked_for(disk):
    end = disk.node.log.end_offset
    disk.submit("short", fetch(offset=end, max_wait_ms=300))
    disk.submit("shorter", fetch(offset=end, max_wait_ms=200))
    assert 200 == disk.node.deadline_ms

    disk.now_ms = 200
    disk.step(Deadline())
    assert ["shorter"] == list(disk.replies)
    disk.now_ms = 300
    disk.step(Deadline())
    assert ["shorter", "short"] == list(disk.replies)
    data = disk.replies["short"].responses[0].partitions[0]
    assert (0, (), end) == (data.error_code, tuple(data.records), data.high_watermark)


@pytest.mark.rule("10.35", "10.33")
def test_a_fetch_that_waits_is_told_that_leadership_is_lost(disk):
    disk.submit("fetch", fetch(offset=disk.node.log.end_offset))

    disk.lose()

    data = disk.replies["fetch"].responses[0].partitions[0]
    assert (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1) == (
        data.error_code,
        data.current_leader.leader_id,
    )


@pytest.mark.rule("10.35")
def test_a_fetch_that_does_not_want_to_wait_is_answered_at_once(disk):
    disk.submit("fetch", fetch(offset=disk.node.log.end_offset, max_wait_ms=0))

    assert () == tuple(disk.replies["fetch"].responses[0].partitions[0].records)


@pytest.mark.rule("5.14")
def test_any_controller_describes_the_cluster_from_what_it_has_committed(disk):
    disk.lose(3001)

    disk.submit("describe", DescribeClusterRequest(endpoint_type=2))

    reply = disk.replies["describe"]
    assert [CONTROLLER_ID] == [b.broker_id for b in reply.brokers]
    assert -1 == reply.controller_id


@pytest.mark.rule("0A.4", "4.58")
def test_all_records_of_one_operation_stand_in_one_batch(disk):
    disk.submit("a", registration(1))
    disk.submit("b", heartbeat(disk, 1))
    count = len(disk.node.log.batches)

    disk.submit("c", CreateTopicsRequest(topics=(topic("t", (1,), (1,)), topic("u", (1,)))))

    (batch,) = disk.node.log.batches[count:]
    assert ["TopicRecord", "PartitionRecord", "PartitionRecord", "TopicRecord"] == [
        type(r).__name__ for r in batch.records[:4]
    ]


@pytest.mark.rule("9.31")
def test_a_node_never_draws_entropy_or_time_by_itself():
    logs = []
    for _ in range(2):
        cluster = ControllerUnderTest(seed=7)
        cluster.unfenced(1, 2, 3)
        cluster.created("t", num_partitions=8, replication_factor=2)
        cluster.run_for("15s")
        logs.append(cluster.node.log.batches)

    assert logs[0] == logs[1]
