"""Unregistration: section 3."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.records import RECOVERING, TOPIC_RESOURCE, UnregisterBrokerRecord
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3
from kraftsim.controller.core.rpc import UnregisterBrokerResponse
from tests.builders import ControllerUnderTest
from tests.profiles import EACH_PROFILE


@pytest.mark.rule("3.3", "3.5", "3.4")
def test_a_live_broker_can_be_unregistered_and_leaves_the_isrs_first():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2), (2, 1))
    epoch, mark = cluster.broker(1).broker_epoch, cluster.end

    reply = cluster.unregister(1)

    assert UnregisterBrokerResponse(error_message="") == reply
    (batch,) = cluster.batches_since(mark)
    assert [
        cluster.change("t", 0, isr=(2,), leader=2),
        cluster.change("t", 1, isr=(2,)),
        UnregisterBrokerRecord(broker_id=1, broker_epoch=epoch),
    ] == list(batch.records)


@pytest.mark.rule("3.5", "3.7")
def test_an_unregistered_broker_stays_eligible_where_it_was():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1)
    cluster.created("t", (1,))
    cluster.fenced(1)
    epoch = cluster.broker(1).broker_epoch

    written = cluster.writes(lambda: cluster.unregister(1))

    assert [UnregisterBrokerRecord(broker_id=1, broker_epoch=epoch)] == written
    assert (1,) == cluster.partition("t").elr


@pytest.mark.rule("3.5", "3.7")
def test_unregistering_elects_anew_where_the_broker_was_eligible():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.fenced(2, 1)
    cluster.heartbeat(2)
    assert (-1, (1,)) == (cluster.partition("t").leader, cluster.partition("t").elr)
    cluster.image.configs[TOPIC_RESOURCE, "t"] = {"unclean.leader.election.enable": "true"}

    *changes, last = cluster.writes(lambda: cluster.unregister(1))

    elected = {"isr": (2,), "leader": 2, "leader_recovery_state": RECOVERING}
    no_longer = {"eligible_leader_replicas": (), "last_known_elr": ()}
    assert [cluster.change("t", **elected, **no_longer)] == changes
    assert isinstance(last, UnregisterBrokerRecord)


@pytest.mark.rule("3.6", "4.12", "3.10", "9.27")
def test_unregistering_the_last_replica_keeps_the_assignment_without_elr():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1)
    cluster.created("t", (1,))

    cluster.unregister(1)

    assert (-1, (1,)) == cluster.leadership("t")
    assert (1,) == cluster.partition("t").replicas


@pytest.mark.rule("3.6", "4.13")
def test_unregistering_the_last_replica_leaves_it_eligible_with_elr():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1)
    cluster.created("t", (1,))

    cluster.unregister(1)

    partition = cluster.partition("t")
    assert (-1, (), (1,), (1,)) == (
        partition.leader,
        partition.isr,
        partition.elr,
        partition.last_known_elr,
    )
    assert (1,) == partition.replicas


@EACH_PROFILE
@pytest.mark.rule("3.8", "3.9", "9.3")
def test_an_unregistered_id_is_a_stranger_until_it_registers_anew(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    epoch = cluster.broker(1).broker_epoch

    cluster.unregister(1)

    assert 1 not in cluster.image.brokers
    assert 1 not in cluster.node.leases.liveness
    request = cluster.heartbeat_request(1, epoch=epoch)
    assert ErrorCode.STALE_BROKER_EPOCH == cluster.refused(request)
    assert cluster.register(1).broker_epoch > epoch


@pytest.mark.rule("3.3", "3.4")
@pytest.mark.parametrize("broker_id", [10, -1])
@pytest.mark.parametrize(
    ("profile", "text"),
    [(KAFKA_4_3, "Broker ID {} is not currently registered"), (KAFKA_3_9, "")],
    ids=["4.3", "3.9"],
)
def test_unregistering_a_stranger_is_refused(profile, text, broker_id):
    """Also what an independent implementation answered with 42 (its issue 259)."""
    cluster = ControllerUnderTest(profile)
    before = cluster.everything()

    refusal = cluster.unregister(broker_id)

    assert (ErrorCode.BROKER_ID_NOT_REGISTERED, text.format(broker_id)) == (
        refusal.code,
        refusal.message,
    )
    assert before == cluster.everything()


@pytest.mark.rule("3.5")
def test_a_fenced_broker_in_no_isr_is_unregistered_with_one_record():
    cluster = ControllerUnderTest()
    cluster.registered(1)

    written = cluster.writes(lambda: cluster.unregister(1))

    assert [UnregisterBrokerRecord] == [type(r) for r in written]
