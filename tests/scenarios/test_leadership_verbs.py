"""A controller that resigns or forgets its soft state, at once or when a request comes."""

import pytest

from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from tests.scenarios.request_worlds import SECOND_US, begin, running


@pytest.fixture
def world():
    return running()


def heartbeat_of(world, broker_id, reply_to):
    epoch = world.committed.brokers[broker_id].broker_epoch
    offset = world.committed_log.end_offset
    world.dispatch(
        BrokerHeartbeatRequest(
            broker_id=broker_id,
            broker_epoch=epoch,
            current_metadata_offset=offset,
            want_fence=False,
            want_shut_down=False,
        ),
        reply_to,
    )


@pytest.mark.parametrize(("apply", "error_code"), [("before", 41), ("after", 0)])
def test_leadership_moves_before_or_after_the_request_is_handled(apply, error_code):
    world = running(controllers=3)
    before = world.active.node.config.node_id
    words = {"api": "BrokerHeartbeat", "broker": 1, "controller": "active", "count": 1}
    _, fault = begin(world, "rpc.transfer", words | {"apply": apply, "to": "standbys"})
    replies = []

    heartbeat_of(world, 1, replies.append)
    world.advance(5 * SECOND_US)

    (reply,) = replies
    assert fault.effects() == 1
    assert getattr(reply, "code", getattr(reply, "error_code", None)) == error_code
    assert world.active.node.config.node_id != before
    assert world.are_unfenced((1, 2))


def contact_age_ms(world, broker_id):
    contact_ms = world.active.node.leases.contact_ms(broker_id)
    return None if contact_ms is None else world.timeline.now_ms - contact_ms


def test_a_controller_that_forgets_gives_every_unfenced_broker_a_full_session(world):
    world.agents[2].kill()
    world.advance(5 * SECOND_US)
    age_ms = contact_age_ms(world, 2)

    _, fault = begin(world, "quorum.forget", {})
    forgot_us = world.timeline.now_us
    forgotten_ms = contact_age_ms(world, 2)
    world.run_until(lambda: world.committed.brokers[2].fenced, limit_us=30 * SECOND_US)

    session_us = world.topology.settings.broker_session_timeout_ms * 1000
    assert (age_ms >= 3_000, forgotten_ms, fault.effects()) == (True, 0, 1)
    assert session_us <= world.timeline.now_us - forgot_us <= session_us * 9 // 8 + SECOND_US
    assert not world.committed.brokers[1].fenced


def test_a_controller_forgets_the_metadata_offset_that_a_broker_reported(world):
    world.advance(5 * SECOND_US)  # with heartbeats
    before = world.active.node.leases.liveness[1].metadata_offset
    begin(world, "quorum.forget", {})

    assert (before >= 0, world.active.node.leases.liveness[1].metadata_offset) == (True, -1)


def test_a_fenced_broker_gets_no_lease_from_a_controller_that_forgets(world):
    world.agents[2].kill()
    world.run_until(lambda: world.committed.brokers[2].fenced, limit_us=30 * SECOND_US)
    leases, epoch = world.active.node.leases, world.committed.brokers[2].broker_epoch
    leases.note_contact(2, epoch, world.timeline.now_ms)  # it begins to catch up

    begin(world, "quorum.forget", {})

    assert world.active.node.leases.contact_ms(2) is None


@pytest.mark.parametrize(("apply", "age_ms"), [("before", True), ("after", False)])
def test_soft_state_is_forgotten_before_or_after_the_heartbeat(world, apply, age_ms):
    words = {"api": "BrokerHeartbeat", "broker": 1, "count": 1, "apply": apply}
    begin(world, "rpc.forget", words)

    heartbeat_of(world, 1, lambda _: None)
    world.advance(0)

    has_offset = world.active.node.leases.liveness[1].metadata_offset >= 0
    assert has_offset is age_ms  # the heartbeat reports an offset


def test_without_an_active_controller_there_is_nothing_to_forget(world):
    world.kill_controller(3000)

    _, fault = begin(world, "quorum.forget", {})

    assert fault.effects() == 0
