"""The life of one agent, fed by hand: what it sends, and what moves it."""

from dataclasses import replace
from typing import Any

import pytest

from kraftsim.broker_agent.agent import Agent
from kraftsim.broker_agent.config import AgentConfig
from kraftsim.broker_agent.conversation import Channel, Send
from kraftsim.broker_agent.directories.log_directories import simulated_directory
from kraftsim.broker_agent.metadata_fetch import LogPosition
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.feature_levels import DIRECTORY_ASSIGNMENT_FROM, METADATA_VERSION
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import KAFKA_3_9
from kraftsim.controller.core.rpc import (
    BrokerFeature,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerListener,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    FeatureUpdate,
    FetchPartitionData,
    FetchResponse,
    FetchTopicData,
    LeaderIdAndEpoch,
    UpdateFeaturesRequest,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID
from tests.broker_agent.test_metadata_fetch import voters_at
from tests.worlds import ask, kinds, pass_time, unstarted_world, world_of

STALE = ApiError(ErrorCode.STALE_BROKER_EPOCH, "Expected broker epoch 7, but got broker epoch 5")


class Hand:
    """Drives one agent: `now_ms`, what it has sent, and answers given by hand."""

    def __init__(self, **config: Any) -> None:
        image = Image()
        image.features["metadata.version"] = 30
        self.now_ms = 0
        self.position = LogPosition()
        self.sent: list[Send] = []
        self.agent = Agent(
            AgentConfig(
                broker_id=1,
                cluster_id="c",
                listeners=(BrokerListener(name="PLAINTEXT", host="h", port=9092),),
                features=(
                    BrokerFeature(
                        name="metadata.version", min_supported_version=7, max_supported_version=30
                    ),
                ),
                log_dirs=(simulated_directory(b"d" * 16),),
                heartbeat_interval_ms=2000,
                session_timeout_ms=9000,
                registration_timeout_ms=60000,
                replica_lag_ms=30_000,
                replica_fetch_wait_ms=500,
                replica_fetch_backoff_ms=1_000,
                **config,
            ),
            random=lambda: 0.5,
            image_at=lambda _: image,
            position=self.position,
        )
        self.sent += self.agent.start(0)

    def answer(self, channel: Channel, reply: Any) -> None:
        asked = [request for request in self.sent if request.channel is channel][-1]
        self.sent += self.agent.on_reply(asked, reply, self.now_ms)

    def pass_ms(self, ms: int) -> None:
        end = self.now_ms + ms
        while (deadline := self.agent.next_deadline_ms()) <= end:
            self.now_ms = max(deadline, self.now_ms)
            self.sent += self.agent.on_deadline(self.now_ms)
        self.now_ms = end

    def lease_requests(self) -> list[Any]:
        return [request.request for request in self.sent if request.channel is Channel.LEASE]

    def fetches(self) -> list[Any]:
        return [request.request for request in self.sent if request.channel is Channel.METADATA]

    def fetched(self, high_watermark: int, error: int = 0) -> FetchResponse:
        data = FetchPartitionData(
            partition_index=0,
            error_code=error,
            high_watermark=high_watermark,
            current_leader=LeaderIdAndEpoch(leader_id=3000, leader_epoch=1),
        )
        return FetchResponse(
            responses=(FetchTopicData(topic_id=METADATA_TOPIC_ID, partitions=(data,)),)
        )

    def registered(self) -> "Hand":
        """As far as the registration's answer: the first heartbeat is out."""
        self.position.end_offset = 10  # as if ten records had come
        self.answer(Channel.METADATA, self.fetched(10))
        self.answer(Channel.LEASE, BrokerRegistrationResponse(broker_epoch=5))
        return self

    def running(self) -> "Hand":
        self.registered()
        caught_up = BrokerHeartbeatResponse(is_caught_up=True)
        self.answer(Channel.LEASE, caught_up)
        unfenced = BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False)
        self.answer(Channel.LEASE, unfenced)
        return self


def test_nobody_registers_before_it_has_seen_metadata() -> None:
    hand = Hand()

    assert [request.channel for request in hand.sent] == [Channel.METADATA]
    hand.answer(Channel.METADATA, hand.fetched(0, error=74))
    assert hand.lease_requests() == []


@pytest.mark.rule("1.44", "1.47", "2.1")
def test_it_registers_catches_up_asks_to_be_unfenced_and_runs() -> None:
    hand = Hand().registered()
    registration, first = hand.lease_requests()
    assert isinstance(registration, BrokerRegistrationRequest)
    assert isinstance(first, BrokerHeartbeatRequest)
    assert first.want_fence
    assert first.cordoned_log_dirs is None  # null until it was told isCaughtUp

    hand.answer(Channel.LEASE, BrokerHeartbeatResponse(is_caught_up=True))
    assert hand.agent.state is ProcessState.RECOVERY
    second = hand.lease_requests()[-1]
    assert not second.want_fence
    assert second.cordoned_log_dirs == ()

    hand.answer(Channel.LEASE, BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    assert hand.agent.state is ProcessState.RUNNING


@pytest.mark.rule("1.45")
def test_one_lease_request_is_in_flight_at_a_time() -> None:
    hand = Hand().registered()
    before = len(hand.lease_requests())

    hand.pass_ms(4_000)

    assert len(hand.lease_requests()) == before


def test_a_lost_heartbeat_is_sent_again_and_its_late_answer_changes_nothing() -> None:
    hand = Hand().running()
    hand.pass_ms(2_000)
    lost = hand.sent[-1] if hand.sent[-1].channel is Channel.LEASE else None
    lost = lost or [request for request in hand.sent if request.channel is Channel.LEASE][-1]
    hand.pass_ms(4_500 + 2_000)
    again = [request for request in hand.sent if request.channel is Channel.LEASE][-1]
    assert again.number > lost.number

    hand.agent.on_reply(lost, BrokerHeartbeatResponse(should_shut_down=True), hand.now_ms)

    assert hand.agent.state is ProcessState.RUNNING


def test_a_fetch_asks_from_the_position_that_the_last_reply_left() -> None:
    hand = Hand().registered()
    hand.answer(Channel.METADATA, hand.fetched(10))
    hand.answer(Channel.METADATA, hand.fetched(12))
    hand.position.end_offset = 12
    hand.answer(Channel.METADATA, hand.fetched(12))

    asked = [fetch.topics[0].partitions[0] for fetch in hand.fetches()]
    assert [(10, 10), (10, 10), (10, 12), (12, 12)] == [
        (partition.fetch_offset, partition.high_watermark) for partition in asked[1:]
    ]


def test_a_fetch_without_a_reply_is_repeated_as_a_request_of_its_own() -> None:
    """A property that looks for unanswered requests would take it for the one before."""
    hand = Hand().registered()
    hand.pass_ms(3_000)

    *_, lost, again = hand.fetches()
    assert lost == again
    assert lost is not again


@pytest.mark.rule("1.46", "1.49")
def test_a_refused_heartbeat_is_repeated_after_one_interval_and_never_re_registers() -> None:
    hand = Hand().running()
    hand.pass_ms(2_000)

    for _ in range(3):
        hand.answer(Channel.LEASE, STALE)
        count = len(hand.lease_requests())
        hand.pass_ms(1_999)
        assert len(hand.lease_requests()) == count
        hand.pass_ms(1)
        assert len(hand.lease_requests()) == count + 1
        assert isinstance(hand.lease_requests()[-1], BrokerHeartbeatRequest)


@pytest.mark.rule("7.5")
def test_a_broker_without_a_session_is_fenced_between_its_heartbeats() -> None:
    world = unstarted_world(brokers=1, broker_session_timeout_ms=0)
    world.start()

    pass_time(world, 7)

    changes = [kind for kind in kinds(world) if kind in ("broker_fenced", "broker_unfenced")]
    assert changes[:4] == ["broker_unfenced", "broker_fenced"] * 2


@pytest.mark.rule("1.50")
def test_it_registers_again_with_its_directories_once_metadata_version_has_them() -> None:
    level = DIRECTORY_ASSIGNMENT_FROM
    world = unstarted_world(brokers=2, kraft_version=0, metadata_version=level - 1)
    world.start()
    pass_time(world, 5)
    before = world.committed.brokers[1]
    assert (before.fenced, before.log_dirs) == (False, ())

    update = FeatureUpdate(feature=METADATA_VERSION, max_version_level=level, upgrade_type=1)
    ask(world, UpdateFeaturesRequest(feature_updates=(update,)))
    pass_time(world, 5)

    after = world.committed.brokers[1]
    (directory,) = world.agents[1].agent.config.log_dirs
    assert after.log_dirs == (directory.directory_id,)
    assert after.register_offset > before.register_offset
    assert replace(after, log_dirs=(), register_offset=before.register_offset) == before
    assert kinds(world, 1)[-2:] == ["RUNNING", "broker_registered"]


@pytest.mark.rule("1.46")
def test_a_3_9_broker_backs_off_from_100_ms_doubling() -> None:
    hand = Hand(profile=KAFKA_3_9).running()
    hand.pass_ms(2_000)
    waits = []

    for _ in range(4):
        hand.answer(Channel.LEASE, STALE)
        waits.append(hand.agent.next_deadline_ms() - hand.now_ms)
        hand.pass_ms(waits[-1])

    assert waits == [100, 200, 400, 800]


@pytest.mark.rule("2.15")
def test_a_draining_broker_asks_again_after_50_ms_and_then_every_interval() -> None:
    hand = Hand().running()
    hand.sent += hand.agent.request_stop(hand.now_ms)
    assert hand.lease_requests()[-1].want_shut_down

    hand.answer(Channel.LEASE, BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    count = len(hand.lease_requests())
    hand.pass_ms(50)
    assert len(hand.lease_requests()) == count + 1
    hand.answer(Channel.LEASE, BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    hand.pass_ms(1_999)
    assert len(hand.lease_requests()) == count + 1

    hand.pass_ms(1)
    hand.answer(Channel.LEASE, BrokerHeartbeatResponse(is_caught_up=True, should_shut_down=True))
    assert hand.agent.state is ProcessState.SHUTTING_DOWN
    assert hand.agent.was_drained


def test_an_agent_that_does_not_run_never_wakes_for_the_replicas_of_others() -> None:
    """Such a wake-up did nothing and was due again at once: time stood still for ever."""
    hand = Hand().registered()
    hand.agent.in_sync._due_ms[(b"t" * 16, 0), 2] = hand.now_ms  # as if it still led something

    assert hand.agent.state is ProcessState.STARTING
    assert hand.agent.next_deadline_ms() > hand.now_ms


def test_a_paused_broker_that_is_stopped_drains_once_it_is_resumed() -> None:
    world = world_of(brokers=2)

    world.agents[2].pause()
    world.agents[2].stop()
    world.agents[2].resume()
    pass_time(world, 10)

    assert world.agents[2].state == "NOT_RUNNING"
    assert world.committed.brokers[2].fenced


@pytest.mark.rule("2.32a")
def test_a_caught_up_broker_reports_the_directories_that_its_file_cordons() -> None:
    hand = Hand(cordoned_log_dirs="*").registered()

    hand.answer(Channel.LEASE, BrokerHeartbeatResponse(is_caught_up=True))

    assert hand.lease_requests()[-1].cordoned_log_dirs == (b"d" * 16,)


@pytest.mark.rule("10.57")
def test_a_broker_among_the_voters_ends_before_it_acknowledges_the_record() -> None:
    hand = Hand().running()
    sent = len(hand.fetches())
    hand.position.append([voters_at(10, 1, 3000)])

    hand.answer(Channel.METADATA, hand.fetched(10))

    assert hand.agent.is_finished
    assert hand.agent.failure is not None
    assert sent == len(hand.fetches())
