"""A replica for which a connection asks again is the one that a lookup finds."""

import pytest

from kraftsim.broker_agent.log.log import Instant, Log
from kraftsim.broker_agent.log.periodic import RETENTION
from kraftsim.broker_agent.messages.known_replica import KnownReplica
from kraftsim.broker_agent.messages.replicas import Replica, Replicas
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import DeleteTopicsRequest
from kraftsim.controller.core.uuid import ZERO_UUID
from tests.batches import NOW_MS
from tests.worlds import ask, create_topic, pass_time, world_of

MINUTE_MS = 60_000


class Broker:
    """A broker whose clock is asked without the world's: its metadata stand meanwhile."""

    def __init__(self) -> None:
        self.world = world_of(1)
        create_topic(self.world, "t", (1,))
        pass_time(self.world, 1)
        self.hosted = self.world.agents[1]
        self.replicas = Replicas(self.hosted, RETENTION)
        self.known = KnownReplica(self.replicas, "t", ZERO_UUID, 0)
        self.now_ms = self.hosted.clock.now_ms

    def found(self) -> Replica:
        return self.known.at(Instant(self.now_ms, NOW_MS))


def test_nothing_is_looked_up_again_while_nothing_changes() -> None:
    broker = Broker()

    assert broker.found() is broker.found()


def test_a_look_of_retention_that_is_due_is_made() -> None:
    broker = Broker()
    looked_ms = broker.found().log.looked_ms

    broker.now_ms += 10 * MINUTE_MS

    assert broker.found().log.looked_ms > looked_ms


def test_another_log_of_the_disk_is_found() -> None:
    broker = Broker()
    replica = broker.found()

    broker.hosted.store.logs[replica.key] = other = Log(0)

    assert broker.found().log is other


def test_a_failed_directory_is_found() -> None:
    broker = Broker()
    broker.found()

    (directory,) = broker.hosted.agent.config.log_dirs
    broker.hosted.store.failed.add(directory.directory_id)

    with pytest.raises(ApiError):
        broker.found()


def test_a_topic_that_was_deleted_is_not_found() -> None:
    broker = Broker()
    topic_id = broker.found().topic.topic_id

    ask(broker.world, DeleteTopicsRequest(topic_names=("t",)))
    pass_time(broker.world, 1)

    assert topic_id not in broker.replicas.image.topics
    with pytest.raises(ApiError):
        broker.found()
