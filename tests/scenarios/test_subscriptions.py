"""A property gets the events that can break it, and no others."""

from collections import Counter

import pytest

from kraftsim.controller.core.node_id import BROKER, CONTROLLER
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, FetchRequest
from kraftsim.scenarios.oracles.property import Broken, Property
from kraftsim.scenarios.properties import ALL
from tests.scenarios.watched import settled_world
from tests.worlds import create_topic, pass_time


class Subscriber(Property):
    """Counts the calls of its hooks, and keeps the messages."""

    number = "X1"
    name = "subscriber"
    claim = ""

    def __init__(self, world):
        super().__init__(world)
        self.calls, self.messages, self.wants = Counter(), [], 0

    def wrote(self, node, turn):
        self.calls["wrote"] += 1

    def wrote_news(self, node, turn):
        self.calls["wrote_news"] += 1

    def moved(self, node, turn):
        self.calls["moved"] += 1

    def loaded(self, node, turn):
        self.calls["loaded"] += 1

    def advanced(self, node, turn):
        self.calls["advanced"] += 1

    def led(self, node, turn):
        assert node.quorum.is_leader
        self.calls["led"] += 1

    def next_step(self, node, turn):
        self.calls["next_step"] += 1

    def stepped(self, node, turn):
        self.calls["stepped"] += 1

    def replied(self, message):
        self.messages.append(message)


def subscribed(**declared):
    """Returns a settled world and the subscriber of it, with these attributes of the class."""
    world, watching = settled_world(classes=[type("Declared", (Subscriber,), declared)])
    return world, watching.properties["X1"]


def test_an_idle_leader_writes_and_commits_and_tells_no_news():
    world, subscriber = subscribed()
    pass_time(world, 20)
    subscriber.calls.clear()

    pass_time(world, 20)

    calls = subscriber.calls
    assert calls["wrote"] >= 20
    assert (calls["wrote_news"], calls["moved"]) == (0, 0)
    assert calls["loaded"] == calls["advanced"] > 0
    assert 0 < calls["led"] < calls["stepped"]


def test_a_record_of_a_topic_is_news_to_each_controller():
    world, subscriber = subscribed()
    pass_time(world, 20)
    subscriber.calls.clear()

    create_topic(world, "t", (1, 2, 3))
    pass_time(world, 1)

    assert subscriber.calls["wrote_news"] == len(world.controllers)


def test_a_restarted_controller_moves_and_loads_anew():
    world, subscriber = subscribed()
    standby = next(of for of, process in world.controllers.items() if process is not world.active)
    pass_time(world, 5)
    world.kill_controller(standby)
    subscriber.calls.clear()

    world.start_controller(standby)
    pass_time(world, 0)

    assert subscriber.calls["moved"] >= 1


def test_a_wish_for_a_step_is_granted_once():
    world, subscriber = subscribed()
    pass_time(world, 5)
    assert subscriber.calls["next_step"] == 0

    subscriber.await_step()
    subscriber.await_step()
    pass_time(world, 5)

    assert subscriber.calls["next_step"] == 1


@pytest.mark.parametrize("asker", [BROKER, CONTROLLER])
def test_messages_come_by_their_request_and_by_who_asks(asker):
    world, subscriber = subscribed(kinds=(FetchRequest,), askers=(asker,))
    pass_time(world, 5)

    assert {type(message.request) for message in subscriber.messages} == {FetchRequest}
    assert {message.receiver.kind for message in subscriber.messages} == {asker}


def test_without_askers_messages_come_from_all():
    world, subscriber = subscribed(kinds=(FetchRequest, BrokerHeartbeatRequest))
    pass_time(world, 5)

    kinds = {message.receiver.kind for message in subscriber.messages}
    assert {BROKER, CONTROLLER} <= kinds


def test_a_broken_property_gets_no_step_that_it_asked_for():
    def breaks(self, node, turn):
        self.await_step()
        raise Broken("at once")

    world, subscriber = subscribed(moved=breaks)
    pass_time(world, 5)

    assert subscriber.calls["next_step"] == 0


def test_few_properties_look_at_every_step():
    """Each of them makes every step of every controller dearer, also while nothing happens."""
    assert [kind.number for kind in ALL if "stepped" in vars(kind)] == ["L10"]
