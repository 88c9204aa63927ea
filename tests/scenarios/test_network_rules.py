"""Faults of the network: each changes what it concerns, counts it, and is gone once lifted."""

import random

import pytest

from kraftsim.controller.core.node_id import broker_node
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, FetchRequest
from kraftsim.controller.time.timeline import Timeline
from kraftsim.simulation.delays import bimodal, constant, exponential, lognormal, uniform
from kraftsim.simulation.message import Message
from kraftsim.simulation.network import Network
from kraftsim.simulation.network_rules import Block, Delay, Duplicate, Hold, Loss, Nth
from kraftsim.simulation.requests.held_messages import HeldMessages
from tests.worlds import pass_time, world_of

FETCH = FetchRequest(topics=())
HEARTBEAT = BrokerHeartbeatRequest(
    broker_id=1, broker_epoch=1, current_metadata_offset=1, want_fence=False, want_shut_down=False
)


class Wire:
    """Messages from 1 to 2, and when each arrived."""

    def __init__(self):
        self.timeline = Timeline(wall_start_ms=0)
        self.network = Network(self.timeline, random.Random(1).random)
        self.arrivals = []

    def send(self, name="one", request=FETCH, sender=1, receiver=2):
        message = Message(broker_node(sender), broker_node(receiver), request)
        self.network.carry(message, lambda: self.arrivals.append((name, self.timeline.now_us)))

    def after(self, by_us):
        self.timeline.run_until(self.timeline.now_us + by_us)
        return self.arrivals

    def names(self):
        return [name for name, _ in self.after(10_000_000)]


@pytest.fixture
def wire():
    return Wire()


def every(_):
    return True


def test_without_a_rule_a_message_takes_what_the_network_takes(wire):
    wire.network.delay_us = constant(1500)

    wire.send()

    assert [("one", 1500)] == wire.after(2000)


def test_a_block_takes_what_is_on_its_way_and_nothing_once_it_is_lifted(wire):
    wire.network.delay_us = constant(1000)
    rule = Block(lambda message: message.receiver.number == 2)
    wire.send("on its way")
    wire.network.add(rule)
    wire.send("blocked")
    wire.after(1000)
    wire.network.remove(rule)
    wire.send("after")

    assert ["after"] == wire.names()
    assert 2 == rule.hits


def test_a_block_in_one_direction_leaves_the_other_open(wire):
    wire.network.add(Block(lambda message: message.sender.number == 1))

    wire.send("there")
    wire.send("back", sender=2, receiver=1)

    assert ["back"] == wire.names()


def test_what_is_held_arrives_in_order_when_it_is_let_go(wire):
    rule = Hold(lambda message: message.request is HEARTBEAT, HeldMessages(wire.timeline))
    wire.network.add(rule)
    for name, request in (("a", HEARTBEAT), ("b", FETCH), ("c", HEARTBEAT)):
        wire.send(name, request)
    assert ["b"] == wire.names()

    wire.network.remove(rule)

    assert ["b", "a", "c"] == wire.names()
    assert 2 == rule.hits


def test_a_held_message_is_released_alone_and_the_others_later_in_order(wire):
    held = HeldMessages(wire.timeline)
    rule = Hold(every, held)
    wire.network.add(rule)
    for name in "abc":
        wire.send(name)
    assert [] == wire.names()

    assert held.release(2)
    assert not held.release(2)
    assert ["b"] == wire.names()
    assert [1, 3] == [number for number, _ in held]

    wire.network.remove(rule)
    assert ["b", "a", "c"] == wire.names()


def test_surgery_takes_the_nth_message_alone(wire):
    rule = Nth(every, first=2, count=1, copies=0, lag_us=0)
    wire.network.add(rule)

    for name in "abc":
        wire.send(name)

    assert ["a", "c"] == wire.names()
    assert 1 == rule.hits


def test_surgery_doubles_and_delays(wire):
    wire.network.add(Nth(every, first=1, count=1, copies=2, lag_us=700))

    wire.send()

    assert [("one", 700), ("one", 700)] == wire.after(1000)


def test_loss_takes_the_part_that_it_says(wire):
    rule = Loss(every, probability=0.3, burst=1.0, stream=random.Random(1))
    wire.network.add(rule)

    for _ in range(10_000):
        wire.send()

    assert 10_000 - rule.hits == len(wire.names())
    assert rule.hits == pytest.approx(3000, rel=0.05)


@pytest.mark.slow
def test_a_burst_loses_as_much_but_in_a_row(wire):
    rule = Loss(every, probability=0.2, burst=5.0, stream=random.Random(1))
    wire.network.add(rule)
    for number in range(20_000):
        wire.send(number)

    arrived = set(wire.names())
    lost = [number not in arrived for number in range(20_000)]
    runs = sum(
        is_lost and not before for before, is_lost in zip([False, *lost], lost, strict=False)
    )
    assert sum(lost) == pytest.approx(4000, rel=0.1)
    assert sum(lost) / runs == pytest.approx(5.0, rel=0.15)


def test_a_copy_arrives_later_than_the_message(wire):
    stream = random.Random(1)
    wire.network.add(Duplicate(every, probability=1.0, lag=constant(400), draw=stream))

    wire.send()

    assert [("one", 0), ("one", 400)] == wire.after(1000)


def test_delays_add_up(wire):
    wire.network.delay_us = constant(100)
    for lag_us in (1000, 20):
        wire.network.add(Delay(every, lag=constant(lag_us)))

    wire.send()

    assert [("one", 1120)] == wire.after(2000)


def test_what_is_lost_is_not_doubled_whatever_the_order_of_adding(wire):
    stream = random.Random(1)
    wire.network.add(Duplicate(every, probability=1.0, lag=constant(1), draw=stream))
    lossy = Loss(every, probability=1.0, burst=1.0, stream=stream)
    wire.network.add(lossy)

    wire.send()

    assert [] == wire.names()
    assert 1 == lossy.hits


def test_healing_lifts_every_rule_and_opens_every_way(wire):
    wire.network.isolate(broker_node(2), (broker_node(1),))
    wire.network.add(Block(every))

    wire.network.heal()
    wire.send()

    assert ["one"] == wire.names()


def test_delays_are_drawn_as_they_are_said():
    stream = random.Random(3)
    draws = {
        "uniform": uniform(1000, 3000, stream),
        "exponential": exponential(2000, stream),
        "lognormal": lognormal(2000, 20_000, stream),
        "bimodal": bimodal(1000, 9000, 0.25, stream),
    }
    drawn = {name: sorted(draw() for _ in range(20_000)) for name, draw in draws.items()}

    assert (1000, 3000) == (drawn["uniform"][0], drawn["uniform"][-1])
    assert sum(drawn["exponential"]) / 20_000 == pytest.approx(2000, rel=0.05)
    assert drawn["lognormal"][10_000] == pytest.approx(2000, rel=0.05)
    assert drawn["lognormal"][19_800] == pytest.approx(20_000, rel=0.15)
    assert drawn["bimodal"].count(9000) == pytest.approx(5000, rel=0.1)


def test_requests_and_replies_arrive_as_the_messages_that_departed():
    world = world_of(brokers=2)
    pass_time(world, 1)
    departed, arrived = [], []
    world.network.departed.append(departed.append)
    world.network.arrived.append(arrived.append)

    pass_time(world, 10)

    under_way = {id(message) for message in departed}  # the first to arrive departed earlier
    assert {True, False} == {message.is_reply for message in departed}
    assert [] == [message for message in arrived[10:] if id(message) not in under_way]
