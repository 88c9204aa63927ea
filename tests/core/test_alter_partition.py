"""A leader proposes its in-sync replicas: rules 4.34 to 4.36."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.image import replay
from kraftsim.controller.core.log.records import RECOVERING, PartitionRecord, TopicRecord
from kraftsim.controller.core.partitions.alter_partition import alter_partition
from kraftsim.controller.core.profile import KAFKA_3_9
from kraftsim.controller.core.rpc import (
    AlterPartitionBrokerState,
    AlterPartitionData,
    AlterPartitionRequest,
    AlterPartitionResponse,
    AlterPartitionResult,
    AlterPartitionTopic,
)
from tests.builders import ControllerUnderTest, uuid_of
from tests.profiles import UNDER_TEST


@pytest.fixture(params=UNDER_TEST, ids=lambda p: p.name)
def cluster(request):
    """Partition t-0 with leader 1, ISR 1 and 2, replicas 1, 2 and 3; everybody serves."""
    cluster = ControllerUnderTest(request.param)
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1, 2, 3))
    cluster.fenced(3)
    cluster.heartbeat(3)
    return cluster


def member(broker_id, broker_epoch=-1):
    return AlterPartitionBrokerState(broker_id=broker_id, broker_epoch=broker_epoch)


def proposal_from(broker_id, broker_epoch, topic="t"):
    """A request for one partition of one topic: an empty one is not checked (rule 4.34)."""
    data = AlterPartitionData(partition_index=0, leader_epoch=0, partition_epoch=0, new_isr=(1,))
    topics = (AlterPartitionTopic(topic_id=uuid_of(topic), partitions=(data,)),)
    return AlterPartitionRequest(broker_id=broker_id, broker_epoch=broker_epoch, topics=topics)


@pytest.mark.rule("4.34", "4.15", "4.16", "9.22", "9.23")
def test_the_isr_grows_by_the_leaders_word(cluster):
    mark, before = cluster.end, cluster.partition("t")

    result = cluster.alter_partition("t", (1, 2, 3))

    assert [cluster.change("t", isr=(1, 2, 3))] == cluster.records_since(mark)
    assert (
        AlterPartitionResult(
            partition_index=0,
            leader_id=1,
            leader_epoch=before.leader_epoch,
            isr=(1, 2, 3),
            partition_epoch=before.partition_epoch + 1,
        )
        == result
    )


@pytest.mark.rule("4.34", "4.17")
def test_the_isr_shrinks_without_a_new_leader_epoch(cluster):
    before = cluster.partition("t").leader_epoch

    assert (1,) == cluster.alter_partition("t", (1,)).isr
    assert before == cluster.partition("t").leader_epoch


@pytest.mark.rule("4.17")
def test_before_3_6_a_shrinking_isr_moves_the_leader_epoch():
    cluster = ControllerUnderTest(KAFKA_3_9, metadata_version=11)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))

    cluster.alter_partition("t", (1,))

    assert (1, 1) == (cluster.partition("t").leader_epoch, cluster.partition("t").leader)


@pytest.mark.rule("4.34")
@pytest.mark.parametrize("epoch", [-1, 1, 1 << 40])
def test_a_stale_sender_is_refused_and_changes_nothing(cluster, epoch):
    before = cluster.everything()

    assert ErrorCode.STALE_BROKER_EPOCH == cluster.refused(proposal_from(1, epoch))
    assert before == cluster.everything()


@pytest.mark.rule("4.34")
def test_a_sender_nobody_knows_is_refused(cluster):
    assert ErrorCode.STALE_BROKER_EPOCH == cluster.refused(proposal_from(9, 1))


@pytest.mark.rule("4.34")
@pytest.mark.parametrize("sender", [1, 9])
def test_a_request_without_topics_succeeds_whatever_its_epoch(cluster, sender):
    before = cluster.everything()
    request = AlterPartitionRequest(broker_id=sender, broker_epoch=1 << 40, topics=())

    assert AlterPartitionResponse() == cluster.accepted(request)
    assert before == cluster.everything()


@pytest.mark.rule("4.34", "4.35")
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"partition_index": 7}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({"leader_epoch": 9}, ErrorCode.NOT_CONTROLLER),
        ({"leader_epoch": 9, "partition_epoch": 0}, ErrorCode.NOT_CONTROLLER),
        ({"partition_epoch": 9}, ErrorCode.NOT_CONTROLLER),
        ({"leader_epoch": -1, "partition_epoch": 9}, ErrorCode.NOT_CONTROLLER),
        ({"leader_epoch": -1}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"leader_epoch": -1, "sender": 2}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"sender": 2}, ErrorCode.INVALID_REQUEST),
        ({"sender": 2, "partition_epoch": 0}, ErrorCode.INVALID_REQUEST),
        ({"partition_epoch": 0}, ErrorCode.INVALID_UPDATE_VERSION),
        ({"partition_epoch": 0, "isr": (2,)}, ErrorCode.INVALID_UPDATE_VERSION),
        ({"isr": (2,)}, ErrorCode.INVALID_REQUEST),
        ({"isr": ()}, ErrorCode.INVALID_REQUEST),
        ({"isr": (1, 9)}, ErrorCode.INVALID_REQUEST),
        ({"isr": (1, 2, 2)}, ErrorCode.INVALID_REQUEST),
        ({"leader_recovery_state": RECOVERING}, ErrorCode.INVALID_REQUEST),
        ({"leader_recovery_state": RECOVERING, "isr": (1,)}, ErrorCode.INVALID_REQUEST),
        ({"leader_recovery_state": 2}, ErrorCode.INVALID_REQUEST),
        ({"new_isr_with_epochs": (member(1), member(2, 1))}, ErrorCode.INELIGIBLE_REPLICA),
    ],
)
def test_the_first_check_that_fails_answers_and_nothing_changes(cluster, fields, code):
    before = cluster.everything()

    result = cluster.alter_partition("t", **({"isr": (1, 2)} | fields))

    index = fields.get("partition_index", 0)
    assert AlterPartitionResult(partition_index=index, error_code=code) == result
    assert before == cluster.everything()


@pytest.mark.rule("4.34")
def test_an_unknown_topic_is_named_by_its_id(cluster):
    request = proposal_from(1, cluster.broker(1).broker_epoch, topic="nobody")

    result = cluster.accepted(request).topics[0].partitions[0]

    assert ErrorCode.UNKNOWN_TOPIC_ID == result.error_code


@pytest.mark.rule("4.34", "9.22")
def test_a_member_that_is_fenced_is_ineligible(cluster):
    cluster.fenced(3)

    assert ErrorCode.INELIGIBLE_REPLICA == cluster.alter_partition("t", (1, 2, 3)).error_code


@pytest.mark.rule("4.34", "9.22")
def test_a_member_that_shuts_down_is_ineligible(cluster):
    cluster.created("u", (3, 1))
    cluster.heartbeat(3, want_shut_down=True)
    assert not cluster.is_fenced(3)

    assert ErrorCode.INELIGIBLE_REPLICA == cluster.alter_partition("t", (1, 2, 3)).error_code


@pytest.mark.rule("4.34", "9.22")
def test_a_member_that_is_not_registered_is_ineligible(cluster):
    cluster.unregister(3)

    assert ErrorCode.INELIGIBLE_REPLICA == cluster.alter_partition("t", (1, 2, 3)).error_code


@pytest.mark.rule("4.34", "9.22")
def test_a_member_is_checked_against_its_current_epoch(cluster):
    members = tuple(member(b, cluster.broker(b).broker_epoch) for b in (1, 2, 3))

    assert 0 == cluster.alter_partition("t", (), new_isr_with_epochs=members).error_code


@pytest.mark.rule("4.34")
def test_version_2_names_ids_alone(cluster):
    result = cluster.alter_partition("t", (), new_isr_with_epochs=(), new_isr=(1, 2, 3))

    assert (1, 2, 3) == result.isr


@pytest.mark.rule("4.35")
def test_a_leader_that_was_fenced_finds_its_leader_epoch_behind(cluster):
    held = cluster.partition("t")
    cluster.fenced(1)

    result = cluster.alter_partition(
        "t",
        (1, 2),
        sender=1,
        leader_epoch=held.leader_epoch,
        partition_epoch=held.partition_epoch,
    )

    assert ErrorCode.FENCED_LEADER_EPOCH == result.error_code


@pytest.mark.rule("4.34", "4.11")
def test_a_recovering_leader_says_when_it_has_recovered():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2), configs={"unclean.leader.election.enable": "true"})
    cluster.alter_partition("t", (1,))
    cluster.fenced(1)
    assert RECOVERING == cluster.partition("t").leader_recovery_state

    recovering = cluster.alter_partition("t", (2,), leader_recovery_state=RECOVERING)
    assert (0, RECOVERING) == (recovering.error_code, recovering.leader_recovery_state)
    recovered = cluster.alter_partition("t", (2,), leader_recovery_state=0)
    assert (0, 0) == (recovered.error_code, recovered.leader_recovery_state)


def reassign(cluster, *, replicas, isr, adding, removing):
    """A reassignment under way, as a log may hold one: nobody can ask for one yet."""
    topic_id = uuid_of("moving")
    replay.apply(
        cluster.image, TopicRecord(name="moving", topic_id=topic_id), offset=cluster.end + 1000
    )
    record = PartitionRecord(
        partition_id=0,
        topic_id=topic_id,
        replicas=replicas,
        isr=isr,
        leader=isr[0],
        adding_replicas=adding,
        removing_replicas=removing,
        directories=(bytes(15) + b"\x01",) * len(replicas),
    )
    replay.apply(cluster.image, record, offset=cluster.end + 1001)


def proposed(cluster, isr):
    """The record that the proposal leads to, from the decision alone."""
    partition = cluster.partition("moving")
    data = AlterPartitionData(
        partition_index=0,
        leader_epoch=partition.leader_epoch,
        partition_epoch=partition.partition_epoch,
        new_isr=isr,
    )
    topic = AlterPartitionTopic(topic_id=uuid_of("moving"), partitions=(data,))
    leader = partition.leader
    request = AlterPartitionRequest(
        broker_id=leader, broker_epoch=cluster.broker(leader).broker_epoch, topics=(topic,)
    )
    decision = alter_partition(cluster.node.state, request, cluster.timeline.now_ms)
    return decision.records, decision.reply.topics[0].partitions[0]


@pytest.mark.rule("4.36", "9.27")
def test_a_reassignment_ends_when_its_whole_goal_is_in_sync(cluster):
    reassign(cluster, replicas=(3, 1, 2), isr=(1, 2), adding=(3,), removing=(2,))

    (record,), result = proposed(cluster, (1, 2, 3))

    assert ((3, 1), (1, 3), 1) == (record.replicas, record.isr, record.leader)
    assert ((), ()) == (record.adding_replicas, record.removing_replicas)
    assert (0, 1, 1) == (result.error_code, result.leader_id, result.leader_epoch)


@pytest.mark.rule("4.36")
def test_a_reassignment_goes_on_while_its_goal_is_not_in_sync(cluster):
    reassign(cluster, replicas=(3, 1, 2), isr=(1, 2), adding=(3,), removing=(2,))

    (record,), _ = proposed(cluster, (1,))

    assert ((1,), None, None) == (record.isr, record.replicas, record.removing_replicas)


@pytest.mark.rule("4.36", "4.34")
def test_a_reassignment_that_moves_the_leader_is_written_and_says_so(cluster):
    reassign(cluster, replicas=(3, 1), isr=(1,), adding=(3,), removing=(1,))

    (record,), result = proposed(cluster, (1, 3))

    assert ((3,), (3,), 3) == (record.replicas, record.isr, record.leader)
    assert ErrorCode.NEW_LEADER_ELECTED == result.error_code
